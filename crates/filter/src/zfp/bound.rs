//! Encoding and decoding.

use ncutils_zfp::{Header, compress, decompress};

use crate::{BoundCodec, ChunkShape, Outcome};

/// zfp with its header.
pub struct Bound {
    pub header: Header,
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        compress(&self.header, input, out).map_err(|error| error.to_string())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        decompress(&self.header, input, limit, out).map_err(|error| error.to_string())
    }

    /// The header tells the array, so the length of the input does not matter.
    fn max_encoded_size(&self, _: usize) -> usize {
        self.header.max_stream()
    }
}
