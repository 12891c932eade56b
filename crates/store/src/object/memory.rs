//! Objects in memory.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Object, Output};

/// An object in memory that is being written, for tests and small datasets.
#[derive(Debug, Default)]
pub struct MemoryOutput {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    committed: bool,
}

impl MemoryOutput {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// A copy of the bytes written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.state().bytes.clone()
    }

    /// True after the commit.
    pub fn committed(&self) -> bool {
        self.state().committed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output for MemoryOutput {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let end = usize::try_from(offset)
            .ok()
            .and_then(|start| start.checked_add(data.len()))
            .ok_or(io::ErrorKind::FileTooLarge)?;
        let mut state = self.state();
        if state.bytes.len() < end {
            state.bytes.resize(end, 0);
        }
        state.bytes[end - data.len()..end].copy_from_slice(data);
        Ok(())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        let size = usize::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.state().bytes.resize(size, 0);
        Ok(())
    }

    fn commit(&self) -> io::Result<()> {
        self.state().committed = true;
        Ok(())
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.state().bytes.read_exact_at(offset, buf)
    }
}

impl Object for Vec<u8> {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buf.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buf.copy_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_never_written_are_zero() {
        let out = MemoryOutput::new();
        out.write_all_at(3, b"abc").unwrap();
        out.set_size(8).unwrap();
        out.write_all_at(0, b"x").unwrap();
        assert_eq!(out.bytes(), b"x\0\0abc\0\0");
        assert!(!out.committed());
        out.commit().unwrap();
        assert!(out.committed());
    }
}
