//! Raw LZ4 blocks: the LZ4 block format, without the length of what they decode to.

use std::cell::RefCell;

use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size};

use super::super::Outcome;

/// Maximum length of a block's content, in bytes, that LZ4's C library takes.
pub(in crate::filter) const MAX_INPUT: usize = 0x7e00_0000;

/// Maximum expansion of LZ4, in output bytes per input byte: a byte of a match's length.
pub(in crate::filter) const EXPANSION: usize = 255;

/// Length of content, in bytes, from which the encoder's table needs 32-bit places.
const LARGE: usize = u16::MAX as usize;

thread_local! {
    /// The encoder's tables for short and for long content.
    static TABLES: RefCell<[Option<CompressTable>; 2]> = const { RefCell::new([None, None]) };
}

/// Room, in bytes, that [`compress`] needs for `len` bytes of content.
pub(in crate::filter) fn bound(len: usize) -> usize {
    get_maximum_output_size(len)
}

/// Maximum length, in bytes, of the block that any encoder makes of `len` bytes.
pub(in crate::filter) fn max_size(len: usize) -> usize {
    len.saturating_add(len / 255).saturating_add(16)
}

/// Compresses `input` to the beginning of `out`, which has [`bound`] bytes. Returns the length of the block.
pub(in crate::filter) fn compress(input: &[u8], out: &mut [u8]) -> Outcome<usize> {
    TABLES.with_borrow_mut(|[small, large]| {
        let table = match input.len() {
            0..LARGE => small.get_or_insert_with(CompressTable::small),
            _ => large.get_or_insert_with(CompressTable::large),
        };
        compress_into_with_table(input, out, table).map_err(|error| error.to_string())
    })
}

/// Decompresses the block `input`, whose content must have exactly the length of `out`.
pub(in crate::filter) fn decompress(input: &[u8], out: &mut [u8]) -> Outcome {
    match decompress_into(input, out) {
        Ok(size) if size == out.len() => Ok(()),
        Ok(size) => Err(format!("an LZ4 block has {size} bytes instead of {}", out.len())),
        Err(error) => Err(format!("damaged LZ4 block: {error}")),
    }
}
