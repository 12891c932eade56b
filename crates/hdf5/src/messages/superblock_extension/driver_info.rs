//! The Driver Info message and block (specification sections IV.A.2.u and II.B), which occur if several files make up
//! an HDF5 file.

use crate::error::{Error, Result};

/// Fails for a driver that stores one HDF5 file in several files.
pub(crate) fn check(name: [u8; 8]) -> Result<()> {
    match &name {
        b"NCSAmult" => Err(Error::Unsupported(
            "a file that the multi or split driver has divided".into(),
        )),
        b"NCSAfami" => Err(Error::Unsupported("a member of a family of files".into())),
        _ => Ok(()),
    }
}
