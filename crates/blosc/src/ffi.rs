//! The calls into C-Blosc. This is the only file of the crate with `unsafe` code.
//!
//! The functions with `_ctx` keep all state on the stack and the heap of the call. With one internal thread they start
//! no threads. So they may be called from many threads at once.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::sync::Once;

use blosc_src::{blosc_cbuffer_validate, blosc_compress_ctx, blosc_decompress_ctx};

use crate::limits::{MAX_INPUT, MAX_LEVEL, MAX_TYPE_SIZE};
use crate::settings::{Compressor, Settings, Shuffle};

/// The name of a compressor, as C-Blosc takes it.
fn name(compressor: Compressor) -> &'static CStr {
    match compressor {
        Compressor::BloscLz => c"blosclz",
        Compressor::Lz4 => c"lz4",
        Compressor::Lz4Hc => c"lz4hc",
        Compressor::Snappy => c"snappy",
        Compressor::Zlib => c"zlib",
        Compressor::Zstd => c"zstd",
    }
}

/// Lets C-Blosc choose its functions for shuffling. It does so at the first use, and keeps them in a static variable
/// without synchronisation, so the first use must not be in two threads at once.
fn initialize() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        let settings = Settings {
            compressor: Compressor::BloscLz,
            level: 1,
            shuffle: Shuffle::Byte,
            type_size: 4,
            block_size: 0,
        };
        let input = [0; 1024];
        let mut out = Vec::with_capacity(input.len());
        compress_initialized(&settings, &input, input.len(), &mut out);
    });
}

/// Compresses `input` into the capacity of `out`, and sets its length. `room` is the maximum length, and `out` must
/// have that capacity. False if the output does not fit.
///
/// # Panics
/// If `out` has less capacity, or `input` is longer than [`MAX_INPUT`].
pub fn compress(settings: &Settings, input: &[u8], room: usize, out: &mut Vec<u8>) -> bool {
    initialize();
    compress_initialized(settings, input, room, out)
}

fn compress_initialized(settings: &Settings, input: &[u8], room: usize, out: &mut Vec<u8>) -> bool {
    assert!(input.len() <= MAX_INPUT && room <= out.capacity());
    let room = room.min(i32::MAX as usize);
    let type_size = match settings.type_size {
        size @ 1..=MAX_TYPE_SIZE => size,
        _ => 1,
    };
    out.clear();
    // SAFETY: `input` is readable for its length, and `out` is writable for `room` bytes, which is at most its
    // capacity; a mutable and a shared reference do not overlap. The name ends with a zero. C-Blosc writes at most
    // `destsize` bytes. The level, the shuffle and the size of an element are in the ranges that it expects; the size
    // of a block is at most `MAX_INPUT`, which fits its 32-bit numbers, and C-Blosc brings it into range.
    let written = unsafe {
        blosc_compress_ctx(
            settings.level.min(MAX_LEVEL) as c_int,
            settings.shuffle.code() as c_int,
            type_size,
            input.len(),
            input.as_ptr().cast(),
            out.as_mut_ptr().cast(),
            room,
            name(settings.compressor).as_ptr(),
            settings.block_size.min(MAX_INPUT),
            1,
        )
    };
    match usize::try_from(written) {
        Ok(written @ 1..) if written <= room => {
            // SAFETY: C-Blosc has written this many bytes from the beginning, and they are within the capacity.
            unsafe { out.set_len(written) };
            true
        }
        _ => false,
    }
}

/// Decompresses `input` into the capacity of `out`, and sets its length to `size`, the length that the header states.
/// False if the input is damaged.
///
/// # Panics
/// If `out` has less capacity than `size`.
pub fn decompress(input: &[u8], size: usize, out: &mut Vec<u8>) -> bool {
    initialize();
    assert!(size <= out.capacity());
    out.clear();
    let mut stated = 0;
    // SAFETY: `input` is readable for its length, which the function is told, and `stated` is writable.
    let valid = unsafe { blosc_cbuffer_validate(input.as_ptr().cast(), input.len(), &mut stated) };
    if valid != 0 || stated != size {
        return false;
    }
    // SAFETY: The buffer is valid, so C-Blosc reads no more than `input.len()` bytes, which its header states. `out` is
    // writable for `size` bytes, and C-Blosc writes no more than it is told to. The references do not overlap.
    let written = unsafe { blosc_decompress_ctx(input.as_ptr().cast(), out.as_mut_ptr().cast(), size, 1) };
    if usize::try_from(written) != Ok(size) {
        return false;
    }
    // SAFETY: The result is the sum of the bytes that were written for each block. A block gives at most its own size,
    // and all blocks have `size` bytes. So if the sum is `size`, each of these bytes was written.
    unsafe { out.set_len(size) };
    true
}
