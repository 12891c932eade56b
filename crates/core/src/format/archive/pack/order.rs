//! The order in which packing makes the blocks of an archive.
//!
//! Blocks come by pass, and within a pass by the place of their last byte in the original. Whoever packs the same original
//! with the same blocks gets the same order, from a file or from an archive.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::format::archive::structure::streams::Streams;

/// The pass of each stream: the pass in which its bytes are read. Interleaved streams share a pass as long as their open
/// blocks take at most `open` bytes.
pub(crate) fn passes(streams: &Streams, open: u64) -> Vec<u32> {
    let list = &streams.list;
    let mut pass_of = vec![0; list.len()];
    let (mut pass, mut taken) = (0, 0);
    let mut gathered: Vec<usize> = (0..list.len()).filter(|n| list[*n].is_gathered()).collect();
    gathered.sort_by_key(|n| list[*n].begin);
    for n in gathered {
        let bytes = u64::from(list[n].block).min(list[n].length());
        if taken > 0 && taken + bytes > open {
            (pass, taken) = (pass + 1, 0);
        }
        taken += bytes;
        pass_of[n] = pass;
    }
    pass_of
}

/// All blocks of an archive, in order.
pub(crate) struct Order<'a> {
    streams: &'a Streams,
    pass_of: Vec<u32>,
    /// The next block of each stream: pass, position after its last byte, stream, number.
    next: BinaryHeap<Reverse<(u32, u64, usize, u64)>>,
}

impl<'a> Order<'a> {
    /// The blocks of `streams`, with passes of `open` bytes.
    pub fn new(streams: &'a Streams, open: u64) -> Self {
        let mut order = Self {
            pass_of: passes(streams, open),
            next: BinaryHeap::new(),
            streams,
        };
        for stream in 0..streams.list.len() {
            order.push(stream, 0);
        }
        order
    }

    fn push(&mut self, stream: usize, number: u64) {
        let of = &self.streams.list[stream];
        let length = of.block_length(number) as u64;
        if length == 0 {
            return;
        }
        let last = number * u64::from(of.block) + length - 1;
        let end = self
            .streams
            .place(stream, last, 1)
            .map_or(u64::MAX, |place| place.0 + 1);
        self.next
            .push(Reverse((self.pass_of[stream], end, stream, number)));
    }
}

impl Iterator for Order<'_> {
    /// Stream and number of a block.
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((_, _, stream, number)) = self.next.pop()?;
        self.push(stream, number + 1);
        Some((stream, number))
    }
}
