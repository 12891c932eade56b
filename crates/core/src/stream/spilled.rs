//! A layer of chunks that is larger than memory, decoded once into a temporary file.
//!
//! The file holds the elements of the layer's stored chunks, one chunk after another. Within each chunk, the
//! elements of a band are contiguous, so a band costs one read for each chunk:
//!
//! ```text
//! chunk ─► decode ─► file:  │ chunk 0 ▒▒    │ chunk 1 ▒▒    │ chunk 2 ▒▒    │
//! band  ◄────────────────────────────┴┴──────────────┴┴──────────────┴┘
//! ```

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::chunk::{ChunkGrid, byte_count, copy_region, resize};
use crate::error::{Error, Result};
use crate::format::{Reader, Region, WrittenChunks};
use crate::model::{Values, VarId};
use crate::store::temporary_file;
use crate::threads::{self, in_order};

/// Upper limit, in bytes, of decoded chunks in memory while the file is written.
const CHUNKS_BYTES: u64 = 32 << 20;

/// Most chunks of a layer that is decoded into a file.
const MOST_LISTED: usize = 1 << 24;

/// The chunks of a variable that were written.
pub struct StoredChunks {
    /// The grid of all chunks, over the lengths of the dimensions.
    grid: ChunkGrid,
    /// The grid over the variable's own extent, by which the reader numbers chunks.
    own: ChunkGrid,
    /// The written chunks in `own`.
    stored: WrittenChunks,
}

impl StoredChunks {
    /// The written chunks of a variable with chunks of shape `chunk`.
    ///
    /// # Errors
    /// If the chunk index cannot be read.
    pub fn of(reader: &dyn Reader, id: VarId, chunk: &[u64]) -> Result<Self> {
        let own = ChunkGrid::new(&reader.layout(id).extent, chunk)?;
        Ok(Self {
            grid: ChunkGrid::new(&reader.schema().shape(id), chunk)?,
            stored: reader.written(id)?.chunks(&own),
            own,
        })
    }

    /// Numbers in `grid` of the written chunks that `layer` meets, ascending. `None` if they are too many for a list.
    fn within(&self, layer: &Region) -> Option<Vec<u64>> {
        let Some(span) = self.own.span(layer) else {
            return Some(Vec::new());
        };
        let last: Vec<u64> = span
            .start
            .iter()
            .zip(&span.count)
            .map(|(s, n)| s + n - 1)
            .collect();
        let range = self.own.index(&span.start)..self.own.index(&last) + 1;
        let met = |index: &u64| self.own.region(*index).intersect(layer).is_some();
        let mut found = Vec::new();
        for index in self.stored.within(range).filter(met) {
            if found.len() >= MOST_LISTED {
                return None;
            }
            found.push(self.grid.index(&self.own.coordinates(index)));
        }
        Some(found)
    }
}

/// A decoded layer.
pub struct Spilled<'a> {
    file: File,
    grid: &'a ChunkGrid,
    layer: Region,
    size: usize,
    /// Numbers of the chunks in the file, ascending.
    stored: Vec<u64>,
    /// Bytes of the file for each chunk.
    stride: u64,
}

impl<'a> Spilled<'a> {
    /// Decodes the chunks of `layer`, whose borders are chunk borders. `None` if there is no room for the
    /// file, or the layer has more chunks than can be listed.
    ///
    /// # Errors
    /// If reading a chunk fails.
    pub fn write(
        reader: &dyn Reader,
        id: VarId,
        chunks: &'a StoredChunks,
        layer: &Region,
        size: usize,
    ) -> Result<Option<Self>> {
        let grid = &chunks.grid;
        let Some(stored) = chunks.within(layer) else {
            return Ok(None);
        };
        let chunk: Vec<u64> = grid
            .chunk()
            .iter()
            .zip(grid.extent())
            .map(|(n, all)| *n.min(all))
            .collect();
        let stride = byte_count(&chunk, size).unwrap_or(usize::MAX) as u64;
        let bytes = stride.checked_mul(stored.len() as u64);
        let Some(file) = bytes.and_then(|bytes| temporary_file(None, bytes).ok()) else {
            return Ok(None);
        };
        let spilled = Self {
            file,
            grid,
            layer: layer.clone(),
            size,
            stored,
            stride,
        };
        let threads = (CHUNKS_BYTES / stride.max(1)).clamp(1, threads::count() as u64);
        let is_full = AtomicBool::new(false);
        let mut places = spilled.stored.iter().enumerate();
        in_order(
            threads as usize,
            u64::MAX,
            || Ok(()),
            |()| Ok::<_, Error>(places.next().filter(|_| !is_full.load(Ordering::Relaxed))),
            |(), (place, index)| {
                let Some(part) = spilled.part(*index) else {
                    return Ok(());
                };
                let values = reader.read_region(id, &part)?;
                let written = spilled.file.write_all_at(&values.bytes, place as u64 * stride);
                is_full.fetch_or(written.is_err(), Ordering::Relaxed);
                Ok(())
            },
            |()| Ok(()),
        )?;
        Ok((!is_full.into_inner()).then_some(spilled))
    }

    fn part(&self, index: u64) -> Option<Region> {
        self.grid.region(index).intersect(&self.layer)
    }

    /// Reads a band of the layer. `reader` supplies elements that were never written.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&self, reader: &dyn Reader, id: VarId, band: &Region) -> Result<Values> {
        let size = byte_count(&band.count, self.size)
            .ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
        let mut out = Vec::new();
        resize(&mut out, size)?;
        let mut buffer = Vec::new();
        for index in self.grid.chunks_in(band) {
            let Some((part, inside)) = self
                .part(index)
                .and_then(|part| part.intersect(band).map(|inside| (part, inside)))
            else {
                continue;
            };
            match self.stored.binary_search(&index) {
                Ok(place) => self.read_part(place, &part, &inside, &mut buffer)?,
                Err(_) => buffer = reader.read_region(id, &inside)?.bytes,
            }
            copy_region(
                &buffer,
                &inside.count,
                &vec![0; inside.rank()],
                &mut out,
                &band.count,
                &inside.relative_to(&band.start).start,
                &inside.count,
                self.size,
                1,
            )?;
        }
        Ok(Values::from_bytes(out))
    }

    /// Fills `buffer` with the elements `inside` of one chunk, the `place`th in the file. `part` is the part
    /// of the chunk within the layer.
    fn read_part(&self, place: usize, part: &Region, inside: &Region, buffer: &mut Vec<u8>) -> Result<()> {
        let first = inside
            .start
            .iter()
            .zip(&part.start)
            .zip(&part.count)
            .fold(0, |n, ((at, start), count)| n * count + (at - start));
        let count = inside.element_count().unwrap_or(0) as usize;
        resize(buffer, count * self.size)?;
        let offset = place as u64 * self.stride + first * self.size as u64;
        self.file
            .read_exact_at(buffer, offset)
            .map_err(|e: io::Error| Error::io("cannot read a temporary file", e))
    }
}
