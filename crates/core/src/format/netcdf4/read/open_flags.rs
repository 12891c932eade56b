//! What the flags of an HDF5 file say of its writer, where its content is not read or cannot be.

use std::sync::Arc;

use super::object::links::OpenFile;
use crate::error::Error;
use crate::filter::Registry;
use crate::model::Unclosed;
use crate::store::Object;

/// Why an HDF5 file may lack what its writer meant to write. `None` for anything else.
pub fn unfinished(object: &Arc<dyn Object>) -> Option<Unclosed> {
    open(object)?.unfinished()
}

/// True if the flags of an HDF5 file say that a program writes it and lets others read it (SWMR). Such a program may hold no
/// lock.
pub fn is_open_for_swmr(object: &Arc<dyn Object>) -> bool {
    open(object).is_some_and(|file| file.file.consistency().is_open_for_swmr())
}

/// Says of a file that cannot be read because its writer has not closed it that this is so.
pub(super) fn told_of_writer(error: Error, object: &Arc<dyn Object>) -> Error {
    if error.is_failure() {
        return error;
    }
    match unfinished(object) {
        None => error,
        Some(why @ Unclosed::NotClosed) if error.is_truncated() => {
            Error::Truncated(format!("{why}, and ends too early"))
        }
        Some(why @ Unclosed::NotClosed) => Error::Usage(format!("{why}, and cannot be read: {error}")),
        Some(why) => Error::Usage(format!(
            "{why}, and what it holds is not in the file yet: read it when its writer has flushed or closed it"
        )),
    }
}

/// The file as far as it goes.
fn open(object: &Arc<dyn Object>) -> Option<OpenFile> {
    OpenFile::of_damaged(object.clone(), &Registry::builtin()).ok()
}
