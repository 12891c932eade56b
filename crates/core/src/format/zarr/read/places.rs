//! Where chunks lie, for references to them: each is a value of a key, or a part of a shard.

use std::io;

use super::metadata::metadata_store::cannot_read;
use super::reader::ZarrReader;
use super::shards::shard_bytes::Bytes;
use crate::error::{Error, Result};
use crate::format::{PlaceObject, StoredPlace, StoredPlaces};
use crate::model::VarId;
use crate::store::{StoredRange, ValuePlace};

impl StoredPlaces for ZarrReader {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        let Some(Bytes::Stored { key, start, end }) = self.find(var, chunk)? else {
            return Ok(None);
        };
        let own = end.map(|end| (start, end - start));
        let place = self.place_of_value(key, own);
        place.map_err(|e| match self.grid(var) {
            Ok(grid) => self.named(var)(e.in_chunk(&grid.coordinates(chunk))),
            Err(_) => e,
        })
    }

    fn length_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        match self.find(var, chunk)? {
            Some(Bytes::Stored { key, end: None, .. }) => self.store.size(&key).map_err(cannot_read),
            _ => Ok(None),
        }
    }

    fn piece_of_bytes(&self, _: VarId) -> Result<Option<u64>> {
        Ok(None)
    }

    fn place_of_bytes(&self, _: VarId, _: u64, _: u64) -> Result<Option<StoredPlace>> {
        Ok(None)
    }
}

impl ZarrReader {
    /// The place of a range of a key's value, or of all of it.
    fn place_of_value(&self, key: String, own: Option<(u64, u64)>) -> Result<Option<StoredPlace>> {
        let place = self.store.value_place(&key);
        let mut version = None;
        let (object, range) = match place.map_err(|e| cannot_read(e).in_key(&key))? {
            ValuePlace::Nowhere => return Ok(None),
            ValuePlace::Own => {
                self.check_end(&key, own)?;
                (PlaceObject::Key(key), own)
            }
            ValuePlace::Elsewhere(StoredRange {
                object,
                range,
                version: known,
            }) => {
                version = known;
                let range = match (range, own) {
                    (range, None) => range,
                    (None, own) => {
                        self.check_end(&key, own)?;
                        own
                    }
                    (Some(outer), Some(own)) => Some(within(outer, own).ok_or_else(|| past(&key, own.0))?),
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

    /// Checks that the value of a key does not end before a range of it does, where its size takes no request.
    fn check_end(&self, key: &str, range: Option<(u64, u64)>) -> Result<()> {
        let Some(range) = range.filter(|_| !self.store.requests().ahead) else {
            return Ok(());
        };
        let size = match self.values.size(key) {
            Err(e) if e.kind() == io::ErrorKind::Unsupported => self.store.size(key),
            size => size,
        };
        match size.map_err(|e| cannot_read(e).in_key(key))? {
            Some(size) if within((0, size), range).is_none() => Err(past(key, range.0)),
            _ => Ok(()),
        }
    }
}

/// A range of bytes within another one. `None` if it ends behind that.
fn within((offset, length): (u64, u64), (start, count): (u64, u64)) -> Option<(u64, u64)> {
    let end = start.checked_add(count)?;
    Some((offset.checked_add(start)?, count)).filter(|_| end <= length)
}

fn past(key: &str, start: u64) -> Error {
    Error::Damaged(format!("the shard's index names bytes past its end, at {start}")).in_key(key)
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn ranges_lie_in_ranges() {
        assert_eq!(within((10, 5), (2, 3)), Some((12, 3)));
        assert_eq!(within((10, 5), (2, 4)), None);
        assert_eq!(within((u64::MAX - 1, 5), (2, 3)), None);
        assert_eq!(within((0, u64::MAX), (2, u64::MAX)), None);
    }
}
