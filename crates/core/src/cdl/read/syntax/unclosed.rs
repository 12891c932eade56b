//! Which string has no end.
//!
//! Where a `"` is left out, strings begin where they should end, and it is the last one of the text that has no end. The one
//! to blame is most likely the first that goes on behind the end of its line.

use crate::error::{Error, Result};

use super::statements::Statements;
use super::text::Text;

/// The error for the string that begins at `open` and has no end; the list of values that it is in begins at `from`.
pub fn unclosed_string(text: &Text, from: u64, open: u64) -> Error {
    match Statements::new(text).broken_string(from, open) {
        Ok(None) => text.error(open, "this string has no end: expected '\"'"),
        Ok(Some(at)) => text.error(
            at,
            "this string goes on in the next line, and a later one has no end: expected '\"'",
        ),
        Err(error) => error,
    }
}

impl Statements<'_> {
    /// The first string between `from` and `until` that has the end of a line in it.
    fn broken_string(&mut self, from: u64, until: u64) -> Result<Option<u64>> {
        self.seek(from);
        loop {
            let found = self.skip_until(|b| matches!(b, b'"' | b'\'' | b'/' | b'\\'))?;
            let start = self.at();
            if start >= until {
                return Ok(None);
            }
            match found {
                Some(b'"') => {
                    self.cursor().take()?;
                    if self.breaks()? {
                        return Ok(Some(start));
                    }
                }
                Some(b'/') if self.comment()? => {}
                Some(b'\'') => self.character(start)?,
                _ => {
                    self.cursor().take()?;
                }
            }
        }
    }

    /// Passes over the rest of a string. True: it has the end of a line in it, and is not passed over.
    fn breaks(&mut self) -> Result<bool> {
        loop {
            match self.skip_until(|b| matches!(b, b'"' | b'\\' | b'\n'))? {
                Some(b'\n') => return Ok(true),
                Some(b'\\') => {
                    self.cursor().take()?;
                    self.cursor().take()?;
                }
                _ => {
                    self.cursor().take()?;
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
