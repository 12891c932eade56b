//! [`Elements`]: elements of an array in the order of a selection, counted from 0.
//!
//! The elements of hyperslabs form a tree. A node stands for indices along one dimension, and each index has the same
//! subtree for the next dimension, or no subtree in the last one:
//!
//! ```text
//! rows 0 to 9 and 20 to 29, columns 5 to 7      Stripe { start 0, stride 20, block 10 } ─► Stripe { start 5, block 3 }
//! two boxes that overlap                        List [ rows 0 to 2 ─► a, rows 3 to 5 ─► b, … ]
//! ```

use std::sync::Arc;

use super::box_union::Union;
use super::index_tree::{IndexRun, Level, Node, below, too_many};
use crate::chunk::Region;
use crate::error::Result;

/// Elements of an array in the order of a selection.
#[derive(Debug, Clone)]
pub struct Elements {
    rank: usize,
    count: u64,
    bounds: Region,
    kind: ElementsKind,
}

#[derive(Debug, Clone)]
enum ElementsKind {
    None,
    /// The element of an array without dimensions.
    Scalar,
    Tree(Arc<Node>),
    /// The index of each, one after another.
    Points(Arc<[u64]>),
}

impl Elements {
    /// No elements of an array of `rank` dimensions.
    pub fn none(rank: usize) -> Self {
        Self {
            rank,
            count: 0,
            bounds: Region {
                start: vec![0; rank],
                count: vec![0; rank],
            },
            kind: ElementsKind::None,
        }
    }

    /// All elements of an array in C order.
    ///
    /// # Errors
    /// There are more than can be counted.
    pub fn all(shape: &[u64]) -> Result<Self> {
        let runs: Vec<IndexRun> = shape.iter().map(|length| IndexRun::whole(*length)).collect();
        Self::of_runs(&runs)
    }

    /// The elements whose indices are in these runs, one for each dimension.
    ///
    /// # Errors
    /// There are more elements than can be counted.
    pub fn of_runs(runs: &[IndexRun]) -> Result<Self> {
        if runs.iter().any(|run| run.total == 0 || run.block == 0) {
            return Ok(Self::none(runs.len()));
        }
        let mut node = None;
        let mut bounds = Region::whole(&vec![0; runs.len()]);
        for (d, run) in runs.iter().enumerate().rev() {
            let end = run.end().ok_or_else(too_many)?;
            bounds.start[d] = run.start;
            bounds.count[d] = end - run.start;
            // Runs that touch are one.
            let (block, stride) = match run.is_dense() {
                true => (run.total, run.total),
                false => (run.block, run.stride),
            };
            let count = run.total.checked_mul(below(&node)).ok_or_else(too_many)?;
            let level = Level::Stripe(
                IndexRun {
                    block,
                    stride,
                    ..*run
                },
                node,
            );
            node = Some(Arc::new(Node { count, level }));
        }
        Ok(Self {
            rank: runs.len(),
            count: below(&node),
            bounds,
            kind: node.map_or(ElementsKind::Scalar, ElementsKind::Tree),
        })
    }

    /// The union of boxes, in C order. `corners` has the first and the last index of each box.
    ///
    /// # Errors
    /// The boxes overlap in too many ways, or have too many elements.
    pub fn of_boxes(rank: usize, corners: &[u64]) -> Result<Self> {
        let boxes: Vec<&[u64]> = corners.chunks_exact(2 * rank.max(1)).collect();
        if let [one] = boxes[..] {
            let runs = one[..rank].iter().zip(&one[rank..]);
            let runs: Option<Vec<IndexRun>> = runs
                .map(|(first, last)| {
                    let total = last.checked_sub(*first)?.checked_add(1)?;
                    Some(IndexRun {
                        start: *first,
                        ..IndexRun::whole(total)
                    })
                })
                .collect();
            return Self::of_runs(&runs.ok_or_else(too_many)?);
        }
        let Some(first) = boxes.first() else {
            return Ok(Self::none(rank));
        };
        let mut bounds: Vec<(u64, u64)> = (0..rank).map(|d| (first[d], first[rank + d])).collect();
        for corners in &boxes {
            for (d, (low, high)) in bounds.iter_mut().enumerate() {
                *low = corners[d].min(*low);
                *high = corners[rank + d].max(*high);
            }
        }
        let root = Union::new(rank).build(&boxes, 0)?;
        Ok(Self {
            rank,
            count: root.count,
            bounds: Region {
                start: bounds.iter().map(|(low, _)| *low).collect(),
                count: bounds.iter().map(|(low, high)| high - low + 1).collect(),
            },
            kind: ElementsKind::Tree(root),
        })
    }

    /// Single elements, in the order of their indices in `coordinates`.
    ///
    /// # Errors
    /// An index is the highest number.
    pub fn of_points(rank: usize, coordinates: &[u64]) -> Result<Self> {
        if coordinates.is_empty() || rank == 0 {
            return Ok(Self::none(rank));
        }
        if coordinates.contains(&u64::MAX) {
            return Err(too_many());
        }
        let of = |d: usize| coordinates.iter().skip(d).step_by(rank).copied();
        let start: Vec<u64> = (0..rank).map(|d| of(d).min().unwrap_or(0)).collect();
        let count = (0..rank)
            .map(|d| of(d).max().unwrap_or(0) - start[d] + 1)
            .collect();
        Ok(Self {
            rank,
            count: (coordinates.len() / rank) as u64,
            bounds: Region { start, count },
            kind: ElementsKind::Points(coordinates.into()),
        })
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of elements.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The smallest box that holds all elements.
    pub fn bounds(&self) -> &Region {
        &self.bounds
    }

    /// True if all elements of [`Elements::bounds`] are there, in C order.
    pub fn is_box(&self) -> bool {
        !matches!(self.kind, ElementsKind::Points(_)) && self.bounds.element_count() == Some(self.count)
    }

    /// Calls `emit` for each run of neighbours along the last dimension within `region`: number of the first element,
    /// its index, length. In ascending order of numbers.
    ///
    /// # Errors
    /// The first error of `emit`.
    pub fn within(
        &self,
        region: &Region,
        emit: &mut dyn FnMut(u64, &[u64], u64) -> Result<()>,
    ) -> Result<()> {
        match &self.kind {
            ElementsKind::None => Ok(()),
            ElementsKind::Scalar => emit(0, &[], 1),
            ElementsKind::Tree(node) => node.within(region, 0, 0, &mut vec![0; self.rank], emit),
            ElementsKind::Points(coordinates) => {
                for (number, at) in coordinates.chunks_exact(self.rank).enumerate() {
                    let is_inside = |d: usize| {
                        at[d]
                            .checked_sub(region.start[d])
                            .is_some_and(|within| within < region.count[d])
                    };
                    if (0..self.rank).all(is_inside) {
                        emit(number as u64, at, 1)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Calls `emit` for each run of neighbours along the last dimension of the elements number `from` to `to - 1`: its
    /// first index, and its length. In ascending order of numbers.
    ///
    /// # Errors
    /// The first error of `emit`.
    pub fn numbers(&self, from: u64, to: u64, emit: &mut dyn FnMut(&[u64], u64) -> Result<()>) -> Result<()> {
        let to = to.min(self.count);
        if from >= to {
            return Ok(());
        }
        match &self.kind {
            ElementsKind::None => Ok(()),
            ElementsKind::Scalar => emit(&[], 1),
            ElementsKind::Tree(node) => node.numbers(from, to, 0, &mut vec![0; self.rank], emit),
            ElementsKind::Points(coordinates) => {
                let points = coordinates.chunks_exact(self.rank);
                let (from, to) = (from as usize, to as usize);
                points.skip(from).take(to - from).try_for_each(|at| emit(at, 1))
            }
        }
    }
}

#[cfg(test)]
mod tests;
