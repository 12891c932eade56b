//! [`Blocks`]: the blocks of a cache by number, in the order in which they are dropped.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Blocks {
    by_number: HashMap<u64, CachedBlock>,
    /// The number and the turn of each block. An entry is void if its block has another turn since.
    oldest_first: VecDeque<(u64, u64)>,
    /// The last turn.
    turn: u64,
    /// The block after the last fetch, and the number of blocks fetched.
    pub(super) last_fetch: (u64, u64),
}

struct CachedBlock {
    bytes: Arc<[u8]>,
    /// The time of its last renewal. The block with the lowest turn is dropped first.
    turn: u64,
}

impl Blocks {
    /// Number of blocks.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_number.len()
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.by_number.contains_key(&number)
    }

    pub(super) fn get(&self, number: u64) -> Option<&Arc<[u8]>> {
        self.by_number.get(&number).map(|block| &block.bytes)
    }

    /// Adds a block, and drops the oldest ones beyond `capacity` blocks.
    pub(super) fn insert(&mut self, number: u64, bytes: Arc<[u8]>, capacity: u64) {
        self.by_number.insert(number, CachedBlock { bytes, turn: 0 });
        self.renew(number);
        self.shrink(capacity);
    }

    /// Makes a block the newest one, if it is there.
    pub(super) fn renew(&mut self, number: u64) {
        let Some(block) = self.by_number.get_mut(&number) else {
            return;
        };
        self.turn += 1;
        block.turn = self.turn;
        self.oldest_first.push_back((number, self.turn));
        if self.oldest_first.len() > 2 * self.by_number.len() {
            let (blocks, entries) = (&self.by_number, &mut self.oldest_first);
            entries.retain(|(number, turn)| blocks.get(number).is_some_and(|block| block.turn == *turn));
        }
    }

    /// Drops the oldest blocks beyond `capacity` blocks.
    pub(super) fn shrink(&mut self, capacity: u64) {
        while self.by_number.len() as u64 > capacity {
            let Some((number, turn)) = self.oldest_first.pop_front() else {
                return;
            };
            if self
                .by_number
                .get(&number)
                .is_some_and(|block| block.turn == turn)
            {
                self.by_number.remove(&number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_dropped_and_renewals_take_no_memory() {
        let mut blocks = Blocks::default();
        for number in 0..4 {
            blocks.insert(number, Arc::new([number as u8]), 4);
        }
        for _ in 0..1000 {
            blocks.renew(0);
            blocks.renew(2);
        }
        blocks.renew(9);
        assert!(blocks.oldest_first.len() <= 8);
        blocks.insert(5, Arc::new([5]), 4);
        blocks.insert(6, Arc::new([6]), 4);
        let left: Vec<_> = (0..7).filter(|number| blocks.has(*number)).collect();
        assert_eq!(left, [0, 2, 5, 6]);
        blocks.shrink(1);
        assert_eq!((blocks.len(), blocks.get(6).map(|bytes| bytes[0])), (1, Some(6)));
    }
}
