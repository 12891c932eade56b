//! Transposes bytes and bits with vectors of AVX-512, for shuffle, bitshuffle and packbits.
//!
//! ```text
//! split_bytes: elements of 2, 4, 8 or 12 bytes    ─► a plane of each byte     join_bytes: the reverse
//! split_bits:  elements of 1, 2, 4, 8 or 12 bytes ─► a plane of each bit      join_bits:  the reverse
//! pack_bits:   truth values                       ─► bits, the first highest  unpack_bits: the reverse
//! ```
//!
//! Each function does whole groups of 64 elements, or of 8 where it makes planes of bits, and returns how far it came:
//! nowhere on a processor without these instructions. The callers have safe code for any number of elements, which does
//! the rest.
//!
//! A group is transposed within vectors, and then between vectors. The bytes of eight elements are a matrix of 8 by 8
//! bits, which one instruction of GFNI multiplies with another matrix.

#![expect(
    unsafe_code,
    reason = "calls of functions for instructions that not all processors have"
)]

#[cfg(target_arch = "x86_64")]
pub(crate) use vectors::{join_bits, join_bytes, pack_bits, split_bits, split_bytes, unpack_bits};

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use without::{join_bits, join_bytes, pack_bits, split_bits, split_bytes, unpack_bits};

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

    use crate::shuffle::byte_positions::{COLUMNS, JOINED_TRIPLES, ROWS, SPLIT_TRIPLES, TRANSPOSED};
    use crate::shuffle::vector_memory::{load, load_some, store, store_some};

    /// Bytes of a vector, and elements or rows in a group.
    const VECTOR: usize = 64;

    /// True if the processor has all the instructions that are used here.
    static AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("gfni")
    });

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

    /// Takes bytes of three vectors, in two steps.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn permute_three([a, b, c]: [__m512i; 3], steps: &[[u8; VECTOR]; 2]) -> __m512i {
        let (first, second) = (load(&steps[0], 0), load(&steps[1], 0));
        _mm512_permutex2var_epi8(_mm512_permutex2var_epi8(a, first, b), second, c)
    }

    /// Separates the bytes of 64 elements of three numbers of four bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn separate_triples(vectors: &mut [__m512i; 12]) {
        let elements = *vectors;
        for (number, steps) in SPLIT_TRIPLES.iter().enumerate() {
            let rows = [0, 3, 6, 9]
                .map(|at| permute_three([elements[at], elements[at + 1], elements[at + 2]], steps));
            vectors[4 * number..4 * number + 4].copy_from_slice(&transpose_quarters(rows));
        }
    }

    /// The reverse of [`separate_triples`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn unite_triples(vectors: &mut [__m512i; 12]) {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *vectors;
        let numbers = [
            transpose_quarters([a, b, c, d]),
            transpose_quarters([e, f, g, h]),
            transpose_quarters([i, j, k, l]),
        ];
        for (at, vector) in vectors.iter_mut().enumerate() {
            let rows = [numbers[0][at / 3], numbers[1][at / 3], numbers[2][at / 3]];
            *vector = permute_three(rows, &JOINED_TRIPLES[at % 3]);
        }
    }

    /// Separates the bytes of 64 elements: from vectors of elements to a vector of each byte.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn separate<const N: usize>(vectors: &mut [__m512i; N]) {
        if let Some(all) = vectors.first_chunk_mut::<12>() {
            return separate_triples(all);
        }
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
        if let Some(all) = vectors.first_chunk_mut::<12>() {
            return unite_triples(all);
        }
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

    /// The bytes of 512 elements of `N` bytes, in eight vectors each.
    type Planes<const N: usize> = [[__m512i; 8]; N];

    /// Splits a group of 512 elements of `N` bytes into planes of bits, or, without `WHOLE`, fewer elements into planes of
    /// `rows` bytes. `first` is the place of the first row in a plane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn split_group<const N: usize, const WHOLE: bool>(
        group: &[u8],
        (first, rows): (usize, usize),
        out: &mut [u8],
        stride: usize,
        planes: &mut Planes<N>,
    ) {
        for (row, part) in group.chunks(N * VECTOR).enumerate() {
            let mut vectors = [_mm512_setzero_si512(); N];
            let is_whole = WHOLE || part.len() == N * VECTOR;
            for (at, vector) in vectors.iter_mut().enumerate() {
                *vector = match is_whole {
                    true => load(part, at * VECTOR),
                    false => load_some(part.get(at * VECTOR..).unwrap_or_default()),
                };
            }
            separate(&mut vectors);
            for (plane, vector) in planes.iter_mut().zip(vectors) {
                plane[row] = transpose_bits(vector);
            }
        }
        for (byte, plane) in planes.iter().enumerate() {
            for (bit, vector) in gather_columns(*plane).into_iter().enumerate() {
                let at = (8 * byte + bit) * stride + first;
                match WHOLE {
                    true => store(vector, out, at),
                    false => store_some(vector, &mut out[at..at + rows]),
                }
            }
        }
    }

    /// The reverse of [`split_group`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn join_group<const N: usize, const WHOLE: bool>(
        input: &[u8],
        stride: usize,
        (first, rows): (usize, usize),
        group: &mut [u8],
        planes: &mut Planes<N>,
    ) {
        for (byte, plane) in planes.iter_mut().enumerate() {
            for (bit, vector) in plane.iter_mut().enumerate() {
                let at = (8 * byte + bit) * stride + first;
                *vector = match WHOLE {
                    true => load(input, at),
                    false => load_some(&input[at..at + rows]),
                };
            }
            *plane = spread_columns(*plane);
        }
        for (row, part) in group.chunks_mut(N * VECTOR).enumerate() {
            let mut vectors = [_mm512_setzero_si512(); N];
            for (vector, plane) in vectors.iter_mut().zip(&*planes) {
                *vector = transpose_bits(plane[row]);
            }
            unite(&mut vectors);
            let is_whole = WHOLE || part.len() == N * VECTOR;
            for (at, vector) in vectors.into_iter().enumerate() {
                match is_whole {
                    true => store(vector, part, at * VECTOR),
                    false => store_some(vector, part.get_mut(at * VECTOR..).unwrap_or_default()),
                }
            }
        }
    }

    /// Splits elements of `N` bytes into planes of bits.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn split_element_bits<const N: usize>(input: &[u8], out: &mut [u8], stride: usize) -> usize {
        let groups = input.chunks_exact(8 * N * VECTOR);
        let (whole, rest) = (groups.len() * VECTOR, groups.remainder());
        let mut planes = [[_mm512_setzero_si512(); 8]; N];
        for (number, group) in groups.enumerate() {
            split_group::<N, true>(group, (number * VECTOR, VECTOR), out, stride, &mut planes);
        }
        let rows = rest.len() / (8 * N);
        if rows > 0 {
            let rest = &rest[..rows * 8 * N];
            split_group::<N, false>(rest, (whole, rows), out, stride, &mut planes);
        }
        whole + rows
    }

    /// The reverse of [`split_element_bits`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    fn join_element_bits<const N: usize>(input: &[u8], stride: usize, out: &mut [u8]) -> usize {
        let mut groups = out.chunks_exact_mut(8 * N * VECTOR);
        let whole = groups.len() * VECTOR;
        let mut planes = [[_mm512_setzero_si512(); 8]; N];
        for (number, group) in groups.by_ref().enumerate() {
            join_group::<N, true>(input, stride, (number * VECTOR, VECTOR), group, &mut planes);
        }
        let rest = groups.into_remainder();
        let rows = rest.len() / (8 * N);
        if rows > 0 {
            let rest = &mut rest[..rows * 8 * N];
            join_group::<N, false>(input, stride, (whole, rows), rest, &mut planes);
        }
        whole + rows
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
                12 => split_elements::<12>(input, out, stride),
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
                12 => join_elements::<12>(input, stride, out),
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
                12 => split_element_bits::<12>(input, out, stride),
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
                12 => join_element_bits::<12>(input, stride, out),
                _ => 0,
            }
        }
    }
}
