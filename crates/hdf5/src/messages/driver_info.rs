//! The Driver Info message and block (specification sections IV.A.2.u and II.B): files that are stored in several.

use crate::error::{Error, Result};

/// Fails where the driver `name` stores one HDF5 file in several.
pub(crate) fn check(name: [u8; 8]) -> Result<()> {
    match &name {
        b"NCSAmult" => Err(Error::Unsupported(
            "a file that the multi or split driver has divided".into(),
        )),
        b"NCSAfami" => Err(Error::Unsupported("a member of a family of files".into())),
        _ => Ok(()),
    }
}
