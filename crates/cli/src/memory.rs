//! Parses amounts of memory.

use ncutils_core::copy::parse_memory;
use ncutils_core::error::{Error, Result};

/// Parses the value `text` of the option `flag`, in bytes.
///
/// # Errors
/// The expected form.
pub fn bytes(text: &str, flag: &str) -> Result<u64> {
    parse_memory(text).ok_or_else(|| {
        Error::Usage(format!(
            "{flag} '{text}': expected a number of bytes, such as 500000, 64M or 2G"
        ))
    })
}
