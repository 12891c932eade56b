//! The contracts of a codec, and what every codec uses.
//!
//! ```text
//! Codec (names, parameters) ── bind: CodecSpec, ChunkType ─► BoundCodec: bytes ◄─► encoded bytes
//! ```
//!
//! `members` names parameters for lists and messages. `finder` finds codecs that a registry lacks, such as plugins. `room`
//! makes buffers of a known size. `netcdf_c_spelling` reads configurations that only netCDF-C writes.

pub mod chunk_type;
pub mod codec;
pub mod finder;
pub mod members;
pub mod netcdf_c_spelling;
pub mod room;
