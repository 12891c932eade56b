//! kerchunk's references in a folder of Parquet files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::{ARRAY, CONSOLIDATED, GROUP, NODE};
use crate::store::references::parquet::ParquetReferences;
use crate::store::{ByteRange, ExternalFiles, GetRange, KeyStore, ReferenceKeys};

/// Most bytes of `.zmetadata`.
const LARGEST: usize = 256 << 20;

/// The keys that a folder of Parquet files has, with their values in the objects of `places`. `None` for any other store.
///
/// # Errors
/// What is wrong with the folder.
pub fn open_parquet(
    store: &Arc<dyn KeyStore>,
    places: Option<&Arc<dyn ExternalFiles>>,
) -> Result<Option<Arc<dyn KeyStore>>> {
    let cannot_read = |e| Error::io("cannot read", e);
    let part = GetRange::Range(ByteRange {
        offset: 0,
        length: LARGEST + 1,
    });
    let Some(text) = store.get(CONSOLIDATED, part).map_err(cannot_read)? else {
        return Ok(None);
    };
    let damaged = |what: String| Error::Damaged(format!("{CONSOLIDATED}: {what}"));
    // Only a folder of Parquet files has the documents of Zarr in no other place.
    let has_others = || -> Result<bool> {
        for key in [GROUP, ARRAY, NODE] {
            if store.size(key).map_err(cannot_read)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let all = match Json::parse_spelled(&text) {
        Ok(all) if text.len() <= LARGEST => all,
        _ if has_others()? => return Ok(None),
        _ => return Err(damaged("it is no JSON, or cut".to_owned())),
    };
    let Some(record_size) = all.get("record_size") else {
        let is_consolidated = all.get("zarr_consolidated_format").is_some();
        return match is_consolidated || has_others()? {
            true => Ok(None),
            false => Err(damaged("it has no record_size".to_owned())),
        };
    };
    let record_size = integer(record_size).ok_or_else(|| damaged("record_size is no number".to_owned()))?;
    let metadata = all.get("metadata").and_then(Json::as_object);
    let metadata = metadata.ok_or_else(|| damaged("it has no member metadata".to_owned()))?;
    let (mut documents, mut grids) = (BTreeMap::new(), BTreeMap::new());
    for (key, document) in metadata {
        let path = match key.strip_suffix(ARRAY) {
            Some("") => Some(""),
            Some(folder) => folder.strip_suffix('/'),
            None => None,
        };
        if let Some(path) = path {
            let grid = grid(document).ok_or_else(|| damaged(format!("{key} has no shape and chunks")))?;
            grids.insert(path.to_owned(), grid);
        }
        documents.insert(key.clone(), document.to_string().into_bytes());
    }
    let set = ParquetReferences::new(Arc::clone(store), record_size, documents, grids).map_err(damaged)?;
    let some = set.some_object().map_err(cannot_read)?;
    let keys = ReferenceKeys::new(Box::new(set), places.cloned(), some.as_deref());
    Ok(Some(Arc::new(keys)))
}

fn integer(number: &Json) -> Option<u64> {
    match &*number.plain() {
        Json::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

/// The shape of the grid of chunks that an array's document tells.
fn grid(array: &Json) -> Option<Vec<u64>> {
    let lengths = |name| -> Option<Vec<u64>> { array.get(name)?.as_array()?.iter().map(integer).collect() };
    let (shape, chunks) = (lengths("shape")?, lengths("chunks")?);
    let count = |(length, chunk): (&u64, &u64)| (*chunk > 0).then(|| length.div_ceil(*chunk));
    let grid: Option<Vec<u64>> = shape.iter().zip(&chunks).map(count).collect();
    grid.filter(|_| shape.len() == chunks.len())
}
