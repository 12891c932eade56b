//! Words, strings and marks of the texts of DAP2.

use crate::error::{Error, Result};
use crate::format::dap::limits::shown;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name, a number or a keyword.
    Word(&'a str),
    /// What stands between quotes, with its escapes.
    Text(&'a str),
    /// One of `{}[]:;=,`.
    Mark(u8),
    End,
}

/// Cuts a text into tokens.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    peeked: Option<Token<'a>>,
    /// What the text is, for messages.
    what: &'static str,
}

/// Marks that end a word.
const MARKS: &[u8] = b"{}[]:;=,";

impl<'a> Lexer<'a> {
    /// The tokens of a text, which is a `what`.
    pub fn new(text: &'a str, what: &'static str) -> Self {
        Self {
            text,
            at: 0,
            peeked: None,
            what,
        }
    }

    /// The next token.
    ///
    /// # Errors
    /// A string without an end.
    pub fn next(&mut self) -> Result<Token<'a>> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.scan(),
        }
    }

    /// The next token, which stays the next one.
    ///
    /// # Errors
    /// A string without an end.
    pub fn peek(&mut self) -> Result<Token<'a>> {
        let token = self.next()?;
        self.peeked = Some(token);
        Ok(token)
    }

    /// Takes a mark.
    ///
    /// # Errors
    /// If something else comes.
    pub fn mark(&mut self, mark: u8) -> Result<()> {
        match self.next()? {
            Token::Mark(found) if found == mark => Ok(()),
            _ => Err(self.fault(&format!("a '{}' is missing", char::from(mark)))),
        }
    }

    /// Takes a mark if it comes.
    ///
    /// # Errors
    /// A string without an end.
    pub fn has_mark(&mut self, mark: u8) -> Result<bool> {
        let is_it = self.peek()? == Token::Mark(mark);
        if is_it {
            self.peeked = None;
        }
        Ok(is_it)
    }

    /// Takes a word.
    ///
    /// # Errors
    /// If something else comes.
    pub fn word(&mut self) -> Result<&'a str> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            _ => Err(self.fault("a name is missing")),
        }
    }

    /// Takes a keyword.
    ///
    /// # Errors
    /// If something else comes.
    pub fn keyword(&mut self, keyword: &str) -> Result<()> {
        match self.next()? {
            Token::Word(word) if word.eq_ignore_ascii_case(keyword) => Ok(()),
            _ => Err(self.fault(&format!("'{keyword}' is missing"))),
        }
    }

    /// The error of a malformed text, with what stands there.
    pub fn fault(&self, why: &str) -> Error {
        let near = self.text.get(self.at..).unwrap_or_default();
        let line = 1 + self.text.as_bytes()[..self.at]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        Error::Damaged(format!(
            "the server's {} is malformed: {why} in line {line}, before '{}'",
            self.what,
            shown(near)
        ))
    }

    fn scan(&mut self) -> Result<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                None => return Ok(Token::End),
                Some(b'#') => {
                    while bytes.get(self.at).is_some_and(|b| *b != b'\n') {
                        self.at += 1;
                    }
                }
                Some(c) if *c <= b' ' || *c == 127 => self.at += 1,
                Some(c) if MARKS.contains(c) => {
                    self.at += 1;
                    return Ok(Token::Mark(*c));
                }
                Some(b'"') => return self.quoted(),
                Some(_) => break,
            }
        }
        let start = self.at;
        let ends = |b: &u8| *b <= b' ' || *b == b'"' || (MARKS.contains(b) && *b != b':');
        while bytes.get(self.at).is_some_and(|b| !ends(b)) {
            // Names of attributes may have colons; after one, a word goes on only without a blank.
            if bytes[self.at] == b':' && bytes.get(self.at + 1).is_none_or(ends) {
                break;
            }
            self.at += 1;
        }
        Ok(Token::Word(&self.text[start..self.at]))
    }

    fn quoted(&mut self) -> Result<Token<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        loop {
            match bytes.get(at) {
                None => return Err(self.fault("a string has no end")),
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
        let text = self.text.get(start..at);
        self.at = at + 1;
        text.map(Token::Text)
            .ok_or_else(|| Error::Internal("a string was cut".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let mut lexer = Lexer::new("a:b [t = 3] # no\n\"x \\\" y\"; Maps:\n Byte", "DDS");
        let mut found = Vec::new();
        loop {
            match lexer.next().unwrap() {
                Token::End => break,
                token => found.push(token),
            }
        }
        assert_eq!(
            found,
            [
                Token::Word("a:b"),
                Token::Mark(b'['),
                Token::Word("t"),
                Token::Mark(b'='),
                Token::Word("3"),
                Token::Mark(b']'),
                Token::Text("x \\\" y"),
                Token::Mark(b';'),
                Token::Word("Maps"),
                Token::Mark(b':'),
                Token::Word("Byte"),
            ]
        );
        for broken in ["\"", "\"\\", "\"\\\""] {
            assert!(Lexer::new(broken, "DDS").next().is_err(), "{broken}");
        }
    }
}
