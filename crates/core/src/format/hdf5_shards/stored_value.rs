//! Values of a store that may be HDF5 files.

use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::{ByteRange, GetRange, KeyObject, KeyStore, Object};

/// The first bytes of an HDF5 file.
pub const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// The first bytes of a key's value; `None` if it does not exist.
///
/// # Errors
/// The store fails.
pub fn beginning(store: &dyn KeyStore, key: &str) -> Result<Option<Vec<u8>>> {
    let first = GetRange::Range(ByteRange {
        offset: 0,
        length: SIGNATURE.len(),
    });
    let first = store.get(key, first);
    first.map_err(|e| Error::io("cannot read", e).in_key(key))
}

/// A value as an object.
///
/// # Errors
/// The store fails, or the key does not exist.
pub fn open_value(store: &Arc<dyn KeyStore>, key: &str) -> io::Result<Arc<dyn Object>> {
    match store.open_value(key) {
        // Ranges of it are read as they are needed.
        Err(e) if e.kind() == io::ErrorKind::Unsupported => {
            Ok(Arc::new(KeyObject::new(Arc::clone(store), key)))
        }
        opened => opened?.ok_or_else(|| io::ErrorKind::NotFound.into()),
    }
}
