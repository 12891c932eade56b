//! Decodes the blocks that are written here: stored ones, and those of literals and runs of one byte.
//!
//! ```text
//! stream ─► block header ─┬─ short codes ──────────► table: 11 bits ─► up to 6 literals, or a match ─┬─► content
//!                         ├─ codes of one length ──► 7 or 8 look-ups at once ────────────────────────┘
//!                         └─ others ──► libdeflate
//! ```
//!
//! libdeflate decodes a symbol at a time. Where most bytes are one value, most symbols are literals of a bit or two, and several
//! of them fit one look-up: such blocks decode in half the time. Where bytes are as good as random among 128 values, as the lower bytes of
//! rounded numbers are, nearly all codes have the same length. So it is known where they begin before any is looked up, and such blocks
//! decode in a third of the time. At another block, the rest is left to libdeflate.

use crate::deflate::blocks::block_lengths::{Lengths, read_lengths};
use crate::deflate::blocks::stream_bits::Bits;
use crate::deflate::decode::block::DeflateBlock;
use crate::deflate::decode::literal_table::{Codes, Table, equal_literals};

/// Bytes of content for each block, beyond [`SMALL_BLOCKS`], below which tables take longer than what they decode.
const SMALL_BLOCK: usize = 2 << 10;
const SMALL_BLOCKS: usize = 16;

/// How far a stream was decoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// Bytes of the stream.
    pub read: usize,
    /// Bytes of content.
    pub written: usize,
    /// True if the last block was decoded.
    pub is_all: bool,
}

/// Decodes blocks at the beginning of `stream` into `out`. It stops behind the last such block that ends with a whole byte, or that
/// ends the stream. It decodes nothing if the first block that is not stored is of another kind.
pub(crate) fn decode_literals(stream: &[u8], out: &mut [u8]) -> Decoded {
    let mut decoded = Decoded::default();
    let mut bits = Bits { bytes: stream, at: 0 };
    let mut place = 0;
    // A guess that costs at most a second decode: behind stored blocks alone, the matches of other encoders may reach back to them, which
    // libdeflate refuses if it begins behind them.
    let mut has_literals = false;
    for number in 0.. {
        if number > SMALL_BLOCKS + place / SMALL_BLOCK {
            break;
        }
        let is_last = bits.take(1) == 1;
        let read = match bits.take(2) {
            0 => stored(&mut bits, out, &mut place),
            2 => {
                // What was decoded since the last whole byte would be lost.
                let is_begun = has_literals && place > decoded.written;
                let read = literals(&mut bits, is_begun, out, &mut place);
                has_literals |= read.is_some();
                read
            }
            _ => None,
        };
        if read.is_none() || bits.is_past_the_end() {
            break;
        }
        if is_last || has_literals && bits.at.is_multiple_of(8) {
            decoded = Decoded {
                read: bits.at.div_ceil(8),
                written: place,
                is_all: is_last,
            };
        }
        if is_last {
            break;
        }
    }
    decoded
}

/// Copies a stored block.
fn stored(bits: &mut Bits<'_>, out: &mut [u8], place: &mut usize) -> Option<()> {
    bits.at = bits.at.next_multiple_of(8);
    let length = bits.take(16);
    if bits.take(16) != !length & 0xffff {
        return None;
    }
    let from = bits.at / 8;
    let content = bits.bytes.get(from..from + length)?;
    out.get_mut(*place..*place + length)?.copy_from_slice(content);
    bits.at += 8 * length;
    *place += length;
    Some(())
}

/// Decodes a block of literals and runs. One that libdeflate decodes faster is left unless `is_begun`.
fn literals(bits: &mut Bits<'_>, is_begun: bool, out: &mut [u8], place: &mut usize) -> Option<()> {
    let Lengths { symbols, distances } = read_lengths(bits)?;
    let codes = Codes::of(&symbols);
    if distances != [1, 1] || codes == Codes::Others && !is_begun {
        return None;
    }
    let table = Table::new(&symbols)?;
    let equal = |bits| equal_literals(&symbols, bits);
    let mut block = DeflateBlock::new(bits.bytes, bits.at, out, *place);
    match codes {
        Codes::Equal(5) => block.decode_equal::<5>(&table, &equal(5)),
        Codes::Equal(6) => block.decode_equal::<6>(&table, &equal(6)),
        Codes::Equal(7) => block.decode_equal::<7>(&table, &equal(7)),
        Codes::Equal(8) => block.decode_equal::<8>(&table, &equal(8)),
        _ => block.decode(&table),
    }?;
    bits.at = block.at()?;
    *place = block.place;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::blocks::literal_blocks::append_literals;
    use crate::deflate::blocks::repeated_byte::append_repeated;
    use crate::deflate::blocks::stored_blocks::store;
    use crate::deflate::libdeflate::libdeflate;
    use libdeflater::Decompressor;
    use proptest::prelude::*;

    /// Bytes of which one is frequent, and runs of it.
    fn content(seed: u32, kinds: u32, length: usize) -> Vec<u8> {
        let mut state = seed;
        let mut content = Vec::new();
        while content.len() < length {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
            let value = (state >> 24) % kinds;
            let times = if state >> 8 & 3 == 0 { state >> 16 & 63 } else { 0 };
            content.extend(vec![(value.min(state & 0xff) / 2) as u8; 1 + times as usize]);
        }
        content.truncate(length);
        content
    }

    /// A stream of pieces, and its content.
    fn stream(pieces: &[(u32, u32, usize, u8)], is_complete: bool) -> (Vec<u8>, Vec<u8>) {
        let (mut stream, mut all) = (Vec::new(), Vec::new());
        for (n, (seed, kinds, length, blocks)) in pieces.iter().enumerate() {
            let is_last = is_complete && n + 1 == pieces.len();
            let piece = match blocks {
                0 => vec![*seed as u8; *length],
                _ => content(*seed, *kinds, *length),
            };
            match blocks {
                0 => append_repeated(piece[0], piece.len(), is_last, &mut stream),
                1 => store(&piece, is_last, &mut stream),
                _ => append_literals(&piece, is_last, &mut stream),
            }
            all.extend(piece);
        }
        (stream, all)
    }

    fn pieces() -> impl Strategy<Value = Vec<(u32, u32, usize, u8)>> {
        proptest::collection::vec((any::<u32>(), 2u32..40, 1usize..70_000, 0u8..5), 1..4)
    }

    #[test]
    fn a_block_of_long_codes_is_left() {
        let mut stream = Vec::new();
        append_repeated(7, 1000, false, &mut stream);
        let read = stream.len();
        let all: Vec<u8> = (0..256usize)
            .flat_map(|n| vec![n as u8; 1 + 40_000 / (n + 80).pow(2)])
            .collect();
        append_literals(&all.repeat(50), true, &mut stream);
        let wanted = Decoded {
            read,
            written: 1000,
            is_all: false,
        };
        assert_eq!(decode_literals(&stream, &mut vec![0; 40_000]), wanted);
    }

    #[test]
    fn many_small_blocks_are_left() {
        let mut stream = Vec::new();
        for _ in 0..100 {
            append_literals(&[1, 2], false, &mut stream);
        }
        let decoded = decode_literals(&stream, &mut [0; 200]);
        assert!((2..100).contains(&decoded.written) && !decoded.is_all);
    }

    proptest! {
        #[test]
        fn what_is_written_here_is_decoded(pieces in pieces(), room in 0usize..20) {
            let (stream, content) = stream(&pieces, true);
            let mut out = vec![9; content.len() + room];
            let wanted = Decoded { read: stream.len(), written: content.len(), is_all: true };
            prop_assert_eq!(decode_literals(&stream, &mut out), wanted);
            prop_assert!(out[..content.len()] == content);
            // Without room, it ends before a block.
            let mut less = vec![9; content.len() - 1];
            prop_assert!(!decode_literals(&stream, &mut less).is_all);
        }

        #[test]
        fn the_rest_is_told(mut pieces in pieces(), rest in proptest::collection::vec(any::<u8>(), 300..400)) {
            pieces.push((7, 0, 100, 0));
            let (mut stream, mut content) = stream(&pieces, false);
            let read = stream.len();
            libdeflate(5, &rest.repeat(3), read, &mut stream).unwrap();
            let mut out = vec![9; content.len() + 3 * rest.len()];
            let decoded = decode_literals(&stream, &mut out);
            prop_assert_eq!(decoded, Decoded { read, written: content.len(), is_all: false });
            let size = Decompressor::new().deflate_decompress(&stream[read..], &mut out[content.len()..]);
            prop_assert_eq!(size, Ok(3 * rest.len()));
            content.extend(rest.repeat(3));
            prop_assert!(out == content);
        }

        #[test]
        fn damage_is_as_for_others(pieces in pieces(), at: prop::sample::Index, bit in 0u8..8, cut: bool) {
            let (mut stream, content) = stream(&pieces, true);
            let at = at.index(stream.len());
            match cut {
                true => stream.truncate(at),
                false => stream[at] ^= 1 << bit,
            }
            let mut out = vec![0; content.len() + 100];
            let decoded = decode_literals(&stream, &mut out);
            if decoded.is_all {
                let mut other = vec![0; out.len()];
                let size = Decompressor::new().deflate_decompress(&stream, &mut other);
                prop_assert_eq!(size, Ok(decoded.written));
                prop_assert!(out[..decoded.written] == other[..decoded.written]);
            }
        }
    }
}
