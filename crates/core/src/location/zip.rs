//! Zip files as stores of keys. The only place that connects locations with the store of zips.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::{KeyOutput, KeyStore, Object, Output};

/// True if an object begins as a zip file does.
pub(super) fn is_zip(object: &dyn Object) -> bool {
    let mut magic = [0; 4];
    object.read_exact_at(0, &mut magic).is_ok() && (magic == *b"PK\x03\x04" || magic == *b"PK\x05\x06")
}

/// Opens the keys of a zip file below `folder`. `None` finds the folder: the root, or one top folder that holds all
/// keys.
pub(super) fn open(object: Arc<dyn Object>, folder: Option<&str>) -> Result<Arc<dyn KeyStore>> {
    let _ = (object, folder);
    Err(not_yet())
}

/// Starts a zip file with all keys below `folder`; `None` for its root.
pub(super) fn create(output: Arc<dyn Output>, folder: Option<String>) -> Result<Arc<dyn KeyOutput>> {
    let _ = (output, folder);
    Err(not_yet())
}

fn not_yet() -> Error {
    Error::Unsupported("a zip file as a store of keys".to_owned())
}
