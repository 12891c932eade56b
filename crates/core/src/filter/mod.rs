//! Codecs, which HDF5 calls filters. Each has a file with its names, encoder and decoder.
//!
//! ```text
//! "v,2|1,5" ─► spec ─► AskedCodec ─► working ─► CodecSpec, as stored in a file
//!                                                          │
//!                                  Registry, ChunkType ─► bind ─► Pipeline: chunk ◄─► EncodedChunk
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `codec` | the traits of a codec, free and bound |
//! | [`registry`] | the known codecs; comparison of the streams that two specs make |
//! | `finder` | codecs that a registry asks for when it needs them, such as plugins |
//! | `registered` | the names of filters that are registered with HDF5 |
//! | [`chunk_type`] | the properties of chunks that a codec may depend on |
//! | [`pipeline`] | the codecs of one variable, bound to its chunks |
//! | `chain_end` | chains that differ at their outer end; changing chunks there alone |
//! | `copy_back` | back references, for decoders |
//! | `room` | buffers of a known size |
//! | `shared_pipelines` | one pipeline for variables with equal codecs and chunks |
//! | `members` | named parameters, for lists and messages |
//! | `asked_codec` | a codec as a user asks for it |
//! | `working` | parameters as stored in a file |
//! | `zarr_configuration` | reading the configuration of a codec that only Zarr has |
//! | `nearest` | rounding of floats |
//! | `numpy_type` | types of numbers as such codecs name them, and conversion between them |
//! | [`spec`] | the argument of `nccopy -F` |
//! | `json_scalar` | numbers as version 3 of Zarr writes them in JSON |
//! | [`json_text`] | codecs as JSON, for users |
//! | `avx512`, `squares` | transposition of bytes and bits |
//! | `noise`, `deflate_blocks` | what no encoder shortens; deflate streams around it |
//! | `deflate_wrapper` | zlib and gzip around one deflate stream |
//!
//! The Zarr names of lz4 stand for another stream than its HDF5 id.
//!
//! Blosc, Blosc2 and zfp have cargo features: `blosc` and `blosc2` are on by default, `zfp` is off. Without its feature,
//! zfp's parameters are still known, for plugins.
//!
//! | id | file | HDF5's name | Zarr v2 | Zarr v3 |
//! | --- | --- | --- | --- | --- |
//! | 1 | [`deflate`] | deflate | zlib | numcodecs.zlib |
//! | 2 | [`shuffle`] | shuffle | shuffle | numcodecs.shuffle |
//! | 3 | [`fletcher32`] | fletcher32 | fletcher32 | numcodecs.fletcher32 |
//! | 4 | [`szip`] | szip | szip | |
//! | 5 | [`nbit`] | nbit | | |
//! | 6 | [`scale_offset`] | scaleoffset | | |
//! | 307 | [`bzip2`] | bzip2 | bz2 | numcodecs.bz2 |
//! | 32000 | [`lzf`] | lzf | | |
//! | 32001 | `blosc` | blosc | blosc | blosc, numcodecs.blosc |
//! | 32004 | [`lz4`] | lz4 | lz4 | numcodecs.lz4 |
//! | 32008 | [`bitshuffle`] | bitshuffle | | |
//! | 32013 | [`zfp`] | zfp | | |
//! | 32015 | [`zstd`] | zstd | zstd | zstd, numcodecs.zstd |
//! | 32022 | [`quantized`] | bitgroom | | |
//! | 32023 | [`quantized`] | granularbr | | |
//! | 32026 | `blosc2` | blosc2 | | |
//! | | [`checksum32`] | | adler32 | numcodecs.adler32 |
//! | | [`astype`] | | astype | numcodecs.astype |
//! | | [`bit_round`] | | bitround | numcodecs.bitround |
//! | | [`cast_value`] | | | cast_value |
//! | | [`checksum32`] | | crc32 | numcodecs.crc32 |
//! | | [`checksum32`] | | crc32c | crc32c, numcodecs.crc32c |
//! | | [`delta`] | | delta | numcodecs.delta |
//! | | [`fixed_scale_offset`] | | fixedscaleoffset | numcodecs.fixedscaleoffset |
//! | | [`gzip`] | | gzip | gzip, numcodecs.gzip |
//! | | [`lzma`] | | lzma | numcodecs.lzma |
//! | | [`pack_bits`] | | packbits | numcodecs.packbits |
//! | | [`quantize`] | | quantize | numcodecs.quantize |
//! | | [`zarr_scale_offset`] | | | scale_offset |
//! | | [`transpose`] | | | transpose |

mod asked_codec;
pub mod astype;
mod avx512;
pub mod bit_round;
pub mod bitshuffle;
#[cfg(feature = "blosc")]
pub mod blosc;
#[cfg(feature = "blosc2")]
pub mod blosc2;
#[cfg(target_arch = "x86_64")]
mod byte_counts;
mod byte_positions;
pub mod bzip2;
pub mod cast_value;
mod chain_end;
pub mod checksum32;
pub mod chunk_type;
mod codec;
mod copy_back;
pub mod deflate;
mod deflate_blocks;
mod deflate_by_planes;
mod deflate_wrapper;
pub mod delta;
mod finder;
pub mod fixed_scale_offset;
pub mod fletcher32;
pub mod gzip;
mod json_scalar;
pub mod json_text;
pub mod lz4;
pub mod lzf;
pub mod lzma;
mod members;
pub mod nbit;
mod nearest;
mod netcdf_c_spelling;
mod noise;
mod numpy_type;
pub mod pack_bits;
pub mod pipeline;
mod plane;
pub mod quantize;
pub mod quantized;
mod registered;
pub mod registry;
mod room;
pub mod scale_offset;
mod shared_pipelines;
pub mod shuffle;
pub mod spec;
mod squares;
pub mod szip;
pub mod transpose;
#[cfg(target_arch = "x86_64")]
mod vector_memory;
mod working;
mod zarr_configuration;
pub mod zarr_scale_offset;
pub mod zfp;
pub mod zstd;

/// An HDF5 id in 256–511, a range reserved for tests. No codec will ever be built in with this id.
#[cfg(test)]
pub(crate) const UNKNOWN_ID: u32 = 511;

pub use asked_codec::{AskedCodec, Effort, VLEN_UTF8};
pub use chain_end::ChainEnd;
pub use chunk_type::{ChunkShape, ChunkType, NumberClass};
pub use codec::{BoundCodec, Codec, Outcome, Program};
pub use deflate_wrapper::DeflateWrapper;
pub use finder::CodecFinder;
pub use members::{Member, listed as listed_members};
pub use pipeline::{EncodedChunk, Pipeline, Scratch};
pub use registered::{is_registered_as_lossy, registered_name};
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

/// The bytes of a text of hexadecimal digits.
#[cfg(test)]
fn unhexed(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}
