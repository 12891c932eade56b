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

/// Empties `out` and gives it room for `size` bytes.
fn reserve(out: &mut Vec<u8>, size: usize) -> Result<(), Error> {
    out.clear();
    out.try_reserve_exact(size).map_err(|_| Error::NoMemory(size))
}

/// Checks that the system gives `size` bytes. C-Blosc does not check what its own allocation returns.
fn probe(size: usize) -> Result<(), Error> {
    reserve(&mut Vec::new(), size)
}
