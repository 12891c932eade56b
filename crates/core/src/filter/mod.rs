//! Filters: one file each, with its HDF5 id, encode and decode.
//!
//! A filter is a pure function of its input; a pipeline runs several of them over one chunk.

use crate::error::Result;

/// What a filter may need to know besides its parameters and input.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Bytes of one element.
    pub element_size: usize,
    /// Bytes of the whole chunk before any filter: an upper bound for what decoding may give.
    pub chunk_size: usize,
}

/// One filter.
pub trait Filter: Send + Sync {
    /// The id registered with HDF5.
    fn id(&self) -> u32;

    /// The filter's name, as HDF5 plugins give it.
    fn name(&self) -> &'static str;

    /// Encodes `input` into `out` (cleared first).
    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()>;

    /// Decodes `input` into `out` (cleared first). Never allocates more than the context justifies.
    fn decode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()>;
}
