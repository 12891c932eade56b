//! Moves bytes between slices and vectors of 64 bytes, for `avx512.rs`.

#![expect(unsafe_code, reason = "instructions that take addresses")]

use std::arch::x86_64::*;

/// Bytes of a vector.
const VECTOR: usize = 64;

/// The 64 bytes from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(bytes: &[u8], at: usize) -> __m512i {
    let bytes: &[u8; VECTOR] = bytes[at..].first_chunk().expect("64 bytes");
    // SAFETY: the array has the 64 bytes that are read. The instruction takes any alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Writes 64 bytes from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store(vector: __m512i, bytes: &mut [u8], at: usize) {
    let bytes: &mut [u8; VECTOR] = bytes[at..].first_chunk_mut().expect("64 bytes");
    // SAFETY: the array has the 64 bytes that are written. The instruction takes any alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}

/// The mask of the first `count` bytes of a vector, at most all.
fn first_bytes(count: usize) -> u64 {
    match count {
        0..VECTOR => (1 << count) - 1,
        _ => u64::MAX,
    }
}

/// A vector of the first 64 of `bytes`, with zeros behind fewer bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn load_some(bytes: &[u8]) -> __m512i {
    let mask = first_bytes(bytes.len());
    // SAFETY: the instruction reads the bytes of the mask alone, which the slice has.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

/// Writes a vector to the first 64 of `bytes`, or as much of it as there are bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn store_some(vector: __m512i, bytes: &mut [u8]) {
    let mask = first_bytes(bytes.len());
    // SAFETY: the instruction writes the bytes of the mask alone, which the slice has.
    unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask, vector) }
}
