//! The argument of `--strlen`: the bytes of each string, in kinds where all strings of a variable take the same number.

use crate::error::{Request, Result};

/// The bytes of each string, as the user asks for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringLength {
    /// The bytes of each string.
    pub bytes: u64,
    /// True if a longer value is cut, never within a UTF-8 character. If false, it is an error.
    pub cut: bool,
}

impl StringLength {
    /// Reads `N` or `N,cut`.
    ///
    /// # Errors
    /// [`Error::Request`], which tells what was expected.
    pub fn parse(text: &str) -> Result<Self> {
        let (number, cut) = match text.split_once(',') {
            Some((number, "cut")) => (Some(number), true),
            Some(_) => (None, false),
            None => (Some(text), false),
        };
        let bytes = number.and_then(|n| n.parse().ok()).filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| {
            let why = "expected a number of bytes, at least 1, or a number and ',cut'";
            Request::StringLength.misspelled(format!("'{text}'"), why)
        })?;
        Ok(Self { bytes, cut })
    }
}
