//! Raw LZ4 blocks: the LZ4 block format, without the length of what they decode to.

use std::cell::RefCell;

#[cfg(test)]
use lz4_flex::block::decompress_into;
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use crate::Outcome;
use crate::compressors::copy_back::copy_back;

/// Maximum length of a block's content, in bytes, that LZ4's C library takes.
pub(crate) const MAX_INPUT: usize = 0x7e00_0000;

/// Maximum expansion of LZ4, in output bytes per input byte: a byte of a match's length.
pub(crate) const EXPANSION: usize = 255;

/// Minimum length of a match, in bytes.
const MIN_MATCH: usize = 4;

/// Most literals, in bytes, that are copied by one load and one store.
const SHORT: usize = 16;

/// Length of content, in bytes, from which the encoder's table needs 32-bit places.
const LARGE: usize = u16::MAX as usize;

thread_local! {
    /// The encoder's tables for short and for long content.
    static TABLES: RefCell<[Option<CompressTable>; 2]> = const { RefCell::new([None, None]) };
}

/// Room, in bytes, that [`compress`] needs for `len` bytes of content.
pub(crate) fn bound(len: usize) -> usize {
    get_maximum_output_size(len)
}

/// Compresses `input` to the beginning of `out`, which has [`bound`] bytes. Returns the length of the block.
pub(crate) fn compress(input: &[u8], out: &mut [u8]) -> Outcome<usize> {
    TABLES.with_borrow_mut(|[small, large]| {
        let table = match input.len() {
            0..LARGE => small.get_or_insert_with(CompressTable::small),
            _ => large.get_or_insert_with(CompressTable::large),
        };
        compress_into_with_table(input, out, table).map_err(|error| error.to_string())
    })
}

/// The length that continues after `first`, the four bits of it in a token. A byte of 255 says that more follow.
#[inline(always)]
fn long_length(first: usize, input: &[u8], from: &mut usize) -> Outcome<usize> {
    let mut length = first;
    if first == 15 {
        loop {
            let byte = *input.get(*from).ok_or_else(early)?;
            *from += 1;
            length = length.saturating_add(byte.into());
            if byte != 255 {
                break;
            }
        }
    }
    Ok(length)
}

fn early() -> String {
    "the LZ4 block ends too early".to_owned()
}

fn damaged(what: &str) -> String {
    format!("damaged LZ4 block: {what}")
}

/// Decompresses the block `input`, whose content must have exactly the length of `out`.
///
/// A sequence is a token (four bits each for the two lengths), more of the first length, literals, a distance (u16 LE),
/// more of the second length. The last sequence ends with its literals.
///
/// lz4_flex copies matches that overlap one byte at a time, which is slow for transposed bits. They are full of them.
pub(crate) fn decompress(input: &[u8], out: &mut [u8]) -> Outcome {
    let (mut from, mut at) = (0, 0);
    loop {
        let token = usize::from(*input.get(from).ok_or_else(early)?);
        from += 1;
        let literals = long_length(token >> 4, input, &mut from)?;
        if literals <= SHORT
            && let Some(source) = input.get(from..).and_then(|rest| rest.first_chunk::<SHORT>())
            && let Some(target) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<SHORT>())
        {
            *target = *source;
        } else {
            let source = input.get(from..).and_then(|rest| rest.get(..literals));
            let target = out.get_mut(at..).and_then(|rest| rest.get_mut(..literals));
            match (source, target) {
                (Some(source), Some(target)) => target.copy_from_slice(source),
                (None, _) => return Err(early()),
                (_, None) => return Err(damaged("its content is too long")),
            }
        }
        from += literals;
        at += literals;
        if from == input.len() {
            break;
        }
        let distance = input
            .get(from..)
            .and_then(|rest| rest.first_chunk())
            .ok_or_else(early)?;
        let distance = usize::from(u16::from_le_bytes(*distance));
        from += 2;
        let length = long_length(token & 15, input, &mut from)?.saturating_add(MIN_MATCH);
        if distance == 0 || distance > at {
            return Err(damaged("a distance points before its beginning"));
        }
        if length > out.len() - at {
            return Err(damaged("its content is too long"));
        }
        copy_back(out, at, distance, length);
        at += length;
    }
    if at == out.len() {
        Ok(())
    } else {
        Err(format!("an LZ4 block has {at} bytes instead of {}", out.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compressed(input: &[u8]) -> Vec<u8> {
        let mut block = vec![0; bound(input.len())];
        let size = compress(input, &mut block).unwrap();
        block.truncate(size);
        block
    }

    #[test]
    fn damage_is_named() {
        let mut out = [0; 20];
        for (block, says) in [
            (&[][..], "too early"),
            (&[0x10], "too early"),
            (&[0xf0, 255], "too early"),
            (&[0x10, 1, 1], "too early"),
            (&[0x1f, 1, 1, 0], "too early"),
            (&[0x10, 1, 1, 0], "too early"),
            (&[0x10, 1, 0, 0, 0], "before its beginning"),
            (&[0x10, 1, 2, 0, 0], "before its beginning"),
            (&[0x1f, 1, 1, 0, 9, 0], "too long"),
            (
                &[
                    0xf0, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                ],
                "too long",
            ),
            (&[0x10, 1], "1 bytes instead of 20"),
        ] {
            let error = decompress(block, &mut out).unwrap_err();
            assert!(error.contains(says), "{block:?}: {error}");
        }
        assert!(decompress(&[0x1a, 1, 1, 0, 0x50, 2, 3, 4, 5, 6], &mut out).is_ok());
        assert_eq!(out, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6]);
    }

    proptest! {
        #[test]
        fn decodes_as_lz4_flex(data in proptest::collection::vec(0u8..4, 0..4000), step in 1usize..100) {
            let repeated: Vec<u8> = (0..data.len()).map(|i| data[i % step.min(data.len())]).collect();
            for data in [data, repeated] {
                let block = compressed(&data);
                let (mut ours, mut theirs) = (vec![1; data.len()], vec![2; data.len()]);
                decompress(&block, &mut ours).unwrap();
                decompress_into(&block, &mut theirs).unwrap();
                prop_assert_eq!(&ours, &data);
                prop_assert_eq!(&theirs, &data);
            }
        }

        #[test]
        fn damaged_blocks_give_errors_where_lz4_flex_does(
            data in proptest::collection::vec(0u8..4, 1..300),
            place in any::<prop::sample::Index>(),
            value in any::<u8>(),
        ) {
            let mut block = compressed(&data);
            let place = place.index(block.len());
            block[place] = value;
            let (mut ours, mut theirs) = (vec![1; data.len()], vec![2; data.len()]);
            let found = decompress(&block, &mut ours);
            let expected = decompress_into(&block, &mut theirs);
            prop_assert_eq!(found.is_ok(), expected.is_ok_and(|size| size == data.len()));
            if found.is_ok() {
                prop_assert_eq!(ours, theirs);
            }
        }
    }
}
