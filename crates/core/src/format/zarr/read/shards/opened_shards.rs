//! [`OpenedShard`]: a shard whose index was read, and what the index may tell. [`IndexCache`]: those that were read lately.

use std::sync::Arc;

use super::shard_bytes::Bytes;
use crate::chunk::element_count;
use crate::error::{Error, Result};
use crate::format::zarr::v3::sharding::{ENTRY, LARGEST_INDEX, Level, ShardIndex};
use crate::model::IndexLocation;
use crate::store::BoundedCache;

/// Most bytes of indexes that are kept. The last index is kept whatever its size.
const MOST_BYTES: usize = 256 << 20;

/// Bytes that a shard counts for besides the entries of its index.
const LEAST: usize = 256;

/// Most decoded shards that are kept.
const MOST_WHOLE: usize = 2;

/// Position of the array in its schema, the level of the shard, and the position of its first element in the array.
pub type ShardPosition = (usize, usize, Vec<u64>);

/// A shard whose index was read.
pub struct OpenedShard {
    /// Its index.
    pub index: ShardIndex,
    /// Its bytes.
    pub bytes: Bytes,
    /// True if these bytes were decoded for it, and take memory.
    pub is_whole: bool,
}

impl OpenedShard {
    /// The bytes of an inner chunk. `None` if the shard lacks it.
    ///
    /// # Errors
    /// If the index tells a range that cannot be.
    pub fn chunk(&self, level: &Level, number: u64) -> Result<Option<Bytes>> {
        let range = self.index.range(number);
        let range = range.map_err(|why| Error::Damaged(format!("the shard's index: {why}")))?;
        let Some((offset, length)) = range else {
            return Ok(None);
        };
        let size = index_size(level)? as u64;
        let meets = || Error::Damaged(format!("the shard's index names its own bytes, at {offset}"));
        if level.index_location == IndexLocation::Start && length > 0 && offset < size {
            return Err(meets());
        }
        let bytes = self.bytes.within(offset, length)?;
        if level.index_location == IndexLocation::End
            && length > 0
            && let Some(total) = self.bytes.length()
            && offset + length > total.saturating_sub(size)
        {
            return Err(meets());
        }
        Ok(Some(bytes))
    }
}

/// The shards that were used last. An index that is not here is read again.
pub struct IndexCache {
    /// `None` for a shard that does not exist.
    indexes: BoundedCache<ShardPosition, Option<Arc<OpenedShard>>>,
    /// Shards whose bytes were decoded.
    wholes: BoundedCache<ShardPosition, Option<Arc<OpenedShard>>>,
}

impl Default for IndexCache {
    fn default() -> Self {
        Self {
            indexes: BoundedCache::new(MOST_BYTES),
            wholes: BoundedCache::new(MOST_WHOLE),
        }
    }
}

impl IndexCache {
    /// The shard at a place; `Some(None)` if it does not exist. `None` if this is not known.
    pub fn get(&self, place: &ShardPosition) -> Option<Option<Arc<OpenedShard>>> {
        self.indexes.get(place).or_else(|| self.wholes.get(place))
    }

    /// Keeps a shard, and gives up those that were not used for longest where there are too many.
    pub fn insert(&self, place: ShardPosition, opened: Option<Arc<OpenedShard>>) {
        match &opened {
            Some(shard) if shard.is_whole => self.wholes.keep(place, opened, 1),
            _ => {
                let entries = opened.as_ref().map_or(0, |opened| opened.index.len());
                let bytes = entries.saturating_mul(ENTRY as usize).saturating_add(LEAST);
                self.indexes.keep(place, opened, bytes);
            }
        }
    }
}

/// Bytes of the index of a shard.
///
/// # Errors
/// An index that is larger than is read.
pub fn index_size(level: &Level) -> Result<usize> {
    let chunks = element_count(&level.counts);
    chunks
        .and_then(|chunks| level.index_codecs.encoded_size(chunks))
        .filter(|size| *size <= LARGEST_INDEX)
        .ok_or_else(|| Error::Unsupported(format!("shards with an index of more than {LARGEST_INDEX} bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(chunks: u64) -> Option<Arc<OpenedShard>> {
        let index = ShardIndex::empty(&[chunks]).unwrap();
        let bytes = Bytes::Stored {
            key: String::new(),
            start: 0,
            end: None,
        };
        Some(Arc::new(OpenedShard {
            index,
            bytes,
            is_whole: false,
        }))
    }

    #[test]
    fn the_shards_that_were_not_used_for_longest_are_given_up() {
        let kept = IndexCache::default();
        let place = |n: u64| (0, 0, vec![n]);
        // 64 MiB each.
        for n in 0..10 {
            kept.insert(place(n), opened(4 << 20));
            kept.insert(place(n), opened(4 << 20));
            assert!(kept.indexes.cost() <= MOST_BYTES);
        }
        let known: Vec<u64> = (0..10).filter(|n| kept.get(&place(*n)).is_some()).collect();
        assert_eq!(known, [7, 8, 9]);
        kept.insert(place(10), None);
        assert!(kept.get(&place(10)).is_some_and(|shard| shard.is_none()));
        kept.insert(place(11), opened(17 << 20));
        assert!(kept.get(&place(11)).is_some() && kept.get(&place(9)).is_none());
    }
}
