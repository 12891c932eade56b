//! Tests of encoded bytes that need no decoding: [`EncodedTest`], what one found, and [`ContentLength`], what it may expect.
//!
//! A copy passes most chunks as they are stored, and damage would pass with them. The tests find the common damage, bytes
//! that are cut off or became zeros, at a small part of the cost of decoding. Where a checksum covers the encoded bytes, they
//! find any damage.
//!
//! | codec | test |
//! | --- | --- |
//! | fletcher32, crc32c, crc32, adler32 | the checksum |
//! | zstd | each frame and block to the exact end, the stated length of the content |
//! | LZ4, bitshuffle with LZ4 or zstd | the stated length of the content, the length of each block to the exact end |
//! | Blosc | the header: lengths of buffer and content; each block begins inside |
//! | Blosc2 | header and trailer of the frame: its length, that of its parts |
//! | gzip | the header, the first deflate block, the stated length of the content |
//! | deflate | the header, the first deflate block, a trailer that an Adler-32 can be |
//! | bzip2 | the marks at the beginning and the end |
//! | .xz | the header, the footer, and their checksums |
//! | szip | the stated length of the content |
//! | shuffle and others of fixed length | the length |
//! | LZF, deflate, gzip, zstd, bzip2 | no page of zeros inside, which a compressor hardly makes |
//!
//! Checksums of the content (Adler-32 of zlib, CRC-32 of gzip and bzip2, xxHash of zstd) are not compared: decoding costs
//! several times what passing does.
//!
//! A test may suspect bytes that are sound, such as a stream with bytes behind its end. So what it suspects is decoded, and
//! the decoder's word counts.

use crate::Outcome;

/// What a test of encoded bytes found, if it suspects nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodedTest<'a> {
    /// A checksum of all bytes fits. These are the bytes that it protects, which the codecs before have made.
    Checksum(&'a [u8]),
    /// Marks and lengths in the bytes fit each other and the content.
    Structure,
    /// Nothing can be told without decoding.
    Nothing,
}

/// The number of bytes that an encoded chunk decodes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentLength {
    /// The largest number.
    pub most: usize,
    /// True if it is the only one. A codec of variable length before this one makes it unknown.
    pub is_exact: bool,
}

impl ContentLength {
    /// Suspects a stated length that the content cannot have.
    ///
    /// # Errors
    /// Both lengths.
    pub fn check(self, stated: u64) -> Outcome {
        let fits = match self.is_exact {
            true => stated == self.most as u64,
            false => stated <= self.most as u64,
        };
        match fits {
            true => Ok(()),
            false => Err(format!(
                "it states {stated} bytes of content instead of {}",
                self.most
            )),
        }
    }
}

/// Bytes of a page of memory, and of a block of most file systems: what is lost of a file at once.
pub(crate) const PAGE: usize = 4096;

/// Suspects a page of zeros in a compressed stream. Only content that compresses to a thousandth makes one.
///
/// # Errors
/// The place of the zeros.
pub(crate) fn check_zeros(stream: &[u8]) -> Outcome {
    /// Any run of `PAGE` zeros has a whole part of this length.
    const PART: usize = PAGE / 2;
    /// Bytes that are looked at first.
    const BEGIN: usize = 16;
    let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
    let part = |part: &[u8]| is_zero(&part[..BEGIN]) && is_zero(part);
    match stream.chunks_exact(PART).position(part) {
        Some(number) => Err(format!("byte {} begins a run of zeros", number * PART)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_page_of_zeros_is_suspected() {
        let mut stream = vec![1u8; 5 * PAGE];
        assert_eq!(check_zeros(&stream), Ok(()));
        for at in (0..4 * PAGE).step_by(97) {
            stream[at..at + PAGE].fill(0);
            assert!(check_zeros(&stream).is_err(), "{at}");
            stream[at..at + PAGE].fill(1);
        }
        stream[1..PAGE / 2].fill(0);
        assert_eq!(check_zeros(&stream), Ok(()));
    }

    #[test]
    fn lengths_are_compared() {
        let exact = |is_exact| ContentLength { most: 10, is_exact };
        assert!(exact(true).check(10).is_ok() && exact(true).check(9).is_err());
        assert!(exact(false).check(9).is_ok() && exact(false).check(11).is_err());
    }
}
