//! Where symbolic links lead to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::unfinished::partial::directory_of;

/// Most symbolic links to follow to a target: Linux's own limit.
const MAX_SYMLINKS: usize = 40;

/// The end of a chain of symbolic links, whether or not a file exists there.
pub(crate) fn follow_symlinks(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_SYMLINKS {
        match fs::read_link(&at) {
            Ok(next) => at = directory_of(&at).join(next),
            // Not a link, or nothing there: the chain ends here.
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(at);
            }
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}
