//! Where chunks lie, for references to them: each is a value of a key, or a part of a shard.

use super::reader::ZarrReader;
use super::shards::shard_bytes::Bytes;
use crate::error::Result;
use crate::format::{PlaceObject, StoredPlace, StoredPlaces};
use crate::model::VarId;

impl StoredPlaces for ZarrReader {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        // A zip file holds the values of its keys in its own way.
        if self.store.container_size().ok().flatten().is_some() {
            return Ok(None);
        }
        let Some(Bytes::Stored { key, start, end }) = self.find(var, chunk)? else {
            return Ok(None);
        };
        let range = end.map(|end| (start, end - start));
        Ok(Some(StoredPlace {
            object: PlaceObject::Key(key),
            range,
            filter_mask: 0,
        }))
    }

    fn place_of_bytes(&self, _: VarId, _: u64, _: u64) -> Result<Option<StoredPlace>> {
        Ok(None)
    }
}
