//! Datasets without elements: their headers are all that is copied, and a part of one has a shorter shape there.

use std::collections::HashMap;

use ncutils_hdf5::{Dataset, Dataspace, Layout, LayoutSpec};

/// The ids of filters that take chunks of any shape: deflate, shuffle and Fletcher-32.
const OF_ANY_SHAPE: [u16; 3] = [1, 2, 3];

/// The shapes that datasets without elements have in a part, by the addresses of their headers.
pub type EmptyShapes = HashMap<u64, Vec<u64>>;

/// A part of a dataset without elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmptyPart {
    /// Its shape.
    Shape(Vec<u64>),
    /// It needs shorter chunks, and a filter of the dataset is set up for the chunks that it has.
    OtherChunks,
}

impl EmptyPart {
    /// The part of a dataset that has the lengths which `cut` makes of the numbers and lengths of dimensions. `None` if the dataset has
    /// elements, or they would lie elsewhere.
    pub(super) fn of(dataset: &Dataset, cut: impl Fn((usize, u64)) -> u64) -> Option<Self> {
        let is_here = matches!(
            dataset.layout,
            Layout::Compact(_) | Layout::Contiguous { .. } | Layout::Chunked(_)
        );
        if !is_here || dataset.dataspace.count() != Some(0) {
            return None;
        }
        let lengths = dataset.dataspace.dims().iter().copied();
        let shape: Vec<u64> = lengths.enumerate().map(cut).collect();
        let has_other_chunks = match &dataset.layout {
            Layout::Chunked(chunked) => chunks(dataset, &chunked.shape, &shape) != chunked.shape,
            _ => false,
        };
        let mut filters = dataset.filters.iter();
        let fits = !has_other_chunks || filters.all(|filter| OF_ANY_SHAPE.contains(&filter.id));
        Some(match fits {
            true => Self::Shape(shape),
            false => Self::OtherChunks,
        })
    }
}

/// The storage of the part of a dataset without elements that has these lengths.
pub(super) fn empty_layout(dataset: &Dataset, lengths: &[u64]) -> LayoutSpec {
    match &dataset.layout {
        Layout::Chunked(chunked) => LayoutSpec::Chunked {
            shape: chunks(dataset, &chunked.shape, lengths),
            chunk_count: 0,
        },
        Layout::Compact(_) => LayoutSpec::Compact { size: 0 },
        _ => LayoutSpec::Contiguous {
            size: 0,
            allocated: false,
        },
    }
}

/// The shape of chunks of the part of a dataset without elements that has these `lengths`. HDF5's library makes no chunks that are longer than
/// a fixed dimension.
fn chunks(dataset: &Dataset, stored: &[u64], lengths: &[u64]) -> Vec<u64> {
    let Dataspace::Simple { dims, max_dims } = &dataset.dataspace else {
        return stored.to_vec();
    };
    let mut shape = stored.to_vec();
    for (d, chunk) in shape.iter_mut().enumerate() {
        let (before, now) = (dims.get(d), lengths.get(d));
        let is_fixed = before.is_some() && max_dims.get(d).copied().flatten() == before.copied();
        if let (true, Some(now), true) = (is_fixed, now, before != now) {
            *chunk = (*chunk).min((*now).max(1));
        }
    }
    shape
}
