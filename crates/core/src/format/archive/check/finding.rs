//! [`Finding`]: something that is wrong in an archive.

use crate::error::Error;

/// Most findings that are kept. What is lost is told in full.
pub(crate) const MOST_FINDINGS: usize = 10_000;

/// Something that is wrong in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The variable, by its number in the header; `None` if the finding concerns no variable.
    pub variable: Option<usize>,
    /// The block of the variable, by its number.
    pub block: Option<u64>,
    /// The position in the archive, in bytes.
    pub byte: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl Finding {
    pub(crate) fn of(error: &Error) -> Self {
        Self {
            variable: None,
            block: None,
            byte: None,
            what: error.to_string(),
        }
    }
}
