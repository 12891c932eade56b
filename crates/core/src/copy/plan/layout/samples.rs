//! Samples of a variable: chunks that are spread over it.

use crate::chunk::{ChunkGrid, Region, element_count, swap_units};
use crate::error::Result;
use crate::format::read_region::swap_unit;
use crate::format::{Reader, Written};
use crate::model::{Encoding, Storage, VarId, VariableLayout};

/// Most bytes of a sample. Of a larger chunk the slowest dimensions are cut.
const SAMPLE_BYTES: u64 = 512 << 10;

/// A chunk of the output, or a part of a large one.
pub struct Sample {
    /// The chunk's number in the output.
    pub chunk: u64,
    /// Lengths of the sample, in elements.
    pub shape: Vec<u64>,
    /// Its elements, in the output's byte order.
    pub bytes: Vec<u8>,
}

/// Reads at most `most` samples, spread over the chunks that are written. Empty if nothing is written, or if elements are not copied
/// as bytes. Stops before a sample that would decode more than `left` bytes, and subtracts what it decodes.
///
/// # Errors
/// A sample cannot be read.
pub fn samples(
    reader: &dyn Reader,
    source: VarId,
    layout: &VariableLayout,
    most: u64,
    left: &mut u64,
) -> Result<Vec<Sample>> {
    let from = reader.layout(source);
    let Storage::Chunked { shape } = &layout.storage else {
        return Ok(Vec::new());
    };
    let is_plain = from.encoding == layout.encoding && from.encoding != Encoding::Structured;
    if !is_plain || from.extent != layout.extent {
        return Ok(Vec::new());
    }
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    let chunks = match (reader.written(source)?, &from.storage) {
        (Written::Nothing, _) => Vec::new(),
        (Written::Chunks(written), Storage::Chunked { shape: own }) => {
            let own = ChunkGrid::new(&from.extent, own)?;
            let number = |at: u64| {
                // The chunk of the output that begins this one of the input.
                let origin = own.origin(written[at as usize]);
                let place: Vec<u64> = origin.iter().zip(shape).map(|(n, length)| n / length).collect();
                grid.index(&place)
            };
            spread(written.len() as u64, most).map(number).collect()
        }
        _ => spread(grid.len(), most).collect(),
    };
    let mut samples = Vec::new();
    // Of chunks that are too large for a sample, several parts are taken where there are few of them.
    let is_large =
        element_count(shape).is_none_or(|n| n.saturating_mul(layout.element_size as u64) > SAMPLE_BYTES);
    let count = if is_large { most as usize } else { chunks.len() };
    for (n, chunk) in chunks.iter().cycle().take(count).enumerate() {
        let region = sample(grid.region(*chunk), layout.element_size, n as u64);
        let cost = decoded(from, &region)?;
        if cost > *left {
            break;
        }
        *left -= cost;
        let mut bytes = reader.read_region(source, &region)?.bytes;
        swap_units(&mut bytes, swap_unit(layout));
        samples.push(Sample {
            chunk: *chunk,
            shape: region.count,
            bytes,
        });
    }
    Ok(samples)
}

/// The middles of at most `most` equal parts of `count` things.
fn spread(count: u64, most: u64) -> impl Iterator<Item = u64> {
    let parts = count.min(most);
    let middle = move |n: u64| u128::from(2 * n + 1) * u128::from(count) / u128::from(2 * parts);
    (0..parts).map(move |n| middle(n) as u64)
}

/// Bytes that are decoded to read a region of a variable that is stored as `from`. A chunk counts as at least 4096 bytes, because
/// finding it takes time.
fn decoded(from: &VariableLayout, region: &Region) -> Result<u64> {
    let bytes = |lengths: &[u64]| {
        let elements = element_count(lengths).unwrap_or(u64::MAX);
        elements.saturating_mul(from.element_size.max(1) as u64)
    };
    let Storage::Chunked { shape } = &from.storage else {
        return Ok(bytes(&region.count));
    };
    let span = ChunkGrid::new(&from.extent, shape)?.span(region);
    let chunks = span.and_then(|span| element_count(&span.count)).unwrap_or(0);
    Ok(chunks.saturating_mul(bytes(shape).max(4096)))
}

/// The whole region, or a part of it of at most [`SAMPLE_BYTES`]. Different `n` give different parts.
fn sample(region: Region, element_size: usize, n: u64) -> Region {
    let mut part = region.clone();
    let size = |region: &Region| {
        let count = region.element_count().unwrap_or(u64::MAX);
        count.saturating_mul(element_size as u64)
    };
    while size(&part) > SAMPLE_BYTES
        && let Some(length) = part.count.iter_mut().find(|length| **length > 1)
    {
        *length = length.div_ceil(2);
    }
    for ((start, length), whole) in part.start.iter_mut().zip(&part.count).zip(&region.count) {
        // The parts of a van der Corput sequence are spread evenly, however many are taken.
        let share = f64::from((n as u32).reverse_bits()) / f64::from(u32::MAX);
        *start += ((whole - length) as f64 * share) as u64;
    }
    part
}
