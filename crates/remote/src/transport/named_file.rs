//! Files of certificates and cookies that a setting names.

use std::fs;
use std::io;
use std::path::Path;

use ncutils_model::Result;
use ncutils_model::error::usage;

/// Largest size of a file, in bytes.
const LARGEST: u64 = 16 << 20;

/// The content of a file that a setting names. `from` is that setting.
///
/// # Errors
/// A file that cannot be read, is larger than 16 MiB, or is none.
pub(super) fn read(path: &Path, from: &str) -> Result<Vec<u8>> {
    let read = match fs::metadata(path) {
        // A pipe would block the program, and a device may have no end.
        Ok(found) if !found.is_file() => Err(io::Error::other("not a file")),
        Ok(found) if found.len() > LARGEST => Err(io::Error::other("the file is larger than 16 MiB")),
        Ok(_) => fs::read(path),
        Err(e) => Err(e),
    };
    read.or_else(|e| usage(format!("{}: cannot read: {e} ({from})", path.display())))
}
