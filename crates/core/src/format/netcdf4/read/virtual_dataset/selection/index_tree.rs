//! [`Node`]: a tree of the indices of hyperslabs, one level for each dimension.

use std::sync::Arc;

use crate::chunk::Region;
use crate::error::{Error, Result};

/// Indices along one dimension: runs of `block` indices, `stride` apart, the last of which may be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexRun {
    /// The first index.
    pub start: u64,
    /// Distance from the beginning of a run to the next.
    pub stride: u64,
    /// Length of a run, at most `stride` where there are several runs.
    pub block: u64,
    /// Number of all indices.
    pub total: u64,
}

impl IndexRun {
    /// The indices 0 to `length - 1`.
    pub fn whole(length: u64) -> Self {
        Self {
            start: 0,
            stride: 1,
            block: length,
            total: length,
        }
    }

    /// True if the indices are neighbours.
    pub fn is_dense(&self) -> bool {
        self.total <= self.block || self.block == self.stride
    }

    /// The index after the last; `None` if it cannot be counted.
    pub(crate) fn end(&self) -> Option<u64> {
        let last = self.total.checked_sub(1)?;
        let (run, within) = (last / self.block, last % self.block);
        run.checked_mul(self.stride)?
            .checked_add(self.start)?
            .checked_add(within)?
            .checked_add(1)
    }
}

/// Indices along one dimension, with the elements below each.
#[derive(Debug)]
pub(crate) struct Node {
    /// Number of elements below the node.
    pub(crate) count: u64,
    pub(crate) level: Level,
}

/// The indices of a node.
#[derive(Debug)]
pub(crate) enum Level {
    Stripe(IndexRun, Option<Arc<Node>>),
    List(Vec<Interval>),
}

/// Neighbouring indices with the same elements below each.
#[derive(Debug)]
pub(crate) struct Interval {
    pub(crate) start: u64,
    /// The index after the last.
    pub(crate) end: u64,
    /// Number of elements of the node before this interval.
    pub(crate) first: u64,
    pub(crate) below: Option<Arc<Node>>,
}

/// Number of elements below an index.
pub(crate) fn below(node: &Option<Arc<Node>>) -> u64 {
    node.as_ref().map_or(1, |node| node.count)
}

pub(crate) fn too_many() -> Error {
    Error::Damaged("a selection of more elements than can be counted".into())
}

impl Node {
    pub(crate) fn within(
        &self,
        region: &Region,
        d: usize,
        base: u64,
        at: &mut Vec<u64>,
        emit: &mut dyn FnMut(u64, &[u64], u64) -> Result<()>,
    ) -> Result<()> {
        let low = region.start[d];
        let high = low.saturating_add(region.count[d]);
        let mut each = |first: u64, last: u64, number: u64, child: &Option<Arc<Node>>| match child {
            None => {
                at[d] = first;
                emit(number, at, last - first)
            }
            Some(child) => (first..last).try_for_each(|index| {
                at[d] = index;
                child.within(region, d + 1, number + (index - first) * child.count, at, emit)
            }),
        };
        match &self.level {
            Level::Stripe(run, child) => {
                let mut number = low.saturating_sub(run.start) / run.stride;
                loop {
                    let Some(before) = number.checked_mul(run.block).filter(|n| *n < run.total) else {
                        return Ok(());
                    };
                    let start = run.start + number * run.stride;
                    if start >= high {
                        return Ok(());
                    }
                    let first = start.max(low);
                    let last = (start + run.block.min(run.total - before)).min(high);
                    if first < last {
                        let number = base + (before + (first - start)) * below(child);
                        each(first, last, number, child)?;
                    }
                    number += 1;
                }
            }
            Level::List(intervals) => {
                let begin = intervals.partition_point(|interval| interval.end <= low);
                for interval in intervals[begin..]
                    .iter()
                    .take_while(|interval| interval.start < high)
                {
                    let first = interval.start.max(low);
                    let last = interval.end.min(high);
                    let number = base + interval.first + (first - interval.start) * below(&interval.below);
                    each(first, last, number, &interval.below)?;
                }
                Ok(())
            }
        }
    }

    pub(crate) fn numbers(
        &self,
        from: u64,
        to: u64,
        d: usize,
        at: &mut Vec<u64>,
        emit: &mut dyn FnMut(&[u64], u64) -> Result<()>,
    ) -> Result<()> {
        let mut from = from;
        while from < to {
            // A run of indices with equal subtrees, and the number of its first element.
            let (start, length, first, child) = match &self.level {
                Level::Stripe(run, child) => {
                    let number = from / below(child) / run.block;
                    let before = number * run.block;
                    let length = run.block.min(run.total - before);
                    (
                        run.start + number * run.stride,
                        length,
                        before * below(child),
                        child,
                    )
                }
                Level::List(intervals) => {
                    let next = intervals.partition_point(|interval| interval.first <= from);
                    let Some(interval) = next.checked_sub(1).and_then(|n| intervals.get(n)) else {
                        return Ok(());
                    };
                    let length = interval.end - interval.start;
                    (interval.start, length, interval.first, &interval.below)
                }
            };
            let each = below(child);
            let end = (first + length * each).min(to);
            match child {
                None => {
                    at[d] = start + (from - first);
                    emit(at, end - from)?;
                    from = end;
                }
                Some(child) => {
                    while from < end {
                        let index = (from - first) / each;
                        let begin = first + index * each;
                        let stop = (begin + each).min(end);
                        at[d] = start + index;
                        child.numbers(from - begin, stop - begin, d + 1, at, emit)?;
                        from = stop;
                    }
                }
            }
        }
        Ok(())
    }
}
