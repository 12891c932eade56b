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
struct Suspect<'a> {
    /// The position of the codec whose input it is.
    position: usize,
    input: &'a [u8],
    content: ContentLength,
    why: String,
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
        let decoded = self
            .hold(size)
            .and_then(|_held| self.decode_into(bytes, filter_mask, shape, scratch, out));
        match decoded {
            Ok(()) => Ok(Tested::Decoded),
            Err(Error::UnknownFilter { .. }) => self.test_stage(&suspect, shape, out),
            // It takes too much memory to be decoded.
            Err(Error::Alternative { .. }) => Err(self.failure(suspect.position, suspect.why)),
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
            let suspected = |why: String| Suspect {
                position,
                input,
                content,
                why,
            };
            let exact = codec
                .exact_encoded_size(content.most)
                .filter(|_| content.is_exact);
            if exact.is_some_and(|exact| exact != input.len()) {
                return Err(suspected(format!("{} bytes instead of {exact:?}", input.len())));
            }
            match codec.test_encoded(input, content).map_err(suspected)? {
                EncodedTest::Checksum(inner) => (tested, input) = (Tested::Checksum, inner),
                EncodedTest::Structure => return Ok(tested.max(Tested::Structure)),
                EncodedTest::Nothing if exact.is_some() => return Ok(tested.max(Tested::Structure)),
                EncodedTest::Nothing => return Ok(tested),
            }
        }
        match input.len() == size {
            true => Ok(tested.max(Tested::Structure)),
            false => Err(Suspect {
                position: 0,
                input,
                content: self.content(filter_mask, 0, size),
                why: format!("{} bytes instead of {size}", input.len()),
            }),
        }
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

    /// Decodes one stage, where the stages before it are not known.
    fn test_stage(&self, suspect: &Suspect, shape: ChunkShape, out: &mut Vec<u8>) -> Result<Tested> {
        let Bound::Ready(codec) = &self.stages[suspect.position].codec else {
            return Ok(Tested::Nothing);
        };
        let limit = suspect.content.most;
        match codec.decode(suspect.input, shape, limit, out) {
            Ok(()) => Ok(Tested::Structure),
            Err(why) => Err(self.failure(suspect.position, why)),
        }
    }
}

#[cfg(test)]
mod tests;
