//! Filters: one file each, with its HDF5 id, encode and decode.
//!
//! A filter is a pure function of its input; a [`pipeline`] runs several of them over one chunk.
//!
//! ```text
//! "v,2|1,5" ─► spec ─► (id, parameters) ─► working ─► FilterSpec, as stored in a file
//!                                                          │
//! chunk ─► pipeline::encode ── registry: id ─► &dyn Filter ┴─► EncodedChunk ─► pipeline::decode ─► chunk
//! ```
//!
//! | id | file | HDF5's name |
//! | --- | --- | --- |
//! | 1 | [`deflate`] | deflate |
//! | 2 | [`shuffle`] | shuffle |
//! | 3 | [`fletcher32`] | fletcher32 |
//! | 4 | [`szip`] | szip |
//! | 5 | [`nbit`] | nbit |
//! | 307 | [`bzip2`] | bzip2 |
//! | 32015 | [`zstd`] | zstd |

pub mod bzip2;
pub mod deflate;
pub mod fletcher32;
pub mod nbit;
pub mod pipeline;
pub mod registry;
pub mod shuffle;
pub mod spec;
pub mod szip;
pub mod working;
pub mod zstd;

use crate::error::{Error, Result};
use crate::model::Endian;

/// One chunk as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedChunk {
    /// The bytes after the filters.
    pub bytes: Vec<u8>,
    /// HDF5's filter mask: bit i set means that filter i of the pipeline was skipped.
    pub filter_mask: u32,
}

/// What a filter may need to know besides its parameters and input.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Bytes of one element.
    pub element_size: usize,
    /// Bytes of the whole chunk before any filter: an upper bound for what decoding may give.
    pub chunk_size: usize,
}

#[cfg(test)]
impl Context {
    /// That of a chunk of `chunk_size` elements of one byte.
    fn of_bytes(chunk_size: usize) -> Self {
        Self {
            element_size: 1,
            chunk_size,
        }
    }
}

/// What filters may ask of the elements of a variable when their parameters are worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Bytes of one element in storage.
    pub size: usize,
    /// The byte order of a number (integer, float or enum); `None` for text and all other types. Numbers of one
    /// byte are little-endian, as libhdf5's native ones are.
    pub number: Option<Endian>,
}

/// One filter.
pub trait Filter: Send + Sync {
    /// The id registered with HDF5.
    fn id(&self) -> u32;

    /// The filter's name, as HDF5 plugins give it.
    fn name(&self) -> &'static str;

    /// Encodes `input` into `out`, whose earlier content is lost.
    ///
    /// # Errors
    /// Bad parameters, or input that this filter cannot encode: a pipeline leaves the filter out then where it is
    /// optional.
    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()>;

    /// Decodes `input` into `out`, whose earlier content is lost. Never allocates more than the context justifies.
    ///
    /// # Errors
    /// Bad parameters, damaged input, or more output than `context.chunk_size`.
    fn decode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()>;

    /// The parameters that libhdf5 stores when a user gives `visible` ones: as given, unless the filter says
    /// otherwise.
    ///
    /// # Errors
    /// [`Error::Usage`], in words for the user: parameters out of range, or a type or chunk shape to which the
    /// filter cannot be applied.
    fn working_parameters(&self, visible: &[u32], element: Element, chunk_shape: &[u64]) -> Result<Vec<u32>> {
        let _ = (element, chunk_shape);
        Ok(visible.to_vec())
    }
}

/// The error of a filter on its input.
fn failure(filter: &dyn Filter, why: impl Into<String>) -> Error {
    Error::Filter {
        id: filter.id(),
        name: filter.name(),
        why: why.into(),
    }
}

/// The error of a user's parameters for a filter.
fn misuse(filter: &dyn Filter, why: impl std::fmt::Display) -> Error {
    Error::Usage(format!("filter {} ({}) {why}", filter.id(), filter.name()))
}
