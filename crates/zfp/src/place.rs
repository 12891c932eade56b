//! [`BlockPlace`]: where a block lies in its array.

use crate::number::Number;

/// The place of a block. Sizes and strides are in numbers, the fastest dimension first.
pub struct BlockPlace {
    /// Index of its first number.
    first: usize,
    /// Numbers that it has in each dimension, 1 to 4. Dimensions that the array does not have are 1.
    sizes: [usize; 4],
    /// Numbers between neighbours in each dimension.
    strides: [usize; 4],
}

/// For each size of a block at the end of a dimension: the numbers that stand for all four.
const PADDED: [[usize; 4]; 5] = [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 1, 1, 0],
    [0, 1, 2, 0],
    [0, 1, 2, 3],
];

impl BlockPlace {
    /// Calls `block` for each block of an array, in the order of a stream. Stops and returns false when `block` does.
    #[inline(always)]
    pub fn each(sizes: [usize; 4], mut block: impl FnMut(&Self) -> bool) -> bool {
        let [nx, ny, nz, nw] = sizes;
        let strides = [1, nx, nx * ny, nx * ny * nz];
        for w in (0..nw).step_by(4) {
            for z in (0..nz).step_by(4) {
                for y in (0..ny).step_by(4) {
                    let row = ((w * nz + z) * ny + y) * nx;
                    let [ly, lz, lw] = [ny - y, nz - z, nw - w].map(|left| left.min(4));
                    for x in (0..nx).step_by(4) {
                        let place = Self {
                            first: row + x,
                            sizes: [(nx - x).min(4), ly, lz, lw],
                            strides,
                        };
                        if !block(&place) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// The numbers of the block. At the end of a dimension, numbers are repeated.
    #[inline(always)]
    pub fn gather<N: Number, const ROWS: usize, const GROUPS: usize>(
        &self,
        array: &[u8],
    ) -> [[N; ROWS]; GROUPS] {
        let mut block = [[N::default(); ROWS]; GROUPS];
        let size = size_of::<N>();
        for (row, numbers) in block.as_flattened_mut().chunks_exact_mut(4).enumerate() {
            let [y, z, w] = [row & 3, row >> 2 & 3, row >> 4 & 3];
            let at = self.row(
                PADDED[self.sizes[1]][y],
                PADDED[self.sizes[2]][z],
                PADDED[self.sizes[3]][w],
            );
            let bytes = &array[at * size..(at + self.sizes[0]) * size];
            N::read(bytes, numbers);
            if self.sizes[0] < 4 {
                let given = [numbers[0], numbers[1], numbers[2], numbers[3]];
                for (number, from) in numbers.iter_mut().zip(PADDED[self.sizes[0]]) {
                    *number = given[from];
                }
            }
        }
        block
    }

    /// Puts the numbers of the block into the array.
    #[inline(always)]
    pub fn scatter<N: Number, const ROWS: usize, const GROUPS: usize>(
        &self,
        block: &[[N; ROWS]; GROUPS],
        array: &mut [u8],
    ) {
        let size = size_of::<N>();
        for (row, numbers) in block.as_flattened().chunks_exact(4).enumerate() {
            let [y, z, w] = [row & 3, row >> 2 & 3, row >> 4 & 3];
            if y < self.sizes[1] && z < self.sizes[2] && w < self.sizes[3] {
                let at = self.row(y, z, w);
                N::write(numbers, &mut array[at * size..(at + self.sizes[0]) * size]);
            }
        }
    }

    /// Index of the first number of a row.
    #[inline(always)]
    fn row(&self, y: usize, z: usize, w: usize) -> usize {
        self.first + y * self.strides[1] + z * self.strides[2] + w * self.strides[3]
    }
}
