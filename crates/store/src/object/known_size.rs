//! The size of an object that must have one.

use ncutils_model::error::{Error, Result};

use crate::Object;

/// The size in bytes of an object that must have one.
///
/// # Errors
/// If the object does not know its size.
pub fn known_size(source: &dyn Object) -> Result<u64> {
    let size = source.end().map_err(|e| Error::io("cannot read", e))?;
    size.ok_or_else(|| Error::Unsupported("an object that does not tell its size".to_owned()))
}
