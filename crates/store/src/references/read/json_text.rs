//! [`JsonText`]: JSON that is read token by token, so that a text may be larger than memory.
//!
//! No call is recursive. Values that are kept as text may nest [`DEEPEST`] levels.

use std::io::{self, Read};

use ncutils_model::error::{Error, Result};

/// Most levels of a value that is kept or passed over.
const DEEPEST: usize = 512;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// A JSON text, of which one token after another is read.
pub struct JsonText<R> {
    input: R,
    piece: Vec<u8>,
    /// Position of the next byte in `piece`.
    at: usize,
    /// Bytes of the text before `piece`.
    before: u64,
}

impl<R: Read> JsonText<R> {
    /// The text that `input` has.
    pub fn new(input: R) -> Self {
        Self {
            input,
            piece: Vec::new(),
            at: 0,
            before: 0,
        }
    }

    /// An error at the place that was reached.
    pub fn wrong(&self, what: &str) -> Error {
        let at = self.before + self.at as u64;
        Error::Damaged(format!("JSON at byte {at}: {what}"))
    }

    /// The next byte, which stays the next one; `None` at the end.
    fn peek(&mut self) -> Result<Option<u8>> {
        if self.at == self.piece.len() {
            self.before += self.at as u64;
            self.at = 0;
            self.piece.resize(PIECE, 0);
            let read = loop {
                match self.input.read(&mut self.piece) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            self.piece.truncate(*read.as_ref().unwrap_or(&0));
            read.map_err(|e| Error::io("cannot read", e))?;
        }
        Ok(self.piece.get(self.at).copied())
    }

    /// The next byte.
    fn take(&mut self) -> Result<u8> {
        let byte = self
            .peek()?
            .ok_or_else(|| self.wrong("the text ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    /// The first byte of the next token, which stays the next one; `None` at the end.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn token(&mut self) -> Result<Option<u8>> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.at += 1;
        }
        Ok(None)
    }

    /// Takes a token of one byte.
    ///
    /// # Errors
    /// If another token follows.
    pub fn expect(&mut self, token: u8) -> Result<()> {
        match self.token()? {
            Some(found) if found == token => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.wrong(&format!("expected '{}'", char::from(token)))),
        }
    }

    /// Takes a token of one byte if it follows.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn takes(&mut self, token: u8) -> Result<bool> {
        let follows = self.token()? == Some(token);
        self.at += usize::from(follows);
        Ok(follows)
    }

    /// Steps to the next element of a list or object that ends with `end`. False at its end. `is_first` is true before the first
    /// element.
    ///
    /// # Errors
    /// If neither a comma nor the end follows.
    pub fn next_of(&mut self, end: u8, is_first: &mut bool) -> Result<bool> {
        if std::mem::take(is_first) {
            return Ok(!self.takes(end)?);
        }
        if self.takes(end)? {
            return Ok(false);
        }
        self.expect(b',')?;
        Ok(true)
    }

    /// Adds the string that follows to `out`, without its escapes.
    ///
    /// # Errors
    /// If no string follows, or one that is not Unicode, or one that makes `out` longer than `most` bytes.
    pub fn string(&mut self, out: &mut Vec<u8>, most: usize) -> Result<()> {
        self.expect(b'"')?;
        let from = out.len();
        loop {
            if self.peek()?.is_none() {
                return Err(self.wrong("a string does not end"));
            }
            let rest = &self.piece[self.at..];
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20));
            let plain = plain.unwrap_or(rest.len());
            if out.len() + plain > most {
                return Err(self.too_long(most));
            }
            out.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match self.peek()? {
                None => return Err(self.wrong("a string does not end")),
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(out)?;
                }
                // Control characters that Python writes only where it is told to.
                Some(control @ ..0x20) => {
                    self.at += 1;
                    out.push(control);
                }
                Some(_) => {}
            }
        }
        match std::str::from_utf8(&out[from..]) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.wrong("a string is not UTF-8")),
        }
    }

    fn too_long(&self, most: usize) -> Error {
        Error::Unsupported(format!("JSON with strings of more than {most} bytes"))
    }

    /// Adds the character of an escape, whose backslash was taken.
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let plain = match self.take()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            same @ (b'"' | b'\\' | b'/') => same,
            b'u' => {
                let mut code = self.four_digits()?;
                if (0xd800..0xdc00).contains(&code) {
                    let follows = self.take()? == b'\\' && self.take()? == b'u';
                    let low = if follows { self.four_digits()? } else { 0 };
                    if !(0xdc00..0xe000).contains(&low) {
                        return Err(self.wrong("half of a pair of surrogates"));
                    }
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                }
                let character = char::from_u32(code);
                let character = character.ok_or_else(|| self.wrong("half of a pair of surrogates"))?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.wrong("an unknown escape")),
        };
        out.push(plain);
        Ok(())
    }

    fn four_digits(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.take()?).to_digit(16);
            code = code * 16 + digit.ok_or_else(|| self.wrong("\\u without four digits"))?;
        }
        Ok(code)
    }

    /// The whole number that follows.
    ///
    /// # Errors
    /// If it is none, or not one of 64 bits.
    pub fn integer(&mut self) -> Result<i128> {
        self.token()?;
        let is_negative = self.takes(b'-')?;
        let (mut number, mut digits) = (0u64, 0);
        while self.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
            let rest = &self.piece[self.at..];
            let here = rest.iter().take_while(|byte| byte.is_ascii_digit());
            let (mut count, mut longer) = (0, Some(number));
            for digit in here {
                longer = longer.and_then(|number| number.checked_mul(10)?.checked_add((digit - b'0').into()));
                count += 1;
            }
            (digits, self.at) = (digits + count, self.at + count);
            number = longer.ok_or_else(|| self.wrong("a number of more than 64 bits"))?;
        }
        if digits == 0 || self.peek()?.is_some_and(|byte| b".eE".contains(&byte)) {
            return Err(self.wrong("expected a whole number"));
        }
        let number = i128::from(number);
        Ok(if is_negative { -number } else { number })
    }

    /// Adds the text of the value that follows to `out`, as it stands.
    ///
    /// # Errors
    /// If the value nests more than 512 levels, does not end, or makes `out` longer than `most` bytes.
    pub fn value(&mut self, out: &mut Vec<u8>, most: usize) -> Result<()> {
        self.any(&mut |byte| {
            out.push(byte);
            out.len() <= most
        })?;
        match out.len() > most {
            true => Err(self.too_long(most)),
            false => Ok(()),
        }
    }

    /// Passes over the value that follows.
    ///
    /// # Errors
    /// If the value nests more than 512 levels or does not end.
    pub fn skip(&mut self) -> Result<()> {
        self.any(&mut |_| true)
    }

    /// Gives each byte of the value that follows to `each`, until that returns false. Words and numbers are not looked at.
    fn any(&mut self, each: &mut dyn FnMut(u8) -> bool) -> Result<()> {
        let first = self.token()?.ok_or_else(|| self.wrong("expected a value"))?;
        if matches!(first, b',' | b':' | b']' | b'}') {
            return Err(self.wrong("expected a value"));
        }
        let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
        while let Some(byte) = self.peek()? {
            if depth == 0 && !in_string && (byte.is_ascii_whitespace() || b",]}:".contains(&byte)) {
                return Ok(());
            }
            self.at += 1;
            if !each(byte) {
                return Ok(());
            }
            match (in_string, byte) {
                (true, _) if is_escaped => is_escaped = false,
                (true, b'\\') => is_escaped = true,
                (true, b'"') => in_string = false,
                (true, _) => {}
                (false, b'"') => in_string = true,
                (false, b'[' | b'{') => depth += 1,
                (false, b']' | b'}') => depth -= 1,
                (false, _) => continue,
            }
            if depth > DEEPEST {
                return Err(Error::Unsupported(format!(
                    "JSON that nests more than {DEEPEST} levels"
                )));
            }
            if depth == 0 && !in_string {
                return Ok(());
            }
        }
        match depth == 0 && !in_string {
            true => Ok(()),
            false => Err(self.wrong("a value does not end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> Result<String> {
        let mut out = Vec::new();
        JsonText::new(text.as_bytes()).string(&mut out, 100)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn strings_lose_their_escapes() {
        let text = r#" "a\"\\\/\n\u00e9\ud83d\ude00 é" "#;
        assert_eq!(string(text).unwrap(), "a\"\\/\n\u{e9}\u{1f600} é");
        for wrong in [
            r#""a"#,
            r#""\x""#,
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\u12""#,
            "a",
            "",
        ] {
            assert!(string(wrong).is_err(), "{wrong}");
        }
        let long = format!("\"{}\"", "x".repeat(101));
        assert!(string(&long).unwrap_err().to_string().contains("100 bytes"));
    }

    #[test]
    fn values_are_kept_as_they_stand() {
        for value in [r#"{"a": [1, "]\"}", NaN]}"#, "[]", "-1.5e3", "\"x\"", "null"] {
            let text = format!("  {value} , 1");
            let mut json = JsonText::new(text.as_bytes());
            let mut out = Vec::new();
            json.value(&mut out, 100).unwrap();
            assert_eq!(out, value.as_bytes());
            json.expect(b',').unwrap();
            assert_eq!(json.integer().unwrap(), 1);
        }
        let deep = "[".repeat(100_000);
        let told = JsonText::new(deep.as_bytes()).skip().unwrap_err().to_string();
        assert!(told.contains("512 levels"), "{told}");
        assert!(JsonText::new(&b"[[1]"[..]).skip().is_err());
        assert!(JsonText::new(&b"]"[..]).skip().is_err());
    }

    #[test]
    fn numbers_are_whole() {
        let integer = |text: &str| JsonText::new(text.as_bytes()).integer();
        assert_eq!(integer(" 18446744073709551615").unwrap(), u64::MAX.into());
        assert_eq!(integer("-7,").unwrap(), -7);
        for wrong in ["1.5", "1e3", "18446744073709551616", "-", "x", ""] {
            assert!(integer(wrong).is_err(), "{wrong}");
        }
    }
}
