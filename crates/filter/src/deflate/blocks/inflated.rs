//! Decoders for tests of blocks.

use std::io::Read;

use libdeflater::Decompressor;

/// Inflates a whole stream with two decoders.
pub fn inflated(stream: &[u8], length: usize) -> Vec<u8> {
    let mut out = vec![0; length + 1];
    let size = Decompressor::new().deflate_decompress(stream, &mut out).unwrap();
    out.truncate(size);
    let mut other = Vec::new();
    flate2::read::DeflateDecoder::new(stream)
        .read_to_end(&mut other)
        .unwrap();
    assert!(out == other);
    out
}
