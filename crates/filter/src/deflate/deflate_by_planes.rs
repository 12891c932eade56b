//! Compresses the planes of a small shuffled chunk one by one, and joins their blocks.
//!
//! ```text
//! plane ─► one byte repeated ─► the stream that the thread made of such a plane before
//!       ├─► bytes in no order ─► the lowest level, which finds as much as any other
//!       └─► others ────────────► the chunk's level
//! ```
//!
//! Each stream is that of libdeflate for the plane alone, so the result depends on the chunk only.

use std::cell::RefCell;

use crate::Outcome;
use crate::deflate::byte_counts::{byte_counts, entropy};
use crate::deflate::deflate_blocks::reopen;
use crate::deflate::libdeflate::libdeflate;

/// The level for a plane in which nothing repeats. On planes of 30 kB with 7 random bits in each byte, its output is as long as
/// that of level 5, in half the time.
const NOTHING_REPEATS: i32 = 1;

/// Fewest different bytes of a plane whose bytes may be in no order. With fewer, equal sequences are frequent by chance.
const RICH: usize = 64;

/// A plane's bytes are in no order if the lowest level saves less than one in this many bytes beyond what their frequencies
/// allow.
const GAIN: f64 = 200.0;

/// Number of streams of planes of one byte that a thread keeps.
const KEPT: usize = 8;

/// A plane of one byte, repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Repeated {
    level: i32,
    byte: u8,
    length: usize,
}

thread_local! {
    static REPEATED: RefCell<Vec<(Repeated, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

/// Puts a deflate stream of `input`, compressed in parts of `plane` bytes each, into `out`, from byte `start` to the end.
/// What is behind `start` is lost.
pub(crate) fn encode(level: i32, plane: usize, input: &[u8], mut start: usize, out: &mut Vec<u8>) -> Outcome {
    for (n, part) in input.chunks(plane.max(1)).enumerate() {
        if n > 0 {
            reopen(start, out).ok_or("a deflate stream that cannot be continued")?;
            start = out.len();
        }
        encode_plane(level, part, start, out)?;
    }
    Ok(())
}

fn encode_plane(level: i32, plane: &[u8], start: usize, out: &mut Vec<u8>) -> Outcome {
    if let Some(byte) = repeated_byte(plane) {
        let length = plane.len();
        let key = Repeated { level, byte, length };
        return encode_repeated(key, plane, start, out);
    }
    if let Some(least) = least_size(plane) {
        libdeflate(NOTHING_REPEATS, plane, start, out)?;
        if (out.len() - start) as f64 > least * (1.0 - 1.0 / GAIN) {
            return Ok(());
        }
    }
    libdeflate(level, plane, start, out)
}

/// The byte of which a plane consists.
fn repeated_byte(plane: &[u8]) -> Option<u8> {
    let (first, rest) = plane.split_first()?;
    // Each byte equals the next.
    (rest == &plane[..rest.len()]).then_some(*first)
}

/// Encodes a plane of one byte, or copies the stream of the last equal one.
fn encode_repeated(key: Repeated, plane: &[u8], start: usize, out: &mut Vec<u8>) -> Outcome {
    out.truncate(start);
    REPEATED.with_borrow_mut(|kept| {
        if let Some((_, stream)) = kept.iter().find(|(known, _)| *known == key) {
            out.extend_from_slice(stream);
            return Ok(());
        }
        libdeflate(key.level, plane, start, out)?;
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((key, out[start..].to_vec()));
        Ok(())
    })
}

/// The fewest bytes in which a plane can be encoded by the frequencies of its bytes. `None` if its bytes are not about
/// equally frequent, or too few.
fn least_size(plane: &[u8]) -> Option<f64> {
    let total = plane.len() as f64;
    let counts = byte_counts(plane);
    let kinds = counts.iter().filter(|count| **count > 0).count();
    let bits = entropy(&counts);
    let is_flat = bits > total * ((kinds as f64).log2() - 0.1);
    (kinds >= RICH && is_flat).then_some(bits / 8.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::deflate_check::EXPANSION;
    use libdeflater::Decompressor;

    /// Bytes of which `bits` are random.
    fn noise(length: usize, bits: u32) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8 & (0xffu32 << (8 - bits)) as u8
        };
        (0..length).map(next).collect()
    }

    fn round_trip(level: i32, plane: usize, input: &[u8]) -> Vec<u8> {
        let mut out = vec![7, 7];
        encode(level, plane, input, 2, &mut out).unwrap();
        let mut decoded = vec![0; input.len().min(out.len() * EXPANSION)];
        let size = Decompressor::new().deflate_decompress(&out[2..], &mut decoded);
        assert_eq!(size.unwrap(), input.len());
        assert!(decoded == input);
        out
    }

    fn size(level: i32, plane: &[u8]) -> usize {
        let mut out = Vec::new();
        libdeflate(level, plane, 0, &mut out).unwrap();
        out.len()
    }

    #[test]
    fn planes_of_each_kind_decode_to_themselves_in_any_order() {
        let plane = 20_000;
        let kinds: [Vec<u8>; 4] = [
            vec![3; plane],
            noise(plane, 7),
            (0..plane).map(|n| (n / 40 % 9) as u8).collect(),
            (0..plane).map(|n| (n % 251) as u8).collect(),
        ];
        for first in 0..4 {
            let input: Vec<u8> = (0..4).flat_map(|n| kinds[(first + n) % 4].clone()).collect();
            let once = round_trip(5, plane, &input);
            // What a thread keeps does not change the result.
            assert_eq!(once, round_trip(5, plane, &input));
        }
    }

    #[test]
    fn no_plane_becomes_much_longer_than_at_its_own_level() {
        let saw: Vec<u8> = (0..30_000).map(|n| (n % 251) as u8).collect();
        let walk: Vec<u8> = noise(30_000, 2)
            .iter()
            .scan(0u8, |at, step| {
                *at = at.wrapping_add(step >> 6);
                Some(*at)
            })
            .collect();
        for plane in [saw, walk, noise(30_000, 7), noise(30_000, 5), vec![9; 30_000]] {
            let mut out = Vec::new();
            encode_plane(5, &plane, 0, &mut out).unwrap();
            let usual = size(5, &plane);
            assert!(out.len() * 100 <= usual * 101 + 100, "{} {usual}", out.len());
        }
    }

    #[test]
    fn more_planes_of_one_byte_than_are_kept() {
        let planes: Vec<u8> = (0..20u8).flat_map(|byte| vec![byte; 5_000]).collect();
        let once = round_trip(5, 5_000, &planes);
        assert_eq!(once, round_trip(5, 5_000, &planes));
    }
}
