//! Embedded coding of bit planes: from the highest plane on, so that a stream may end anywhere.
//!
//! The coefficients that had a bit in a higher plane are a first part of all, as they are ordered by size. Their bits are
//! written as they are. The rest of a plane is group tests: 0 if no bit is left, else 1, the zeros up to the next bit, and
//! that bit. If only the last coefficient is left, its bit is not written.
//!
//! zfp 1.0, "Algorithm", step 7.

use crate::bit_reader::BitReader;
use crate::bit_writer::BitWriter;
use crate::integer::Integer;
use crate::planes::Planes;

/// Writes the highest `precision` planes, in at most `most` bits. Returns the bits written.
pub fn encode<I: Integer, const ROWS: usize, const GROUPS: usize>(
    planes: &Planes<ROWS, GROUPS>,
    most: u32,
    precision: u32,
    out: &mut BitWriter,
) -> u32 {
    let numbers = (ROWS * GROUPS) as u32;
    // Numbers that had a bit, and those before them.
    let mut known = 0u32;
    let mut left = most;
    for plane in (I::BITS.saturating_sub(precision)..I::BITS).rev() {
        if left == 0 {
            break;
        }
        let bits = planes.plane::<I>(plane);
        for (group, bits) in bits.iter().enumerate() {
            let count = known.saturating_sub(group as u32 * 64).min(64).min(left);
            out.put(bits & low_bits(count), count);
            left -= count;
        }
        while left > 0 && known < numbers {
            let Some(zeros) = zeros_before_one(&bits, known) else {
                out.put(0, 1);
                left -= 1;
                break;
            };
            known += zeros + 1;
            // The test, the zeros, and the one.
            let length = match known == numbers {
                true => 1 + zeros,
                false => 2 + zeros,
            };
            let written = length.min(left);
            left -= written;
            if written <= 64 {
                let one = 1u64.checked_shl(zeros + 1).unwrap_or(0);
                let token = if known == numbers { 1 } else { 1 | one };
                out.put(token & low_bits(written), written);
            } else {
                let has_one = written == length && known < numbers;
                out.put(1, 1);
                out.pad(written - 1 - u32::from(has_one));
                out.put(has_one.into(), has_one.into());
            }
        }
    }
    most - left
}

/// Reads what [`encode`] wrote with the same limits. Returns the planes and the number of bits read.
pub fn decode<I: Integer, const ROWS: usize, const GROUPS: usize>(
    most: u32,
    precision: u32,
    input: &mut BitReader,
) -> (Planes<ROWS, GROUPS>, u32) {
    let numbers = (ROWS * GROUPS) as u32;
    let mut planes = Planes::ZERO;
    let mut known = 0u32;
    let mut left = most;
    for plane in (I::BITS.saturating_sub(precision)..I::BITS).rev() {
        if left == 0 {
            break;
        }
        let mut bits = [0; GROUPS];
        for (group, bits) in bits.iter_mut().enumerate() {
            let count = known.saturating_sub(group as u32 * 64).min(64).min(left);
            *bits = input.take(count);
            left -= count;
        }
        while left > 0 && known < numbers {
            left -= 1;
            if !input.bit() {
                break;
            }
            // Where the bits end within zeros, the one is taken to follow.
            let (zeros, read) = input.zeros(left.min(numbers - 1 - known));
            left -= read;
            known += zeros;
            bits[known as usize / 64 % GROUPS] |= 1 << (known % 64);
            known += 1;
        }
        planes.set_plane::<I>(plane, bits);
    }
    (planes, most - left)
}

/// The number of zeros from bit `from` on that come before a one; `None` if no one is left.
#[inline(always)]
fn zeros_before_one<const GROUPS: usize>(bits: &[u64; GROUPS], from: u32) -> Option<u32> {
    let mut group = from as usize / 64 % GROUPS;
    let mut left = bits[group] >> (from % 64);
    let mut at = from;
    while left == 0 {
        group += 1;
        left = *bits.get(group)?;
        at = group as u32 * 64;
    }
    Some(at - from + left.trailing_zeros())
}

/// The lowest bits set.
#[inline(always)]
fn low_bits(count: u32) -> u64 {
    match count {
        0 => 0,
        count => u64::MAX >> (64 - count),
    }
}
