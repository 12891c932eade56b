//! Streams of several encoders, of codes that none of them makes, and damaged ones: decoded as by libdeflate, or left to it.

use flate2::{Compression, write::DeflateEncoder};
use libdeflater::Decompressor;
use proptest::prelude::*;
use std::io::Write;

use crate::deflate::blocks::bit_writer::BitWriter;
use crate::deflate::blocks::block_header::write_header;
use crate::deflate::blocks::block_lengths::read_lengths;
use crate::deflate::blocks::huffman_code::{Code, codes};
use crate::deflate::blocks::literal_blocks::append_literals;
use crate::deflate::blocks::match_symbols::{END, length_bits};
use crate::deflate::blocks::stream_bits::Bits;
use crate::deflate::decode::decoder::decode_ours;
use crate::deflate::decode::literal_table::{Codes, Table};
use crate::deflate::decode::literals::{Decoded, decode_literals};
use crate::deflate::libdeflate::libdeflate;

/// Pseudo-random numbers.
struct Random(u32);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x915f_77f5).wrapping_add(1);
        (self.0 >> 16) % end
    }
}

/// Bytes that nearly all are among `kinds` values, which are equally frequent. One in `odd` is another, and one in `repeated` repeats
/// the one before up to 300 times.
fn content(seed: u32, kinds: u32, odd: u32, repeated: u32, length: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let mut content = Vec::new();
    while content.len() < length {
        let byte = match random.below(odd) {
            0 => random.below(256),
            _ => random.below(kinds),
        };
        let times = match random.below(repeated) {
            0 => 1 + random.below(300) as usize,
            _ => 1,
        };
        content.extend(vec![byte as u8; times]);
    }
    content.truncate(length);
    content
}

/// Lengths of complete codes for the end and `count` other symbols, at most `longest` bits each.
fn lengths(random: &mut Random, count: usize, longest: u8) -> Vec<u8> {
    let mut leaves = vec![0];
    while leaves.len() <= count {
        // A short code is parted, or any one.
        let shortest = leaves.iter().copied().min().unwrap_or_default();
        let at = match random.below(4) {
            0 => random.below(leaves.len() as u32) as usize,
            _ => leaves
                .iter()
                .position(|length| *length == shortest)
                .unwrap_or_default(),
        };
        if leaves[at] == longest {
            continue;
        }
        leaves[at] += 1;
        leaves.push(leaves[at]);
    }
    let mut lengths = vec![0; 286];
    lengths[END] = leaves.swap_remove(random.below(leaves.len() as u32) as usize);
    for length in leaves {
        // Few symbols are matches.
        let symbol = loop {
            let symbol = match random.below(16) {
                0 => END + 1 + random.below(29) as usize,
                _ => random.below(256) as usize,
            };
            if lengths[symbol] == 0 {
                break symbol;
            }
        };
        lengths[symbol] = length;
    }
    lengths
}

/// Adds a block of such codes. Symbols are about as frequent as their codes are short.
fn append_block(
    lengths: &[u8],
    symbols: usize,
    random: &mut Random,
    is_last: bool,
    bits: &mut BitWriter<'_>,
) {
    let mut found = vec![Code::default(); lengths.len()];
    codes(lengths, &mut found);
    write_header(lengths, is_last, bits);
    let used: Vec<usize> = (0..lengths.len())
        .filter(|symbol| lengths[*symbol] > 0 && *symbol != END)
        .collect();
    let mut left = symbols;
    while left > 0 {
        let symbol = used[random.below(used.len() as u32) as usize];
        if random.below(1 << lengths[symbol].min(10)) >= 256 {
            continue;
        }
        bits.put_code(found[symbol]);
        if symbol > END {
            let width = u32::from(length_bits(symbol));
            bits.put(u64::from(random.below(1 << width)), width);
            // The distance 2 is rare.
            bits.put(u64::from(random.below(8) == 0), 1);
        }
        left -= 1;
    }
    bits.put_code(found[END]);
}

/// What libdeflate makes of a stream, `None` if it refuses it.
fn by_libdeflate(stream: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; room];
    let size = Decompressor::new().deflate_decompress(stream, &mut out).ok()?;
    out.truncate(size);
    Some(out)
}

/// Decodes a stream. What is not left to libdeflate has to be what it makes of it.
fn check(stream: &[u8], room: usize) {
    let wanted = by_libdeflate(stream, room);
    let mut out = vec![9; room];
    if let Some(size) = decode_ours(stream, &mut out) {
        assert!(wanted.as_deref() == Some(&out[..size]));
    }
    let decoded = decode_literals(stream, &mut out);
    assert!(decoded.written <= room && decoded.read <= stream.len());
    if decoded.is_all {
        assert!(wanted.as_deref() == Some(&out[..decoded.written]));
    }
    if let Some(wanted) = wanted {
        assert!(out[..decoded.written] == wanted[..decoded.written]);
    }
}

/// Changes a bit of a stream, or cuts it.
fn damage(stream: &mut Vec<u8>, at: prop::sample::Index, bit: u8) {
    let at = at.index(stream.len());
    match bit {
        8.. => stream.truncate(at),
        _ => stream[at] ^= 1 << bit,
    }
}

#[test]
fn kinds_of_codes_are_told_by_their_lengths() {
    let mut equal = vec![7; 127];
    equal.resize(END, 0);
    equal.push(7);
    assert_eq!(Codes::of(&equal), Codes::Equal(7));
    assert_eq!(Codes::of(&[8; 256]), Codes::Equal(8));
    assert_eq!(Codes::of(&[[7u8; 64], [8; 64]].concat()), Codes::Others);
    assert_eq!(Codes::of(&[1, 2, 3, 3]), Codes::Short);
    // Lengths that are those of no code.
    for lengths in [[1; 286], [7; 286], [15; 286]] {
        Codes::of(&lengths);
        assert!(Table::new(&lengths).is_none());
    }
    Codes::of(&[]);
}

/// The kind of codes of the first block of a stream, which is not stored.
fn first_codes(stream: &[u8]) -> Option<Codes> {
    let mut bits = Bits { bytes: stream, at: 3 };
    read_lengths(&mut bits).map(|lengths| Codes::of(&lengths.symbols))
}

#[test]
fn blocks_of_codes_of_one_length_are_decoded_here() {
    for kinds in [31, 32, 33, 60, 63, 64, 120, 127, 128, 250] {
        for (odd, repeated) in [(u32::MAX, u32::MAX), (100, u32::MAX), (200, 300)] {
            let content = content(kinds, kinds, odd, repeated, 70_000);
            let mut stream = Vec::new();
            append_literals(&content, true, &mut stream);
            let equal = match (kinds, odd) {
                (32, u32::MAX) => Some(Codes::Equal(5)),
                (63, u32::MAX) => Some(Codes::Equal(6)),
                (127, u32::MAX) => Some(Codes::Equal(7)),
                (250, u32::MAX) => Some(Codes::Equal(8)),
                _ => None,
            };
            assert!(equal.is_none() || first_codes(&stream) == equal, "{kinds} kinds");
            for room in [0, 1, 7, 8, 100] {
                let mut out = vec![9; content.len() + room];
                let decoded = decode_literals(&stream, &mut out);
                if equal.is_some() {
                    let wanted = Decoded {
                        read: stream.len(),
                        written: content.len(),
                        is_all: true,
                    };
                    assert_eq!(decoded, wanted, "{kinds} kinds");
                }
                assert!(!decoded.is_all || out[..content.len()] == content);
            }
            check(&stream, content.len() - 1);
        }
    }
}

proptest! {
    #[test]
    fn streams_of_encoders(
        seed: u32,
        kinds in 2u32..=256,
        odd in 2u32..400,
        repeated in 2u32..400,
        length in 1usize..150_000,
        level in 0u32..=9,
        at: prop::sample::Index,
        bit in 0u8..10,
    ) {
        let content = content(seed, kinds, odd, repeated, length);
        let mut ours = Vec::new();
        append_literals(&content, true, &mut ours);
        let mut joined = Vec::new();
        append_literals(&content, false, &mut joined);
        let mut theirs = Vec::new();
        libdeflate(level as i32, &content, 0, &mut theirs).unwrap();
        joined.extend_from_slice(&theirs);
        let mut zlib = DeflateEncoder::new(Vec::new(), Compression::new(level));
        zlib.write_all(&content).unwrap();
        for mut stream in [ours, joined, theirs, zlib.finish().unwrap()] {
            prop_assert!(by_libdeflate(&stream, 2 * length).is_some_and(|all| all.starts_with(&content)));
            check(&stream, 2 * length);
            check(&stream, length + usize::from(bit));
            damage(&mut stream, at, bit);
            check(&stream, 2 * length);
        }
    }

    #[test]
    fn streams_of_any_codes(
        seed: u32,
        blocks in proptest::collection::vec((1usize..260, 9u8..=15, 0usize..30_000), 1..4),
        at: prop::sample::Index,
        bit in 0u8..10,
    ) {
        let mut random = Random(seed);
        let mut stream = Vec::new();
        let mut bits = BitWriter::new(&mut stream);
        for (n, (count, longest, symbols)) in blocks.iter().enumerate() {
            let lengths = lengths(&mut random, *count, *longest);
            append_block(&lengths, *symbols, &mut random, n + 1 == blocks.len(), &mut bits);
        }
        bits.end(true);
        check(&stream, 200_000);
        damage(&mut stream, at, bit);
        check(&stream, 200_000);
    }
}
