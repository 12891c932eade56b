//! [`Header`]: the first 16 bytes of a Blosc buffer.

use crate::error::Error;
use crate::limits::{HEADER_LENGTH, MAX_INPUT, MAX_TYPE_SIZE};

/// Maximum number of output bytes per byte of a compressed buffer: 128 KiB for a run-length block of zstd, which has
/// four bytes.
const EXPANSION: usize = 32 << 10;

/// The version of the format that this crate reads: `BLOSC_VERSION_FORMAT`.
pub(crate) const VERSION: u8 = 2;

/// The flag for input that was stored without compression.
pub(crate) const STORED: u8 = 2;

/// The first 16 bytes of a Blosc buffer, C-Blosc's README_CHUNK_FORMAT.rst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Version of the format.
    pub version: u8,
    /// Version of the inner compressor's format.
    pub compressor_version: u8,
    /// Bit 0: byte shuffle; bit 1: stored; bit 2: bit shuffle; bit 4: blocks are not split; bits 5 to 7: format of the
    /// inner compressor.
    pub flags: u8,
    /// Size of an element, in bytes.
    pub type_size: u8,
    /// Length of the decompressed data, in bytes.
    pub decoded_size: usize,
    /// Size of a block, in bytes.
    pub block_size: usize,
    /// Length of the compressed data with this header, in bytes.
    pub encoded_size: usize,
}

impl Header {
    /// Reads the header of a buffer. `check` tells whether its values are possible.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the buffer is shorter than a header.
    pub fn parse(buffer: &[u8]) -> Result<Self, Error> {
        let Some(bytes) = buffer.first_chunk::<HEADER_LENGTH>() else {
            return Err(Error::Damaged("it is shorter than its header"));
        };
        let size = |at: usize| {
            let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            u32::from_le_bytes(word) as usize
        };
        Ok(Self {
            version: bytes[0],
            compressor_version: bytes[1],
            flags: bytes[2],
            type_size: bytes[3],
            decoded_size: size(4),
            block_size: size(8),
            encoded_size: size(12),
        })
    }

    /// Checks the header of a buffer of `length` bytes.
    ///
    /// # Errors
    /// [`Error::Damaged`] with the value that is impossible.
    pub(crate) fn check(&self, length: usize) -> Result<(), Error> {
        let why = if self.version != VERSION {
            "its format is not version 2"
        } else if self.encoded_size != length {
            "its header states another length"
        } else if self.decoded_size > MAX_INPUT || self.decoded_size / EXPANSION > length {
            "its header states more data than it can hold"
        } else if self.type_size == 0 {
            "its elements have no size"
        } else if self.decoded_size > 0 && !(1..=self.decoded_size).contains(&self.block_size) {
            "its blocks have an impossible size"
        } else if self.flags & STORED != 0 && self.decoded_size + HEADER_LENGTH != length {
            "its stored data has another length"
        } else {
            return Ok(());
        };
        Err(Error::Damaged(why))
    }
}

/// Most memory, in bytes, that C-Blosc allocates for blocks of `block_size` bytes.
pub fn working_memory(block_size: usize) -> usize {
    2 * block_size + 4 * MAX_TYPE_SIZE
}
