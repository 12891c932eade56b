//! Shards that are being written: chunks one after another, and the index.
//!
//! ```text
//! in turn:       chunk ─► its offset in the shard, its entry in the index       next shard ─► the size is known
//! any thread:    bytes of chunks, of the index ─► ValueWriter ─ whoever is last ─► finish
//! ```
//!
//! Only the index of a shard is in memory, and the chunks whose turn has not come. Chunks are stored in the order of their
//! sequence numbers, without gaps. A shard that is a file of another format begins with that format's metadata.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::v3::sharding::{IndexCodecs, LARGEST_INDEX, MOST_CHUNKS, ShardIndex};
use super::shard_file::{ShardBytes, ShardFile, ShardFiles};
use crate::chunk::{ChunkGrid, chunks_of_shard};
use crate::error::{Error, Result};
use crate::model::{IndexLocation, VarId, VariableLayout};
use crate::store::{FailedKey, KeyOutput, ValueWriter};

/// Most bytes of short chunks that are kept, to be written by one call.
const JOINED: usize = 64 << 10;

/// Largest short chunk, in bytes. Longer ones are written as they come.
const SHORT: usize = 16 << 10;

/// The shards of an array.
pub struct ShardGrid {
    /// The grid of shards.
    shards: ChunkGrid,
    /// Chunks in each dimension of a shard.
    chunks: Vec<u64>,
    location: IndexLocation,
    /// Bytes of an index.
    index_size: u64,
}

impl ShardGrid {
    /// The shards of an array with this layout; `None` if its chunks are stored one by one.
    ///
    /// # Errors
    /// If shards do not hold whole chunks, or have more of them than an index can have.
    pub fn new(layout: &VariableLayout) -> Result<Option<Self>> {
        let Some(shard) = &layout.shard else {
            return Ok(None);
        };
        let chunks = chunks_of_shard(shard, layout.chunk_shape())?;
        let count = crate::chunk::element_count(&chunks);
        let index_size = count.and_then(|count| IndexCodecs::default_written().encoded_size(count));
        let index_size = index_size
            .filter(|size| *size <= LARGEST_INDEX)
            .ok_or_else(too_many)?;
        Ok(Some(Self {
            shards: ChunkGrid::new(&layout.extent, shard)?,
            chunks,
            location: layout.shard_index,
            index_size: index_size as u64,
        }))
    }

    /// Most bytes that the indexes of all shards take, if `chunks` chunks are written.
    pub fn index_bytes(&self, chunks: u64) -> u64 {
        self.index_size.saturating_mul(self.shards.len().min(chunks))
    }

    /// Coordinates of the shard that holds a chunk, and the chunk's number in it.
    pub fn place(&self, chunk: &[u64]) -> (Vec<u64>, u64) {
        let mut number = 0;
        let mut shard = Vec::with_capacity(chunk.len());
        for (at, count) in chunk.iter().zip(&self.chunks) {
            shard.push(at / count);
            number = number * count + at % count;
        }
        (shard, number)
    }

    /// The number of a shard.
    pub fn number(&self, shard: &[u64]) -> u64 {
        self.shards.index(shard)
    }
}

fn too_many() -> Error {
    Error::Unsupported(format!(
        "more than {MOST_CHUNKS} chunks in a shard: choose smaller shards, or larger chunks"
    ))
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::io("cannot write", error)
}

/// A value that several pieces are written to. Whoever drops the last reference by [`complete`] finishes it.
pub struct SharedValue {
    value: Box<dyn ValueWriter>,
    key: String,
    /// The path of the array.
    variable: String,
}

impl ShardBytes for SharedValue {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.value.write_at(offset, bytes)
    }
}

impl SharedValue {
    /// The error for a store that fails. A shard may be written while chunks of another array arrive.
    fn cannot_write(&self, error: std::io::Error) -> Error {
        match FailedKey::split(error) {
            (Some(key), error) if key != self.key => cannot_write(error).in_key(&key),
            (_, error) => self.named(cannot_write(error)),
        }
    }

    fn named(&self, error: Error) -> Error {
        error.in_key(&self.key).in_variable(&self.variable)
    }
}

/// Gives up a reference to a value, and finishes the value if it was the last one.
fn complete(value: Arc<SharedValue>) -> Result<()> {
    match Arc::into_inner(value) {
        Some(SharedValue { value, key, variable }) => value
            .finish()
            .map_err(|e| cannot_write(e).in_key(&key).in_variable(&variable)),
        None => Ok(()),
    }
}

/// Bytes that have their place in a shard.
pub struct ShardPart {
    value: Arc<SharedValue>,
    offset: u64,
    bytes: Vec<u8>,
}

impl ShardPart {
    /// Writes the bytes, from any thread.
    ///
    /// # Errors
    /// If the store fails.
    pub fn write(self) -> Result<()> {
        let written = self.value.value.write_at(self.offset, &self.bytes);
        written.map_err(|e| self.value.cannot_write(e))?;
        complete(self.value)
    }
}

/// The index of a shard that has all its chunks.
pub struct FullIndex {
    value: Arc<SharedValue>,
    /// Chunks at the end of the shard.
    rest: Option<ShardPart>,
    offset: u64,
    index: ShardIndex,
    file: Option<Box<dyn ShardFile>>,
}

impl FullIndex {
    /// Writes the index, from any thread.
    ///
    /// # Errors
    /// If the store fails.
    pub fn write(self) -> Result<()> {
        self.rest.map_or(Ok(()), ShardPart::write)?;
        if let Some(file) = self.file {
            file.finish().map_err(|e| self.value.named(e))?;
        }
        let bytes = IndexCodecs::default_written().encode(&self.index);
        ShardPart {
            bytes: bytes.map_err(Error::Internal)?,
            value: self.value,
            offset: self.offset,
        }
        .write()
    }
}

/// A shard that chunks are added to.
struct Growing {
    var: VarId,
    number: u64,
    location: IndexLocation,
    index: ShardIndex,
    /// Offset behind the last chunk.
    end: u64,
    /// Short chunks at the end that are not written yet.
    joined: Vec<u8>,
    value: Arc<SharedValue>,
    /// The file that the shard is; `None` for one that holds chunks alone.
    file: Option<Box<dyn ShardFile>>,
}

impl Growing {
    /// Notes the place of a chunk that is added next.
    fn place(&mut self, chunk: u64, size: u64) -> Result<()> {
        let is_placed = matches!(self.index.range(chunk), Ok(None)) && self.index.set(chunk, self.end, size);
        let in_file = match &self.file {
            Some(file) if is_placed => file.place_chunk(chunk, size).map_err(|e| self.value.named(e))?,
            _ => self.end,
        };
        match is_placed && in_file == self.end {
            true => Ok(()),
            false => Err(Error::Internal("a chunk that its shard cannot take".into())),
        }
    }

    /// Adds the bytes of a chunk. Returns what can be written.
    fn add(&mut self, bytes: Vec<u8>) -> [Option<ShardPart>; 2] {
        let offset = self.end;
        self.end += bytes.len() as u64;
        let is_short = bytes.len() <= SHORT;
        if is_short && self.joined.len() + bytes.len() <= JOINED {
            self.joined.extend_from_slice(&bytes);
            return [None, None];
        }
        let before = self.take_joined(offset);
        if is_short {
            self.joined.reserve_exact(JOINED);
            self.joined.extend_from_slice(&bytes);
            return [before, None];
        }
        let part = ShardPart {
            value: Arc::clone(&self.value),
            offset,
            bytes,
        };
        [before, Some(part)]
    }

    /// The short chunks before `end`.
    fn take_joined(&mut self, end: u64) -> Option<ShardPart> {
        let bytes = std::mem::take(&mut self.joined);
        (!bytes.is_empty()).then(|| ShardPart {
            value: Arc::clone(&self.value),
            offset: end - bytes.len() as u64,
            bytes,
        })
    }

    /// Ends the growth. The index is still to be written.
    fn seal(mut self, index_size: u64) -> Result<FullIndex> {
        let rest = self.take_joined(self.end);
        let (offset, size) = match self.location {
            IndexLocation::Start => (0, self.end),
            IndexLocation::End => (self.end, self.end.saturating_add(index_size)),
        };
        if let Some(file) = &self.file
            && file.place_index(index_size).map_err(|e| self.value.named(e))? != offset
        {
            return Err(Error::Internal("an index that its shard cannot take".into()));
        }
        let set = self.value.value.set_size(size);
        set.map_err(|e| self.value.cannot_write(e))?;
        Ok(FullIndex {
            value: self.value,
            rest,
            offset,
            index: self.index,
            file: self.file,
        })
    }
}

/// The names of a shard.
#[derive(Debug, Clone, Copy)]
pub struct ShardName<'a> {
    /// Its number in the grid of shards.
    pub number: u64,
    /// Its key.
    pub key: &'a str,
    /// The path of its array, for errors.
    pub variable: &'a str,
}

/// The shard that grows, of all arrays of a hierarchy.
#[derive(Default)]
pub struct Shards {
    growing: Mutex<Option<(Growing, u64)>>,
    /// The format that each shard is a file of, beside being a shard.
    files: Option<Box<dyn ShardFiles>>,
}

impl Shards {
    /// Shards that are files of another format too.
    pub fn as_files(files: Box<dyn ShardFiles>) -> Self {
        Self {
            growing: Mutex::default(),
            files: Some(files),
        }
    }

    /// Adds a chunk to the shard with this number, and begins that shard if another one grew. Called in the order of
    /// sequence numbers, which has the chunks of a shard in a row. Returns what can be written: chunks, and the index of the
    /// shard that grew before. Short chunks are kept, and written with their neighbours.
    ///
    /// # Errors
    /// If the store fails, or the shard has the chunk already, or has no such chunk.
    pub fn add(
        &self,
        output: &dyn KeyOutput,
        grid: &ShardGrid,
        var: VarId,
        shard: ShardName<'_>,
        chunk: u64,
        bytes: Vec<u8>,
    ) -> Result<([Option<ShardPart>; 2], Option<FullIndex>)> {
        let mut growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut full = None;
        let ShardName {
            number,
            key,
            variable,
        } = shard;
        if let Some((shard, size)) = growing.take_if(|(shard, _)| (shard.var, shard.number) != (var, number))
        {
            full = Some(shard.seal(size)?);
        }
        if growing.is_none() {
            let value = Arc::new(SharedValue {
                value: output
                    .create(key)
                    .map_err(|e| cannot_write(e).in_key(key).in_variable(variable))?,
                key: key.to_owned(),
                variable: variable.to_owned(),
            });
            let begin = |files: &dyn ShardFiles| files.begin(var, Arc::clone(&value) as Arc<dyn ShardBytes>);
            let file = self.files.as_deref().map(begin).transpose();
            let file = file.map_err(|e| value.named(e))?;
            let shard = Growing {
                var,
                number,
                location: grid.location,
                index: ShardIndex::empty(&grid.chunks).ok_or_else(too_many)?,
                end: match (&file, grid.location) {
                    (Some(file), _) => file.data_start(),
                    (None, IndexLocation::Start) => grid.index_size,
                    (None, IndexLocation::End) => 0,
                },
                joined: Vec::new(),
                value,
                file,
            };
            *growing = Some((shard, grid.index_size));
        }
        let Some((shard, _)) = growing.as_mut() else {
            return Err(Error::Internal("no shard was begun".into()));
        };
        shard.place(chunk, bytes.len() as u64)?;
        Ok((shard.add(bytes), full))
    }

    /// Completes the last shard.
    ///
    /// # Errors
    /// If the store fails.
    pub fn close(&self) -> Result<()> {
        let mut growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        match growing.take() {
            Some((shard, size)) => shard.seal(size)?.write(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
