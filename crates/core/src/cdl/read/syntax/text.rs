//! The bytes of a CDL text, with positions and line numbers for messages.
//!
//! A text need not be UTF-8. All code works on bytes; only names must be UTF-8.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Diagnostic;
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::message::is_unseen;
use crate::store::{Object, known_size};

/// Size of a [`Cursor`]'s window, in bytes.
const WINDOW: usize = 256 << 10;

/// Maximum length in bytes of a text that is held in memory. The values of each attribute are read by themselves, and would be a request
/// to the system each.
const HELD: u64 = 4 << 20;

/// Maximum number of bytes of a line that a message shows on each side of the error.
const SHOWN: u64 = 60;

/// A CDL text that can be read at any position, from any thread.
#[derive(Clone)]
pub struct Text {
    source: Arc<dyn Object>,
    name: String,
    start: u64,
    end: u64,
    /// The last position whose line was counted. Most warnings come in the order of the text, so counting continues
    /// from it.
    counted: Arc<Mutex<Counted>>,
}

/// A position and its line.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    at: u64,
    line: u64,
    line_start: u64,
}

impl Text {
    /// A text called `name` in messages. A byte order mark at its beginning is skipped.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn new(source: Arc<dyn Object>, name: impl Into<String>) -> Result<Self> {
        let end = known_size(&*source)?;
        let mut text = Self {
            source,
            name: name.into(),
            start: 0,
            end,
            counted: Arc::default(),
        };
        if end <= HELD {
            text.source = Arc::new(text.bytes(0, end as usize)?);
        }
        if text.bytes(0, 3)? == b"\xef\xbb\xbf" {
            text.start = 3;
        }
        Ok(text)
    }

    /// Position of the first byte: 0, or 3 after a byte order mark.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Position after the last byte.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// At most `count` bytes from `at` on; fewer at the end of the text.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn bytes(&self, at: u64, count: usize) -> Result<Vec<u8>> {
        let count = self.end.saturating_sub(at).min(count as u64) as usize;
        let mut bytes = Vec::new();
        // Zeroed by hand: an allocator takes new pages for a zeroed buffer, which takes longer than reading.
        resize(&mut bytes, count)?;
        self.source
            .read_exact_at(at, &mut bytes)
            .map_err(|e| Error::io("cannot read", e))?;
        Ok(bytes)
    }

    /// A cursor at `at`.
    pub fn cursor(&self, at: u64) -> Cursor<'_> {
        Cursor {
            text: self,
            window: Vec::new(),
            base: at,
            next: 0,
        }
    }

    /// An error at `at`, with the line and its number.
    pub fn error(&self, at: u64, what: impl Into<String>) -> Error {
        match self.diagnostic(at, what.into()) {
            Ok(diagnostic) => Error::Cdl(vec![diagnostic]),
            Err(error) => error,
        }
    }

    /// Counts the lines up to `at`.
    fn count_lines(&self, at: u64) -> Result<Counted> {
        let known = *self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted = if known.line > 0 && known.at <= at {
            known
        } else {
            Counted {
                at: self.start,
                line: 1,
                line_start: self.start,
            }
        };
        let mut base = counted.at;
        self.over(counted.at..at, |window| {
            for (n, _) in window.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
                counted.line += 1;
                counted.line_start = base + n as u64 + 1;
            }
            base += window.len() as u64;
        })?;
        counted.at = at;
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = counted;
        Ok(counted)
    }

    /// Calls `each` with the bytes of `range`, window by window.
    fn over(&self, range: Range<u64>, mut each: impl FnMut(&[u8])) -> Result<()> {
        let mut cursor = self.cursor(range.start);
        while cursor.at() < range.end {
            let left = range.end - cursor.at();
            let window = cursor.window()?;
            let count = window.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            each(&window[..count]);
            cursor.advance(count);
        }
        Ok(())
    }

    /// A warning at `at`, in the form of [`Text::error`].
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn diagnostic(&self, at: u64, what: String) -> Result<Diagnostic> {
        let at = at.clamp(self.start, self.end);
        let Counted { line, line_start, .. } = self.count_lines(at)?;
        let mut column = 1;
        self.over(line_start..at, |window| {
            column += window.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
        })?;
        let from = line_start.max(at.saturating_sub(SHOWN));
        let before = self.bytes(from, (at - from) as usize)?;
        let mut behind = self.bytes(at, SHOWN as usize)?;
        behind.truncate(
            behind
                .iter()
                .position(|b| *b == b'\n' || *b == b'\r')
                .unwrap_or(behind.len()),
        );
        let plain = |bytes: &[u8]| -> String {
            let text = String::from_utf8_lossy(bytes);
            text.chars().map(|c| if is_unseen(c) { ' ' } else { c }).collect()
        };
        let before = plain(&before);
        Ok(Diagnostic {
            name: self.name.clone(),
            line,
            column,
            what,
            caret: before.chars().count(),
            shown: before + &plain(&behind),
        })
    }
}

/// Reads a text forwards, by bytes or by windows.
pub struct Cursor<'t> {
    text: &'t Text,
    window: Vec<u8>,
    /// Position of the window's first byte.
    base: u64,
    next: usize,
}

impl<'t> Cursor<'t> {
    /// The text.
    pub fn text(&self) -> &'t Text {
        self.text
    }

    /// The position of the next byte.
    pub fn at(&self) -> u64 {
        self.base + self.next as u64
    }

    /// The bytes from here on that are in memory. Empty only at the end of the text.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn window(&mut self) -> Result<&[u8]> {
        if self.next == self.window.len() {
            self.base = self.at();
            self.next = 0;
            self.window = self.text.bytes(self.base, WINDOW)?;
        }
        Ok(&self.window[self.next..])
    }

    /// Skips `count` bytes of the window.
    ///
    /// # Panics
    /// If the window is shorter.
    pub fn advance(&mut self, count: usize) {
        assert!(count <= self.window.len() - self.next);
        self.next += count;
    }

    /// The next byte, without taking it; `None` at the end.
    ///
    /// # Errors
    /// The source cannot be read.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.window()?.first().copied())
    }

    /// Takes the next byte; `None` at the end.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn take(&mut self) -> Result<Option<u8>> {
        let byte = self.peek()?;
        self.next += usize::from(byte.is_some());
        Ok(byte)
    }

    /// Moves to `at`, back or forward.
    pub fn seek(&mut self, at: u64) {
        if at >= self.base && at - self.base <= self.window.len() as u64 {
            self.next = (at - self.base) as usize;
        } else {
            (self.base, self.next) = (at, 0);
            self.window.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text {
        Text::new(Arc::new(bytes.to_vec()), "a.cdl").unwrap()
    }

    #[test]
    fn an_error_shows_the_place() {
        let t = text(b"\xef\xbb\xbfnetcdf a {\n \xc3\xa4 = 09 ;\n}");
        let at = t.start() + 11 + 6;
        assert_eq!(
            t.error(at, "09 is not a number").to_string(),
            "a.cdl:2:6: 09 is not a number\n   ä = 09 ;\n       ^"
        );
        assert_eq!(t.diagnostic(9999, "end".into()).unwrap().line, 3);
    }

    #[test]
    fn what_a_message_names_adds_no_lines_and_moves_no_caret() {
        let t = text("a\n\u{202e}\x1b[1m\u{9b}2J x".as_bytes());
        let error = t.error(t.end() - 1, "found 'x\nb.cdl:1:1: all is well\x1b'");
        assert_eq!(
            error.to_string(),
            "a.cdl:2:10: found 'x\\nb.cdl:1:1: all is well\\u{1b}'\n    [1m 2J x\n           ^"
        );
    }

    #[test]
    fn lines_are_counted_from_anywhere() {
        let bytes = b"a\nbb\n\nccc\n";
        let t = text(bytes);
        for at in [5, 1, 4, 4, 10, 0, 2, 9, 6] {
            let before = &bytes[..at];
            let found = t.diagnostic(at as u64, String::new()).unwrap();
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
            assert_eq!((found.line, found.column), (line as u64, column as u64), "{at}");
        }
    }

    #[test]
    fn a_cursor_crosses_windows_and_goes_back() {
        let bytes: Vec<u8> = (0..WINDOW * 2 + 5).map(|n| (n % 251) as u8).collect();
        let t = text(&bytes);
        let mut cursor = t.cursor(0);
        for expected in &bytes {
            assert_eq!(cursor.take().unwrap(), Some(*expected));
        }
        assert_eq!(cursor.take().unwrap(), None);
        for at in [7, WINDOW, bytes.len() - 1] {
            cursor.seek(at as u64);
            assert_eq!(cursor.peek().unwrap(), Some(bytes[at]));
            assert_eq!(cursor.at(), at as u64);
        }
    }
}
