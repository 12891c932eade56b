//! Tests of encoded chunks that pass as they are: [`Pipeline::test`].
//!
//! ```text
//! stored bytes ─► last codec: a checksum fits ─► … ─► a codec whose stream has marks and lengths ─► Tested
//!                      │                                  │
//!                      └── suspected ──► decoded: sound, or the decoder's error ◄──┘
//! ```
//!
//! The decoder has the last word, so that the same chunks are damaged for a copy and for a check of all chunks, with the
//! same cause. What each codec tests is told in [`codec::encoded_test`](crate::codec::encoded_test).

use crate::codec::chunk_type::ChunkShape;
use crate::codec::encoded_test::{ContentLength, EncodedTest};
use crate::pipeline::pipeline::{Bound, Pipeline, Scratch};
use ncutils_model::error::{Error, Result};

/// How much of a chunk was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tested {
    /// Nothing: its last codec is not known, or tells nothing without decoding.
    Nothing,
    /// Marks and lengths: damage that leaves them as they are passes.
    Structure,
    /// All stored bytes: a checksum of them fits.
    Checksum,
    /// All of it, by decoding.
    Decoded,
}

/// A chunk that looks damaged.
#[derive(Clone, Copy)]
struct Suspect<'a> {
    /// The position of the codec whose input it is.
    position: usize,
    input: &'a [u8],
}

impl Pipeline {
    /// Tests an encoded chunk of `shape`. It is decoded to `out` only if it looks damaged.
    ///
    /// # Errors
    /// The errors of [`Pipeline::decode_into`] for a damaged chunk. A filter that is not known is none.
    pub fn test(
        &self,
        bytes: &[u8],
        filter_mask: u32,
        shape: ChunkShape,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Tested> {
        let size = self.size_of(shape)?;
        let suspect = match self.suspect(bytes, filter_mask, size) {
            Ok(tested) => return Ok(tested),
            Err(suspect) => suspect,
        };
        let is_known = |position: usize| matches!(self.stages[position].codec, Bound::Ready(_));
        if !self.active(filter_mask).all(is_known) {
            return self.test_stage(&suspect, shape, out);
        }
        let decoded = self
            .hold(size)
            .and_then(|_held| self.decode_into(bytes, filter_mask, shape, scratch, out));
        match decoded {
            Ok(()) => Ok(Tested::Decoded),
            // The chunk takes too much memory.
            Err(Error::Alternative { .. }) => self.test_stage(&suspect, shape, out),
            Err(error) => Err(error),
        }
    }

    /// Tests the stages from the last one on, as far as they tell anything.
    fn suspect<'a>(&self, bytes: &'a [u8], filter_mask: u32, size: usize) -> Result<Tested, Suspect<'a>> {
        let mut tested = Tested::Nothing;
        let mut input = bytes;
        for position in self.active(filter_mask).rev() {
            let Bound::Ready(codec) = &self.stages[position].codec else {
                return Ok(tested);
            };
            let content = self.content(filter_mask, position, size);
            let suspect = Suspect { position, input };
            let exact = codec
                .exact_encoded_size(content.most)
                .filter(|_| content.is_exact);
            if exact.is_some_and(|exact| exact != input.len()) {
                return Err(suspect);
            }
            match codec.test_encoded(input, content).map_err(|_| suspect)? {
                EncodedTest::Checksum(inner) => (tested, input) = (Tested::Checksum, inner),
                EncodedTest::Structure => return Ok(tested.max(Tested::Structure)),
                // Without a compressor, decoding costs little, and netCDF-C puts the checksum before shuffle.
                EncodedTest::Nothing if exact.is_some() && self.has_checksum(filter_mask, position) => {
                    return Err(suspect);
                }
                EncodedTest::Nothing if exact.is_some() => return Ok(tested.max(Tested::Structure)),
                EncodedTest::Nothing => return Ok(tested),
            }
        }
        match input.len() == size {
            true => Ok(tested.max(Tested::Structure)),
            false => Err(Suspect { position: 0, input }),
        }
    }

    /// True if a codec before the one at `position` adds a checksum: it makes some bytes of none.
    fn has_checksum(&self, filter_mask: u32, position: usize) -> bool {
        let mut before = self.active(filter_mask).take_while(|before| *before < position);
        before.any(|before| match &self.stages[before].codec {
            Bound::Ready(codec) => codec.exact_encoded_size(0).is_some_and(|size| size > 0),
            Bound::Unknown { .. } | Bound::Refused(_) => false,
        })
    }

    /// What the codec at `position` decodes to, in a chunk of `size` bytes.
    fn content(&self, filter_mask: u32, position: usize, size: usize) -> ContentLength {
        let before = self.active(filter_mask).take_while(|before| *before < position);
        let start = ContentLength {
            most: size,
            is_exact: true,
        };
        before.fold(start, |length, before| match &self.stages[before].codec {
            Bound::Ready(codec) => match codec.exact_encoded_size(length.most).filter(|_| length.is_exact) {
                Some(most) => ContentLength { most, ..length },
                None => ContentLength {
                    most: codec.max_encoded_size(length.most),
                    is_exact: false,
                },
            },
            Bound::Unknown { .. } | Bound::Refused(_) => ContentLength {
                most: usize::MAX,
                is_exact: false,
            },
        })
    }

    /// Decodes one stage of a chunk that cannot be decoded as a whole, if its output is no longer than its input. A suspicion
    /// alone does not refuse a chunk.
    fn test_stage(&self, suspect: &Suspect, shape: ChunkShape, out: &mut Vec<u8>) -> Result<Tested> {
        match self.stages.get(suspect.position).map(|stage| &stage.codec) {
            Some(Bound::Ready(codec)) if codec.exact_encoded_size(0).is_some() => {
                let decoded = codec.decode(suspect.input, shape, usize::MAX, out);
                decoded.map_err(|why| self.failure(suspect.position, why))?;
                Ok(Tested::Structure)
            }
            _ => Ok(Tested::Nothing),
        }
    }
}

#[cfg(test)]
mod tests;
