//! The contracts of a codec, and what every codec uses.
//!
//! ```text
//! Codec: facts ── bind: CodecSpec, ChunkType ─► BoundCodec: bytes ◄─► encoded bytes
//! ```
//!
//! `facts` are the names, properties and extensions of a codec, `codec_input` what it takes, and `program` the programs that
//! may lack it. `extensions` has the traits that only some codecs have, and `asked` the answers of codecs that lack them.
//! `members` names parameters for lists and messages. `finder` finds codecs that a registry lacks, such as plugins. `room`
//! makes buffers of a known size, and `decode_memory` bounds what decoded chunks take. `netcdf_c_spelling` reads
//! configurations that only netCDF-C writes. `encoded_test` tells what encoded bytes are tested for without decoding.

mod asked;
pub mod chunk_type;
pub mod codec;
pub mod codec_input;
pub mod decode_memory;
pub mod encoded_test;
pub mod extensions;
pub mod facts;
pub mod finder;
pub mod members;
pub mod netcdf_c_spelling;
pub mod outcome;
pub mod program;
pub mod room;
