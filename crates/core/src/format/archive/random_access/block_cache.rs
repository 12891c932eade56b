//! Decoded blocks that are kept.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Bytes that a block is charged with besides its own.
const AROUND: usize = 160;

/// A block of a stream, by number.
type Key = (usize, u64);

/// Decoded blocks. Those that were not used for longest go first.
pub(crate) struct BlockCache {
    blocks: HashMap<Key, (Arc<Vec<u8>>, u64)>,
    /// The block of each time of use.
    used: BTreeMap<u64, Key>,
    bytes: usize,
    clock: u64,
    /// Most bytes.
    most: usize,
}

impl BlockCache {
    /// Room for `most` bytes of blocks.
    pub fn of(most: usize) -> Self {
        Self {
            blocks: HashMap::new(),
            used: BTreeMap::new(),
            bytes: 0,
            clock: 0,
            most,
        }
    }

    /// A block that is kept.
    pub fn get(&mut self, stream: usize, number: u64) -> Option<Arc<Vec<u8>>> {
        let key = (stream, number);
        let (block, used) = self.blocks.get_mut(&key)?;
        self.clock += 1;
        self.used.remove(used);
        *used = self.clock;
        self.used.insert(self.clock, key);
        Some(block.clone())
    }

    /// Keeps a block, unless it takes more than half of the room.
    pub fn keep(&mut self, stream: usize, number: u64, block: Vec<u8>) {
        let key = (stream, number);
        let length = block.len() + AROUND;
        if length > self.most / 2 {
            return;
        }
        self.remove(key);
        while self.bytes + length > self.most {
            let Some((_, oldest)) = self.used.pop_first() else {
                break;
            };
            self.remove(oldest);
        }
        self.clock += 1;
        self.bytes += length;
        self.used.insert(self.clock, key);
        self.blocks.insert(key, (Arc::new(block), self.clock));
    }

    fn remove(&mut self, key: Key) {
        if let Some((gone, used)) = self.blocks.remove(&key) {
            self.used.remove(&used);
            self.bytes -= gone.len() + AROUND;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let mut cache = BlockCache::of(4 * (100 + AROUND));
        for number in 0..4 {
            cache.keep(7, number, vec![number as u8; 100]);
        }
        assert_eq!(*cache.get(7, 0).unwrap(), [0; 100]);
        cache.keep(7, 4, vec![4; 100]);
        assert!(cache.get(7, 1).is_none());
        cache.keep(7, 2, vec![5; 100]);
        assert_eq!(*cache.get(7, 2).unwrap(), [5; 100]);
        assert_eq!(cache.used.len(), cache.blocks.len());
        cache.keep(7, 9, vec![1; 1000]);
        assert!(cache.get(7, 9).is_none());
        for number in 0..100_000 {
            cache.keep(1, number, Vec::new());
        }
        assert!(cache.bytes <= cache.most && cache.used.len() == cache.blocks.len());
    }
}
