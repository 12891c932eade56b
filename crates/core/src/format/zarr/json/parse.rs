//! Parses JSON.

use std::collections::HashMap;

use super::{Json, word};

/// Most arrays and objects within each other. A parser that calls itself must have a limit.
const DEPTH: usize = 64;

/// Text that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {position}")]
pub struct JsonError {
    /// Position in the text, in bytes.
    pub position: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl Json {
    /// Parses a text: JSON, the tokens `NaN`, `Infinity` and `-Infinity`, and what else netCDF-C writes: numbers, booleans
    /// and null in C's spelling, and control characters in strings.
    ///
    /// Integers beyond 64 bits are words, whose value is a float. A lone surrogate in a string becomes U+FFFD. Of members with the same key the
    /// last value counts. A byte order mark at the beginning is skipped.
    ///
    /// # Errors
    /// Text that is not UTF-8 or not JSON, or that is nested more than 64 levels deep.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        parse(bytes, true, false)
    }

    /// Parses as [`Json::parse`] does, and keeps the spelling of numbers, booleans and null. The text of attributes may
    /// depend on it.
    ///
    /// # Errors
    /// Those of [`Json::parse`].
    pub fn parse_spelled(bytes: &[u8]) -> Result<Self, JsonError> {
        parse(bytes, true, true)
    }

    /// Parses as [`Json::parse_spelled`] does, but only JSON and the tokens `NaN`, `Infinity` and `-Infinity`.
    ///
    /// # Errors
    /// Those of [`Json::parse`], and what is no JSON.
    pub fn parse_strict(bytes: &[u8]) -> Result<Self, JsonError> {
        parse(bytes, false, true)
    }
}

fn parse(bytes: &[u8], lenient: bool, spelled: bool) -> Result<Json, JsonError> {
    let text = std::str::from_utf8(bytes).map_err(|e| JsonError {
        position: e.valid_up_to(),
        what: "text that is not UTF-8",
    })?;
    let mut parser = Parser {
        text,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        lenient,
        spelled,
    };
    let value = parser.value(0)?;
    parser.skip_space();
    match parser.at == text.len() {
        true => Ok(value),
        false => Err(parser.error("more text after the end of the value")),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Position of the next byte, always at the boundary of a character.
    at: usize,
    /// True if words in C's spelling and control characters in strings are no errors.
    lenient: bool,
    /// True if the spelling of words is kept.
    spelled: bool,
}

impl<'a> Parser<'a> {
    fn error(&self, what: &'static str) -> JsonError {
        JsonError {
            position: self.at,
            what,
        }
    }

    /// An error, or the end of the text if that comes before what was expected.
    fn expected(&self, what: &'static str) -> JsonError {
        match self.peek() {
            Some(_) => self.error(what),
            None => self.error("the text ends"),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips `token` if the text goes on with it.
    fn take(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if depth == DEPTH => Err(self.error("values nested more than 64 levels deep")),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => Ok(Json::String(self.string()?)),
            _ => {
                let start = self.at;
                let value = match self.lenient_word() {
                    Some(value) => value,
                    None => match self.peek() {
                        Some(b'-' | b'0'..=b'9') if !self.text[self.at..].starts_with("-Infinity") => {
                            self.number()?
                        }
                        _ => self.word()?,
                    },
                };
                let spelling = &self.text[start..self.at];
                let is_kept = self.spelled || matches!(value, Json::Float(_)) && word::is_whole(spelling);
                match is_kept && value.to_string() != spelling {
                    true => Ok(Json::Word(spelling.to_owned())),
                    false => Ok(value),
                }
            }
        }
    }

    /// A number, boolean or null in C's spelling, if that is no error.
    fn lenient_word(&mut self) -> Option<Json> {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|c| !word::is_part(c)).unwrap_or(rest.len());
        let value = word::value(&rest[..end]).filter(|_| self.lenient)?;
        self.at += end;
        Some(value.into())
    }

    fn word(&mut self) -> Result<Json, JsonError> {
        let words = [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
            ("NaN", Json::Float(f64::NAN)),
            ("Infinity", Json::Float(f64::INFINITY)),
            ("-Infinity", Json::Float(f64::NEG_INFINITY)),
        ];
        for (word, value) in words {
            if self.take(word) {
                return Ok(value);
            }
        }
        Err(self.expected("no value"))
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        self.skip_space();
        let mut elements = Vec::new();
        if self.take("]") {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value(depth)?);
            self.skip_space();
            if self.take("]") {
                return Ok(Json::Array(elements));
            }
            if !self.take(",") {
                return Err(self.expected("no comma or ] after an element"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        self.skip_space();
        let mut members = Vec::new();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.expected("no key"));
            }
            let key = self.string()?;
            self.skip_space();
            if !self.take(":") {
                return Err(self.expected("no colon after a key"));
            }
            members.push((key, self.value(depth)?));
            self.skip_space();
            if self.take("}") {
                return Ok(Json::Object(without_duplicates(members)));
            }
            if !self.take(",") {
                return Err(self.expected("no comma or } after a member"));
            }
        }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.take("-");
        let whole = self.digits()?;
        if whole.len() > 1 && whole.starts_with('0') {
            self.at = start;
            return Err(self.error("a number with a leading zero"));
        }
        let mut is_integer = true;
        if self.take(".") {
            is_integer = false;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_integer = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        match text.parse() {
            Ok(value) if is_integer => Ok(word::number(value).into()),
            _ => match text.parse() {
                Ok(value) => Ok(Json::Float(value)),
                Err(_) => Err(self.error("a number that cannot be read")),
            },
        }
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<&'a str, JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        match start == self.at {
            true => Err(self.expected("no digit")),
            false => Ok(&self.text[start..self.at]),
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest
                .bytes()
                .position(|c| c < b' ' || c == b'"' || c == b'\\')
                .unwrap_or(rest.len());
            string.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(control) if self.lenient => {
                    string.push(char::from(control));
                    self.at += 1;
                }
                _ => return Err(self.expected("a control character in a string")),
            }
        }
    }

    /// The character after a backslash.
    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'u') => return self.unicode(),
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.expected("an unknown escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// A character given as `uXXXX`, or as a pair of surrogates `uXXXX\uXXXX`.
    fn unicode(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let unit = self.unit()?;
        let mut units = vec![unit];
        let after_first = self.at;
        if (0xd800..0xdc00).contains(&unit) && self.take("\\u") {
            let second = self.unit()?;
            match (0xdc00..0xe000).contains(&second) {
                true => units.push(second),
                // The next escape stands for itself.
                false => self.at = after_first,
            }
        }
        let character = char::decode_utf16(units).next();
        Ok(character
            .and_then(Result::ok)
            .unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, JsonError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|c| char::from(c).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.expected("no hexadecimal digit"));
            };
            unit = unit << 4 | digit as u16;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// Removes members whose key comes again. The key keeps its first place, and takes the last value.
fn without_duplicates(members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let distinct: HashMap<&str, usize> =
        (members.iter().enumerate()).fold(HashMap::new(), |mut places, (at, (key, _))| {
            places.insert(key, at);
            places
        });
    if distinct.len() == members.len() {
        return members;
    }
    let mut places = HashMap::new();
    let mut kept: Vec<(String, Json)> = Vec::with_capacity(distinct.len());
    for (key, value) in members {
        match places.get(&key) {
            Some(at) => {
                let at: usize = *at;
                kept[at].1 = value;
            }
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    kept
}
