//! One buffer in, one buffer out.

use crate::error::Error;
use crate::ffi;
use crate::header::{self, Header};
use crate::limits::{HEADER_LENGTH, MAX_INPUT};
use crate::settings::Settings;

/// Largest block, in bytes, that C-Blosc chooses.
const LARGEST_CHOSEN_BLOCK: usize = 1 << 20;

/// Compresses `input` into `out`, replacing its content. `most` is the maximum length of the output, in bytes:
/// [`HEADER_LENGTH`] more than the input is enough for any input.
///
/// # Errors
/// [`Error::InputTooLong`], [`Error::NoMemory`], and [`Error::OutputTooLong`] if the output does not fit in `most`.
pub fn compress(settings: &Settings, input: &[u8], most: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    if input.len() > MAX_INPUT {
        return Err(Error::InputTooLong);
    }
    let room = most.min(input.len() + HEADER_LENGTH);
    reserve(out, room)?;
    let block = settings.block_size.max(LARGEST_CHOSEN_BLOCK).min(input.len());
    probe(header::working_memory(block))?;
    match ffi::compress(settings, input, room, out) {
        true => Ok(()),
        false => Err(Error::OutputTooLong(most)),
    }
}

/// Decompresses `input`, which must be one whole Blosc buffer, into `out`, replacing its content. At most `limit` bytes
/// are made. Blosc needs up to twice that as working memory.
///
/// # Errors
/// [`Error::Damaged`]; [`Error::OutputTooLong`] if the header states more than `limit` bytes; [`Error::NoMemory`].
pub fn decompress(input: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let header = Header::parse(input)?;
    if header.decoded_size > limit {
        return Err(Error::OutputTooLong(limit));
    }
    header.check(input.len())?;
    reserve(out, header.decoded_size)?;
    if header.decoded_size == 0 {
        return Ok(());
    }
    probe(header::working_memory(header.block_size))?;
    match ffi::decompress(input, header.decoded_size, out) {
        true => Ok(()),
        false => Err(Error::Damaged("a block does not decode")),
    }
}

/// Checks the header of `input`, and that each block begins inside, without decompressing it. `None` for a buffer of a later
/// version of the format.
///
/// # Errors
/// [`Error::Damaged`].
pub fn check(input: &[u8]) -> Result<Option<Header>, Error> {
    let header = Header::parse(input)?;
    if header.version > header::VERSION {
        return Ok(None);
    }
    header.check(input.len())?;
    if header.flags & header::STORED == 0 && header.decoded_size > 0 {
        let blocks = header.decoded_size.div_ceil(header.block_size);
        let starts = input[HEADER_LENGTH..].get(..4 * blocks);
        let starts = starts.ok_or(Error::Damaged("it has more blocks than bytes"))?;
        let first = (HEADER_LENGTH + 4 * blocks)..input.len();
        let inside = |start: &[u8; 4]| first.contains(&(u32::from_le_bytes(*start) as usize));
        if !starts.as_chunks().0.iter().all(inside) {
            return Err(Error::Damaged("a block begins elsewhere"));
        }
    }
    Ok(Some(header))
}

/// Empties `out` and gives it room for `size` bytes.
fn reserve(out: &mut Vec<u8>, size: usize) -> Result<(), Error> {
    out.clear();
    out.try_reserve_exact(size).map_err(|_| Error::NoMemory(size))
}

/// Checks that the system gives `size` bytes. C-Blosc does not check what its own allocation returns.
fn probe(size: usize) -> Result<(), Error> {
    reserve(&mut Vec::new(), size)
}
