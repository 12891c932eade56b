//! How the blocks of a bitshuffled chunk are compressed.

use crate::Outcome;
use crate::compressors::lz4::block as lz4_block;
use crate::compressors::zstd;

/// How blocks are compressed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Compression {
    None,
    Lz4,
    Zstd { level: i32 },
}

impl Compression {
    /// Room, in bytes, to compress a block of `len` bytes. No encoder makes more.
    pub(super) fn bound(self, len: usize) -> usize {
        match self {
            Self::None => len,
            Self::Lz4 => lz4_block::bound(len),
            Self::Zstd { .. } => ::zstd::zstd_safe::compress_bound(len),
        }
    }

    /// Maximum expansion, in output bytes per input byte.
    pub(super) fn expansion(self) -> usize {
        match self {
            Self::None => 1,
            Self::Lz4 => lz4_block::EXPANSION,
            Self::Zstd { .. } => zstd::EXPANSION,
        }
    }

    /// Compresses a block to the beginning of `out`. Returns the number of bytes.
    pub(super) fn compress(self, block: &[u8], out: &mut [u8]) -> Outcome<usize> {
        match self {
            Self::None => Err("a block without compression".to_owned()),
            Self::Lz4 => lz4_block::compress(block, out),
            Self::Zstd { level } => zstd::compress(level, false, block, out),
        }
    }

    /// Decompresses a block to exactly the length of `out`.
    pub(super) fn decompress(self, stored: &[u8], out: &mut [u8]) -> Outcome {
        match self {
            Self::None => Err("a block without compression".to_owned()),
            Self::Lz4 => lz4_block::decompress(stored, out),
            Self::Zstd { .. } => match zstd::decompress(stored, out)? {
                size if size == out.len() => Ok(()),
                size => Err(format!("a zstd frame has {size} bytes instead of {}", out.len())),
            },
        }
    }
}
