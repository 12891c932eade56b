//! [`SequentialOutput`]: an output that is written from its beginning to its end.

use std::io::{self, Write};

use crate::Output;

/// Bytes that are collected for one write.
const BUFFER: usize = 1 << 20;

/// Writes an output from its beginning to its end, in large pieces.
pub struct SequentialOutput<'a> {
    output: &'a dyn Output,
    /// Position of the buffer.
    at: u64,
    buffer: Vec<u8>,
}

impl<'a> SequentialOutput<'a> {
    /// Nothing of the output is written yet.
    pub fn new(output: &'a dyn Output) -> Self {
        Self {
            output,
            at: 0,
            buffer: Vec::with_capacity(BUFFER),
        }
    }

    /// Position of the next byte.
    pub fn position(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }
}

impl Write for SequentialOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write_all_at(self.at, &self.buffer)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryOutput;

    #[test]
    fn bytes_follow_each_other() {
        let memory = MemoryOutput::new();
        let mut output = SequentialOutput::new(&memory);
        let piece: Vec<u8> = (0..200_000).map(|n| (n / 7) as u8).collect();
        for n in 0..20 {
            assert_eq!(output.position(), n * 200_000);
            output.write_all(&piece).unwrap();
        }
        output.flush().unwrap();
        assert_eq!(memory.bytes(), piece.repeat(20));
    }
}
