//! Lexer for constants, the items between the commas of a list.
//!
//! | written | is |
//! | --- | --- |
//! | `12 -3 +4 010` | an integer (octal after a 0), of the smallest of `int uint int64 uint64` that holds it |
//! | `1b 2ub 3us 4s 5u 6l 7ul 8ll 9ull` | of `byte ubyte ushort short uint int uint int64 uint64`; letters in either case and order |
//! | `0x1fs 0x1fl 0x1fll` | of `ushort uint uint64` |
//! | `0x1f` | opaque bytes |
//! | `1.5 1e3 1.5d 1.5L`, `1.5f` | a `double`, a `float` |
//! | `NaN Infinity DoubleInf`, `NaNf Infinityf Inff FloatInf`, with a sign | likewise |
//! | `'a' '\n' '\101'`, `"text"` | a character, a string |
//! | `_`, `NIL` | the fill value, no string |
//! | `name`, `enum.name`, `/path/name` | a member of an enum |
//! | `time("1999-01-01 12:00")` | hours since 1970, a `double` |

use crate::error::{Error, Result};

use super::escapes::escape;
use super::integer::{Integer, Spelled};
use super::time_constant;
use crate::cdl::read::syntax::text::Text;

/// A constant. Strings, names and digits are borrowed from the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant<'t> {
    /// An integer.
    Integer(Integer),
    /// A decimal, without its suffix.
    Real {
        /// Digits, point, exponent.
        spelled: &'t str,
        /// True for a `float`, false for a `double`.
        single: bool,
    },
    /// NaN or an infinity.
    Value {
        /// The number.
        value: f64,
        /// True for a `float`, false for a `double`.
        single: bool,
    },
    /// A character.
    Character(u8),
    /// The text between the quotes of a string.
    String(&'t [u8]),
    /// The digits of an opaque constant.
    Opaque(&'t [u8]),
    /// `_`
    Fill,
    /// `NIL`
    Nil,
    /// A name, as spelled.
    Name(&'t [u8]),
}

impl Constant<'_> {
    /// The constant's kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Real { .. } | Self::Value { .. } => "a number",
            Self::Character(_) => "a character",
            Self::String(_) => "a string",
            Self::Opaque(_) => "an opaque constant",
            Self::Fill => "_",
            Self::Nil => "NIL",
            Self::Name(_) => "a name",
        }
    }
}

/// Maximum length, in bytes, of text quoted in a message.
const SHOWN: usize = 30;

/// Splits a piece of text into constants.
pub struct Lexer<'t> {
    text: &'t Text,
    bytes: &'t [u8],
    base: u64,
    /// Position of the next byte within the piece.
    pub at: usize,
}

/// True for white space.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c)
}

impl<'t> Lexer<'t> {
    /// A lexer over `bytes`, which begin at `base` in `text`.
    pub fn new(text: &'t Text, bytes: &'t [u8], base: u64) -> Self {
        Self {
            text,
            bytes,
            base,
            at: 0,
        }
    }

    /// The whole piece.
    pub fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// Position in the text of byte `at` of the piece.
    pub fn place(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// An error at byte `at` of the piece.
    pub fn error(&self, at: usize, what: impl Into<String>) -> Error {
        self.text.error(self.base + at as u64, what)
    }

    /// An error that names what was expected here, and what was found.
    pub fn expected(&mut self, what: &str) -> Error {
        let at = match self.peek() {
            Ok(Some(_)) => self.at,
            Ok(None) => return self.error(self.at, format!("expected {what}, found ';'")),
            Err(error) => return error,
        };
        let word = self.word();
        let found = match word.len() {
            0 => &self.bytes[at..=at],
            length => &word[..length.min(SHOWN)],
        };
        let found = String::from_utf8_lossy(found);
        self.at = at;
        self.error(at, format!("expected {what}, found '{found}'"))
    }

    /// Skips white space and comments, and returns the next byte without taking it; `None` at the end.
    ///
    /// # Errors
    /// A comment without end.
    pub fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            let rest = self.rest();
            let Some(skip) = rest.iter().position(|b| !is_blank(*b)) else {
                self.at = self.bytes.len();
                return Ok(None);
            };
            self.at += skip;
            let rest = &rest[skip..];
            if rest.starts_with(b"//") {
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                let end = rest[2..].windows(2).position(|w| w == b"*/");
                let end = end.ok_or_else(|| self.error(self.at, "this comment has no end: expected '*/'"))?;
                self.at += end + 4;
            } else {
                return Ok(rest.first().copied());
            }
        }
    }

    /// Takes `byte` if it is the next one.
    ///
    /// # Errors
    /// A comment without end.
    pub fn take(&mut self, byte: u8) -> Result<bool> {
        let found = self.peek()? == Some(byte);
        self.at += usize::from(found);
        Ok(found)
    }

    /// Takes the constant that begins here.
    ///
    /// # Errors
    /// Text that is not a constant, at its position.
    pub fn constant(&mut self) -> Result<Constant<'t>> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            Some(b'"') => self.string(start),
            Some(b'\'') => self.character(start),
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
                let word = self.word();
                number(word).map_err(|what| self.error(start, what))
            }
            Some(b'{') => Err(self.error(start, "expected a value, and not a list in braces")),
            None | Some(b',' | b';' | b'}' | b'(' | b')') => Err(self.expected("a value")),
            Some(_) => {
                let word = self.word();
                match word {
                    b"_" => Ok(Constant::Fill),
                    b"NIL" | b"nil" | b"Nil" => Ok(Constant::Nil),
                    _ if self.peek()? == Some(b'(') => self.call(word, start),
                    _ => Ok(Constant::Name(word)),
                }
            }
        }
    }

    /// The text up to the next blank, sign or comment.
    fn word(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let mut length = 0;
        while let Some(byte) = rest.get(length) {
            match byte {
                b'\\' => length += 1,
                b',' | b';' | b'{' | b'}' | b'(' | b')' | b'"' | b'\'' => break,
                b'/' if matches!(rest.get(length + 1), Some(b'/' | b'*')) => break,
                byte if is_blank(*byte) => break,
                _ => {}
            }
            length += 1;
        }
        let length = length.min(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn string(&mut self, start: usize) -> Result<Constant<'t>> {
        let inner = &self.bytes[start + 1..];
        let mut at = 0;
        loop {
            at += inner[at.min(inner.len())..]
                .iter()
                .position(|b| matches!(b, b'"' | b'\\'))
                .ok_or_else(|| self.error(start, "this string has no end: expected '\"'"))?;
            if inner[at] == b'"' {
                self.at = start + at + 2;
                return Ok(Constant::String(&inner[..at]));
            }
            at += 2;
        }
    }

    fn character(&mut self, start: usize) -> Result<Constant<'t>> {
        let inner = &self.bytes[start + 1..];
        let (byte, length) = match inner {
            [b'\\', rest @ ..] => escape(rest).map_or((0, 0), |(byte, length)| (byte, length + 1)),
            [byte, ..] => (*byte, 1),
            [] => (0, 0),
        };
        if length == 0 || inner.get(length) != Some(&b'\'') {
            return Err(self.error(
                start,
                "a character constant is one character between '; text stands between \"",
            ));
        }
        self.at = start + length + 2;
        Ok(Constant::Character(byte))
    }

    /// Parses a function call. `(` is the next byte.
    fn call(&mut self, name: &[u8], start: usize) -> Result<Constant<'t>> {
        if name != b"time" {
            let name = String::from_utf8_lossy(name);
            return Err(self.error(
                start,
                format!("there is no function '{name}'; the only one is time"),
            ));
        }
        self.take(b'(')?;
        let argument = self.constant()?;
        let Constant::String(spelled) = argument else {
            return Err(self.error(start, "time needs a string, such as time(\"1999-12-31 23:59\")"));
        };
        if !self.take(b')')? {
            return Err(self.expected("')'"));
        }
        let hours = time_constant::hours(spelled).ok_or_else(|| {
            self.error(
                start,
                "this is not a time; one is written as \"1999-12-31 23:59:59\"",
            )
        })?;
        Ok(Constant::Value {
            value: hours,
            single: false,
        })
    }
}

/// NaN or an infinity by any of its names, with or without a sign.
pub fn special(word: &[u8]) -> Option<Constant<'static>> {
    let (negative, name) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let lower = name.to_ascii_lowercase();
    let (value, single) = match lower.as_slice() {
        b"nan" => (f64::NAN, false),
        b"nanf" => (f64::NAN, true),
        b"inf" | b"infinity" | b"doubleinf" => (f64::INFINITY, false),
        b"inff" | b"infinityf" | b"floatinf" => (f64::INFINITY, true),
        _ => return None,
    };
    Some(Constant::Value {
        value: if negative && !value.is_nan() {
            -value
        } else {
            value
        },
        single,
    })
}

/// Parses `word`, which begins like a number.
fn number(word: &[u8]) -> Result<Constant<'_>, String> {
    let no_number = || format!("{} is not a number", String::from_utf8_lossy(word));
    let spelled = std::str::from_utf8(word).map_err(|_| no_number())?;
    let integer = Spelled::new(spelled);
    if let Some(digits) = integer.opaque() {
        return Ok(Constant::Opaque(digits));
    }
    if integer.is_whole() {
        return integer
            .constant()
            .map(Constant::Integer)
            .map_err(|why| format!("{}: {why}", no_number()));
    }
    let (decimal, single) = match spelled.as_bytes().last() {
        Some(b'f' | b'F') => (&spelled[..spelled.len() - 1], true),
        Some(b'd' | b'D' | b'l' | b'L') => (&spelled[..spelled.len() - 1], false),
        _ => (spelled, false),
    };
    // The standard library accepts the decimals of CDL, but also names of infinities.
    let plain = decimal
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    if plain && decimal.parse::<f64>().is_ok() {
        return Ok(Constant::Real {
            spelled: decimal,
            single,
        });
    }
    special(word).ok_or_else(no_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn with<T>(bytes: &[u8], read: impl FnOnce(Result<Constant<'_>>) -> T) -> T {
        let text = Text::new(Arc::new(bytes.to_vec()), "a.cdl").unwrap();
        let mut lexer = Lexer::new(&text, bytes, 0);
        read(lexer.constant())
    }

    #[test]
    fn wrong_integers() {
        for (spelled, why) in [
            ("09", "octal"),
            ("256b", "more than 8"),
            ("-129b", "more than 8"),
            ("65536s", "more than 16"),
            ("-1u", "no sign"),
            ("1uu", "no suffix"),
            ("1bs", "no suffix"),
            ("5000000000u", "more than 32"),
            ("18446744073709551616", "more than 64"),
            ("-9223372036854775809", "more than 64"),
            ("0x", "digits"),
            ("0x1u", "suffix"),
            ("0x10000s", "more than 16"),
            ("-0x1l", "sign"),
            ("1x", "not a number"),
            ("1.2.3", "not a number"),
            ("-", "not a number"),
            (".", "not a number"),
        ] {
            let error = with(spelled.as_bytes(), |c| c.unwrap_err().to_string());
            assert!(error.contains(why), "{spelled}: {error}");
        }
    }

    #[test]
    fn numbers_with_points_and_names() {
        for (written, digits, float) in [
            ("1.5", "1.5", false),
            ("1.5f", "1.5", true),
            ("-1e3F", "-1e3", true),
            ("1.5L", "1.5", false),
            (".5d", ".5", false),
            ("5.", "5.", false),
            ("1f", "1", true),
            ("010.5", "010.5", false),
        ] {
            let expected = Constant::Real {
                spelled: digits,
                single: float,
            };
            with(written.as_bytes(), |c| {
                assert_eq!(c.unwrap(), expected, "{written}")
            });
        }
        for (spelled, value, single) in [
            ("-Infinity", f64::NEG_INFINITY, false),
            ("-Inff", f64::NEG_INFINITY, true),
            ("+inf", f64::INFINITY, false),
        ] {
            let expected = Constant::Value { value, single };
            with(spelled.as_bytes(), |c| assert_eq!(c.unwrap(), expected));
        }
        for word in ["NaN", "nan", "NaNf", "nanf", "DoubleInf", "FloatInf", "Infinityf"] {
            with(word.as_bytes(), |c| {
                assert_eq!(c.unwrap(), Constant::Name(word.as_bytes()));
            });
            assert!(special(word.as_bytes()).is_some());
        }
    }

    #[test]
    fn quoted_and_named() {
        for (spelled, expected) in [
            (&b" /* a */ // b\n 'a'"[..], Constant::Character(b'a')),
            (b"'\\''", Constant::Character(b'\'')),
            (b"'''", Constant::Character(b'\'')),
            (b"'\\0'", Constant::Character(0)),
            (b"'\\x41'", Constant::Character(b'A')),
            (b"'\\101'", Constant::Character(b'A')),
            (b"'\xff'", Constant::Character(255)),
            (b"\"a\\\"b\" ", Constant::String(b"a\\\"b")),
            (b"\"\"", Constant::String(b"")),
            (b"_,", Constant::Fill),
            (b"nil", Constant::Nil),
            (b"_x", Constant::Name(b"_x")),
            (b"/g/e.a\\ b,", Constant::Name(b"/g/e.a\\ b")),
            (b"e1.x//", Constant::Name(b"e1.x")),
            (b"0XaB", Constant::Opaque(b"aB")),
        ] {
            with(spelled, |c| {
                assert_eq!(c.unwrap(), expected, "{}", String::from_utf8_lossy(spelled));
            });
        }
        for spelled in [
            &b"'ab'"[..],
            b"''",
            b"'",
            b"'\\",
            b"\"abc",
            b"\"abc\\",
            b"\"abc\\\"",
            b"",
            b",",
            b"foo(1)",
            b"time(1)",
            b"time(\"x\")",
            b"/* ",
        ] {
            with(spelled, |c| {
                assert!(c.is_err(), "{}", String::from_utf8_lossy(spelled));
            });
        }
        let expected = Constant::Value {
            value: 254_208.0,
            single: false,
        };
        with(b"time ( \"1999-01-01\" )", |c| assert_eq!(c.unwrap(), expected));
    }
}
