//! Finds the string that has no end.
//!
//! If a `"` is missing, the strings after it begin where they should end, and the last one of the text has no end. The
//! string at fault is most likely the first one that continues past the end of its line.

use crate::error::{Error, Result};

use super::text::{Cursor, Text};

/// The error for the string that begins at `open` and has no end. Its list begins at `from`.
pub fn unclosed_string(text: &Text, from: u64, open: u64) -> Error {
    match text.cursor(from).broken_string(open) {
        Ok(None) => text.error(open, "this string has no end: expected '\"'"),
        Ok(Some(at)) => text.error(
            at,
            "this string goes on in the next line, and a later one has no end: expected '\"'",
        ),
        Err(error) => error,
    }
}

impl Cursor<'_> {
    /// The first string from here to `until` that contains a line end.
    fn broken_string(&mut self, until: u64) -> Result<Option<u64>> {
        loop {
            let found = self.skip_until(|b| matches!(b, b'"' | b'\'' | b'/' | b'\\'))?;
            let start = self.at();
            if start >= until {
                return Ok(None);
            }
            match found {
                Some(b'"') => {
                    self.take()?;
                    if self.breaks()? {
                        return Ok(Some(start));
                    }
                }
                Some(b'/') if self.comment()? => {}
                Some(b'\'') => self.character(start)?,
                _ => {
                    self.take()?;
                }
            }
        }
    }

    /// Skips the rest of a string. Returns true, and stops, if it contains a line end.
    fn breaks(&mut self) -> Result<bool> {
        loop {
            match self.skip_until(|b| matches!(b, b'"' | b'\\' | b'\n'))? {
                Some(b'\n') => return Ok(true),
                Some(b'\\') => {
                    self.take()?;
                    self.take()?;
                }
                _ => {
                    self.take()?;
                    return Ok(false);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_first_string_that_leaves_its_line_is_blamed() {
        for (text, at, why) in [
            ("\"a", "1:1", "this string has no end"),
            ("\"a\", \"b", "1:6", "this string has no end"),
            (
                "\"a, 'x'\", '\"', \"b\n, \"c\", \"",
                "1:16",
                "goes on in the next line",
            ),
            ("/* \" \n */ \"\\\"a\n\" , \"b", "2:5", "goes on in the next line"),
        ] {
            let open = text.rfind('"').unwrap() as u64;
            let error = unclosed_string(
                &Text::new(Arc::new(text.as_bytes().to_vec()), "a").unwrap(),
                0,
                open,
            );
            let error = error.to_string();
            assert!(
                error.starts_with(&format!("a:{at}: ")) && error.contains(why),
                "{text}: {error}"
            );
        }
    }
}
