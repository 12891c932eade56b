//! Sizes and levels that Blosc fixes.

/// Length of the header, in bytes. Also the most that compressed data can exceed its input by.
pub const HEADER_LENGTH: usize = 16;

/// Maximum length of a decompressed buffer, in bytes: `BLOSC_MAX_BUFFERSIZE`.
pub const MAX_INPUT: usize = i32::MAX as usize - HEADER_LENGTH;

/// Highest compression level.
pub const MAX_LEVEL: u32 = 9;

/// Largest element, in bytes, that Blosc shuffles. Longer elements count as single bytes.
pub const MAX_TYPE_SIZE: usize = 255;
