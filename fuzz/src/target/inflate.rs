//! Fuzzes the decoder of deflate against libdeflate and zlib-rs. An input is a chunk as HDF5 stores it, behind the length of its content:
//!
//! ```text
//! length of the content: 3 bytes │ zlib stream
//! ```

use std::io::Read;
use std::path::Path;

use flate2::bufread::ZlibDecoder;
use libdeflater::Decompressor;
use ncutils_core::filter::{ChunkShape, ChunkType, EncodedChunk, NumberClass, Registry, Scratch};
use ncutils_core::model::{CodecSpec, Endian};

use super::planes;
use crate::Seed;

/// The id of deflate in HDF5.
const DEFLATE: u32 = 1;

/// Largest content, in bytes.
const MOST: usize = 1 << 20;

/// Decodes the stream by all three.
pub fn compare(input: &[u8]) {
    let Some(([low, middle, high], stream)) = input.split_first_chunk() else {
        return;
    };
    let length = u32::from_le_bytes([*low, *middle, *high, 0]) as usize;
    if length == 0 || length > MOST {
        return;
    }
    let chunk = ChunkType::of_numbers(NumberClass::Unsigned, 1, Endian::Little, &[length as u64]);
    let pipeline = Registry::builtin()
        .bind(&[CodecSpec::hdf5(DEFLATE, [5])], &chunk)
        .expect("deflate is built in");
    let encoded = EncodedChunk {
        bytes: stream.to_vec(),
        filter_mask: 0,
    };
    let ours = pipeline.decode(encoded, ChunkShape::Full, &mut Scratch::new());
    let mut theirs = Vec::new();
    let mut inflater = ZlibDecoder::new(stream).take(MOST as u64 + 1);
    let ended = inflater.read_to_end(&mut theirs).is_ok();
    let is_whole = ended && inflater.get_ref().total_in() == stream.len() as u64 && theirs.len() == length;
    let mut theirs_at_once = vec![0; length];
    let at_once = Decompressor::new().zlib_decompress(stream, &mut theirs_at_once);
    match (&ours, at_once) {
        (Ok(ours), Ok(size)) => assert!(*ours == theirs_at_once[..size], "libdeflate decodes to the same"),
        (Err(error), Ok(size)) => assert!(size != length, "libdeflate decodes what is refused: {error}"),
        // Bytes before the checksum, which belong to no block, are passed over here alone.
        (_, Err(_)) => {}
    }
    match ours {
        Ok(ours) => assert!(theirs.starts_with(&ours), "both decode to the same"),
        Err(error) => assert!(!is_whole, "zlib decodes what is refused: {error}"),
    }
}

/// Streams of our encoder, of what its blocks are chosen by, and of its levels.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let of = |seed: Seed| {
        let (content, level) = planes::chunk(&seed.bytes)?;
        let chunk = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[content.len() as u64 / 4]);
        let content = content.get(..content.len() / 4 * 4)?;
        let pipeline = Registry::builtin()
            .bind(&[CodecSpec::hdf5(DEFLATE, [level])], &chunk)
            .ok()?;
        let encoded = pipeline
            .encode(content, ChunkShape::Full, &mut Scratch::new())
            .ok()?;
        let length = u32::try_from(content.len()).ok()?.to_le_bytes();
        Some(Seed::new([&length[..3], &encoded.bytes].concat()))
    };
    planes::seeds(root).into_iter().filter_map(of).collect()
}
