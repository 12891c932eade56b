//! [`ValueSpool`]: values that wait for the file that they are stored in.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::temporary_file;

/// Most bytes of values that wait in memory. The others are in a temporary file.
const IN_MEMORY: usize = 16 << 20;

/// A value that waits.
#[derive(Debug, Clone, Copy)]
pub struct SpooledValue {
    /// Its position among all values.
    at: u64,
    /// Its length in bytes.
    pub length: usize,
}

/// Values that wait for the file that they are stored in.
#[derive(Debug, Default)]
pub struct ValueSpool {
    memory: Vec<u8>,
    file: Option<File>,
    /// Bytes of all values.
    length: u64,
}

impl ValueSpool {
    /// Adds a value.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn push(&mut self, value: &[u8]) -> io::Result<SpooledValue> {
        let spooled = SpooledValue {
            at: self.length,
            length: value.len(),
        };
        if self.file.is_none() && self.memory.len() + value.len() > IN_MEMORY {
            let file = temporary_file(None, self.length + value.len() as u64)?;
            file.write_all_at(&self.memory, 0)?;
            self.memory = Vec::new();
            self.file = Some(file);
        }
        match &self.file {
            Some(file) => file.write_all_at(value, self.length)?,
            None => self.memory.extend_from_slice(value),
        }
        self.length += value.len() as u64;
        Ok(spooled)
    }

    /// The bytes of a value.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn read(&self, value: SpooledValue) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; value.length];
        match &self.file {
            Some(file) => file.read_exact_at(&mut bytes, value.at)?,
            None => {
                let at = usize::try_from(value.at).unwrap_or(usize::MAX);
                let held = self.memory.get(at..).and_then(|rest| rest.get(..value.length));
                bytes.copy_from_slice(held.ok_or(io::ErrorKind::UnexpectedEof)?);
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_from_memory_and_file() {
        let mut spool = ValueSpool::default();
        let value = |n: u8| vec![n; 5 << 20];
        let spooled: Vec<_> = (0..5).map(|n| spool.push(&value(n)).unwrap()).collect();
        assert!(spool.file.is_some() && spool.memory.is_empty());
        for (n, of) in spooled.into_iter().enumerate() {
            assert_eq!(spool.read(of).unwrap(), value(n as u8));
        }
    }
}
