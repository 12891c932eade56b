//! One stream of an inner compressor, without Blosc's header. Blosc2 stores the same streams in its own frames.
//!
//! C-Blosc is given a buffer of one block with one stream: the header, the start of the block, the length of the stream,
//! and the stream. Snappy's library wants more room than the input takes, so it makes no streams here.

use std::ops::Range;

use crate::header::{STORED, VERSION};
use crate::limits::HEADER_LENGTH;
use crate::{Compressor, Error, Header, MAX_INPUT, Settings, Shuffle, compress, decompress};

/// Where the stream begins in a buffer of one block.
const STREAM: usize = HEADER_LENGTH + 8;

/// The flag of blocks with one stream each.
const NOT_SPLIT: u8 = 0x10;

/// Longest block, in bytes, that C-Blosc leaves as it is if it would split it.
const LONGEST_SPLIT: usize = 256 << 10;

/// Element sizes, in bytes, with which C-Blosc splits no block.
const NEVER_SPLIT: std::ops::RangeInclusive<usize> = 17..=255;

/// The size of elements with which C-Blosc makes one block of `length` bytes. `None` if it cannot.
fn element_size(compressor: Compressor, length: usize) -> Option<usize> {
    match compressor {
        Compressor::Zstd => Some(1),
        _ if length <= LONGEST_SPLIT => Some(1),
        // A block is a multiple of its elements.
        _ => NEVER_SPLIT.rev().find(|size| length.is_multiple_of(*size)),
    }
}

/// True if C-Blosc can make one stream of `length` bytes. It can of all multiples of 32.
pub fn is_stream_length(compressor: Compressor, length: usize) -> bool {
    element_size(compressor, length).is_some()
}

impl Compressor {
    /// The number of the format of its streams, which LZ4 and its mode for smaller output share.
    pub fn format(self) -> u8 {
        match self {
            Self::BloscLz => 0,
            Self::Lz4 | Self::Lz4Hc => 1,
            Self::Snappy => 2,
            Self::Zlib => 3,
            Self::Zstd => 4,
        }
    }

    /// A compressor whose streams have the format of this number.
    pub fn of_format(format: u8) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|compressor| compressor.format() == format)
    }
}

/// Compresses `input` into a stream. `buffer` is replaced, and the stream is the range of it that is returned. `None` if
/// the stream would not be shorter than the input, or if C-Blosc cannot make one of such length. Levels are 1 to 9.
///
/// # Errors
/// [`Error::InputTooLong`], [`Error::NoMemory`].
pub fn compress_stream(
    compressor: Compressor,
    level: u32,
    input: &[u8],
    buffer: &mut Vec<u8>,
) -> Result<Option<Range<usize>>, Error> {
    let Some(type_size) = element_size(compressor, input.len()) else {
        return Ok(None);
    };
    let settings = Settings {
        compressor,
        level: level.max(1),
        shuffle: Shuffle::No,
        type_size,
        block_size: input.len(),
    };
    match compress(&settings, input, input.len() + HEADER_LENGTH, buffer) {
        Ok(()) => {}
        Err(Error::OutputTooLong(_)) => return Ok(None),
        Err(error) => return Err(error),
    }
    let header = Header::parse(buffer)?;
    let one_block = header.block_size == input.len() && header.flags & STORED == 0;
    let length = buffer.len().saturating_sub(STREAM);
    Ok((one_block && (1..input.len()).contains(&length)).then_some(STREAM..buffer.len()))
}

/// Decompresses a stream into `out`, replacing its content. `size` is the length of the output, and differs from that of
/// the stream. Blosc needs about four times `size` as working memory.
///
/// # Errors
/// [`Error::Damaged`], [`Error::NoMemory`].
pub fn decompress_stream(
    compressor: Compressor,
    stream: &[u8],
    size: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    if size > MAX_INPUT || stream.len() > MAX_INPUT - STREAM {
        return Err(Error::InputTooLong);
    }
    let words = [size, size, STREAM + stream.len(), HEADER_LENGTH + 4, stream.len()];
    let mut buffer = Vec::new();
    buffer
        .try_reserve_exact(STREAM + stream.len())
        .map_err(|_| Error::NoMemory(stream.len()))?;
    buffer.extend([VERSION, 1, NOT_SPLIT | compressor.format() << 5, 1]);
    buffer.extend(words.iter().flat_map(|word| (*word as u32).to_le_bytes()));
    buffer.extend(stream);
    decompress(&buffer, size, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All but Snappy.
    fn with_streams() -> impl Iterator<Item = Compressor> {
        let all = Compressor::ALL.into_iter();
        all.filter(|compressor| *compressor != Compressor::Snappy)
    }

    #[test]
    fn streams_of_each_compressor() {
        let input = b"a stream of words, a stream of bytes; ".repeat(40);
        for compressor in with_streams() {
            for level in 1..=9 {
                let mut buffer = vec![1; 5];
                let range = compress_stream(compressor, level, &input, &mut buffer).unwrap();
                let Some(range) = range else {
                    // It gives up on what looks hard to compress.
                    assert_eq!(compressor, Compressor::BloscLz);
                    assert!(level < 9);
                    continue;
                };
                let stream = buffer[range].to_vec();
                assert!(stream.len() < input.len() / 4);
                let mut out = vec![9];
                let format = Compressor::of_format(compressor.format()).unwrap();
                decompress_stream(format, &stream, input.len(), &mut out).unwrap();
                assert_eq!(out, input);
                for end in 0..stream.len() - 1 {
                    assert!(decompress_stream(format, &stream[..end], input.len(), &mut out).is_err());
                }
            }
        }
    }

    #[test]
    fn long_streams() {
        let input: Vec<u8> = (0..2_000_000u32).map(|i| (i / 7) as u8).collect();
        for compressor in with_streams() {
            for length in [256 << 10, 600_000, 2_000_000] {
                assert!(is_stream_length(compressor, length));
                let mut buffer = Vec::new();
                let range = compress_stream(compressor, 5, &input[..length], &mut buffer)
                    .unwrap()
                    .unwrap();
                let stream = buffer[range].to_vec();
                decompress_stream(compressor, &stream, length, &mut buffer).unwrap();
                assert!(buffer == input[..length]);
            }
        }
        assert!(!is_stream_length(Compressor::Lz4, 1_000_003));
        assert_eq!(
            compress_stream(Compressor::Lz4, 5, &input[..1_000_003], &mut Vec::new()).unwrap(),
            None
        );
    }

    #[test]
    fn noise_and_short_inputs_have_no_stream() {
        let noise: Vec<u8> = (0..1000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        for input in [&noise[..], &noise[..1], &[]] {
            assert_eq!(
                compress_stream(Compressor::Lz4, 5, input, &mut Vec::new()).unwrap(),
                None
            );
        }
    }
}
