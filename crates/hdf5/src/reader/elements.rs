//! Reads the elements of a dataset: finds, decodes and assembles its chunks.

use super::dataset::Dataset;
use super::file::File;
use super::number::Number;
use crate::chunk_index::ChunkRecord;
use crate::chunk_index::{ChunkTable, ChunkedLayout};
use crate::dataset::Encoded;
use crate::dataset::Fill;
use crate::dataset::Layout;
use crate::dataspace::Dataspace;
use crate::error::{Error, Result};

/// A chunk as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredChunk {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Bit i set: filter i of the dataset was skipped.
    pub filter_mask: u32,
}

impl File {
    /// Reads a chunk as stored; `None` if it was never written. `coordinates` count chunks, slowest dimension first.
    /// `table` is the dataset's [chunk table](Self::chunk_table).
    ///
    /// # Errors
    /// [`Error::Usage`] if the coordinates are outside the grid of chunks.
    pub fn read_chunk(&self, table: &ChunkTable, coordinates: &[u64]) -> Result<Option<StoredChunk>> {
        let Some(index) = table.index_of(coordinates) else {
            return Err(Error::Usage(format!(
                "no chunk of the dataset can be at {coordinates:?}"
            )));
        };
        let Some(record) = table.get(index)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        self.read_stored(&record, &mut bytes)?;
        Ok(Some(StoredChunk {
            bytes,
            filter_mask: record.filter_mask,
        }))
    }

    /// All elements of a dataset of numbers, in C order.
    ///
    /// # Errors
    /// [`Error::Usage`] if the elements are not of type `T`; the errors of [`read_elements`](Self::read_elements).
    ///
    /// ```
    /// # fn main() -> ncutils_hdf5::Result<()> {
    /// # let bytes = std::fs::read("tests/data/chunk_indexes_latest.h5").unwrap();
    /// let file = ncutils_hdf5::File::open(bytes)?;
    /// let dataset = file.dataset(&file.open_path("/small")?)?;
    /// let values: Vec<u8> = file.read_values(&dataset)?;
    /// # assert_eq!(Some(values.len() as u64), dataset.dataspace.count());
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_values<T: Number>(&self, dataset: &Dataset) -> Result<Vec<T>> {
        let Some(order) = T::order(&dataset.datatype) else {
            return Err(Error::Usage(format!(
                "elements of type {:?} of {} bytes are not read as {}",
                dataset.datatype.class,
                dataset.datatype.size,
                std::any::type_name::<T>()
            )));
        };
        Ok(T::decode(&self.read_elements(dataset)?, order))
    }

    /// All elements of a dataset as stored, in C order, with filters undone. Elements never written are fill values or
    /// zeros.
    ///
    /// # Errors
    /// [`Error::Limit`] if they exceed the [limits](crate::Limits::dataset_bytes); [`Error::Filter`] if a filter cannot
    /// be undone; [`Error::Unsupported`] for filters without a [decoder](crate::OpenOptions::decoder), or data in other
    /// files or datasets.
    pub fn read_elements(&self, dataset: &Dataset) -> Result<Vec<u8>> {
        let limit = self.reader().limits().dataset_bytes;
        let element = u64::from(dataset.datatype.size);
        let size = dataset
            .dataspace
            .count()
            .and_then(|count| count.checked_mul(element));
        let size = size.filter(|size| *size <= limit);
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else {
            return Err(Error::Limit(format!(
                "a dataset of {:?} elements of {element} bytes is larger than {limit} bytes",
                dataset.dataspace.dims()
            )));
        };
        match &dataset.layout {
            Layout::Compact(data) if data.len() == size => Ok(data.clone()),
            Layout::Contiguous {
                address: Some(address),
                ..
            } => {
                let mut bytes = Vec::new();
                self.reader()
                    .read_raw_into("contiguous data", *address, size as u64, &mut bytes)?;
                Ok(bytes)
            }
            Layout::Compact(_) | Layout::Contiguous { .. } => filled(dataset, size),
            Layout::Chunked(layout) => {
                let mut bytes = filled(dataset, size)?;
                for chunk in self.chunk_table(dataset)?.iter() {
                    self.place_chunk(dataset, layout, chunk?, &mut bytes)?;
                }
                Ok(bytes)
            }
            Layout::Virtual { .. } => Err(Error::Unsupported("data in other datasets".into())),
            Layout::External(_) => Err(Error::Unsupported("data in external files".into())),
        }
    }

    /// Decodes one chunk, and copies its part within the extent to `bytes`.
    fn place_chunk(
        &self,
        dataset: &Dataset,
        layout: &ChunkedLayout,
        chunk: ChunkRecord,
        bytes: &mut [u8],
    ) -> Result<()> {
        let Dataspace::Simple { dims, .. } = &dataset.dataspace else {
            return Ok(());
        };
        let element = dataset.datatype.size as usize;
        let decoded = self.decoded_chunk(dataset, layout, chunk)?;
        let (start, counts) = place(dims, layout, chunk.index);
        copy_rows(&decoded, &layout.shape, bytes, dims, &start, &counts, element);
        Ok(())
    }

    /// The elements of a whole chunk, with filters undone.
    pub(super) fn decoded_chunk(
        &self,
        dataset: &Dataset,
        layout: &ChunkedLayout,
        chunk: ChunkRecord,
    ) -> Result<Vec<u8>> {
        let limit = self.reader().limits().dataset_bytes;
        let size = layout
            .shape
            .iter()
            .try_fold(layout.element_size, |n, length| n.checked_mul(*length))
            .filter(|size| *size <= limit)
            .and_then(|size| usize::try_from(size).ok())
            .ok_or_else(|| Error::Limit(format!("a chunk is larger than {limit} bytes")))?;
        let (_, counts) = place(dataset.dataspace.dims(), layout, chunk.index);
        let is_edge = counts != layout.shape;

        let mut stored = Vec::new();
        self.read_stored(&chunk, &mut stored)?;
        let is_plain = dataset.filters.is_empty() || (is_edge && layout.edge_chunks_unfiltered);
        let decoded = match is_plain {
            true => stored,
            false => self.reader().decode(
                "chunk",
                chunk.address,
                &Encoded {
                    filters: &dataset.filters,
                    mask: chunk.filter_mask,
                    stored: &stored,
                    size,
                    element_size: dataset.datatype.size as usize,
                },
            )?,
        };
        if decoded.len() != size {
            return Err(self.reader().damaged(
                "chunk",
                chunk.address,
                format!("it has {} bytes instead of {size}", decoded.len()),
            ));
        }
        Ok(decoded)
    }
}

/// First element of chunk number `index` in a dataset of shape `dims`, and its shape within the extent.
fn place(dims: &[u64], layout: &ChunkedLayout, mut index: u64) -> (Vec<u64>, Vec<u64>) {
    let mut start = vec![0; dims.len()];
    for ((start, dim), length) in start.iter_mut().zip(dims).zip(&layout.shape).rev() {
        let count = dim.div_ceil(*length).max(1);
        *start = index % count * length;
        index /= count;
    }
    let counts = dims
        .iter()
        .zip(&layout.shape)
        .zip(&start)
        .map(|((dim, length), start)| (*length).min(dim.saturating_sub(*start)))
        .collect();
    (start, counts)
}

/// Elements that were never written: fill values or zeros.
fn filled(dataset: &Dataset, size: usize) -> Result<Vec<u8>> {
    match &dataset.fill.value {
        Fill::Defined(value) if !value.is_empty() && value.iter().any(|byte| *byte != 0) => {
            Ok(value.iter().copied().cycle().take(size).collect())
        }
        _ => Ok(vec![0; size]),
    }
}

/// Copies the first `counts` elements of a chunk of `shape` to `start` in an array of shape `dims`. The caller has
/// checked that they fit in both.
fn copy_rows(
    chunk: &[u8],
    shape: &[u64],
    array: &mut [u8],
    dims: &[u64],
    start: &[u64],
    counts: &[u64],
    element: usize,
) {
    let Some((row, outer)) = counts.split_last() else {
        return;
    };
    let row = *row as usize * element;
    let offset = |extent: &[u64], at: &dyn Fn(usize) -> u64| {
        let elements = extent.iter().enumerate().fold(0, |n, (d, len)| n * len + at(d));
        elements as usize * element
    };
    let mut at = vec![0u64; counts.len()];
    loop {
        let from = offset(shape, &|d| at[d]);
        let to = offset(dims, &|d| start[d] + at[d]);
        if let (Some(from), Some(to)) = (chunk.get(from..from + row), array.get_mut(to..to + row)) {
            to.copy_from_slice(from);
        }
        // Advance to the next row, like the digits of a counter.
        let next = (0..outer.len()).rev().find(|d| {
            at[*d] += 1;
            let fits = at[*d] < counts[*d];
            if !fits {
                at[*d] = 0;
            }
            fits
        });
        if next.is_none() {
            return;
        }
    }
}
