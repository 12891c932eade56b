//! [`CutVariable`]: a variable in one piece, as chunks that are each one run of its bytes.

use std::sync::{Arc, OnceLock};

use crate::chunk::{ChunkGrid, byte_count, element_count};
use crate::error::Result;
use crate::filter::{ChunkType, Pipeline, Registry};
use crate::format::{Reader, Written};
use crate::model::{Encoding, Schema, Storage, VarId, VariableLayout};
use crate::store::ByteRange;

/// Most bytes of a chunk, unless a dimension has no divisor that gives one of some size.
const MOST: u64 = 16 << 20;

/// Fewest bytes of a chunk of a variable that has more.
const LEAST: u64 = 64 << 10;

/// A variable in one piece, as chunks.
#[derive(Debug)]
pub struct CutVariable {
    /// The layout with chunks.
    pub layout: VariableLayout,
    /// Its grid.
    pub grid: ChunkGrid,
    /// Bytes of each chunk.
    pub bytes: u64,
    /// The pipeline without codecs of its chunks, once it is asked for.
    pipeline: OnceLock<Arc<Pipeline>>,
}

impl CutVariable {
    /// A variable of `reader` as chunks that lie in one piece each; `None` if there are no such chunks. With `single`, they have length 1
    /// along the first dimension.
    ///
    /// # Errors
    /// A place that is not in the file.
    pub fn of(reader: &dyn Reader, var: VarId, single: bool) -> Result<Option<Self>> {
        let layout = reader.layout(var);
        let (extent, size) = (&layout.extent, layout.element_size);
        let is_plain = layout.storage == Storage::Contiguous && layout.encoding != Encoding::Structured;
        let total = element_count(extent).and_then(|count| count.checked_mul(size as u64));
        if !is_plain || total.is_none_or(|total| total == 0) {
            return Ok(None);
        }
        // A place that is none for one byte is none for chunks, whose shapes take long to find.
        if reader.place_of_bytes(var, 0, 1)?.is_none() {
            return Ok(None);
        }
        for whole in [shape(extent, size, single.into()), shape(extent, size, 1)] {
            let Some(bytes) = byte_count(&whole, size).map(|bytes| bytes as u64) else {
                continue;
            };
            if reader.place_of_bytes(var, 0, bytes)?.is_some() {
                return Ok(Some(Self {
                    grid: ChunkGrid::new(extent, &whole)?,
                    layout: VariableLayout {
                        storage: Storage::Chunked { shape: whole },
                        ..layout.clone()
                    },
                    bytes,
                    pipeline: OnceLock::new(),
                }));
            }
        }
        Ok(None)
    }

    /// The pipeline without codecs of chunks of this variable of a schema.
    ///
    /// # Errors
    /// A chunk larger than memory.
    pub fn pipeline(&self, schema: &Schema, var: VarId) -> Result<Arc<Pipeline>> {
        if let Some(pipeline) = self.pipeline.get() {
            return Ok(Arc::clone(pipeline));
        }
        let chunk = ChunkType::new(schema, schema.var(var).ty, &self.layout, self.grid.chunk());
        let pipeline = Registry::builtin().bind(&[], &chunk)?;
        Ok(Arc::clone(self.pipeline.get_or_init(|| Arc::new(pipeline))))
    }

    /// The bytes of a chunk within the variable.
    pub fn range(&self, chunk: u64) -> ByteRange {
        ByteRange {
            offset: chunk.saturating_mul(self.bytes),
            length: usize::try_from(self.bytes).unwrap_or(usize::MAX),
        }
    }

    /// The chunks that were written, of what was written of the variable.
    pub fn written(&self, written: Written) -> Written {
        let Written::Regions(regions) = written else {
            return written;
        };
        let mut chunks: Vec<u64> = regions
            .iter()
            .flat_map(|region| self.grid.chunks_in(region))
            .collect();
        chunks.sort_unstable();
        chunks.dedup();
        Written::of_chunks(chunks, &self.grid)
    }
}

/// The shape of chunks of about [`MOST`] bytes that are each one run of bytes of a variable, and that its shape is a multiple of. They
/// have length 1 along the first `single` dimensions.
fn shape(extent: &[u64], element_size: usize, single: usize) -> Vec<u64> {
    let mut shape = extent.to_vec();
    for at in 0..shape.len() {
        let inner = shape[at + 1..]
            .iter()
            .fold(element_size as u64, |bytes, length| bytes.saturating_mul(*length));
        if at < single {
            shape[at] = 1;
            continue;
        }
        if inner > MOST {
            shape[at] = 1;
            continue;
        }
        shape[at] = divisor(extent[at], inner);
        break;
    }
    shape
}

/// The largest divisor of a length that makes a chunk of at most [`MOST`] bytes, where one step along the dimension has `inner` bytes.
/// If that chunk is smaller than [`LEAST`], the next larger one.
fn divisor(length: u64, inner: u64) -> u64 {
    let wanted = |n: u64| n.saturating_mul(inner) <= MOST;
    if wanted(length) {
        return length;
    }
    let mut best = (1, length);
    // Divisors come in pairs, so half of them are found below the square root.
    let mut small = 1;
    while small <= length / small {
        if length.is_multiple_of(small) {
            for n in [small, length / small] {
                match wanted(n) {
                    true => best.0 = best.0.max(n),
                    false => best.1 = best.1.min(n),
                }
            }
        }
        small += 1;
        // No chunk shape is worth more steps.
        if small > 1 << 20 {
            break;
        }
    }
    match best.0.saturating_mul(inner) < LEAST {
        true => best.1,
        false => best.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_divide_the_variable() {
        assert_eq!(shape(&[10, 20], 4, 0), [10, 20]);
        assert_eq!(shape(&[1000, 1000, 10], 4, 0), [250, 1000, 10]);
        assert_eq!(shape(&[1000, 1000, 10], 4, 1), [1, 1000, 10]);
        // Of a prime number, a step has enough bytes or all are one chunk.
        assert_eq!(shape(&[10_007, 100_000], 4, 0), [1, 100_000]);
        assert_eq!(shape(&[10_007, 1_000], 4, 0), [10_007, 1_000]);
        // A step that is too large is cut in turn.
        assert_eq!(shape(&[3, 4096, 4096], 4, 0), [1, 1024, 4096]);
        assert_eq!(shape(&[], 8, 0), [0_u64; 0]);
    }
}
