//! Transposes bytes and bits with vectors of AVX-512, for shuffle, bitshuffle and packbits.
//!
//! ```text
//! split_bytes: elements of 2, 4 or 8 bytes    ─► a plane of each byte     join_bytes: the reverse
//! split_bits:  elements of 1, 2, 4 or 8 bytes ─► a plane of each bit      join_bits:  the reverse
//! pack_bits:   truth values                   ─► bits, the first highest  unpack_bits: the reverse
//! ```
//!
//! Each function does whole groups of 64 or 512 elements, and returns how far it came: nowhere on a processor without
//! these instructions. The callers have safe code for any number of elements, which does the rest.
//!
//! A group is transposed within vectors, and then between vectors. The bytes of eight elements are a matrix of 8 by 8
//! bits, which one instruction of GFNI multiplies with another matrix.

#![expect(
    unsafe_code,
    reason = "calls of functions for instructions that not all processors have"
)]

#[cfg(target_arch = "x86_64")]
pub(super) use vectors::{join_bits, join_bytes, pack_bits, split_bits, split_bytes, unpack_bits};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use without::{join_bits, join_bytes, pack_bits, split_bits, split_bytes, unpack_bits};

/// Processors of other kinds.
#[cfg(not(target_arch = "x86_64"))]
mod without {
    /// Splits no elements.
    pub fn split_bytes(_: usize, _: &[u8], _: &mut [u8], _: usize) -> usize {
        0
    }

    pub use split_bytes as split_bits;

    /// Joins no elements.
    pub fn join_bytes(_: usize, _: &[u8], _: usize, _: &mut [u8]) -> usize {
        0
    }

    pub use join_bytes as join_bits;

    /// Packs no bits.
    pub fn pack_bits(_: &[u8], _: &mut [u8]) -> usize {
        0
    }

    pub use pack_bits as unpack_bits;
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::x86_64::*;
    use std::sync::LazyLock;

    /// Bytes of a vector, and elements or rows in a group.
    const VECTOR: usize = 64;

    /// True if the processor has all the instructions that are used here.
    static AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("gfni")
    });

    /// The 64 bytes from `at` on.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(bytes: &[u8], at: usize) -> __m512i {
        let bytes: &[u8; VECTOR] = bytes[at..].first_chunk().expect("64 bytes");
        // SAFETY: the array has the 64 bytes that are read. The instruction takes any alignment.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    /// Writes 64 bytes from `at` on.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(vector: __m512i, bytes: &mut [u8], at: usize) {
        let bytes: &mut [u8; VECTOR] = bytes[at..].first_chunk_mut().expect("64 bytes");
        // SAFETY: the array has the 64 bytes that are written. The instruction takes any alignment.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
    }

    /// Transposes a matrix of quarters of vectors.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn transpose_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let (ab, cd) = (
            _mm512_shuffle_i64x2::<0x44>(a, b),
            _mm512_shuffle_i64x2::<0x44>(c, d),
        );
        let (ef, gh) = (
            _mm512_shuffle_i64x2::<0xee>(a, b),
            _mm512_shuffle_i64x2::<0xee>(c, d),
        );
        [
            _mm512_shuffle_i64x2::<0x88>(ab, cd),
            _mm512_shuffle_i64x2::<0xdd>(ab, cd),
            _mm512_shuffle_i64x2::<0x88>(ef, gh),
            _mm512_shuffle_i64x2::<0xdd>(ef, gh),
        ]
    }

    /// Positions of bytes in two vectors.
    type Positions = [u8; VECTOR];

    /// The positions that transpose a vector of `rows` rows of bytes.
    const fn transposition(rows: usize) -> Positions {
        let (mut positions, mut at) = ([0; VECTOR], 0);
        while at < VECTOR {
            positions[at] = (at % rows * (VECTOR / rows) + at / rows) as u8;
            at += 1;
        }
        positions
    }

    /// Two vectors of 8 by 8 bytes become one with their even columns in turn (`odd` is 0), or with their odd ones.
    const fn columns(odd: usize) -> Positions {
        let (mut positions, mut at) = ([0; VECTOR], 0);
        while at < VECTOR {
            let (column, row) = (at / 16 * 2 + odd, at % 8);
            positions[at] = (at / 8 % 2 * VECTOR + row * 8 + column) as u8;
            at += 1;
        }
        positions
    }

    /// The reverse of [`columns`]: the first vector, or the second.
    const fn rows(second: usize) -> Positions {
        let (mut positions, mut at) = ([0; VECTOR], 0);
        while at < VECTOR {
            let (row, column) = (at / 8, at % 8);
            positions[at] = (column % 2 * VECTOR + (column / 2 * 2 + second) * 8 + row) as u8;
            at += 1;
        }
        positions
    }

    /// The positions that transpose a vector of 1, 2, 4 … rows of bytes.
    const TRANSPOSED: [Positions; 7] = [
        transposition(1),
        transposition(2),
        transposition(4),
        transposition(8),
        transposition(16),
        transposition(32),
        transposition(64),
    ];
    /// The even columns, and the odd ones.
    const COLUMNS: [Positions; 2] = [columns(0), columns(1)];
    /// The first vector of rows, and the second.
    const ROWS: [Positions; 2] = [rows(0), rows(1)];

    /// Makes a vector of each column of eight vectors of 8 by 8 bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn gather_columns(v: [__m512i; 8]) -> [__m512i; 8] {
        let (even, odd) = (load(&COLUMNS[0], 0), load(&COLUMNS[1], 0));
        let evens = [0, 2, 4, 6].map(|at| _mm512_permutex2var_epi8(v[at], even, v[at + 1]));
        let odds = [0, 2, 4, 6].map(|at| _mm512_permutex2var_epi8(v[at], odd, v[at + 1]));
        let ([a, c, e, g], [b, d, f, h]) = (transpose_quarters(evens), transpose_quarters(odds));
        [a, b, c, d, e, f, g, h]
    }

    /// The reverse of [`gather_columns`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn spread_columns([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
        let (first, second) = (load(&ROWS[0], 0), load(&ROWS[1], 0));
        let (evens, odds) = (transpose_quarters([a, c, e, g]), transpose_quarters([b, d, f, h]));
        std::array::from_fn(|at| {
            _mm512_permutex2var_epi8(
                evens[at / 2],
                if at % 2 == 0 { first } else { second },
                odds[at / 2],
            )
        })
    }

    /// Transposes a matrix of halves or quarters of vectors, as many as vectors.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn transpose_pieces<const N: usize>(vectors: &mut [__m512i; N]) {
        if let Some(all) = vectors.first_chunk_mut::<4>() {
            *all = transpose_quarters(*all);
        } else if let Some([a, b]) = vectors.first_chunk_mut::<2>() {
            (*a, *b) = (
                _mm512_shuffle_i64x2::<0x44>(*a, *b),
                _mm512_shuffle_i64x2::<0xee>(*a, *b),
            );
        }
    }

    /// Separates the bytes of 64 elements: from vectors of elements to a vector of each byte.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn separate<const N: usize>(vectors: &mut [__m512i; N]) {
        if let Some(all) = vectors.first_chunk_mut::<8>() {
            *all = gather_columns(*all);
            return;
        }
        let positions = load(&TRANSPOSED[6 - N.ilog2() as usize], 0);
        for vector in vectors.iter_mut() {
            *vector = _mm512_permutexvar_epi8(positions, *vector);
        }
        transpose_pieces(vectors);
    }

    /// The reverse of [`separate`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn unite<const N: usize>(vectors: &mut [__m512i; N]) {
        if let Some(all) = vectors.first_chunk_mut::<8>() {
            *all = spread_columns(*all);
            return;
        }
        transpose_pieces(vectors);
        let positions = load(&TRANSPOSED[N.ilog2() as usize], 0);
        for vector in vectors.iter_mut() {
            *vector = _mm512_permutexvar_epi8(positions, *vector);
        }
    }

    /// Splits groups of 64 elements of `N` bytes into planes of bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn split_elements<const N: usize>(input: &[u8], out: &mut [u8], stride: usize) -> usize {
        let groups = input.chunks_exact(N * VECTOR);
        let done = groups.len() * VECTOR;
        for (number, group) in groups.enumerate() {
            let mut vectors = [_mm512_setzero_si512(); N];
            for (at, vector) in vectors.iter_mut().enumerate() {
                *vector = load(group, at * VECTOR);
            }
            separate(&mut vectors);
            for (byte, vector) in vectors.into_iter().enumerate() {
                store(vector, out, byte * stride + number * VECTOR);
            }
        }
        done
    }

    /// The reverse of [`split_elements`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn join_elements<const N: usize>(input: &[u8], stride: usize, out: &mut [u8]) -> usize {
        let groups = out.chunks_exact_mut(N * VECTOR);
        let done = groups.len() * VECTOR;
        for (number, group) in groups.enumerate() {
            let mut vectors = [_mm512_setzero_si512(); N];
            for (byte, vector) in vectors.iter_mut().enumerate() {
                *vector = load(input, byte * stride + number * VECTOR);
            }
            unite(&mut vectors);
            for (at, vector) in vectors.into_iter().enumerate() {
                store(vector, group, at * VECTOR);
            }
        }
        done
    }

    /// Transposes eight matrices of 8 by 8 bits.
    #[inline]
    #[target_feature(enable = "avx512f,gfni")]
    fn transpose_bits(matrices: __m512i) -> __m512i {
        // Byte k of a product with a matrix of the input has bit k of the matrix' bytes, the last byte's first.
        let units = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
        let reversed = _mm512_gf2p8affine_epi64_epi8::<0>(units, matrices);
        _mm512_gf2p8affine_epi64_epi8::<0>(reversed, units)
    }

    /// Splits groups of 512 elements of `N` bytes into planes of bits.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn split_element_bits<const N: usize>(input: &[u8], out: &mut [u8], stride: usize) -> usize {
        let groups = input.chunks_exact(8 * N * VECTOR);
        let done = groups.len() * VECTOR;
        // Bytes of the elements, in eight vectors each.
        let mut planes = [[_mm512_setzero_si512(); 8]; N];
        for (number, group) in groups.enumerate() {
            for (row, part) in group.chunks_exact(N * VECTOR).enumerate() {
                let mut vectors = [_mm512_setzero_si512(); N];
                for (at, vector) in vectors.iter_mut().enumerate() {
                    *vector = load(part, at * VECTOR);
                }
                separate(&mut vectors);
                for (plane, vector) in planes.iter_mut().zip(vectors) {
                    plane[row] = transpose_bits(vector);
                }
            }
            for (byte, plane) in planes.iter().enumerate() {
                for (bit, vector) in gather_columns(*plane).into_iter().enumerate() {
                    store(vector, out, (8 * byte + bit) * stride + number * VECTOR);
                }
            }
        }
        done
    }

    /// The reverse of [`split_element_bits`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn join_element_bits<const N: usize>(input: &[u8], stride: usize, out: &mut [u8]) -> usize {
        let groups = out.chunks_exact_mut(8 * N * VECTOR);
        let done = groups.len() * VECTOR;
        let mut planes = [[_mm512_setzero_si512(); 8]; N];
        for (number, group) in groups.enumerate() {
            for (byte, plane) in planes.iter_mut().enumerate() {
                for (bit, vector) in plane.iter_mut().enumerate() {
                    *vector = load(input, (8 * byte + bit) * stride + number * VECTOR);
                }
                *plane = spread_columns(*plane);
            }
            for (row, part) in group.chunks_exact_mut(N * VECTOR).enumerate() {
                let mut vectors = [_mm512_setzero_si512(); N];
                for (vector, plane) in vectors.iter_mut().zip(&planes) {
                    *vector = transpose_bits(plane[row]);
                }
                unite(&mut vectors);
                for (at, vector) in vectors.into_iter().enumerate() {
                    store(vector, part, at * VECTOR);
                }
            }
        }
        done
    }

    /// The bytes of each eighth in reverse order.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn reverse_eighths(vector: __m512i) -> __m512i {
        let order = _mm512_set_epi64(
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
        );
        _mm512_shuffle_epi8(vector, order)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn pack_groups(values: &[u8], bits: &mut [u8]) -> usize {
        let groups = values.chunks_exact(VECTOR).zip(bits.as_chunks_mut::<8>().0);
        let done = groups.len();
        for (values, bits) in groups {
            let values = reverse_eighths(load(values, 0));
            *bits = _mm512_test_epi8_mask(values, values).to_le_bytes();
        }
        8 * done
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn unpack_groups(bits: &[u8], values: &mut [u8]) -> usize {
        let groups = bits
            .as_chunks::<8>()
            .0
            .iter()
            .zip(values.chunks_exact_mut(VECTOR));
        let done = groups.len();
        for (bits, values) in groups {
            let ones = _mm512_maskz_set1_epi8(u64::from_le_bytes(*bits), 1);
            store(reverse_eighths(ones), values, 0);
        }
        8 * done
    }

    /// Packs truth values into bits, the first highest. Returns the number of bytes made.
    pub fn pack_bits(values: &[u8], bits: &mut [u8]) -> usize {
        if !*AVAILABLE {
            return 0;
        }
        // SAFETY: the processor has the instructions.
        unsafe { pack_groups(values, bits) }
    }

    /// The reverse of [`pack_bits`]: 0 or 1 for each bit. Returns the number of bytes unpacked.
    pub fn unpack_bits(bits: &[u8], values: &mut [u8]) -> usize {
        if !*AVAILABLE {
            return 0;
        }
        // SAFETY: the processor has the instructions.
        unsafe { unpack_groups(bits, values) }
    }

    /// Splits elements of `size` bytes into planes that begin every `stride` bytes. Returns the number of elements done.
    pub fn split_bytes(size: usize, input: &[u8], out: &mut [u8], stride: usize) -> usize {
        if !*AVAILABLE {
            return 0;
        }
        // SAFETY: the processor has the instructions.
        unsafe {
            match size {
                2 => split_elements::<2>(input, out, stride),
                4 => split_elements::<4>(input, out, stride),
                8 => split_elements::<8>(input, out, stride),
                _ => 0,
            }
        }
    }

    /// The reverse of [`split_bytes`].
    pub fn join_bytes(size: usize, input: &[u8], stride: usize, out: &mut [u8]) -> usize {
        if !*AVAILABLE {
            return 0;
        }
        // SAFETY: the processor has the instructions.
        unsafe {
            match size {
                2 => join_elements::<2>(input, stride, out),
                4 => join_elements::<4>(input, stride, out),
                8 => join_elements::<8>(input, stride, out),
                _ => 0,
            }
        }
    }

    /// Splits elements of `size` bytes into planes of bits that begin every `stride` bytes. Returns the number of bytes done
    /// in each plane.
    pub fn split_bits(size: usize, input: &[u8], out: &mut [u8], stride: usize) -> usize {
        if !*AVAILABLE {
            return 0;
        }
        // SAFETY: the processor has the instructions.
        unsafe {
            match size {
                1 => split_element_bits::<1>(input, out, stride),
                2 => split_element_bits::<2>(input, out, stride),
                4 => split_element_bits::<4>(input, out, stride),
                8 => split_element_bits::<8>(input, out, stride),
                _ => 0,
            }
        }
    }

    /// The reverse of [`split_bits`].
    pub fn join_bits(size: usize, input: &[u8], stride: usize, out: &mut [u8]) -> usize {
        if !*AVAILABLE {
            return 0;
        }
        // SAFETY: the processor has the instructions.
        unsafe {
            match size {
                1 => join_element_bits::<1>(input, stride, out),
                2 => join_element_bits::<2>(input, stride, out),
                4 => join_element_bits::<4>(input, stride, out),
                8 => join_element_bits::<8>(input, stride, out),
                _ => 0,
            }
        }
    }
}
