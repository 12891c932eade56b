//! What a program does with its unfinished outputs when it is told to end.

use std::path::PathBuf;
use std::sync::MutexGuard;

use crate::file::unfinished::partial::{named, remove};
use crate::io::incomplete_outputs;

/// Keeps other threads from creating or completing partial files; see [`remove_partial_files`].
pub struct NoPartialFiles {
    _named: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes all partial files and folders of this process, and gives up its outputs on remote stores. As long as the result lives, none is created or
/// takes its final name: threads that try to wait. A program that is told to end keeps the result until it
/// exits.
#[must_use = "as soon as it is dropped, partial files may be made again"]
pub fn remove_partial_files() -> NoPartialFiles {
    let mut named = named();
    for path in named.drain(..) {
        remove(&path);
    }
    incomplete_outputs::give_up_all();
    NoPartialFiles { _named: named }
}
