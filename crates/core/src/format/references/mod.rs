//! References: datasets of Zarr whose chunks lie in other files.
//!
//! ```text
//! JSON of kerchunk ─────► kerchunk ─┐
//! Parquet of kerchunk ──► parquet ──┤
//! snapshot of Icechunk ─► icechunk ─┴─► store::ReferenceKeys ─► the readers of Zarr
//! ```

mod icechunk;
mod kerchunk;
mod parquet;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::zarr::keys::{CONSOLIDATED, MARKS};
use crate::model::Kind;
use crate::store::{ExternalFiles, Input, InputKind, KeyStore};

pub use icechunk::{SnapshotName, open_icechunk};
pub use kerchunk::{has_references, open_json};

/// The keys that references in `store` describe, with their values in the objects of `places`: a folder of Parquet files, or the
/// `snapshot` of a repository. `None` for any other store.
///
/// # Errors
/// What is wrong with the references.
pub fn open_keys(
    store: &Arc<dyn KeyStore>,
    places: Option<&Arc<dyn ExternalFiles>>,
    snapshot: Option<&SnapshotName>,
) -> Result<Option<Arc<dyn KeyStore>>> {
    if snapshot.is_some() {
        return icechunk::open_icechunk(store, places, snapshot);
    }
    let found = open_unnamed(store, places)?;
    Ok(found.map(|(_, keys)| keys))
}

/// The references in a store of which nobody says what it is, and their kind.
fn open_unnamed(
    store: &Arc<dyn KeyStore>,
    places: Option<&Arc<dyn ExternalFiles>>,
) -> Result<Option<(Kind, Arc<dyn KeyStore>)>> {
    // A dataset of Zarr has a document at its root, which tells soonest that it is one.
    for mark in MARKS.into_iter().filter(|mark| *mark != CONSOLIDATED) {
        if store
            .size(mark)
            .map_err(|e| Error::io("cannot read", e))?
            .is_some()
        {
            return Ok(None);
        }
    }
    if let Some(keys) = parquet::open_parquet(store, places)? {
        return Ok(Some((Kind::Kerchunk, keys)));
    }
    let keys = icechunk::open_icechunk(store, places, None)?;
    Ok(keys.map(|keys| (Kind::Icechunk, keys)))
}

/// The kind of the references in `input`; `None` for anything else.
///
/// # Errors
/// What is wrong with the references; the input cannot be read.
pub fn kind_of(input: &Input) -> Result<Option<Kind>> {
    match input.kind() {
        InputKind::Object(object) => {
            let size = object.size().map_err(|e| Error::io("cannot read", e))?;
            let is_json = size.is_some_and(|size| has_references(&**object, size));
            Ok(is_json.then_some(Kind::Kerchunk))
        }
        InputKind::Keys(store) => Ok(open_unnamed(store, None)?.map(|(kind, _)| kind)),
        InputKind::Queries(_) => Ok(None),
    }
}

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
