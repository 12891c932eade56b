//! Codecs bound to a chunk of bytes, for tests.

use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};

/// `codec` with HDF5 parameters, bound to a chunk of `size` bytes.
pub fn bound(codec: &dyn Codec, parameters: &[u32], size: usize) -> Outcome<Box<dyn BoundCodec>> {
    let spec = ncutils_model::CodecSpec::hdf5(codec.hdf5_id().unwrap_or_default(), parameters);
    codec.bind(&spec, &ChunkType::of_bytes(size))
}

/// Encodes `input` with `codec`.
pub fn encoded(codec: &dyn Codec, parameters: &[u32], input: &[u8]) -> Outcome<Vec<u8>> {
    let mut out = vec![9; 5];
    bound(codec, parameters, input.len())?.encode(input, ChunkShape::Full, &mut out)?;
    Ok(out)
}

/// Decodes `input` with `codec` to at most `limit` bytes.
pub fn decoded(codec: &dyn Codec, parameters: &[u32], input: &[u8], limit: usize) -> Outcome<Vec<u8>> {
    let mut out = vec![9; 5];
    bound(codec, parameters, limit)?.decode(input, ChunkShape::Full, limit, &mut out)?;
    Ok(out)
}

/// The bytes of a text of hexadecimal digits.
pub fn unhexed(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}
