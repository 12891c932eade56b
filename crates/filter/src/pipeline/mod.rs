//! The codecs of one variable, bound to its chunks.
//!
//! ```text
//! CodecSpecs, ChunkType, Registry ─► Pipeline: chunk ◄─► EncodedChunk with HDF5's filter mask
//! ```
//!
//! `shared_pipelines` keeps one pipeline for variables with equal codecs and chunks. `chain_end` changes chunks at the outer
//! end of a chain alone, where two chains differ only there. `passing` tests chunks that pass without being decoded.

pub mod chain_end;
pub mod passing;
pub mod pipeline;
pub mod shared_pipelines;

pub use self::pipeline::{ALL_SKIPPED, MAX_FILTERS, check_size};
