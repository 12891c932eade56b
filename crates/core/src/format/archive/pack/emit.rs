//! Writes encoded blocks, which come in their order.

use std::io::Write;

use crate::error::{Error, Result};
use crate::format::archive::index::stream_index::Indexes;
use crate::format::archive::structure::block::{self, Content, Header};
use crate::format::archive::structure::footer::write_back;
use crate::store::{Output, SequentialOutput};

/// An encoded block.
pub(crate) struct EncodedBlock {
    pub header: Header,
    /// The stored bytes; none for a block of one repeated element.
    pub stored: Vec<u8>,
}

/// The blocks of an archive that is being written.
pub(crate) struct Emitter<'a> {
    output: SequentialOutput<'a>,
    /// The last header, if it is one of repeated elements that may still grow.
    run: Option<Header>,
    headers: u64,
    indexes: Indexes,
}

impl<'a> Emitter<'a> {
    /// Begins with the front of the archive. `streams` is the number of streams. Indexes take about `memory` bytes.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn begin(output: &'a dyn Output, front: &[u8], streams: usize, memory: u64) -> Result<Self> {
        let mut emitter = Self {
            output: SequentialOutput::new(output),
            indexes: Indexes::new(streams, front.len() as u64, memory),
            run: None,
            headers: 0,
        };
        emitter.write(front)?;
        Ok(emitter)
    }

    /// Adds a block.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn put(&mut self, block: EncodedBlock) -> Result<()> {
        let header = block.header;
        if let Content::Repeated { element, .. } = header.content {
            if let Some(last) = &mut self.run
                && let Content::Repeated { element: same, run } = &mut last.content
                && last.stream == header.stream
                && *same == element
                && last.number + u64::from(*run) == header.number
                && *run < u32::MAX
            {
                *run += 1;
                return Ok(());
            }
            self.end_run()?;
            self.run = Some(header);
            return Ok(());
        }
        self.end_run()?;
        self.header(header)?;
        self.write(&block.stored)
    }

    /// Writes the back. Returns the length of the archive.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self, sha: [u8; 32]) -> Result<u64> {
        self.end_run()?;
        self.write(&block::end(self.headers))?;
        let back = self.output.position();
        let indexes = std::mem::replace(&mut self.indexes, Indexes::new(0, 0, 0));
        write_back(indexes.list(), back, sha, &mut |bytes| self.write(bytes))?;
        self.output.flush().map_err(|e| Error::io("cannot write", e))?;
        Ok(self.output.position())
    }

    fn end_run(&mut self) -> Result<()> {
        self.run.take().map_or(Ok(()), |header| self.header(header))
    }

    fn header(&mut self, header: Header) -> Result<()> {
        self.indexes.push(&header, self.output.position())?;
        self.headers += 1;
        self.write(&header.encode())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.output.write_all(bytes);
        written.map_err(|e| Error::io("cannot write", e))
    }
}
