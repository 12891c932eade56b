//! A temporary file of decoded data that does not fit into memory.
//!
//! If the memory budget cuts a tile into blocks, an input chunk belongs to several blocks. Decoding it again
//! for each block costs more than writing the parts that later blocks need to a file:
//!
//! ```text
//! chunk ─► decode ─┬─► first block           in memory
//!                  ├─► part for block 1 ─┐
//!                  └─► part for block 2 ─┴─► temporary file ─► later
//! ```
//!
//! The file holds the tile's blocks one after another and, within a block, the parts of the input chunks in C
//! order. So offsets follow from shapes, and no table is needed. The file has no name, so nothing is left
//! behind after a crash. If it cannot be created, written or read, chunks are decoded again.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::shared_block::SharedBlock;
use crate::chunk::{Region, copy_region, resize};
use crate::copy::geometry::InputBox;
use crate::error::Result;
use crate::store::temporary_file;

/// The parts of a tile's input chunks that blocks after the first need.
pub struct Spill {
    file: File,
    broken: AtomicBool,
    element_size: usize,
    /// The blocks after the first: the elements of each, and its offset in the file in bytes.
    blocks: Vec<(Region, u64)>,
    /// The block whose filling writes the parts.
    first: Arc<SharedBlock>,
}

impl Spill {
    /// Creates the file for a tile. `tile` is the region of its elements, and `blocks` are the regions of its
    /// blocks after the first. `None` if the file cannot be created or space is short.
    pub fn create(
        folder: Option<&Path>,
        tile: &Region,
        blocks: Vec<Region>,
        element_size: usize,
        first: Arc<SharedBlock>,
    ) -> Option<Self> {
        let size = tile.element_count()?.checked_mul(element_size as u64)?;
        let mut end = 0u64;
        let blocks = blocks
            .into_iter()
            .map(|block| {
                let at = end;
                end = end.checked_add(block.element_count()?.checked_mul(element_size as u64)?)?;
                Some((block, at))
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Self {
            file: temporary_file(folder, size).ok()?,
            broken: AtomicBool::new(false),
            element_size,
            blocks,
            first,
        })
    }

    /// Writes the parts of `piece` that later blocks need. `held` is the region that `piece` holds. After a
    /// write error, [`Spill::read`] returns false.
    pub fn write(&self, piece: &InputBox, held: &Region, buffer: &mut Vec<u8>) -> Result<()> {
        for (block, at) in &self.blocks {
            let Some(part) = held.intersect(block) else {
                continue;
            };
            if self.broken.load(Ordering::Relaxed) {
                return Ok(());
            }
            let offset = at + part.place_in(block) * self.element_size as u64;
            let bytes = match self.in_one_run(piece, &part) {
                Some(run) => run,
                None => {
                    self.gather(piece, &part, buffer)?;
                    &buffer[..]
                }
            };
            if self.file.write_all_at(bytes, offset).is_err() {
                self.broken.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// The bytes of `part`, if they are contiguous in `piece`.
    fn in_one_run<'p>(&self, piece: &'p InputBox<'_>, part: &Region) -> Option<&'p [u8]> {
        let mut whole = true;
        let mut stride = 1u64;
        let mut start = 0u64;
        for d in (0..part.rank()).rev() {
            // Once a dimension is cut, all slower ones must have length 1.
            if !whole && part.count[d] > 1 {
                return None;
            }
            whole &= part.count[d] == piece.shape[d];
            start += part.start[d].checked_sub(piece.origin[d])?.checked_mul(stride)?;
            stride = stride.checked_mul(piece.shape[d])?;
        }
        let start = self.bytes(start).ok()?;
        let size = self.bytes(part.element_count()?).ok()?;
        piece.bytes.get(start..start.checked_add(size)?)
    }

    /// Copies the elements of `part` from `piece` into `buffer`.
    fn gather(&self, piece: &InputBox, part: &Region, buffer: &mut Vec<u8>) -> Result<()> {
        resize(buffer, self.bytes(part.element_count().unwrap_or(u64::MAX))?)?;
        copy_region(
            piece.bytes,
            piece.shape,
            &part.relative_to(piece.origin).start,
            buffer,
            &part.count,
            &vec![0; part.rank()],
            &part.count,
            self.element_size,
            1,
        )
    }

    /// Waits until all parts are written. Returns false if that failed.
    pub fn wait_written(&self) -> bool {
        self.first.wait_filled()
    }

    /// True if all parts are written, or writing them failed.
    pub fn is_written(&self) -> bool {
        self.first.is_filled()
    }

    /// Reads the parts of consecutive input chunks, from `first` to `last`, for the block of the elements
    /// `block`. Returns false if they cannot be read, so that the chunks must be decoded again.
    pub fn read(&self, block: &Region, first: &Region, last: &Region, buffer: &mut Vec<u8>) -> Result<bool> {
        let at = self
            .blocks
            .iter()
            .find(|(region, _)| region == block)
            .map(|(_, at)| *at);
        let Some(at) = at.filter(|_| !self.broken.load(Ordering::Relaxed)) else {
            return Ok(false);
        };
        let from = first.place_in(block);
        let end = last.place_in(block) + last.element_count().unwrap_or(0);
        resize(buffer, self.bytes(end.saturating_sub(from))?)?;
        let read = self
            .file
            .read_exact_at(buffer, at + from * self.element_size as u64);
        if read.is_err() {
            // The file ends before this part, because the last chunks were never stored, or the disk failed.
            return Ok(false);
        }
        Ok(true)
    }

    /// The bytes of `part` in `buffer`, which [`Spill::read`] filled starting with the part `first`.
    pub fn part<'b>(
        &self,
        buffer: &'b [u8],
        block: &Region,
        first: &Region,
        part: &Region,
    ) -> Result<&'b [u8]> {
        let from = self.bytes(part.place_in(block).saturating_sub(first.place_in(block)))?;
        let size = self.bytes(part.element_count().unwrap_or(u64::MAX))?;
        let end = from.checked_add(size);
        end.and_then(|end| buffer.get(from..end))
            .ok_or_else(|| crate::Error::Internal("a part outside its block".into()))
    }

    fn bytes(&self, elements: u64) -> Result<usize> {
        usize::try_from(elements)
            .ok()
            .and_then(|n| n.checked_mul(self.element_size))
            .ok_or_else(|| crate::Error::Internal("a part larger than memory".into()))
    }
}
