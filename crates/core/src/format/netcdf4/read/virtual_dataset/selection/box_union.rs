//! Builds the tree of a union of boxes.
//!
//! Along a dimension, the beginnings and ends of the boxes cut the indices into intervals. All indices of an interval
//! meet the same boxes, so they share the tree of what these boxes have in the later dimensions.

use std::collections::HashMap;
use std::sync::Arc;

use super::index_tree::{IndexRun, Interval, Level, Node, below, too_many};
use crate::error::{Error, Result};

/// Most boxes that all intervals together may meet. Files list the blocks of a regular selection one by one, so there may
/// be millions; only boxes that overlap in many ways need more.
const MOST_STEPS: u64 = 1 << 24;

/// Boxes as [`super::elements::Elements::of_boxes`] takes them.
pub(crate) struct Union {
    rank: usize,
    steps: u64,
    /// Trees by dimension, and the corners of their boxes from that dimension on.
    known: HashMap<(usize, Vec<u64>), Arc<Node>>,
}

impl Union {
    /// Boxes of `rank` dimensions.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            steps: 0,
            known: HashMap::new(),
        }
    }

    /// The tree of these boxes from dimension `d` on.
    ///
    /// # Errors
    /// The boxes overlap in too many ways, or have too many elements.
    pub fn build(&mut self, boxes: &[&[u64]], d: usize) -> Result<Arc<Node>> {
        let key = (d, self.key(boxes, d));
        if let Some(node) = self.known.get(&key) {
            return Ok(Arc::clone(node));
        }
        let rank = self.rank;
        let mut sorted = boxes.to_vec();
        sorted.sort_unstable_by_key(|corners| corners[d]);
        let mut cuts: Vec<u64> = Vec::with_capacity(2 * boxes.len());
        for corners in boxes {
            cuts.push(corners[d]);
            cuts.push(corners[rank + d].checked_add(1).ok_or_else(too_many)?);
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut coming = sorted.into_iter().peekable();
        let mut met: Vec<&[u64]> = Vec::new();
        let mut intervals: Vec<Interval> = Vec::new();
        let mut count = 0u64;
        for cut in cuts.windows(2) {
            let (start, end) = (cut[0], cut[1]);
            met.retain(|corners| corners[rank + d] >= start);
            while let Some(corners) = coming.next_if(|corners| corners[d] <= start) {
                met.push(corners);
            }
            self.steps += met.len() as u64 + 1;
            if self.steps > MOST_STEPS {
                return Err(Error::Unsupported(
                    "a selection of boxes that overlap in very many ways".into(),
                ));
            }
            if met.is_empty() {
                continue;
            }
            let child = match d + 1 < rank {
                true => Some(self.build(&met, d + 1)?),
                false => None,
            };
            let first = count;
            let elements = (end - start).checked_mul(below(&child));
            count = elements.and_then(|n| n.checked_add(count)).ok_or_else(too_many)?;
            match intervals.last_mut() {
                Some(last) if last.end == start && same(&last.below, &child) => last.end = end,
                _ => intervals.push(Interval {
                    start,
                    end,
                    first,
                    below: child,
                }),
            }
        }
        let level = match stripe(&intervals) {
            Some(run) => Level::Stripe(run, intervals[0].below.clone()),
            None => Level::List(intervals),
        };
        let node = Arc::new(Node { count, level });
        self.known.insert(key, Arc::clone(&node));
        Ok(node)
    }

    fn key(&self, boxes: &[&[u64]], d: usize) -> Vec<u64> {
        let mut tails: Vec<Vec<u64>> = boxes
            .iter()
            .map(|corners| [&corners[d..self.rank], &corners[self.rank + d..]].concat())
            .collect();
        tails.sort_unstable();
        tails.dedup();
        tails.concat()
    }
}

fn same(a: &Option<Arc<Node>>, b: &Option<Arc<Node>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// The intervals as runs of equal length and distance, if they are.
fn stripe(intervals: &[Interval]) -> Option<IndexRun> {
    let (first, last) = (intervals.first()?, intervals.last()?);
    let block = first.end - first.start;
    let stride = intervals
        .get(1)
        .map_or(block, |second| second.start - first.start);
    let regular = intervals.windows(2).all(|pair| {
        pair[1].start - pair[0].start == stride
            && pair[0].end - pair[0].start == block
            && same(&pair[0].below, &pair[1].below)
    });
    let rest = last.end - last.start;
    (regular && rest <= block).then(|| IndexRun {
        start: first.start,
        stride,
        block,
        total: block * (intervals.len() as u64 - 1) + rest,
    })
}
