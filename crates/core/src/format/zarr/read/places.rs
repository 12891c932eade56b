//! Where chunks lie, for references to them: each is a value of a key, or a part of a shard.

use super::metadata::metadata_store::cannot_read;
use super::reader::ZarrReader;
use super::shards::shard_bytes::Bytes;
use crate::error::Result;
use crate::format::{PlaceObject, StoredPlace, StoredPlaces};
use crate::model::VarId;
use crate::store::{StoredRange, ValuePlace};

impl StoredPlaces for ZarrReader {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        let Some(Bytes::Stored { key, start, end }) = self.find(var, chunk)? else {
            return Ok(None);
        };
        let own = end.map(|end| (start, end - start));
        let mut version = None;
        let (object, range) = match self.store.value_place(&key).map_err(cannot_read)? {
            ValuePlace::Own => (PlaceObject::Key(key), own),
            ValuePlace::Nowhere => return Ok(None),
            ValuePlace::Elsewhere(StoredRange {
                object,
                range,
                version: known,
            }) => {
                version = known;
                let range = match (range, own) {
                    (range, None) => range,
                    (None, own) => own,
                    (Some((offset, _)), Some((start, length))) => {
                        Some((offset.saturating_add(start), length))
                    }
                };
                (PlaceObject::Named(object), range)
            }
        };
        Ok(Some(StoredPlace {
            object,
            range,
            filter_mask: 0,
            version,
        }))
    }

    fn length_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        match self.find(var, chunk)? {
            Some(Bytes::Stored { key, end: None, .. }) => self.store.size(&key).map_err(cannot_read),
            _ => Ok(None),
        }
    }

    fn place_of_bytes(&self, _: VarId, _: u64, _: u64) -> Result<Option<StoredPlace>> {
        Ok(None)
    }
}
