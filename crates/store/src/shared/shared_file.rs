//! A local file that several processes write at known places, and that takes its name when all are done.
//!
//! ```text
//! SharedFile: whole blocks ─────────────► the file
//!             parts of blocks ─► spill ─► kept elsewhere ─┐
//! CompletedFile ◄─────────────────────────────────────────┘ ─ commit ─► the output
//! ```
//!
//! A client of a network file system writes whole pages, and so writes over what another client has just written beside it. So no
//! process writes a block that it does not fill.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Output;
use crate::file::file_output::sync_directory_of_output;
use crate::file::symlinks::follow_symlinks;
use crate::file::take_over::take_over;
use crate::file::unfinished::partial::directory_of;
use crate::file::{lock, stop_point};
use crate::io::written_bytes::WrittenBytes;

/// Bytes of a block: the largest page or stripe unit that is common.
const BLOCK: u64 = 1 << 20;

/// Most blocks that are held because parts of them are missing.
const MOST_HELD: usize = 32;

/// Keeps bytes that belong at an offset of the file.
pub type Spill = Box<dyn Fn(u64, &[u8]) -> io::Result<()> + Send + Sync>;

/// A file that this process and others write.
pub struct SharedFile {
    file: File,
    path: PathBuf,
    held: Mutex<BTreeMap<u64, HeldBlock>>,
    spill: Spill,
}

/// A block of which this process has written a part.
struct HeldBlock {
    bytes: Vec<u8>,
    written: WrittenBytes,
}

impl SharedFile {
    /// Opens a file that exists. What does not fill a block goes to `spill`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(path: &Path, spill: Spill) -> io::Result<Self> {
        Ok(Self {
            file: OpenOptions::new().write(true).open(path)?,
            path: path.to_owned(),
            held: Mutex::default(),
            spill,
        })
    }

    /// Writes a part of one block.
    fn write_part(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let number = offset / BLOCK;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let block = held.entry(number).or_insert_with(|| HeldBlock {
            bytes: vec![0; BLOCK as usize],
            written: WrittenBytes::default(),
        });
        let at = (offset % BLOCK) as usize;
        block.bytes[at..at + data.len()].copy_from_slice(data);
        block.written.add(at as u64..(at + data.len()) as u64);
        let done = match block.written.len() == BLOCK {
            true => held.remove(&number).map(|block| (number, block)),
            // Those at the begin are the most likely ones to be left.
            false if held.len() > MOST_HELD => held.pop_first(),
            false => None,
        };
        drop(held);
        done.map_or(Ok(()), |(number, block)| self.put(number, &block))
    }

    /// Writes whole blocks, unless the file has taken its name: it may be another program's by now.
    fn write_whole(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        fs::metadata(&self.path)?;
        self.file.write_all_at(bytes, offset)
    }

    /// Writes a block that is whole, or keeps its parts elsewhere.
    fn put(&self, number: u64, block: &HeldBlock) -> io::Result<()> {
        let begin = number * BLOCK;
        if block.written.len() == BLOCK {
            return self.write_whole(begin, &block.bytes);
        }
        for written in block.written.ranges() {
            let part = &block.bytes[written.start as usize..written.end as usize];
            (self.spill)(begin + written.start, part)?;
        }
        Ok(())
    }
}

impl Output for SharedFile {
    fn write_all_at(&self, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
        stop_point::reach(stop_point::WRITE);
        while !data.is_empty() {
            let left = BLOCK - offset % BLOCK;
            let whole = data.len() as u64 / BLOCK * BLOCK;
            let length = match left == BLOCK && whole > 0 {
                true => {
                    self.write_whole(offset, &data[..whole as usize])?;
                    whole
                }
                false => {
                    let length = left.min(data.len() as u64);
                    self.write_part(offset, &data[..length as usize])?;
                    length
                }
            };
            offset += length;
            data = &data[length as usize..];
        }
        Ok(())
    }

    /// Does nothing: the file has its size.
    fn set_size(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    /// Keeps what is left of blocks that are not whole, and makes the rest durable.
    fn commit(&self) -> io::Result<()> {
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        for (number, block) in held {
            self.put(number, &block)?;
        }
        self.file.sync_all()
    }
}

/// A file that several processes have written, which takes the name of the output.
pub struct CompletedFile {
    file: File,
    path: PathBuf,
    target: PathBuf,
}

impl CompletedFile {
    /// Creates an empty file for several processes.
    ///
    /// # Errors
    /// The file exists, or cannot be written.
    pub fn create(path: &Path, size: u64) -> io::Result<()> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)?
            .set_len(size)
    }

    /// Opens the file at `path` to complete it. Its commit gives it the name `target`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(path: &Path, target: &Path) -> io::Result<Self> {
        Ok(Self {
            file: OpenOptions::new().read(true).write(true).open(path)?,
            path: path.to_owned(),
            target: follow_symlinks(target)?,
        })
    }
}

impl Output for CompletedFile {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        stop_point::reach(stop_point::WRITE);
        self.file.write_all_at(data, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_len(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn commit(&self) -> io::Result<()> {
        stop_point::reach(stop_point::COMMIT);
        if let Ok(found) = fs::metadata(&self.target) {
            lock::check_unlocked(&self.target)?;
            take_over(&self.file, &self.target, &found)?;
        }
        self.file.sync_all()?;
        stop_point::reach(stop_point::RENAME);
        fs::rename(&self.path, &self.target)?;
        stop_point::reach(stop_point::COMMITTED);
        sync_directory_of_output(directory_of(&self.target))
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buf, offset)
    }

    fn room(&self) -> Option<u64> {
        let space = rustix::fs::fstatvfs(&self.file).ok()?;
        space.f_bavail.checked_mul(space.f_frsize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    type Spilled = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

    fn shared(path: &Path) -> (SharedFile, Spilled) {
        let spilled = Spilled::default();
        let kept = Arc::clone(&spilled);
        let spill = move |offset, data: &[u8]| {
            kept.lock().unwrap().push((offset, data.to_vec()));
            Ok(())
        };
        (SharedFile::open(path, Box::new(spill)).unwrap(), spilled)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn two_processes_fill_no_block_together_and_nothing_is_lost(
            cut in 1u64..5 * BLOCK,
            piece in 1usize..3_000_000,
            backwards in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let (path, target) = (folder.path().join("data"), folder.path().join("out"));
            let all: Vec<u8> = (0..5 * BLOCK + 77).map(|n| (n * 7 % 251) as u8).collect();
            CompletedFile::create(&path, all.len() as u64).unwrap();
            let mut kept = Vec::new();
            for range in [0..cut as usize, cut as usize..all.len()] {
                let (file, spilled) = shared(&path);
                let begin = range.start;
                let mut pieces: Vec<_> = all[range].chunks(piece).enumerate().collect();
                if backwards {
                    pieces.reverse();
                }
                for (n, data) in pieces {
                    file.write_all_at((begin + n * piece) as u64, data).unwrap();
                }
                file.commit().unwrap();
                kept.extend(std::mem::take(&mut *spilled.lock().unwrap()));
            }
            // At most the block of the cut, twice, and the last one.
            prop_assert!(kept.iter().map(|(_, data)| data.len() as u64).sum::<u64>() <= 3 * BLOCK);
            let whole = CompletedFile::open(&path, &target).unwrap();
            for (offset, data) in kept {
                whole.write_all_at(offset, &data).unwrap();
            }
            whole.commit().unwrap();
            prop_assert_eq!(fs::read(&target).unwrap(), all);
            prop_assert!(!path.exists());
        }
    }

    #[test]
    fn scattered_parts_take_little_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        CompletedFile::create(&path, 200 * BLOCK).unwrap();
        let (file, spilled) = shared(&path);
        for n in 0..200 {
            file.write_all_at(n * BLOCK + 5, b"abc").unwrap();
            assert!(file.held.lock().unwrap().len() <= MOST_HELD);
        }
        file.commit().unwrap();
        let mut spilled = spilled.lock().unwrap().clone();
        spilled.sort();
        assert_eq!(spilled.len(), 200);
        assert_eq!(spilled[7], (7 * BLOCK + 5, b"abc".to_vec()));
    }
}
