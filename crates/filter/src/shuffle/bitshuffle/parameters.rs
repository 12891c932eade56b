//! Bitshuffle's parameters: what a user gives, and what libhdf5's filter stores.
//!
//! ```text
//! given:          [elements of a block, compression, level]
//! stored: [0, 4, bytes of an element,  elements of a block, compression, level]
//! ```
//!
//! All that is given may be left out from the end. The first two numbers are bitshuffle's version.

use crate::compressors::zstd;
use crate::shuffle::bitshuffle::compression::Compression;
use crate::{ChunkType, Outcome};

/// Bitshuffle's version, major and minor.
const VERSION: [u32; 2] = [0, 4];

/// Number of stored parameters before those that a user gives.
const LOCAL: usize = 3;

/// Bytes of a block if a user gives no size.
const TARGET_BLOCK: usize = 8192;

/// Minimum number of elements in a block if a user gives no size.
const MIN_BLOCK: usize = 128;

/// Blocks have a multiple of this many elements.
pub(super) const ROW: usize = 8;

/// Value of the parameter for LZ4.
const LZ4: u32 = 2;

/// Value of the parameter for Zstandard.
const ZSTD: u32 = 3;

/// Parsed parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters {
    /// Bytes of an element, at least 1.
    pub size: usize,
    /// Elements of a block, a multiple of eight; 0: chosen by the size.
    pub block: usize,
    /// How blocks are compressed.
    pub compression: Compression,
}

impl Parameters {
    /// Parses stored parameters.
    pub fn parse(stored: &[u32]) -> Outcome<Self> {
        let &[_, _, size, ref given @ ..] = stored else {
            return Err(format!("it has {} parameters instead of 3 to 6", stored.len()));
        };
        if size == 0 {
            return Err("its elements have no bytes".to_owned());
        }
        let given = |position: usize| given.get(position).copied();
        let block = given(0).unwrap_or(0) as usize;
        if !block.is_multiple_of(ROW) {
            return Err(format!(
                "a block of {block} elements, which is not a multiple of eight"
            ));
        }
        let compression = match given(1) {
            Some(LZ4) => Compression::Lz4,
            Some(ZSTD) => Compression::Zstd {
                level: zstd::level(&[given(2).unwrap_or(0)]),
            },
            // The plugin takes any other number for none.
            _ => Compression::None,
        };
        Ok(Self {
            size: size as usize,
            block,
            compression,
        })
    }

    /// Elements of a block.
    pub fn block_elements(&self) -> usize {
        match self.block {
            0 => (TARGET_BLOCK / self.size / ROW * ROW).max(MIN_BLOCK),
            block => block,
        }
    }
}

/// The parameters that libhdf5's filter stores. `visible` is what a user gives, or the stored parameters that `ncdump
/// -s` prints. Errors continue "filter 32008 (bitshuffle) …".
pub(super) fn working(visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let given = match visible {
        // No user gives this compression: it is the number of the version.
        [0, 4, _] => &[],
        [_, _, _, given @ ..] if !given.is_empty() => given,
        given => given,
    };
    match *given {
        [] | [_] | [_, 0 | LZ4 | ZSTD] | [_, ZSTD, _] => {}
        _ => {
            return Err(
                "takes up to three parameters: elements of a block (0: automatic), compression (0 none, 2 LZ4, 3 \
                 Zstandard), level of Zstandard"
                    .to_owned(),
            );
        }
    }
    let stored = local(chunk, VERSION, given)?;
    let parameters = Parameters::parse(&stored).map_err(|why| format!("cannot make {why}"))?;
    block_bytes(&parameters).map_err(|why| format!("cannot make {why}"))?;
    Ok(stored)
}

/// Stored parameters for chunks of type `chunk`, given those of other chunks.
pub(super) fn adapted(stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let version = stored.first_chunk().copied().unwrap_or(VERSION);
    local(chunk, version, stored.get(LOCAL..).unwrap_or_default())
}

/// Puts the version and the element size before what a user gave.
fn local(chunk: &ChunkType, [major, minor]: [u32; 2], given: &[u32]) -> Outcome<Vec<u32>> {
    let size = u32::try_from(chunk.element_size).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| format!("cannot take elements of {} bytes", chunk.element_size))?;
    Ok([&[major, minor, size], given].concat())
}

/// Bytes of a block, as in the header of a compressed chunk.
pub(super) fn block_bytes(parameters: &Parameters) -> Outcome<u32> {
    let bytes = (parameters.block_elements() as u64).checked_mul(parameters.size as u64);
    bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or_else(|| {
        format!(
            "blocks of {} elements of {} bytes: they have 4 GiB or more",
            parameters.block_elements(),
            parameters.size
        )
    })
}
