//! The Driver Info message and block (specification sections IV.A.2.u and II.B), which occur if several files make up
//! an HDF5 file.

use crate::error::{Error, Result};

/// True for a file in several members of one size, which are a whole file where they are joined.
///
/// # Errors
/// [`Error::Unsupported`] for the driver that stores each sort of data in a file of its own.
pub(crate) fn is_family(name: [u8; 8]) -> Result<bool> {
    match &name {
        b"NCSAmult" => Err(Error::Unsupported(
            "a file that the multi or split driver has divided".into(),
        )),
        name => Ok(name == b"NCSAfami"),
    }
}
