//! References: datasets of Zarr whose chunks lie in other files.
//!
//! ```text
//! JSON of kerchunk ─► kerchunk ─► store::ReferenceKeys ─► the readers of Zarr
//! ```

mod kerchunk;

use crate::error::{Error, Result};

pub use kerchunk::{has_references, open_json};

/// What opening the keys of references gave: without a dataset among them, an error says so.
///
/// # Errors
/// Those of the result.
pub fn described<T>(opened: Result<T>) -> Result<T> {
    match opened {
        Err(Error::UnknownFormat) => Err(Error::Damaged(
            "references without a Zarr dataset: none of them is a .zgroup, .zarray or zarr.json".to_owned(),
        )),
        opened => opened,
    }
}
