//! C-Blosc 1 behind a safe interface: one buffer in, one buffer out, on the caller's thread.
//!
//! A Blosc buffer is a header of 16 bytes and compressed blocks of the input. The header tells how to decode the rest,
//! so [`decompress`] needs no [`Settings`]. `ffi` holds all `unsafe` code.
//!
//! C-Blosc, README_CHUNK_FORMAT.rst.

mod ffi;
mod header;
mod stream;

pub use header::{HEADER_LENGTH, Header, MAX_INPUT};
pub use stream::{compress_stream, decompress_stream, is_stream_length};

/// The compressor inside Blosc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compressor {
    /// BloscLZ, Blosc's own.
    BloscLz,
    /// LZ4.
    Lz4,
    /// LZ4 in its mode for smaller output.
    Lz4Hc,
    /// Snappy.
    Snappy,
    /// Zlib.
    Zlib,
    /// Zstandard.
    Zstd,
}

impl Compressor {
    /// All compressors, each at the place that is its code in C-Blosc.
    pub const ALL: [Self; 6] = [
        Self::BloscLz,
        Self::Lz4,
        Self::Lz4Hc,
        Self::Snappy,
        Self::Zlib,
        Self::Zstd,
    ];

    /// The compressor with a code of C-Blosc.
    pub fn of_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Its code in C-Blosc.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The compressor that C-Blosc calls `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compressor| compressor.name() == name)
    }

    /// Its name in C-Blosc.
    pub fn name(self) -> &'static str {
        match self {
            Self::BloscLz => "blosclz",
            Self::Lz4 => "lz4",
            Self::Lz4Hc => "lz4hc",
            Self::Snappy => "snappy",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }
}

/// The reordering of elements before compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// Elements stay as they are.
    No,
    /// Bytes of equal significance come together.
    Byte,
    /// Bits of equal significance come together.
    Bit,
}

impl Shuffle {
    /// All reorderings, each at the place that is its code in C-Blosc.
    pub const ALL: [Self; 3] = [Self::No, Self::Byte, Self::Bit];

    /// The reordering with a code of C-Blosc.
    pub fn of_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Its code in C-Blosc.
    pub fn code(self) -> u32 {
        self as u32
    }
}

/// Highest compression level.
pub const MAX_LEVEL: u32 = 9;

/// Largest element, in bytes, that Blosc shuffles. Longer elements count as single bytes.
pub const MAX_TYPE_SIZE: usize = 255;

/// Parameters of [`compress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The compressor.
    pub compressor: Compressor,
    /// The level: 0 stores, [`MAX_LEVEL`] makes the smallest output. Higher levels count as that.
    pub level: u32,
    /// The reordering of elements.
    pub shuffle: Shuffle,
    /// Size of an element, in bytes. 0 and sizes above [`MAX_TYPE_SIZE`] count as 1.
    pub type_size: usize,
    /// Size of a block, in bytes; 0 lets C-Blosc choose.
    pub block_size: usize,
}

/// Largest block, in bytes, that C-Blosc chooses.
const LARGEST_CHOSEN_BLOCK: usize = 1 << 20;

/// The reason for which a buffer was not compressed or decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The input is longer than [`MAX_INPUT`].
    #[error("Blosc takes at most {MAX_INPUT} bytes")]
    InputTooLong,
    /// The output would be longer than the caller allows.
    #[error("more than the {0} bytes expected")]
    OutputTooLong(usize),
    /// The compressed buffer is damaged.
    #[error("damaged Blosc buffer: {0}")]
    Damaged(&'static str),
    /// The system has not enough memory.
    #[error("not enough memory for {0} bytes")]
    NoMemory(usize),
}

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

#[cfg(test)]
mod tests;
