//! [`usage`]: the error for a URL or a setting that the user has to change.

use ncutils_model::{Error, Result};

/// The error for a URL or a setting that the user has to change. The text says what is wrong and what to do.
///
/// # Errors
/// Always.
pub(crate) fn usage<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Usage(why.into()))
}
