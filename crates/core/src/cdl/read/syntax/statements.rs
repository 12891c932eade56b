//! Cuts a CDL text into segments, each of which the grammar parses whole.
//!
//! ```text
//! variables: // of the sea
//!   float t(time, x), u ;   t:units = "K; C" ;
//!   ╰──── segment ──╯ ╰╯    ╰╯╰───╯   ╰── list ─╯
//! ```
//!
//! A segment ends at one of the characters that the parser asks for. It is held in memory, and its length is limited. A
//! list (the values of an attribute) is only skipped here, and represented by its range of bytes. Comments count as
//! blanks, a backslash escapes the next byte, and characters between quotes in lists have no meaning.

use std::ops::Range;

use crate::error::Result;

use super::text::{Cursor, Text};
use super::unclosed::unclosed_string;

/// Maximum length of a segment, in bytes. A thousand names of the maximum length fit.
pub(crate) const MAX_SEGMENT: usize = 1 << 20;

/// Length of the longest keyword of a heading, `dimensions`.
const LONGEST_HEADING: u64 = 10;

/// A part of the text without comments. Each byte is one character (U+0000 to U+00FF).
#[derive(Debug)]
pub struct Segment {
    /// Position of its beginning.
    pub start: u64,
    /// Its text, as long as in the source: comments are replaced by spaces.
    pub text: String,
    /// Position of its end, which is that of the character that ended it.
    pub end: u64,
    /// The character that ended it; `None` at the end of the text.
    pub stop: Option<u8>,
}

impl Segment {
    /// Position in the source of byte `offset` of [`Segment::text`].
    pub fn place(&self, offset: usize) -> u64 {
        let plain = self.text.len() as u64 == self.end - self.start;
        let before = if plain {
            offset
        } else {
            self.text[..offset].chars().count()
        };
        self.start + before as u64
    }
}

/// A keyword and colon that begin a section or a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// `types:`
    Types,
    /// `dimensions:`
    Dimensions,
    /// `variables:`
    Variables,
    /// `data:`
    Data,
    /// `group:`
    Group,
}

impl Heading {
    /// All headings.
    pub const ALL: [Self; 5] = [
        Self::Types,
        Self::Dimensions,
        Self::Variables,
        Self::Data,
        Self::Group,
    ];

    /// The heading of a keyword, given without its colon.
    pub fn named(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|h| h.word().as_bytes() == word)
    }

    /// The keyword, without the colon.
    pub fn word(self) -> &'static str {
        match self {
            Self::Types => "types",
            Self::Dimensions => "dimensions",
            Self::Variables => "variables",
            Self::Data => "data",
            Self::Group => "group",
        }
    }
}

/// Reads a text segment by segment.
pub struct Statements<'t> {
    cursor: Cursor<'t>,
}

impl<'t> Statements<'t> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'t Text) -> Self {
        Self {
            cursor: text.cursor(text.start()),
        }
    }

    /// Position of the next byte.
    pub fn at(&self) -> u64 {
        self.cursor.at()
    }

    /// The cursor, for parsers of lists.
    pub fn cursor(&mut self) -> &mut Cursor<'t> {
        &mut self.cursor
    }

    /// Moves to `at`, back or forward.
    pub fn seek(&mut self, at: u64) {
        self.cursor.seek(at);
    }

    /// Skips blanks and comments, and returns the next byte without taking it.
    ///
    /// # Errors
    /// A comment without an end, or a source that cannot be read.
    pub fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.cursor.peek()? {
                Some(b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c) => {
                    self.cursor.take()?;
                }
                Some(b'/') if self.cursor.comment()? => {}
                other => return Ok(other),
            }
        }
    }

    /// Skips blanks, and takes `sign` if it is the next byte.
    ///
    /// # Errors
    /// The same as for [`Statements::peek`].
    pub fn take(&mut self, sign: u8) -> Result<bool> {
        let there = self.peek()? == Some(sign);
        if there {
            self.cursor.take()?;
        }
        Ok(there)
    }

    /// The segment from here to the first of `stops`, which is taken. A comma ends a segment only outside of
    /// parentheses.
    ///
    /// # Errors
    /// A segment that is too long, or a comment in it without an end.
    pub fn segment(&mut self, stops: &[u8]) -> Result<Segment> {
        self.peek()?;
        let start = self.cursor.at();
        let mut text = String::new();
        let mut depth = 0_usize;
        let done = |text, end, stop| Segment {
            start,
            text,
            end,
            stop,
        };
        loop {
            let at = self.cursor.at();
            let Some(byte) = self.cursor.peek()? else {
                return Ok(done(text, at, None));
            };
            if stops.contains(&byte) && (byte != b',' || depth == 0) {
                self.cursor.take()?;
                return Ok(done(text, at, Some(byte)));
            }
            if at - start >= MAX_SEGMENT as u64 {
                let what = format!(
                    "there are more than {MAX_SEGMENT} bytes from here without an end: is a ';' missing?"
                );
                return Err(self.cursor.text().error(start, what));
            }
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b'/' if self.cursor.comment()? => {
                    let length = usize::try_from(self.cursor.at() - at).unwrap_or(usize::MAX);
                    if length > MAX_SEGMENT {
                        let what =
                            format!("this comment has more than {MAX_SEGMENT} bytes inside of a statement");
                        return Err(self.cursor.text().error(at, what));
                    }
                    text.extend(std::iter::repeat_n(' ', length));
                    continue;
                }
                b'\\' => {
                    text.push('\\');
                    self.cursor.take()?;
                    if let Some(next) = self.cursor.take()? {
                        text.push(char::from(next));
                    }
                    continue;
                }
                _ => {}
            }
            text.push(char::from(byte));
            self.cursor.take()?;
        }
    }

    /// Takes the heading that begins here, if there is one with its colon directly after it.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn heading(&mut self) -> Result<Option<Heading>> {
        let start = self.cursor.at();
        let mut word = Vec::new();
        while let Some(byte) = self.cursor.peek()?.filter(u8::is_ascii_lowercase) {
            if word.len() as u64 == LONGEST_HEADING {
                break;
            }
            word.push(byte);
            self.cursor.take()?;
        }
        if self.cursor.peek()? == Some(b':') {
            let found = Heading::named(&word);
            if found.is_some() {
                self.cursor.take()?;
                return Ok(found);
            }
        }
        self.cursor.seek(start);
        Ok(None)
    }

    /// Takes a comma before the first value of a list, which netCDF-C's grammar allows.
    ///
    /// # Errors
    /// No value follows the comma, or the source cannot be read.
    pub fn leading_comma(&mut self) -> Result<()> {
        let start = self.cursor.at();
        if !self.take(b',')? {
            self.cursor.seek(start);
            return Ok(());
        }
        match self.peek()? {
            Some(b',' | b';') => Err(self.cursor.text().error(self.at(), "expected a value")),
            _ => Ok(()),
        }
    }

    /// Skips a list of values and the `;` after it. Returns the range of the list.
    ///
    /// # Errors
    /// The text ends within the list, a string or a comment.
    pub fn list(&mut self) -> Result<Range<u64>> {
        let start = self.cursor.at();
        loop {
            let found = self
                .cursor
                .skip_until(|b| matches!(b, b';' | b'"' | b'\'' | b'/' | b'\\'))?;
            let at = self.cursor.at();
            match found {
                None => {
                    return Err(self
                        .cursor
                        .text()
                        .error(start, "these values have no end: expected ';'"));
                }
                Some(b';') => {
                    self.cursor.take()?;
                    return Ok(start..at);
                }
                Some(b'"') => self.string(start, at)?,
                Some(b'\'') => self.cursor.character(at)?,
                // Escape in a name, of an enum member.
                Some(b'\\') => {
                    self.cursor.take()?;
                    self.cursor.take()?;
                }
                _ => {
                    if !self.cursor.comment()? {
                        self.cursor.take()?;
                    }
                }
            }
        }
    }

    /// Skips the statement that begins here: to behind its `;`, or to the heading before which the `;` is missing. Returns
    /// false if its end is not certain, because a brace closes what the statement did not open, or the text ends.
    ///
    /// # Errors
    /// The text ends within a string or a comment, or the source cannot be read.
    pub fn skip_statement(&mut self) -> Result<bool> {
        let start = self.cursor.at();
        let mut depth = 0_usize;
        loop {
            let found = self.cursor.skip_until(|b| b";{}:\"'/\\".contains(&b))?;
            let at = self.cursor.at();
            match found {
                None => return Ok(false),
                Some(b'"') => {
                    self.string(start, at)?;
                    continue;
                }
                Some(b'\'') => {
                    self.cursor.character(at)?;
                    continue;
                }
                Some(b'/') if self.cursor.comment()? => continue,
                Some(b'\\') => {
                    self.cursor.take()?;
                }
                Some(b'{') => depth += 1,
                Some(b'}') if depth == 0 => return Ok(false),
                Some(b'}') => depth -= 1,
                Some(b':') if depth == 0 => {
                    if let Some(heading) = self.heading_that_ends(start, at)? {
                        self.seek(heading);
                        return Ok(true);
                    }
                }
                Some(b';') if depth == 0 => {
                    self.cursor.take()?;
                    return Ok(true);
                }
                Some(_) => {}
            }
            self.cursor.take()?;
        }
    }

    /// Position of the heading whose colon is at `colon`, if it begins behind `start`.
    fn heading_that_ends(&self, start: u64, colon: u64) -> Result<Option<u64>> {
        let from = colon.saturating_sub(LONGEST_HEADING + 1).max(start);
        let before = self.cursor.text().bytes(from, (colon - from) as usize)?;
        let word = before.iter().rev().take_while(|b| b.is_ascii_lowercase()).count();
        let (before, word) = before.split_at(before.len() - word);
        let begins = before.last().is_some_and(|b| b.is_ascii_whitespace());
        Ok((begins && Heading::named(word).is_some()).then_some(colon - word.len() as u64))
    }

    /// Skips the string that begins here. `start` is its position, `list` is that of its list.
    fn string(&mut self, list: u64, start: u64) -> Result<()> {
        self.cursor.take()?;
        loop {
            match self.cursor.skip_until(|b| matches!(b, b'"' | b'\\'))? {
                None => return Err(unclosed_string(self.cursor.text(), list, start)),
                Some(b'"') => {
                    self.cursor.take()?;
                    return Ok(());
                }
                _ => {
                    self.cursor.take()?;
                    self.cursor.take()?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn text(bytes: &[u8]) -> Text {
        Text::new(Arc::new(bytes.to_vec()), "a.cdl").unwrap()
    }

    #[test]
    fn pieces_end_at_signs_that_mean_something() {
        let text = text(b" // c;\n a\\;\\ (x, /* ; */ y) , b : c = ");
        let mut statements = Statements::new(&text);
        let mut segments = Vec::new();
        while statements.peek().unwrap().is_some() {
            let segment = statements.segment(b",;:=").unwrap();
            segments.push((segment.text.clone(), segment.stop.map(char::from)));
            assert_eq!(segment.end - segment.start, segment.text.len() as u64);
        }
        assert_eq!(
            segments,
            [
                (r"a\;\ (x,         y) ".into(), Some(',')),
                ("b ".into(), Some(':')),
                ("c ".into(), Some('=')),
            ]
        );
    }

    #[test]
    fn places_count_bytes() {
        let text = text("é, ü x;".as_bytes());
        let mut statements = Statements::new(&text);
        assert_eq!(statements.segment(b",").unwrap().stop, Some(b','));
        let segment = statements.segment(b";").unwrap();
        let at = segment.text.find('x').unwrap();
        assert_eq!((at, segment.place(at)), (5, 7));
    }

    #[test]
    fn one_comma_may_stand_before_the_first_value() {
        for (spelled, at) in [(" , 1, 2;", 3), (" /* , */ 1;", 0), (",\n{1};", 2), (" ;", 0)] {
            let text = text(spelled.as_bytes());
            let mut statements = Statements::new(&text);
            statements.leading_comma().unwrap();
            assert_eq!(statements.at(), at, "{spelled}");
        }
        for spelled in [",;", ", ,1;"] {
            let text = text(spelled.as_bytes());
            let error = Statements::new(&text).leading_comma().unwrap_err();
            assert!(error.to_string().contains("expected a value"), "{spelled}");
        }
    }

    #[test]
    fn lists_end_outside_of_quotes_and_comments() {
        let list = br#""a;\";", ';', '\'', ''', '\x3b' /* ; */, // ;
            1 "#;
        let text = text(&[list.as_slice(), b"; rest"].concat());
        let mut statements = Statements::new(&text);
        assert_eq!(statements.list().unwrap(), 0..list.len() as u64);
        assert_eq!(statements.peek().unwrap(), Some(b'r'));
        for (text, why) in [
            (&b"1, \"; "[..], "this string has no end"),
            (b"1, '; \n ' ;", "this character has no end"),
            (b"1, '", "this character has no end"),
            (b"1 /* ;", "this comment has no end"),
            (b"1 \\", "these values have no end"),
        ] {
            let text = self::text(text);
            let error = Statements::new(&text).list().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn statements_end_at_semicolons_and_before_headings() {
        for (spelled, end) in [
            ("int v[2] ; w", Some("int v[2] ;")),
            ("compound c { int a } ; d", Some("compound c { int a } ;")),
            (
                "v = \";}\", '}', // }\n 1 ; w",
                Some("v = \";}\", '}', // }\n 1 ;"),
            ),
            ("x = 2\nvariables: int v ;", Some("x = 2\n")),
            ("x = 2\nmy_data:a = 1 ; y", Some("x = 2\nmy_data:a = 1 ;")),
            (r"a\; b ; c", Some(r"a\; b ;")),
            ("v = 1 } ;", None),
            ("v = {1 ;", None),
            ("v = 1", None),
        ] {
            let text = text(spelled.as_bytes());
            let mut statements = Statements::new(&text);
            let is_certain = statements.skip_statement().unwrap();
            let at = statements.at() as usize;
            assert_eq!(is_certain.then(|| &spelled[..at]), end, "{spelled}");
        }
        assert!(Statements::new(&text(b"a \"b ;")).skip_statement().is_err());
    }

    #[test]
    fn headings_have_their_colon_at_once() {
        for (bytes, heading) in [
            (&b"data:x"[..], Some(Heading::Data)),
            (b"group:", Some(Heading::Group)),
            (b"dimensions:", Some(Heading::Dimensions)),
            (b"data :", None),
            (b"data", None),
            (b"dat:", None),
            (b"dimensionss:", None),
            (b":", None),
        ] {
            let text = text(bytes);
            let mut statements = Statements::new(&text);
            assert_eq!(statements.heading().unwrap(), heading);
            let at = heading.map_or(0, |h| h.word().len() as u64 + 1);
            assert_eq!(statements.at(), at);
        }
    }
}
