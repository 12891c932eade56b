//! [`Planes`]: the bits of a block's coefficients, by their weight.

use crate::integer::Integer;
use crate::order::order;

/// The bit planes of a block. Bit `i` of a plane is that of coefficient `i`, in the order of the stream.
///
/// The coefficients are the rows of a bit matrix, and planes are its columns. So all planes are made at once by a
/// transposition of square tiles, which takes a few operations for a plane.
pub struct Planes<const ROWS: usize, const GROUPS: usize> {
    /// For each group of coefficients: the tiles side by side, the lowest bits first.
    rows: [[u64; ROWS]; GROUPS],
}

impl<const ROWS: usize, const GROUPS: usize> Planes<ROWS, GROUPS> {
    /// No coefficient has a bit.
    pub const ZERO: Self = Self {
        rows: [[0; ROWS]; GROUPS],
    };

    /// The planes of a block, and how many lie above those in which no coefficient has a bit.
    #[inline(always)]
    pub fn of<I: Integer>(block: &[[I; ROWS]; GROUPS]) -> (Self, u32) {
        let mut planes = Self::ZERO;
        let (block, mut all) = (block.as_flattened(), 0);
        let rows = planes.rows.as_flattened_mut();
        for (row, place) in rows.iter_mut().zip(order(ROWS * GROUPS)) {
            *row = block[usize::from(*place) % (ROWS * GROUPS)].to_negabinary();
            all |= *row;
        }
        for group in &mut planes.rows {
            // With half as many bits as rows, the second half of the rows fits beside the first.
            if ROWS as u32 > I::BITS {
                let (low, high) = group.split_at_mut(ROWS / 2);
                for (low, high) in low.iter_mut().zip(high) {
                    *low |= *high << 32;
                }
            }
            transpose(&mut group[..tile::<I>(ROWS)]);
        }
        let used = match all {
            0 => 0,
            all => I::BITS - all.trailing_zeros(),
        };
        (planes, used)
    }

    /// The block with these planes. The value is used up.
    #[inline(always)]
    pub fn into_block<I: Integer>(mut self) -> [[I; ROWS]; GROUPS] {
        for group in &mut self.rows {
            transpose(&mut group[..tile::<I>(ROWS)]);
            if ROWS as u32 > I::BITS {
                let (low, high) = group.split_at_mut(ROWS / 2);
                for (low, high) in low.iter_mut().zip(high) {
                    *high = *low >> 32;
                }
            }
        }
        let mut block = [[I::default(); ROWS]; GROUPS];
        let numbers = block.as_flattened_mut();
        for (row, place) in self.rows.as_flattened().iter().zip(order(ROWS * GROUPS)) {
            numbers[usize::from(*place) % (ROWS * GROUPS)] = I::from_negabinary(*row);
        }
        block
    }

    /// A plane, counted from the lowest bit.
    #[inline(always)]
    pub fn plane<I: Integer>(&self, plane: u32) -> [u64; GROUPS] {
        let (row, shift) = place::<I>(ROWS, plane);
        std::array::from_fn(|group| self.rows[group][row] >> shift & (u64::MAX >> (64 - ROWS)))
    }

    /// Sets the bits of a plane, which had none before.
    #[inline(always)]
    pub fn set_plane<I: Integer>(&mut self, plane: u32, bits: [u64; GROUPS]) {
        let (row, shift) = place::<I>(ROWS, plane);
        for (group, bits) in self.rows.iter_mut().zip(bits) {
            group[row] |= bits << shift;
        }
    }
}

/// Width and height of the tiles.
#[inline(always)]
const fn tile<I: Integer>(rows: usize) -> usize {
    match rows as u32 > I::BITS {
        true => I::BITS as usize,
        false => rows,
    }
}

/// The row that holds a plane, and its first bit there.
#[inline(always)]
const fn place<I: Integer>(rows: usize, plane: u32) -> (usize, u32) {
    let tile = tile::<I>(rows) as u32;
    ((plane % tile) as usize, plane / tile * rows as u32)
}

/// Transposes each tile of as many bits as there are rows: halves of tiles change places, then quarters, and so on.
#[inline(always)]
fn transpose(rows: &mut [u64]) {
    let mut half = rows.len() / 2;
    while half > 0 {
        // The low half of each tile.
        let low = u64::MAX / ((1 << half) + 1);
        for tile in rows.chunks_exact_mut(2 * half) {
            let (top, bottom) = tile.split_at_mut(half);
            for (top, bottom) in top.iter_mut().zip(bottom) {
                let change = (*top >> half ^ *bottom) & low;
                *bottom ^= change;
                *top ^= change << half;
            }
        }
        half /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<I: Integer + PartialEq + std::fmt::Debug, const ROWS: usize, const GROUPS: usize>(
        number: fn(u64) -> I,
    ) {
        let mut block = [[I::default(); ROWS]; GROUPS];
        let numbers = block.as_flattened_mut();
        for (n, value) in numbers.iter_mut().enumerate() {
            *value = number((n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        let (planes, used) = Planes::of(&block);
        assert_eq!(used, I::BITS);
        let mut copy = Planes::ZERO;
        for plane in 0..I::BITS {
            let bits = planes.plane::<I>(plane);
            for (n, place) in order(ROWS * GROUPS).iter().enumerate() {
                let digits = block.as_flattened()[usize::from(*place)].to_negabinary();
                assert_eq!(bits[n / ROWS] >> (n % ROWS) & 1, digits >> plane & 1);
            }
            copy.set_plane::<I>(plane, bits);
        }
        assert_eq!(copy.into_block::<I>(), block);
    }

    #[test]
    fn planes_of_all_shapes() {
        check::<i32, 4, 1>(|n| n as i32);
        check::<i32, 16, 1>(|n| n as i32);
        check::<i32, 64, 1>(|n| n as i32);
        check::<i32, 64, 4>(|n| n as i32);
        check::<i64, 4, 1>(|n| n as i64);
        check::<i64, 16, 1>(|n| n as i64);
        check::<i64, 64, 1>(|n| n as i64);
        check::<i64, 64, 4>(|n| n as i64);
    }

    #[test]
    fn planes_that_are_used() {
        assert_eq!(Planes::of(&[[0i32; 4]]).1, 0);
        // -2 has the digits 10.
        assert_eq!(Planes::of(&[[0i32, -2, 0, 0]]).1, 31);
        assert_eq!(Planes::of(&[[1i64, -2, 0, 0]]).1, 64);
    }
}
