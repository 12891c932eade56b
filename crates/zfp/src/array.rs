//! Whole arrays: checks of lengths, and buffers as zfp needs them.

use crate::{Header, ffi};

/// The reason for which an array was not compressed or decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The data has another length than the array of the header.
    #[error("{given} bytes instead of the {expected} that its parameters state")]
    Length {
        /// Length of the data, in bytes.
        given: usize,
        /// Length of the array, in bytes.
        expected: usize,
    },
    /// The output would be longer than the caller allows.
    #[error("more than the {0} bytes expected")]
    OutputTooLong(usize),
    /// The header's limits on the bits of a block cannot be encoded with.
    #[error("its parameters allow too few or too many bits for a block")]
    BlockBits,
    /// The stream ends within a block.
    #[error("the zfp stream ends too early")]
    TooShort,
    /// The system has not enough memory.
    #[error("not enough memory for {0} bytes")]
    NoMemory(usize),
}

/// Compresses an array into `out`, replacing its content. The length is a multiple of eight bytes.
///
/// # Errors
/// [`Error::Length`], [`Error::BlockBits`], [`Error::NoMemory`].
pub fn compress(header: &Header, data: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let expected = header.byte_count();
    if expected != Some(data.len()) {
        return Err(Error::Length {
            given: data.len(),
            expected: expected.unwrap_or(usize::MAX),
        });
    }
    let bits = header.block_bits().ok_or(Error::BlockBits)?;
    let room = header
        .block_count()
        .and_then(|blocks| blocks.checked_mul(bits))
        .ok_or(Error::BlockBits)?
        / 8;
    let mut numbers = aligned(data, data.len())?;
    let mut stream = zeros(room.saturating_add(ffi::PADDING))?;
    let length = ffi::compress(header, &mut numbers, &mut stream).ok_or(Error::NoMemory(room))?;
    copy(&stream, length, out)
}

/// Decompresses a stream into `out`, replacing its content. The header states the length of the output, and `limit` is
/// the maximum, in bytes.
///
/// # Errors
/// [`Error::OutputTooLong`], [`Error::TooShort`], [`Error::NoMemory`].
pub fn decompress(header: &Header, input: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let size = header
        .byte_count()
        .filter(|size| *size <= limit)
        .ok_or(Error::OutputTooLong(limit))?;
    // Each block has a bit at least.
    if header.block_count().is_none_or(|blocks| blocks / 8 > input.len()) {
        return Err(Error::TooShort);
    }
    let mut stream = aligned(input, input.len().saturating_add(ffi::PADDING))?;
    let mut numbers = zeros(size)?;
    match ffi::decompress(header, &mut stream, input.len(), &mut numbers) {
        Some(true) => copy(&numbers, size, out),
        Some(false) => Err(Error::TooShort),
        None => Err(Error::NoMemory(size)),
    }
}

/// At least `size` zeros, aligned for any number.
fn zeros(size: usize) -> Result<Vec<u64>, Error> {
    let words = size.div_ceil(8);
    let mut tried = Vec::<u64>::new();
    tried
        .try_reserve_exact(words)
        .map_err(|_| Error::NoMemory(size))?;
    drop(tried);
    // The system's zero pages take no memory until they are touched.
    Ok(vec![0; words])
}

/// The bytes, aligned for any number and followed by zeros up to at least `size` bytes.
fn aligned(bytes: &[u8], size: usize) -> Result<Vec<u64>, Error> {
    let mut words = zeros(size.max(bytes.len()))?;
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(padded);
    }
    Ok(words)
}

/// Copies the first `size` bytes of `words` to `out`, replacing its content.
fn copy(words: &[u64], size: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    out.clear();
    out.try_reserve_exact(size.div_ceil(8) * 8)
        .map_err(|_| Error::NoMemory(size))?;
    out.extend(
        words[..size.div_ceil(8)]
            .iter()
            .flat_map(|word| word.to_ne_bytes()),
    );
    out.truncate(size);
    Ok(())
}
