//! [`InputAccess`]: what the routes ask of one input variable.

use std::sync::Arc;

use crate::copy::geometry::{InputMapping, InputVariable};
use crate::copy::readers::{OpenReader, ReaderId, Readers};
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::model::{VarId, VariableLayout};

/// An input variable, and the readers of the run. A further reader is opened only to read from it.
#[derive(Clone, Copy)]
pub struct InputAccess<'a> {
    readers: &'a Readers<'a>,
    input: &'a InputMapping,
}

impl<'a> InputAccess<'a> {
    /// Access to `input` by the readers of the run.
    pub fn new(readers: &'a Readers<'a>, input: &'a InputMapping) -> Self {
        Self { readers, input }
    }

    /// The variable, and its reader.
    pub fn id(self) -> InputVariable {
        self.input.id()
    }

    /// The variable in its reader's schema.
    pub fn var(self) -> VarId {
        self.input.var
    }

    /// Storage of the variable.
    #[inline]
    pub fn layout(self) -> &'a VariableLayout {
        self.input.layout(self.readers)
    }

    /// True if the variable lies in other datasets.
    pub fn is_virtual(self) -> bool {
        self.input.is_virtual(self.readers)
    }

    /// The codecs of the variable.
    ///
    /// # Errors
    /// The errors of [`ChunkReader::pipeline`](crate::format::ChunkReader::pipeline).
    pub fn pipeline(self) -> Result<Arc<Pipeline>> {
        self.input.pipeline(self.readers)
    }

    /// The reader, which is opened if it is not open. A thread holds one at a time.
    ///
    /// # Errors
    /// The reader cannot be opened.
    #[inline]
    pub fn open(self) -> Result<OpenReader<'a>> {
        self.readers.get(self.id().reader)
    }

    /// Adds the names of the variable and of the dataset to an error in what a further reader gave.
    pub fn named(self, error: Error) -> Error {
        let id = self.id().reader;
        let in_variable = match (id, self.open()) {
            (ReaderId::Further(_), Ok(reader)) => error.in_variable(&reader.schema().var_path(self.var())),
            _ => error,
        };
        self.readers.named(id, in_variable)
    }

    /// The same for an error in a chunk, with its place in the grid of the further reader's variable.
    pub fn named_chunk(self, chunk: u64, error: Error) -> Error {
        match (self.id().reader, &self.input.grid) {
            (ReaderId::Further(_), Some(grid)) => self.named(error.in_chunk(&grid.coordinates(chunk))),
            _ => error,
        }
    }

    /// Adds the key of a chunk, and the name of the dataset, to an error in its bytes.
    pub fn in_chunk_key(self, chunk: u64, error: Error) -> Error {
        match self.open() {
            Ok(reader) => self.named_chunk(chunk, reader.in_chunk_key(self.var(), chunk, error)),
            Err(_) => self.named_chunk(chunk, error),
        }
    }
}
