//! Skips comments and characters of a CDL text, and what lies before a byte.

use super::text::Cursor;
use crate::error::Result;

impl Cursor<'_> {
    /// Skips the comment that begins here. Without one, stays and returns false.
    pub(super) fn comment(&mut self) -> Result<bool> {
        let start = self.at();
        self.take()?;
        match self.peek()? {
            Some(b'/') => {
                self.skip_until(|b| b == b'\n')?;
                Ok(true)
            }
            Some(b'*') => {
                self.take()?;
                loop {
                    if self.skip_until(|b| b == b'*')?.is_none() {
                        return Err(self.text().error(start, "this comment has no end: expected '*/'"));
                    }
                    self.take()?;
                    if self.peek()? == Some(b'/') {
                        self.take()?;
                        return Ok(true);
                    }
                }
            }
            _ => {
                self.seek(start);
                Ok(false)
            }
        }
    }

    /// Moves to the next byte for which `wanted` is true, and returns it; `None` at the end.
    pub(super) fn skip_until(&mut self, wanted: impl Fn(u8) -> bool) -> Result<Option<u8>> {
        loop {
            let window = self.window()?;
            if window.is_empty() {
                return Ok(None);
            }
            if let Some(at) = window.iter().position(|b| wanted(*b)) {
                let byte = window[at];
                self.advance(at);
                return Ok(Some(byte));
            }
            let count = window.len();
            self.advance(count);
        }
    }

    /// Skips the character constant that begins here, at `start`: `'a'`, `'\''`, `'''`, `'\x41'`.
    pub(super) fn character(&mut self, start: u64) -> Result<()> {
        self.take()?;
        if self.take()? == Some(b'\\') {
            self.take()?;
        }
        if self.skip_until(|b| matches!(b, b'\'' | b'\n'))? == Some(b'\'') {
            self.take()?;
            return Ok(());
        }
        Err(self
            .text()
            .error(start, "this character has no end: expected \"'\""))
    }
}
