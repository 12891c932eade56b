#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
//! Codecs, which HDF5 calls filters. Each has a file of its name in the folder of its family, such as `compressors/bzip2.rs`: names,
//! encoder and decoder.
//!
//! ```text
//! "v,2|1,5" ─► spec ─► AskedCodec ─► working ─► CodecSpec, as stored in a file
//!                                                          │
//!                                  Registry, ChunkType ─► bind ─► Pipeline: chunk ◄─► EncodedChunk
//! ```
//!
//! - [`codec`]: the traits of a codec, free and bound, and what chunks it is bound to
//! - [`registry`]: the known codecs, and the filters that are registered with HDF5
//! - [`pipeline`]: the codecs of one variable, bound to its chunks; `pipeline/pipeline.rs` encodes and decodes a chunk
//! - [`spec`]: the argument of `nccopy -F`, and codecs as users ask for them
//! - the codecs by family: [`deflate`], [`compressors`], `blosc`, `blosc2`, [`szip`], [`zfp`], [`shuffle`], [`numbers`],
//!   [`checksum`], [`zarr_only`]
//!
//! The Zarr names of lz4 stand for another stream than its HDF5 id.
//!
//! Blosc and Blosc2 have cargo features, `blosc` and `blosc2`, which are on by default.
//!
//! [`Registry::builtin`] lists all codecs by their ids, and `docs/formats/filters.md` shows them with their names.

#[cfg(feature = "blosc")]
pub mod blosc;
#[cfg(feature = "blosc2")]
pub mod blosc2;
pub mod checksum;
pub mod codec;
pub mod compressors;
pub mod deflate;
pub mod numbers;
pub mod pipeline;
pub mod registry;
pub mod shuffle;
pub mod spec;
pub mod szip;
#[cfg(test)]
mod test_codec;
pub mod zarr_only;
pub mod zfp;

pub use codec::chunk_type::{ChunkShape, ChunkType, NumberClass};
pub use codec::codec::{BoundCodec, Codec};
pub use codec::codec_input::CodecInput;
pub use codec::decode_memory::{DecodeMemory, HeldMemory};
pub use codec::encoded_test::{ContentLength, EncodedTest};
pub use codec::extensions::{MovedParameters, StoredParameters, ZarrForm};
pub use codec::facts::CodecFacts;
pub use codec::finder::CodecFinder;
pub use codec::members::{Member, listed as listed_members};
pub use codec::outcome::Outcome;
pub use codec::program::Program;
pub use deflate::deflate_wrapper::DeflateWrapper;
pub use pipeline::chain_end::ChainEnd;
pub use pipeline::passing::Tested;
pub use pipeline::pipeline::{EncodedChunk, Pipeline, Scratch};
pub use pipeline::shared_pipelines::SharedPipelines;
pub use registry::registered::{is_registered_as_lossy, registered_name};
pub use registry::registry::Registry;
pub use spec::asked_codec::{AskedCodec, ELEMENT_CODECS, Effort, VLEN_ARRAY, VLEN_UTF8};

/// An HDF5 id in 256–511, a range reserved for tests. No codec will ever be built in with this id.
pub const UNKNOWN_ID: u32 = 511;
