//! Codecs, which HDF5 calls filters. Each has a file with its names, encoder and decoder.
//!
//! ```text
//! "v,2|1,5" ─► spec ─► (id, parameters) ─► working ─► CodecSpec, as stored in a file
//!                                                          │
//!                                  Registry, ChunkType ─► bind ─► Pipeline: chunk ◄─► EncodedChunk
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `codec` | the traits of a codec, free and bound |
//! | [`registry`] | the known codecs; comparison of the streams that two specs make |
//! | [`chunk_type`] | the properties of chunks that a codec may depend on |
//! | [`pipeline`] | the codecs of one variable, bound to its chunks |
//! | `copy_back` | back references, for decoders |
//! | `room` | buffers of a known size |
//! | `shared_pipelines` | one pipeline for variables with equal codecs and chunks |
//! | `working` | parameters as stored in a file |
//! | [`spec`] | the argument of `nccopy -F` |
//! | [`json_text`] | codecs as JSON, for users |
//!
//! The Zarr names of lz4 stand for another stream than its HDF5 id.
//!
//! | id | file | HDF5's name | Zarr v2 | Zarr v3 |
//! | --- | --- | --- | --- | --- |
//! | 1 | [`deflate`] | deflate | zlib | numcodecs.zlib |
//! | 2 | [`shuffle`] | shuffle | shuffle | numcodecs.shuffle |
//! | 3 | [`fletcher32`] | fletcher32 | fletcher32 | numcodecs.fletcher32 |
//! | 4 | [`szip`] | szip | | |
//! | 5 | [`nbit`] | nbit | | |
//! | 307 | [`bzip2`] | bzip2 | bz2 | numcodecs.bz2 |
//! | 32000 | [`lzf`] | lzf | | |
//! | 32004 | [`lz4`] | lz4 | lz4 | numcodecs.lz4 |
//! | 32008 | [`bitshuffle`] | bitshuffle | | |
//! | 32015 | [`zstd`] | zstd | zstd | zstd, numcodecs.zstd |

pub mod bitshuffle;
pub mod bzip2;
pub mod chunk_type;
mod codec;
mod copy_back;
pub mod deflate;
pub mod fletcher32;
pub mod json_text;
pub mod lz4;
pub mod lzf;
pub mod nbit;
pub mod pipeline;
pub mod registry;
mod room;
mod shared_pipelines;
pub mod shuffle;
pub mod spec;
pub mod szip;
mod working;
pub mod zstd;

/// An HDF5 id in 256–511, a range reserved for tests. No codec will ever be built in with this id.
#[cfg(test)]
pub(crate) const UNKNOWN_ID: u32 = 511;

pub use chunk_type::{ChunkShape, ChunkType, NumberClass};
pub use codec::{BoundCodec, Codec, Outcome};
pub use pipeline::{EncodedChunk, Pipeline, Scratch};
pub use registry::Registry;
pub use shared_pipelines::SharedPipelines;

/// `codec` with HDF5 parameters, bound to a chunk of `size` bytes.
#[cfg(test)]
fn bound(codec: &dyn Codec, parameters: &[u32], size: usize) -> Outcome<Box<dyn BoundCodec>> {
    let spec = crate::model::CodecSpec::hdf5(codec.hdf5_id().unwrap_or_default(), parameters);
    codec.bind(&spec, &ChunkType::of_bytes(size))
}

/// Encodes `input` with `codec`.
#[cfg(test)]
fn encoded(codec: &dyn Codec, parameters: &[u32], input: &[u8]) -> Outcome<Vec<u8>> {
    let mut out = vec![9; 5];
    bound(codec, parameters, input.len())?.encode(input, ChunkShape::Full, &mut out)?;
    Ok(out)
}

/// Decodes `input` with `codec` to at most `limit` bytes.
#[cfg(test)]
fn decoded(codec: &dyn Codec, parameters: &[u32], input: &[u8], limit: usize) -> Outcome<Vec<u8>> {
    let mut out = vec![9; 5];
    bound(codec, parameters, limit)?.decode(input, ChunkShape::Full, limit, &mut out)?;
    Ok(out)
}
