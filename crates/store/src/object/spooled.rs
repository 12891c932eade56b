//! Streams (pipes, terminals) made readable at any position.
//!
//! ```text
//! pipe ─► first bytes: memory │ the rest: a temporary file without a name ─► read_exact_at
//! ```

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::debug;

use crate::{ArrivingSource, FileSource, Object, no_room, room_for_temporary_files, temporary_file};
use ncutils_model::error::{Error, Result};

/// Memory is kept in pieces of this many bytes, so that growing never copies.
const PIECE: usize = 1 << 20;

/// Most bytes that one call reads: what a pipe holds.
const AT_ONCE: usize = 64 << 10;

/// The bytes of a stream, from its beginning.
#[derive(Debug, Default)]
pub struct SpooledSource {
    /// The beginning, in pieces of [`PIECE`] bytes; the last may be shorter.
    pieces: Vec<Vec<u8>>,
    /// The bytes that did not fit into memory.
    rest: Option<File>,
    /// Bytes that the file may still take.
    room: u64,
    size: u64,
}

impl SpooledSource {
    /// Reads `input` to its end. About `memory` bytes stay in memory. The rest goes to a file without a name
    /// in `folder`.
    ///
    /// # Errors
    /// If reading the stream or writing the temporary file fails, or the file would take more than half of the free space: a
    /// small compressed file may have any length.
    pub fn read(input: &mut dyn Read, memory: u64, folder: &Path) -> Result<Self> {
        let mut spooled = Self::default();
        while spooled.add(input, memory, folder)? {}
        Ok(spooled)
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> u64 {
        self.size
    }

    /// Adds what `input` gives by one call. Returns false at its end.
    ///
    /// # Errors
    /// Those of [`SpooledSource::read`].
    pub(crate) fn add(&mut self, input: &mut dyn Read, memory: u64, folder: &Path) -> Result<bool> {
        let goes_on = self.pieces.last().is_some_and(|last| last.len() < PIECE);
        if self.rest.is_none() && !goes_on && self.size < memory {
            self.pieces.push(Vec::new());
        }
        let piece = self.pieces.last_mut().filter(|last| last.len() < PIECE);
        let count = match (piece, &self.rest) {
            (Some(piece), None) => {
                let room = PIECE - piece.len();
                read_once(input, room, piece).map_err(|e| Error::io("cannot read", e))?
            }
            _ => {
                let mut piece = Vec::new();
                let count = read_once(input, AT_ONCE, &mut piece).map_err(|e| Error::io("cannot read", e))?;
                let spilt = match count {
                    0 => Ok(()),
                    _ => self.spill(&piece, folder),
                };
                spilt.map_err(|e| {
                    Error::io(
                        format!("cannot write a temporary file in {}", folder.display()),
                        e,
                    )
                })?;
                count
            }
        };
        self.size += count as u64;
        if count == 0 {
            if let Some(last) = self.pieces.last_mut() {
                last.shrink_to_fit();
            }
            debug!(
                bytes = self.size,
                on_disk = self.rest.is_some(),
                "read a pipe to its end"
            );
        }
        Ok(count > 0)
    }

    fn spill(&mut self, piece: &[u8], folder: &Path) -> io::Result<()> {
        let file = match &mut self.rest {
            Some(file) => file,
            None => {
                let file = temporary_file(Some(folder), 0)?;
                self.room = room_for_temporary_files(folder).unwrap_or(u64::MAX);
                self.rest.insert(file)
            }
        };
        let length = piece.len() as u64;
        self.room = self
            .room
            .checked_sub(length)
            .ok_or_else(|| no_room(folder, self.size + length))?;
        file.write_all(piece)
    }

    fn in_memory(&self) -> u64 {
        self.pieces.iter().map(|p| p.len() as u64).sum()
    }
}

/// Appends what one call gives, at most `most` bytes.
fn read_once(input: &mut dyn Read, most: usize, to: &mut Vec<u8>) -> io::Result<usize> {
    let before = to.len();
    to.reserve_exact(most);
    to.resize(before + most.min(AT_ONCE), 0);
    let read = loop {
        match input.read(&mut to[before..]) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    to.truncate(before + read.as_ref().map_or(0, |count| *count));
    read
}

impl Object for SpooledSource {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        if offset
            .checked_add(buf.len() as u64)
            .is_none_or(|end| end > self.size)
        {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut done = 0;
        while done < buf.len() {
            let at = offset + done as u64;
            let piece = usize::try_from(at / PIECE as u64)
                .ok()
                .and_then(|n| self.pieces.get(n))
                .filter(|piece| at % (PIECE as u64) < piece.len() as u64);
            match (piece, &self.rest) {
                (Some(piece), _) => {
                    let from = (at % PIECE as u64) as usize;
                    let count = (piece.len() - from).min(buf.len() - done);
                    buf[done..done + count].copy_from_slice(&piece[from..from + count]);
                    done += count;
                }
                (None, Some(rest)) => {
                    return rest.read_exact_at(&mut buf[done..], at - self.in_memory());
                }
                (None, None) => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        Ok(())
    }
}

/// Opens the file `path`, or standard input. A regular file is read in place. Anything else is an [`ArrivingSource`] of which
/// nothing is read yet, with about `memory` bytes of it in memory.
///
/// # Errors
/// If it cannot be read.
pub fn open_stream(path: Option<&Path>, memory: u64) -> Result<Arc<dyn Object>> {
    let opened = match path {
        Some(path) => File::open(path),
        None => io::stdin().as_fd().try_clone_to_owned().map(File::from),
    };
    let read = |file: io::Result<File>| -> Result<Arc<dyn Object>> {
        let mut file = file.map_err(|e| Error::io("cannot open", e))?;
        let cannot_read = |e| Error::io("cannot read", e);
        let kind = file.metadata().map_err(cannot_read)?.file_type();
        // A regular file is read in place, unless the caller has already consumed its beginning.
        if kind.is_file() && file.stream_position().map_err(cannot_read)? == 0 {
            return Ok(Arc::new(FileSource::of(file).map_err(cannot_read)?));
        }
        if kind.is_dir() {
            return Err(cannot_read(io::ErrorKind::IsADirectory.into()));
        }
        let pipe = ArrivingSource::new(Box::new(file), memory, temporary_folder());
        Ok(Arc::new(pipe))
    };
    read(opened)
}

/// The folder for large temporary files: `$TMPDIR`, or else `/var/tmp`, because `/tmp` may be in memory.
pub fn temporary_folder() -> PathBuf {
    std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_file_hold_one_text() {
        let folder = tempfile::tempdir().unwrap();
        let text: Vec<u8> = (0..PIECE * 3 + 7).map(|n| (n % 251) as u8).collect();
        for memory in [0, 1, PIECE as u64, PIECE as u64 * 2, 1 << 30] {
            let spooled = SpooledSource::read(&mut &text[..], memory, folder.path()).unwrap();
            assert_eq!(spooled.size().unwrap(), Some(text.len() as u64));
            assert_eq!(spooled.rest.is_some(), memory < 1 << 30);
            for (at, count) in [
                (0, text.len()),
                (PIECE - 3, 9),
                (PIECE * 2 - 1, PIECE + 8),
                (5, 0),
            ] {
                let mut found = vec![0; count];
                spooled.read_exact_at(at as u64, &mut found).unwrap();
                assert_eq!(found, &text[at..at + count], "{memory} {at}");
            }
            let past = spooled.read_exact_at(text.len() as u64, &mut [0]).unwrap_err();
            assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn nothing_is_a_text_of_no_bytes() {
        let spooled = SpooledSource::read(&mut io::empty(), 100, Path::new("/nowhere")).unwrap();
        assert_eq!(spooled.size().unwrap(), Some(0));
        spooled.read_exact_at(0, &mut []).unwrap();
    }

    #[test]
    fn files_are_read_in_place_and_pipes_are_spooled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cdl");
        std::fs::write(&path, "netcdf a {}").unwrap();
        assert_eq!(open_stream(Some(&path), 100).unwrap().size().unwrap(), Some(11));
        let fifo = folder.path().join("fifo");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let found = std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&fifo, "netcdf b {}\n").unwrap());
            let found = open_stream(Some(&fifo), 100).unwrap();
            assert_eq!(found.size().unwrap(), None);
            assert_eq!(found.end().unwrap(), Some(12));
            found
        });
        assert_eq!(found.size().unwrap(), Some(12));
        for path in [folder.path(), &folder.path().join("none")] {
            let error = open_stream(Some(path), 100).err().unwrap().to_string();
            assert!(error.starts_with("cannot"), "{error}");
        }
    }
}
