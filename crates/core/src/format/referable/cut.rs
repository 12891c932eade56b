//! [`CutVariable`]: a variable in one piece, as chunks that are each one run of its bytes.

use std::sync::{Arc, OnceLock};

use super::shape_request::ChunkShapeRequest;
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
    /// Divides a variable of `reader` into chunks that are each contiguous in the file; `None` if there are no such chunks. Shapes of
    /// `request` are tried first.
    ///
    /// # Errors
    /// A virtual source that cannot be read.
    pub fn of(reader: &dyn Reader, var: VarId, request: &ChunkShapeRequest) -> Result<Option<Self>> {
        let layout = reader.layout(var);
        let (extent, size) = (&layout.extent, layout.element_size);
        let is_plain = layout.storage == Storage::Contiguous && layout.encoding != Encoding::Structured;
        let total = element_count(extent).and_then(|count| count.checked_mul(size as u64));
        if !is_plain || total.is_none_or(|total| total == 0) {
            return Ok(None);
        }
        let Some(piece) = reader.piece_of_bytes(var)? else {
            return Ok(None);
        };
        let asked = request.lengths(reader.schema(), var, extent);
        let shapes = asked.iter().filter_map(|(least, asked)| {
            let shape = shape(extent, size, piece, asked)?;
            let bytes = byte_count(&shape, size)? as u64;
            (bytes >= *least).then_some((shape, bytes))
        });
        let Some((shape, bytes)) = { shapes }.next() else {
            return Ok(None);
        };
        Ok(Some(Self {
            grid: ChunkGrid::new(extent, &shape)?,
            layout: VariableLayout {
                storage: Storage::Chunked { shape },
                ..layout.clone()
            },
            bytes,
            pipeline: OnceLock::new(),
        }))
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

/// The largest chunk shape of at most about [`MOST`] bytes that is contiguous, divides `extent`, and lies within one piece of `piece` bytes.
/// It has the lengths that are `asked` for. `None` if there is none.
///
/// Such chunks have length 1 along the first dimensions, a part of the next one, and all of the others.
fn shape(extent: &[u64], element_size: usize, piece: u64, asked: &[Option<u64>]) -> Option<Vec<u64>> {
    let mut found = None;
    let mut inner = element_size as u64;
    // From the smallest chunks to the largest.
    for at in (0..extent.len()).rev() {
        let is_wanted = |d: usize, length: u64| asked[d].is_none_or(|asked| asked == length);
        let length = match asked[at] {
            Some(length) => Some(length).filter(|length| extent[at].is_multiple_of(*length)),
            None => divisor(extent[at], inner, piece),
        };
        let length = length.filter(|length| piece.is_multiple_of(length.saturating_mul(inner)));
        let is_large = inner > MOST && asked[at].is_none_or(|asked| asked == 1);
        let is_run =
            (0..at).all(|d| is_wanted(d, 1)) && (at + 1..extent.len()).all(|d| is_wanted(d, extent[d]));
        if let Some(length) = length.filter(|_| is_run && !(is_large && found.is_some())) {
            let mut shape = extent.to_vec();
            shape[..at].fill(1);
            shape[at] = length;
            found = Some(shape);
        }
        inner = inner.saturating_mul(extent[at]);
    }
    match extent {
        [] => Some(Vec::new()).filter(|_| piece.is_multiple_of(inner)),
        _ => found,
    }
}

/// The largest divisor of a length that makes a chunk of at most [`MOST`] bytes, where one step along the dimension has `inner` bytes,
/// and pieces of `piece` bytes are whole chunks. If that chunk is smaller than [`LEAST`], the next larger one. `None` if there is none.
fn divisor(length: u64, inner: u64, piece: u64) -> Option<u64> {
    let fits = |n: u64| piece.is_multiple_of(n.saturating_mul(inner));
    let wanted = |n: u64| n.saturating_mul(inner) <= MOST;
    if wanted(length) && fits(length) {
        return Some(length);
    }
    let mut best = (None, None);
    // Divisors come in pairs, so half of them are found below the square root.
    let mut small = 1;
    while small <= length / small {
        if length.is_multiple_of(small) {
            for n in [small, length / small].into_iter().filter(|n| fits(*n)) {
                match wanted(n) {
                    true => best.0 = best.0.max(Some(n)),
                    false => best.1 = Some(best.1.map_or(n, |least: u64| least.min(n))),
                }
            }
        }
        small += 1;
        // No chunk shape is worth more steps.
        if small > 1 << 20 {
            break;
        }
    }
    match best.0.is_some_and(|n| n.saturating_mul(inner) >= LEAST) {
        true => best.0,
        false => best.1.or(best.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_divide_the_variable() {
        let plain = |extent: &[u64], size: usize| {
            let bytes = byte_count(extent, size).unwrap() as u64;
            shape(extent, size, bytes, &vec![None; extent.len()]).unwrap()
        };
        assert_eq!(plain(&[10, 20], 4), [10, 20]);
        assert_eq!(plain(&[1000, 1000, 10], 4), [250, 1000, 10]);
        // Of a prime number, a step has enough bytes or all are one chunk.
        assert_eq!(plain(&[10_007, 100_000], 4), [1, 100_000]);
        assert_eq!(plain(&[10_007, 1_000], 4), [10_007, 1_000]);
        // A step that is too large is cut in turn.
        assert_eq!(plain(&[3, 4096, 4096], 4), [1, 1024, 4096]);
        assert_eq!(plain(&[], 8), [0_u64; 0]);
    }

    #[test]
    fn chunks_do_not_reach_across_pieces() {
        let of = |piece| shape(&[60, 10, 10], 4, piece, &[None; 3]);
        assert_eq!(of(24_000).unwrap(), [60, 10, 10]);
        assert_eq!(of(8_000).unwrap(), [20, 10, 10]);
        assert_eq!(of(2_800).unwrap(), [1, 10, 10]);
        assert_eq!(of(200).unwrap(), [1, 5, 10]);
        assert_eq!(of(6), None, "within an element");
    }

    #[test]
    fn chunks_have_the_lengths_asked_for() {
        let of = |asked: [Option<u64>; 3]| shape(&[60, 10, 10], 4, 24_000, &asked);
        assert_eq!(of([Some(6), None, None]).unwrap(), [6, 10, 10]);
        assert_eq!(of([None, Some(5), None]).unwrap(), [1, 5, 10]);
        assert_eq!(of([Some(1), None, Some(10)]).unwrap(), [1, 10, 10]);
        assert_eq!(of([Some(7), None, None]), None, "no divisor");
        assert_eq!(of([Some(2), Some(5), None]), None, "no run");
        assert_eq!(of([None, None, Some(2)]).unwrap(), [1, 1, 2]);
        let large = shape(&[1000, 4096, 4096], 4, 1000 << 26, &[Some(1), None, None]);
        assert_eq!(large.unwrap(), [1, 1024, 4096]);
    }
}
