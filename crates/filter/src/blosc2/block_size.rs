//! The size and the shape of blocks that C-Blosc2 and its HDF5 filter choose.

use ncutils_blosc::Compressor;

/// Size, in bytes, from which a chunk has several blocks: C-Blosc2's size of a first-level cache.
const SMALLEST: usize = 32 << 10;

/// Largest block, in bytes, with a stream for each byte of an element.
const LARGEST_SPLIT: usize = 4 << 20;

/// Most streams of a block.
const MOST_STREAMS: usize = 16;

/// Shortest stream, and shortest chunk that is compressed, in bytes.
pub const SHORTEST: usize = 32;

/// True if each block has a stream for each byte of an element. `byte_shuffle` is the filter.
pub fn is_split(
    compressor: Compressor,
    level: u32,
    byte_shuffle: bool,
    element_size: usize,
    block: usize,
) -> bool {
    let fast = match compressor {
        Compressor::BloscLz | Compressor::Lz4 => true,
        Compressor::Zstd => level <= 5,
        _ => false,
    };
    fast && byte_shuffle && element_size <= MOST_STREAMS && block / element_size.max(1) >= SHORTEST
}

/// The bytes of a block for a chunk of `size` bytes. `asked` is a user's choice, 0 for none.
pub fn block_bytes(
    compressor: Compressor,
    level: u32,
    byte_shuffle: bool,
    element_size: usize,
    size: usize,
    asked: usize,
) -> usize {
    if size < element_size {
        return 1;
    }
    let mut block = match asked {
        0 => chosen(compressor, level, byte_shuffle, element_size, size),
        asked => asked,
    };
    block = block.min(size);
    if block > element_size {
        block -= block % element_size;
    }
    block
}

/// The automatic choice, before it is brought into range.
fn chosen(compressor: Compressor, level: u32, byte_shuffle: bool, element_size: usize, size: usize) -> usize {
    // Compressors for small output want large blocks.
    let thorough = matches!(
        compressor,
        Compressor::Lz4Hc | Compressor::Zlib | Compressor::Zstd
    );
    let mut block = size;
    if size >= SMALLEST {
        block = if thorough { 2 * SMALLEST } else { SMALLEST };
        block = match level {
            0 => block / 4,
            1 => block / 2,
            2 => block,
            3 => block * 2,
            4 | 5 => block * 4,
            9 if thorough => block * 16,
            _ => block * 8,
        };
    }
    if level > 0 && is_split(compressor, level, byte_shuffle, element_size, block) {
        let stream = match level {
            1..=3 => SMALLEST,
            4..=6 => 2 * SMALLEST,
            7 => 4 * SMALLEST,
            8 => 8 * SMALLEST,
            _ => 16 * SMALLEST,
        };
        block = (stream * element_size).clamp(SMALLEST, LARGEST_SPLIT);
    }
    block
}

/// The shape of blocks of at most `bytes` bytes in chunks of shape `chunk`: 2 in each dimension, then doubled from the
/// fastest dimension on, again and again, for as long as a block has room. A dimension that cannot be doubled is taken
/// whole where there is room for it. No size of `chunk` is 0.
pub fn block_shape(bytes: usize, element_size: usize, chunk: &[u64]) -> Vec<u64> {
    let most = (bytes / element_size.max(1)) as u64;
    let mut block: Vec<u64> = chunk.iter().map(|size| (*size).min(2)).collect();
    let mut count: u64 = block.iter().product();
    loop {
        let before = count;
        for (block, chunk) in block.iter_mut().zip(chunk).rev() {
            let larger = if *block * 2 <= *chunk { *block * 2 } else { *chunk };
            let grown = (count / *block).saturating_mul(larger);
            if grown <= most {
                (count, *block) = (grown, larger);
            }
        }
        if count == before || count >= most {
            return block;
        }
    }
}
