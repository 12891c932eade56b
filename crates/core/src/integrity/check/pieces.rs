//! The pieces of a variable's data, each read and decoded by itself.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::chunk::{ChunkGrid, Region, byte_count};
use crate::error::Result;
use crate::format::{Reader, Written};
use crate::integrity::fetch::MOST_CHUNKS;
use crate::model::{Encoding, Storage, VarId};
use crate::stream::slabs;

/// About how many bytes of a variable in one piece are read at once.
pub const RANGE: u64 = 1 << 20;

/// Most ranges of a variable: a header can claim any length.
const MOST_RANGES: u64 = 1 << 16;

/// About how many decoded bytes of chunks are one piece of work.
const BATCH: u64 = 1 << 20;

/// The same over a slow store, where a piece of work is one round of requests.
const SLOW_BATCH: u64 = 16 << 20;

/// A part of a variable.
#[derive(Debug)]
pub enum PieceData {
    /// Stored chunks, by number, that decode to numbers.
    Chunks(Vec<u64>),
    /// Bytes of a variable in one piece. The flag is set if none of them can be read.
    Bytes(Range<u64>, Arc<AtomicBool>),
    /// Elements that must be read as values; the chunk's number if they are one chunk.
    Region(Region, Option<u64>),
}

/// A part of a variable, and the memory that reading it takes.
#[derive(Debug)]
pub struct CheckPiece {
    pub var: VarId,
    pub data: PieceData,
    /// In bytes.
    pub memory: u64,
}

/// The pieces of a variable.
///
/// # Errors
/// If they cannot be listed: a source or a chunk index cannot be read.
pub fn pieces<'r>(
    reader: &'r dyn Reader,
    var: VarId,
) -> Result<Box<dyn Iterator<Item = CheckPiece> + Send + 'r>> {
    reader.resolve_sources(var)?;
    let layout = reader.layout(var);
    let written = reader.held(var)?;
    let size = layout.element_size.max(1);
    let Storage::Chunked { shape } = &layout.storage else {
        if written == Written::Nothing {
            return Ok(Box::new(std::iter::empty()));
        }
        let total = byte_count(&layout.extent, size).map_or(u64::MAX, |n| n as u64);
        if layout.encoding == Encoding::Structured && !reader.is_virtual(var) {
            let range = RANGE.max(total / MOST_RANGES);
            let regions = slabs(&layout.extent, &[], size, range);
            return Ok(Box::new(regions.map(move |region| CheckPiece {
                var,
                data: PieceData::Region(region, None),
                memory: range,
            })));
        }
        let unit = size as u64;
        // The rest was never written, and nothing is stored of it, however much a header claims.
        let held: Vec<Range<u64>> = match written {
            Written::Regions(regions) => runs(&layout.extent, &regions)
                .into_iter()
                .map(|run| run.start.saturating_mul(unit)..run.end.saturating_mul(unit).min(total))
                .collect(),
            _ => std::iter::once(0..total).collect(),
        };
        let all: u64 = held.iter().map(|range| range.end - range.start).sum();
        let range = RANGE.max(all / MOST_RANGES);
        // A range ends between elements.
        let step = (range - range % unit).max(unit);
        let is_lost = Arc::new(AtomicBool::new(false));
        let lost = Arc::clone(&is_lost);
        let pieces = held.into_iter().flat_map(move |held| {
            let (mut at, lost) = (held.start, Arc::clone(&lost));
            std::iter::from_fn(move || {
                // Nothing may be stored of what a header claims: after a piece of which nothing can be read, the rest is one.
                let end = match lost.load(Ordering::Relaxed) {
                    true => held.end,
                    false => at.saturating_add(step).min(held.end),
                };
                let piece = at..end;
                at = end;
                (!piece.is_empty()).then_some(piece)
            })
        });
        if reader.is_virtual(var) {
            // What cannot be read of a source is a region of the variable.
            let regions = pieces.flat_map(move |bytes| {
                Region::range(
                    &layout.extent,
                    bytes.start / unit,
                    (bytes.end - bytes.start) / unit,
                )
            });
            return Ok(Box::new(regions.map(move |region| CheckPiece {
                var,
                data: PieceData::Region(region, None),
                memory: step,
            })));
        }
        return Ok(Box::new(pieces.map(move |range| CheckPiece {
            var,
            data: PieceData::Bytes(range, Arc::clone(&is_lost)),
            memory: RANGE.max(unit),
        })));
    };
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    let chunks = written.chunks(&grid);
    let decoded = byte_count(shape, size).map_or(u64::MAX, |n| n as u64);
    if layout.encoding == Encoding::Structured {
        return Ok(Box::new(chunks.into_iter().map(move |chunk| CheckPiece {
            var,
            data: PieceData::Region(grid.region(chunk), Some(chunk)),
            memory: decoded.saturating_mul(2),
        })));
    }
    let batch = if reader.requests().ahead {
        SLOW_BATCH
    } else {
        BATCH
    };
    let at_once = (batch / decoded.max(1)).clamp(1, MOST_CHUNKS as u64) as usize;
    let mut chunks = chunks.into_iter();
    Ok(Box::new(std::iter::from_fn(move || {
        let some: Vec<u64> = chunks.by_ref().take(at_once).collect();
        (!some.is_empty()).then(|| CheckPiece {
            var,
            memory: decoded
                .saturating_mul(2)
                .saturating_add(decoded.saturating_mul(some.len() as u64)),
            data: PieceData::Chunks(some),
        })
    })))
}

/// The runs of elements in C order that hold all elements of these regions, ascending. A region of many short rows becomes
/// fewer longer runs.
fn runs(extent: &[u64], regions: &[Region]) -> Vec<Range<u64>> {
    let most = (MOST_RANGES / (regions.len() as u64).max(1)).max(1);
    let mut runs: Vec<Range<u64>> = Vec::new();
    for region in regions.iter().filter(|region| !region.is_empty()) {
        // Elements that one step along each dimension passes.
        let mut steps = vec![1u64; extent.len()];
        for d in (1..extent.len()).rev() {
            steps[d - 1] = steps[d].saturating_mul(extent[d]);
        }
        let from = |start: &[u64]| -> u64 {
            let places = start.iter().zip(&steps).map(|(n, step)| n.saturating_mul(*step));
            places.fold(0, u64::saturating_add)
        };
        // The first dimensions, along which each index begins a run: no more than needed, and not too many indices.
        let is_whole = |d: usize| region.start[d] == 0 && region.count[d] == extent[d];
        let needed = (0..extent.len()).rev().find(|d| !is_whole(*d)).unwrap_or(0);
        let mut outer = 0;
        let mut count = 1u64;
        while outer < needed && count.saturating_mul(region.count[outer]) <= most {
            count *= region.count[outer];
            outer += 1;
        }
        let last = |d: usize| region.start[d] + region.count[d] - 1;
        for n in 0..count {
            let (mut first, mut end) = (region.start.clone(), Vec::with_capacity(extent.len()));
            let mut rest = n;
            for d in (0..outer).rev() {
                first[d] += rest % region.count[d];
                rest /= region.count[d];
            }
            end.extend_from_slice(&first[..outer]);
            end.extend((outer..extent.len()).map(last));
            runs.push(from(&first)..from(&end).saturating_add(1));
        }
    }
    runs.sort_unstable_by_key(|run| run.start);
    runs.dedup_by(|next, run| {
        let joined = next.start <= run.end;
        if joined {
            run.end = run.end.max(next.end);
        }
        joined
    });
    runs
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::integrity::in_keys::{Array, BYTES, keys, open_keys};
    use crate::store::{GetRange, KeyOutput, KeyStore, MemoryKeys};

    /// Keys behind a server that lists nothing.
    struct NotListed(MemoryKeys);

    impl KeyStore for NotListed {
        fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
            self.0.get(key, part)
        }
        fn size(&self, key: &str) -> io::Result<Option<u64>> {
            self.0.size(key)
        }
        fn list(&self, _: &str) -> io::Result<Vec<String>> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    #[test]
    fn runs_hold_all_elements_of_regions() {
        let region = |start: &[u64], count: &[u64]| Region {
            start: start.to_vec(),
            count: count.to_vec(),
        };
        let runs = |extent: &[u64], regions: &[Region]| -> Vec<(u64, u64)> {
            runs(extent, regions)
                .iter()
                .map(|run| (run.start, run.end))
                .collect()
        };
        assert_eq!(
            runs(&[1 << 60], &[region(&[10], &[10]), region(&[15], &[7])]),
            [(10, 22)]
        );
        assert_eq!(runs(&[4, 5], &[region(&[1, 0], &[2, 5])]), [(5, 15)]);
        assert_eq!(runs(&[4, 5], &[region(&[1, 1], &[2, 3])]), [(6, 9), (11, 14)]);
        assert_eq!(
            runs(&[2, 3, 4], &[region(&[0, 1, 0], &[2, 1, 4])]),
            [(4, 8), (16, 20)]
        );
        assert_eq!(
            runs(&[1 << 30, 1 << 30], &[region(&[0, 1], &[1 << 30, 1])]).len(),
            1
        );
        assert!(runs(&[4], &[region(&[1], &[0])]).is_empty());
    }

    #[test]
    fn chunks_that_a_header_claims_take_no_memory() {
        let array = Array {
            name: "v",
            shape: &[1_000_000_000_000_000],
            chunks: &[1],
            members: BYTES,
            stored: &[],
        };
        let stored = keys(&[array]);
        let document = stored.get("v/.zarray", GetRange::Whole).unwrap().unwrap();
        let document = String::from_utf8(document).unwrap();
        let all = format!(
            r#"{{"zarr_consolidated_format": 1, "metadata": {{".zgroup": {{"zarr_format": 2}}, "v/.zarray": {document}}}}}"#
        );
        let output = stored.output();
        output.put(".zmetadata", all.as_bytes()).unwrap();
        output.publish().unwrap();
        let reader = open_keys(NotListed(stored));
        let first: Vec<PieceData> = pieces(&*reader, VarId(0))
            .unwrap()
            .take(2)
            .map(|piece| piece.data)
            .collect();
        let [PieceData::Chunks(one), PieceData::Chunks(two)] = &first[..] else {
            panic!("{first:?}");
        };
        assert!(one.iter().copied().eq(0..256) && two.iter().copied().eq(256..512));
    }
}
