//! HDF5's spaces, H5S: the space of a chunk.

use std::ffi::c_int;

use super::handles::SPACE;
use crate::context;

const FAIL: c_int = -1;

/// Writes the shape of a chunk to `to`, at most `room` lengths. Returns the rank, or -1 outside of a call.
///
/// # Safety
/// `to` is null or has room for `room` lengths, or for the rank if `room` is larger.
pub(super) unsafe fn write_shape(to: *mut u64, room: usize) -> c_int {
    context::with(|call| {
        let shape = &call.shape;
        if !to.is_null() {
            let count = shape.len().min(room);
            // SAFETY: the caller gives room for at least `count` lengths.
            unsafe { to.copy_from_nonoverlapping(shape.as_ptr(), count) };
        }
        c_int::try_from(shape.len()).unwrap_or(FAIL)
    })
    .unwrap_or(FAIL)
}

/// H5Sget_simple_extent_dims: the lengths of a chunk's dimensions, which are also their maximum. Returns the rank.
///
/// # Safety
/// As in HDF5: each pointer is null, or has room for the rank.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Sget_simple_extent_dims(
    space: i64,
    lengths: *mut u64,
    maximum: *mut u64,
) -> c_int {
    if space != SPACE {
        return FAIL;
    }
    // SAFETY: the caller gives room for the rank.
    unsafe {
        write_shape(maximum, usize::MAX);
        write_shape(lengths, usize::MAX)
    }
}

/// H5Sget_simple_extent_ndims: the rank.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Sget_simple_extent_ndims(space: i64) -> c_int {
    if space != SPACE {
        return FAIL;
    }
    // SAFETY: a null pointer is allowed.
    unsafe { write_shape(std::ptr::null_mut(), 0) }
}

/// H5Sget_simple_extent_npoints: the elements of a chunk.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Sget_simple_extent_npoints(space: i64) -> i64 {
    let count = || {
        context::with(|call| {
            let mut lengths = call.shape.iter();
            lengths.try_fold(1u64, |product, length| product.checked_mul(*length))
        })
    };
    let count = (space == SPACE).then(count).flatten().flatten();
    count.and_then(|count| i64::try_from(count).ok()).unwrap_or(-1)
}

/// H5Sis_simple: true for the space of a chunk.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Sis_simple(space: i64) -> c_int {
    if space == SPACE { 1 } else { FAIL }
}

/// H5Sclose: does nothing. Handles need not be closed.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Sclose(_space: i64) -> c_int {
    0
}
