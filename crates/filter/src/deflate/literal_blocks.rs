//! Blocks of a deflate stream that hold literals alone: bytes coded by their frequencies, without a search for repeats.
//!
//! ```text
//! content ─► parts of 32 KiB ─► counts ─► blocks, where frequencies change ─► codes ─► bits
//! ```
//!
//! RFC 1951, 3.2.7. Each block has two distance codes of one bit, which nothing uses: some decoders take neither none nor one.

use crate::deflate::byte_counts::{byte_counts, entropy};
use crate::deflate::huffman_code::{Code, code_lengths, codes};

/// Bytes that are counted at once. A block consists of such parts.
const PART: usize = 32 << 10;

/// Most bytes of a block, so that a count fits and the buffer of codes stays near the processor.
const LARGEST: usize = 1 << 20;

/// Bits that a block's header takes, about.
const HEADER: f64 = 700.0;

/// Most bits of a code. libdeflate looks up 11 bits at once, and four codes fit a buffer of 64 bits beside 7 that wait.
pub(crate) const LONGEST: u8 = 12;

/// The symbol that ends a block.
const END: usize = 256;

/// Symbols of literals and the end.
const SYMBOLS: usize = 257;

/// The distance codes of a block.
const DISTANCES: [u8; 2] = [1, 1];

/// The order of the lengths of the code of code lengths (RFC 1951, 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Most bits of a code of code lengths.
const LONGEST_OF_LENGTHS: u8 = 7;

/// Adds blocks of literals with `content` to `out`, which ends at a byte. The last of them is the last of the stream if `is_last`;
/// else `out` ends at a byte again, behind an empty stored block.
pub(crate) fn append_literals(content: &[u8], is_last: bool, out: &mut Vec<u8>) {
    let mut bits = BitWriter::new(out);
    let blocks = blocks(content);
    let count = blocks.len();
    let mut rest = content;
    for (n, (length, counts)) in blocks.into_iter().enumerate() {
        let (block, others) = rest.split_at(length);
        write_block(block, &counts, is_last && n + 1 == count, &mut bits);
        rest = others;
    }
    if !is_last {
        // A stored block begins at a byte.
        bits.put(0, 3);
        bits.align();
        bits.out.extend_from_slice(&[0, 0, 0xff, 0xff]);
    } else {
        bits.align();
    }
}

/// Cuts `content` into blocks: the length and the counts of each. A block ends where another code saves more than its header takes.
fn blocks(content: &[u8]) -> Vec<(usize, [u64; 256])> {
    let mut blocks: Vec<(usize, [u64; 256], f64)> = Vec::new();
    for part in content.chunks(PART) {
        let counts = byte_counts(part);
        let own = entropy(&counts);
        if let Some((length, before, bits)) = blocks.last_mut()
            && *length + part.len() <= LARGEST
        {
            let mut joined = *before;
            joined
                .iter_mut()
                .zip(&counts)
                .for_each(|(sum, count)| *sum += count);
            let together = entropy(&joined);
            if together <= *bits + own + HEADER {
                (*length, *before, *bits) = (*length + part.len(), joined, together);
                continue;
            }
        }
        blocks.push((part.len(), counts, own));
    }
    blocks
        .into_iter()
        .map(|(length, counts, _)| (length, counts))
        .collect()
}

/// Writes one block.
fn write_block(block: &[u8], counts: &[u64; 256], is_last: bool, bits: &mut BitWriter<'_>) {
    let mut of_symbols = [0; SYMBOLS];
    for (of_symbol, count) in of_symbols.iter_mut().zip(counts) {
        *of_symbol = *count as u32;
    }
    of_symbols[END] = 1;
    let mut lengths = [0; SYMBOLS];
    code_lengths(&of_symbols, LONGEST, &mut lengths);
    let mut all = [Code::default(); SYMBOLS];
    codes(&lengths, &mut all);
    bits.put(u64::from(is_last) | 2 << 1, 3);
    write_lengths(&lengths, bits);
    bits.reserve(block.len() * usize::from(LONGEST) / 8 + 16);
    bits.put_literals(block, &all);
    bits.put(all[END].bits.into(), all[END].length.into());
}

/// Writes the lengths of the codes of literals and distances, of which runs are short.
fn write_lengths(lengths: &[u8; SYMBOLS], bits: &mut BitWriter<'_>) {
    let mut all = [0; SYMBOLS + DISTANCES.len()];
    all[..SYMBOLS].copy_from_slice(lengths);
    all[SYMBOLS..].copy_from_slice(&DISTANCES);
    // Symbols, and the bits that follow each.
    let mut symbols: Vec<(u8, u8, u8)> = Vec::with_capacity(all.len());
    for run in all.chunk_by(|a, b| a == b) {
        let (length, mut left) = (run[0], run.len());
        if length == 0 {
            while left >= 3 {
                let taken = left.min(138);
                match taken {
                    ..=10 => symbols.push((17, (taken - 3) as u8, 3)),
                    _ => symbols.push((18, (taken - 11) as u8, 7)),
                }
                left -= taken;
            }
        } else if left > 3 {
            symbols.push((length, 0, 0));
            left -= 1;
            while left >= 3 {
                let taken = left.min(6);
                symbols.push((16, (taken - 3) as u8, 2));
                left -= taken;
            }
        }
        symbols.extend(std::iter::repeat_n((length, 0, 0), left));
    }
    let mut counts = [0; ORDER.len()];
    for (symbol, ..) in &symbols {
        counts[usize::from(*symbol)] += 1;
    }
    let mut own = [0; ORDER.len()];
    code_lengths(&counts, LONGEST_OF_LENGTHS, &mut own);
    let mut own_codes = [Code::default(); ORDER.len()];
    codes(&own, &mut own_codes);
    let told = ORDER
        .iter()
        .rposition(|symbol| own[*symbol] > 0)
        .map_or(4, |last| (last + 1).max(4));
    bits.put(0, 5);
    bits.put(DISTANCES.len() as u64 - 1, 5);
    bits.put(told as u64 - 4, 4);
    for symbol in &ORDER[..told] {
        bits.put(own[*symbol].into(), 3);
    }
    for (symbol, extra, width) in symbols {
        let code = own_codes[usize::from(symbol)];
        bits.put(code.bits.into(), code.length.into());
        bits.put(extra.into(), width.into());
    }
}

/// Writes bits, lowest first.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits that wait: fewer than 8 between calls.
    waiting: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            waiting: 0,
            count: 0,
        }
    }

    fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes);
    }

    /// Adds at most 48 bits.
    fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.waiting as u8);
            self.waiting >>= 8;
            self.count -= 8;
        }
    }

    /// Fills the last byte with zeros.
    fn align(&mut self) {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
    }

    /// Adds the codes of bytes.
    fn put_literals(&mut self, bytes: &[u8], codes: &[Code; SYMBOLS]) {
        // A code in the lower bits, and its length above them.
        let mut packed = [0u32; 256];
        for (packed, code) in packed.iter_mut().zip(codes) {
            *packed = u32::from(code.bits) | u32::from(code.length) << 16;
        }
        let (mut waiting, mut count) = (self.waiting, self.count);
        let at = self.out.len();
        // Each write of eight bytes keeps those that are whole.
        self.out
            .resize(at + bytes.len() * usize::from(LONGEST) / 8 + 16, 0);
        let mut place = at;
        let pair = |low: u8, high: u8| {
            let (low, high) = (packed[usize::from(low)], packed[usize::from(high)]);
            let bits = u64::from(low & 0xffff) | u64::from(high & 0xffff) << (low >> 16);
            (bits, (low >> 16) + (high >> 16))
        };
        let mut quads = bytes.chunks_exact(4);
        for quad in &mut quads {
            let ((first, width), (second, more)) = (pair(quad[0], quad[1]), pair(quad[2], quad[3]));
            waiting |= (first | second << width) << count;
            count += width + more;
            if let Some(eight) = self.out.get_mut(place..place + 8) {
                eight.copy_from_slice(&waiting.to_le_bytes());
            }
            place += (count / 8) as usize;
            waiting >>= count & !7;
            count &= 7;
        }
        self.out.truncate(place);
        (self.waiting, self.count) = (waiting, count);
        for byte in quads.remainder() {
            let code = codes[usize::from(*byte)];
            self.put(code.bits.into(), code.length.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use libdeflater::Decompressor;
    use proptest::prelude::*;
    use std::io::Read;

    /// Inflates a whole stream with two decoders.
    fn inflated(stream: &[u8], length: usize) -> Vec<u8> {
        let mut out = vec![0; length + 1];
        let size = Decompressor::new().deflate_decompress(stream, &mut out).unwrap();
        out.truncate(size);
        let mut other = Vec::new();
        flate2::read::DeflateDecoder::new(stream)
            .read_to_end(&mut other)
            .unwrap();
        assert!(out == other);
        out
    }

    fn encoded(content: &[u8], is_last: bool) -> Vec<u8> {
        let mut out = Vec::new();
        append_literals(content, is_last, &mut out);
        out
    }

    #[test]
    fn edges_inflate_to_themselves() {
        let all: Vec<u8> = (0..=255).collect();
        let mut fibonacci = Vec::new();
        let (mut a, mut b) = (1, 1);
        for n in 0..24 {
            fibonacci.extend(vec![n; a]);
            (a, b) = (b, a + b);
        }
        for content in [
            vec![7],
            vec![0; 5],
            vec![255; 70_000],
            vec![1, 2],
            all.clone(),
            all.repeat(300),
            fibonacci,
        ] {
            assert!(inflated(&encoded(&content, true), content.len()) == content);
        }
    }

    #[test]
    fn a_block_ends_where_frequencies_change() {
        let content = [[1u8, 2].repeat(2 * PART), [3u8, 4].repeat(2 * PART)].concat();
        assert_eq!(blocks(&content).len(), 2);
        assert!(encoded(&content, true).len() < 50_000);
        assert_eq!(blocks(&[1u8, 2].repeat(100_000)).len(), 1);
    }

    proptest! {
        #[test]
        fn what_is_coded_inflates(
            seed: u32,
            kinds in 1u32..=256,
            length in 1usize..100_000,
            parts in 1usize..4,
        ) {
            let mut state = seed;
            let content: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
                    ((state >> 24) % kinds).min((state >> 8 & 0xff) % kinds) as u8
                })
                .collect();
            let mut out = Vec::new();
            let parts: Vec<&[u8]> = content.chunks(length.div_ceil(parts)).collect();
            for (n, part) in parts.iter().enumerate() {
                append_literals(part, n + 1 == parts.len(), &mut out);
            }
            prop_assert!(inflated(&out, length) == content);
        }
    }
}
