//! Values of a layer of chunks that is larger than memory, decoded once, in a temporary file.
//!
//! The file holds the chunks' elements one chunk after another. A band takes from each chunk elements that follow each other, so it
//! costs one read a chunk:
//!
//! ```text
//! chunk ─► decode ─► file:  │ chunk 0 ▒▒    │ chunk 1 ▒▒    │ chunk 2 ▒▒    │
//! band  ◄────────────────────────────┴┴──────────────┴┴──────────────┴┘
//! ```

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::chunk::{ChunkGrid, byte_count, copy_region, resize};
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::model::{Values, VarId};
use crate::store::temporary_file;

/// Bytes of decoded chunks in memory while the file is written.
const CHUNKS_BYTES: u64 = 32 << 20;

/// A decoded layer.
pub struct Spilled {
    file: File,
    grid: ChunkGrid,
    layer: Region,
    size: usize,
}

impl Spilled {
    /// Decodes the chunks of `layer`, whose borders are borders of chunks of the shape `chunk`. `None` where there is no
    /// room for a file.
    ///
    /// # Errors
    /// What reading them fails of.
    pub fn write(
        reader: &dyn Reader,
        id: VarId,
        chunk: &[u64],
        layer: &Region,
        size: usize,
    ) -> Result<Option<Self>> {
        let bytes = layer.element_count().and_then(|n| n.checked_mul(size as u64));
        let Some(file) = bytes.and_then(|bytes| temporary_file(None, bytes)) else {
            return Ok(None);
        };
        let grid = ChunkGrid::new(&reader.schema().shape(id), chunk)?;
        let spilled = Self {
            file,
            grid,
            layer: layer.clone(),
            size,
        };
        let chunk_bytes = byte_count(chunk, size).unwrap_or(usize::MAX) as u64;
        let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
        let threads = threads.min(CHUNKS_BYTES / chunk_bytes.max(1)).max(1);
        let chunks = Mutex::new(spilled.grid.chunks_in(layer));
        let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || -> Result<bool> {
            while let Some(index) = next() {
                let Some(part) = spilled.part(index) else {
                    continue;
                };
                let values = reader.read_region(id, &part)?;
                let offset = part.place_in(layer) * size as u64;
                if spilled.file.write_all_at(&values.bytes, offset).is_err() {
                    // The disk is full: the others need not go on.
                    while next().is_some() {}
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let written = thread::scope(|scope| {
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut written = work();
            for worker in workers {
                let other = worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                written = written.and_then(|written| Ok(written && other?));
            }
            written
        })?;
        drop(chunks);
        Ok(written.then_some(spilled))
    }

    fn part(&self, index: u64) -> Option<Region> {
        self.grid.region(index).intersect(&self.layer)
    }

    /// The values of a band of the layer.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn read(&self, band: &Region) -> Result<Values> {
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
            let first = inside
                .start
                .iter()
                .zip(&part.start)
                .zip(&part.count)
                .fold(0, |n, ((at, start), count)| n * count + (at - start));
            let count = inside.element_count().unwrap_or(0) as usize;
            resize(&mut buffer, count * self.size)?;
            let offset = (part.place_in(&self.layer) + first) * self.size as u64;
            self.file
                .read_exact_at(&mut buffer, offset)
                .map_err(|e: io::Error| Error::io("cannot read a temporary file", e))?;
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
}
