//! Whole arrays: checks of lengths, and the blocks one after the other.

use crate::bit_reader::BitReader;
use crate::bit_writer::BitWriter;
use crate::number::Number;
use crate::place::BlockPlace;
use crate::{Header, Scalar};

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
    /// Modes with loss hold no NaN and no infinity.
    #[error("NaN or infinity among the numbers, which only the reversible mode holds")]
    NotFinite,
    /// The stream ends within a block.
    #[error("the zfp stream ends too early")]
    TooShort,
    /// The system has not enough memory.
    #[error("not enough memory for {0} bytes")]
    NoMemory(usize),
}

/// Calls a function for the type and the number of dimensions of a header.
macro_rules! by_type {
    ($header:expr, $function:ident($($argument:expr),*)) => {{
        macro_rules! by_dimensions {
            ($number:ty) => {
                match $header.sizes().len() {
                    1 => $function::<$number, 4, 1>($header, $($argument),*),
                    2 => $function::<$number, 16, 1>($header, $($argument),*),
                    3 => $function::<$number, 64, 1>($header, $($argument),*),
                    _ => $function::<$number, 64, 4>($header, $($argument),*),
                }
            };
        }
        match $header.scalar() {
            Scalar::Int32 => by_dimensions!(i32),
            Scalar::Int64 => by_dimensions!(i64),
            Scalar::Float => by_dimensions!(f32),
            Scalar::Double => by_dimensions!(f64),
        }
    }};
}

/// Compresses an array into `out`, replacing its content.
///
/// # Errors
/// [`Error::Length`], [`Error::BlockBits`], [`Error::NotFinite`], [`Error::NoMemory`].
pub fn compress(header: &Header, data: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    compress_behind(header, false, data, out)
}

/// Like [`compress`], with the header in front. The length is a multiple of eight bytes, as zfpy makes it.
///
/// # Errors
/// Those of [`compress`].
pub fn compress_with_header(header: &Header, data: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    compress_behind(header, true, data, out)?;
    out.resize(out.len().next_multiple_of(8), 0);
    Ok(())
}

fn compress_behind(header: &Header, with_header: bool, data: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let expected = header.byte_count();
    if expected != Some(data.len()) {
        return Err(Error::Length {
            given: data.len(),
            expected: expected.unwrap_or(usize::MAX),
        });
    }
    let bits = header.block_bits().ok_or(Error::BlockBits)?;
    out.clear();
    let mut writer = BitWriter::new(out);
    if with_header {
        header.put(&mut writer);
    }
    by_type!(header, encode(data, bits, &mut writer))?;
    writer.finish();
    Ok(())
}

/// Decompresses a stream into `out`, replacing its content. The header states the length of the output, and `limit` is
/// the maximum, in bytes.
///
/// # Errors
/// [`Error::OutputTooLong`], [`Error::TooShort`], [`Error::NoMemory`].
pub fn decompress(header: &Header, input: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    decompress_behind(header, 0, input, limit, out)
}

/// Like [`decompress`], for a stream that begins with [`Header::at_start`].
///
/// # Errors
/// Those of [`decompress`], and [`Error::TooShort`] without a header.
pub fn decompress_with_header(input: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let (header, bits) = Header::at_start(input).ok_or(Error::TooShort)?;
    decompress_behind(&header, bits, input, limit, out)
}

/// Decompresses what follows `skipped` bits.
fn decompress_behind(
    header: &Header,
    skipped: u32,
    input: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let size = header
        .byte_count()
        .filter(|size| *size <= limit)
        .ok_or(Error::OutputTooLong(limit))?;
    // Each block has a bit at least.
    if header.block_count().is_none_or(|blocks| blocks / 8 > input.len()) {
        return Err(Error::TooShort);
    }
    out.clear();
    out.try_reserve_exact(size).map_err(|_| Error::NoMemory(size))?;
    out.resize(size, 0);
    match by_type!(header, decode(skipped, input, out)) {
        true => Ok(()),
        false => Err(Error::TooShort),
    }
}

/// Encodes all blocks, of at most so many bits.
fn encode<N: Number, const ROWS: usize, const GROUPS: usize>(
    header: &Header,
    data: &[u8],
    bits: usize,
    out: &mut BitWriter,
) -> Result<(), Error> {
    let mode = header.mode();
    let mut done = Ok(());
    BlockPlace::each(header.all_sizes(), |place| {
        done = match out.reserve(bits) {
            true if N::encode::<ROWS, GROUPS>(place.gather(data), &mode, out) => Ok(()),
            true => Err(Error::NotFinite),
            false => Err(Error::NoMemory(bits)),
        };
        done.is_ok()
    });
    done
}

/// Decodes all blocks. False if the stream ends too early.
fn decode<N: Number, const ROWS: usize, const GROUPS: usize>(
    header: &Header,
    skipped: u32,
    input: &[u8],
    data: &mut [u8],
) -> bool {
    let mode = header.mode();
    let mut input = BitReader::new(input);
    input.skip(skipped);
    BlockPlace::each(header.all_sizes(), |place| {
        place.scatter(&N::decode::<ROWS, GROUPS>(&mode, &mut input), data);
        !input.is_past_end()
    })
}
