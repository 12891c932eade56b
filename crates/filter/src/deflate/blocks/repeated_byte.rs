//! A block of one byte that is repeated: two literals, and matches with the byte before them.
//!
//! Decoders fill a match of distance 1 many bytes at a time. Its bits are all zero, and of a large plane, thousands of zeros would look
//! like pages that were never written. So some matches have the distance 2.
//!
//! The planes of rounded numbers and of their signs are such, and so are chunks of fill values.

use crate::deflate::blocks::bit_writer::BitWriter;
use crate::deflate::blocks::block_header::write_header;
use crate::deflate::blocks::huffman_code::{self, Code, code_lengths, codes};
use crate::deflate::blocks::match_symbols::{END, LONGEST, LONGEST_SYMBOL, SHORTEST, length_symbol};

/// One match in this many has the distance 2.
const FAR_EACH: usize = 64;

/// The byte that `content` repeats. `None` if there are others, or nothing.
pub(crate) fn repeated_byte(content: &[u8]) -> Option<u8> {
    let (last, before) = content.split_last()?;
    // Each byte equals the next.
    (before == &content[1..]).then_some(*last)
}

/// Adds a block of `count` times `byte`, at least one, to `out`, which ends at a byte. It is the last of the stream if `is_last`; else
/// `out` ends at a byte again.
pub(crate) fn append_repeated(byte: u8, count: usize, is_last: bool, out: &mut Vec<u8>) {
    let byte = usize::from(byte);
    let first = count.min(2);
    let (matches, rest) = ((count - first) / LONGEST, (count - first) % LONGEST);
    let (literals, shorter) = match rest {
        ..SHORTEST => (first + rest, None),
        _ => (first, Some(length_symbol(rest))),
    };
    let mut counts = [0; LONGEST_SYMBOL + 1];
    counts[byte] = literals as u32;
    counts[END] = 1;
    counts[LONGEST_SYMBOL] = u32::try_from(matches).unwrap_or(u32::MAX);
    if let Some((symbol, ..)) = shorter {
        counts[symbol] += 1;
    }
    let mut lengths = [0; LONGEST_SYMBOL + 1];
    code_lengths(&counts, huffman_code::LONGEST as u8, &mut lengths);
    let mut all = [Code::default(); LONGEST_SYMBOL + 1];
    codes(&lengths, &mut all);
    let mut bits = BitWriter::new(out);
    write_header(&lengths, is_last, &mut bits);
    for _ in 0..literals {
        bits.put_code(all[byte]);
    }
    // The distance 1 is the first of two codes of one bit, 2 the second.
    for n in 0..matches {
        bits.put_code(all[LONGEST_SYMBOL]);
        bits.put(u64::from(n % FAR_EACH == FAR_EACH - 1), 1);
    }
    if let Some((symbol, extra, width)) = shorter {
        bits.put_code(all[symbol]);
        bits.put(extra, width + 1);
    }
    bits.put_code(all[END]);
    bits.end(is_last);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::encoded_test::check_zeros;
    use crate::deflate::blocks::inflated::inflated;
    use crate::deflate::libdeflate::libdeflate;

    #[test]
    fn each_count_inflates_and_is_as_small_as_libdeflate_makes_it() {
        let mut counts: Vec<usize> = (1..600).collect();
        counts.extend([65_535, 259_920, 1 << 20]);
        for count in counts {
            for byte in [0, 143, 255] {
                let content = vec![byte; count];
                assert_eq!(repeated_byte(&content), Some(byte));
                let mut stream = Vec::new();
                append_repeated(byte, count, false, &mut stream);
                append_repeated(byte, count, true, &mut stream);
                let twice = content.repeat(2);
                assert!(inflated(&stream, twice.len()) == twice, "{count}");
                let (mut theirs, mut ours) = (Vec::new(), Vec::new());
                libdeflate(5, &content, 0, &mut theirs).unwrap();
                append_repeated(byte, count, true, &mut ours);
                assert!(
                    ours.len() <= theirs.len() + 16,
                    "{count}: {} {}",
                    ours.len(),
                    theirs.len()
                );
            }
        }
    }

    #[test]
    fn a_large_plane_has_no_pages_of_zeros() {
        let mut stream = Vec::new();
        append_repeated(0, 16 << 20, true, &mut stream);
        assert!(check_zeros(&stream).is_ok());
    }

    #[test]
    fn other_bytes_are_no_repeats() {
        assert_eq!(repeated_byte(&[]), None);
        assert_eq!(repeated_byte(&[1, 1, 2]), None);
        assert_eq!(repeated_byte(&[2, 1, 1]), None);
    }
}
