//! Writes encoded blocks in the order of sequence numbers, whatever the order in which threads finish them.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::format::archive::index::stream_index::Indexes;
use crate::format::archive::shares::Shares;
use crate::format::archive::structure::block::{self, Content, Header};
use crate::format::archive::structure::footer::write_back;
use crate::store::Output;

/// Bytes that are collected for one write.
const BUFFER: usize = 1 << 20;

/// An encoded block.
pub(crate) enum Encoded {
    /// Stored bytes, their checksum, and the mask of skipped filters.
    Stored { bytes: Vec<u8>, mask: u16, crc: u32 },
    /// One element, repeated.
    Repeated([u8; 8]),
}

struct EncodedBlock {
    stream: u32,
    number: u64,
    encoded: Encoded,
}

/// The blocks of an archive that is being written.
pub(crate) struct Emitter<'a> {
    output: &'a dyn Output,
    /// Sequence numbers that threads may run ahead of the next one to write.
    ahead: u64,
    state: Mutex<State>,
    turn: Condvar,
}

struct State {
    next: u64,
    held: BTreeMap<u64, EncodedBlock>,
    /// Bytes that were not written yet, and their position.
    buffer: Vec<u8>,
    at: u64,
    /// The last header, if it is one of repeated elements that may still grow.
    run: Option<Header>,
    headers: u64,
    indexes: Indexes,
    failed: bool,
}

impl<'a> Emitter<'a> {
    /// Begins with the front of the archive. `streams` is the number of streams.
    pub fn new(output: &'a dyn Output, front: Vec<u8>, streams: usize, shares: &Shares) -> Self {
        let indexes = Indexes::new(streams, front.len() as u64, shares.index);
        Self {
            output,
            ahead: shares.ahead,
            state: Mutex::new(State {
                next: 0,
                held: BTreeMap::new(),
                buffer: front,
                at: 0,
                run: None,
                headers: 0,
                indexes,
                failed: false,
            }),
            turn: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a sequence number is close to its turn. Whoever holds the next sequence number never waits.
    ///
    /// # Errors
    /// If another thread failed.
    pub fn wait(&self, sequence: u64) -> Result<()> {
        let mut state = self.lock();
        while !state.failed && sequence > state.next + self.ahead {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match state.failed {
            true => Err(stopped()),
            false => Ok(()),
        }
    }

    /// Tells all threads that one failed.
    pub fn fail(&self) {
        self.lock().failed = true;
        self.turn.notify_all();
    }

    /// Submits the block of a sequence number.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn submit(&self, sequence: u64, stream: usize, number: u64, encoded: Encoded) -> Result<()> {
        let mut state = self.lock();
        let piece = EncodedBlock {
            stream: stream as u32,
            number,
            encoded,
        };
        state.held.insert(sequence, piece);
        let mut moved = false;
        loop {
            let next = state.next;
            let Some(piece) = state.held.remove(&next) else {
                break;
            };
            state.put(piece)?;
            state.next += 1;
            moved = true;
            if state.buffer.len() >= BUFFER {
                state.flush(self.output)?;
            }
        }
        drop(state);
        if moved {
            self.turn.notify_all();
        }
        Ok(())
    }

    /// Writes the back. Returns the length of the archive.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(self, sha: [u8; 32]) -> Result<u64> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if state.failed || !state.held.is_empty() {
            return Err(stopped());
        }
        state.end_run()?;
        let end = block::end(state.headers);
        state.buffer.extend(end);
        let back = state.at + state.buffer.len() as u64;
        let indexes = std::mem::replace(&mut state.indexes, Indexes::new(0, 0, 0));
        write_back(indexes.list(), back, sha, &mut |bytes| {
            state.buffer.extend_from_slice(bytes);
            match state.buffer.len() >= BUFFER {
                true => state.flush(self.output),
                false => Ok(()),
            }
        })?;
        state.flush(self.output)?;
        Ok(state.at)
    }
}

fn stopped() -> Error {
    Error::Internal("packing stopped because another thread failed".to_owned())
}

impl State {
    fn put(&mut self, piece: EncodedBlock) -> Result<()> {
        let EncodedBlock {
            stream,
            number,
            encoded,
        } = piece;
        let content = match encoded {
            Encoded::Repeated(element) => {
                if let Some(header) = &mut self.run
                    && let Content::Repeated { element: same, run } = &mut header.content
                    && header.stream == stream
                    && *same == element
                    && header.number + u64::from(*run) == number
                    && *run < u32::MAX
                {
                    *run += 1;
                    return Ok(());
                }
                self.end_run()?;
                self.run = Some(Header {
                    stream,
                    number,
                    content: Content::Repeated { element, run: 1 },
                });
                return Ok(());
            }
            Encoded::Stored { ref bytes, mask, crc } => Content::Stored {
                length: bytes.len() as u32,
                mask,
                crc,
            },
        };
        self.end_run()?;
        self.header(Header {
            stream,
            number,
            content,
        })?;
        if let Encoded::Stored { bytes, .. } = encoded {
            self.buffer.extend_from_slice(&bytes);
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<()> {
        self.run.take().map_or(Ok(()), |header| self.header(header))
    }

    fn header(&mut self, header: Header) -> Result<()> {
        self.indexes.push(&header, self.at + self.buffer.len() as u64)?;
        self.buffer.extend(header.encode());
        self.headers += 1;
        Ok(())
    }

    fn flush(&mut self, output: &dyn Output) -> Result<()> {
        let written = output.write_all_at(self.at, &self.buffer);
        written.map_err(|e| Error::io("cannot write", e))?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
