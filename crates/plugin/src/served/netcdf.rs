//! netCDF-C's inquiries about a variable, for libraries with codecs of NCZarr.

use std::ffi::{c_char, c_int, c_uchar};

use crate::context::{self, Call, Class};

/// The id of the dataset, for plugins.
pub(crate) const NCID: c_int = 0x1_0000;
/// The id of the variable, for plugins.
pub(crate) const VARID: c_int = 0;

/// netCDF-C's error for an invalid id.
const NC_EBADID: c_int = -33;
/// The first id of a user-defined type.
const FIRST_USER_TYPE: c_int = 32;
const NC_ENDIAN_LITTLE: c_int = 1;
const NC_ENDIAN_BIG: c_int = 2;

/// netCDF's type of the variable's elements, for messages and sizes.
fn nc_type(call: &Call) -> c_int {
    let datatype = call.datatype;
    match (datatype.class, datatype.size, datatype.signed) {
        (Class::String, 1, _) => 2,
        (Class::Integer, 1, true) => 1,
        (Class::Integer, 1, false) => 7,
        (Class::Integer, 2, true) => 3,
        (Class::Integer, 2, false) => 8,
        (Class::Integer, 4, true) => 4,
        (Class::Integer, 4, false) => 9,
        (Class::Integer, 8, true) => 10,
        (Class::Integer, 8, false) => 11,
        (Class::Float, 4, _) => 5,
        (Class::Float, 8, _) => 6,
        _ => FIRST_USER_TYPE,
    }
}

/// Uses the current call if the ids are the variable's.
fn inquire(ncid: c_int, varid: c_int, answer: impl FnOnce(&Call)) -> c_int {
    if (ncid, varid) != (NCID, VARID) {
        return NC_EBADID;
    }
    context::with(|call| answer(call)).map_or(NC_EBADID, |()| 0)
}

/// Writes an answer, and an end to a name, where they are wanted.
///
/// # Safety
/// `to` is null or may be written to.
unsafe fn put<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller gives a pointer that may be written to.
        unsafe { to.write(value) };
    }
}

/// nc_inq_var: type and rank. The variable has no name and no attributes; its dimensions are numbered from 0.
///
/// # Safety
/// As in netCDF-C: each pointer is null or may be written to; `dimensions` has room for the rank.
// SAFETY: netCDF-C's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nc_inq_var(
    ncid: c_int,
    varid: c_int,
    name: *mut c_char,
    ty: *mut c_int,
    rank: *mut c_int,
    dimensions: *mut c_int,
    attributes: *mut c_int,
) -> c_int {
    inquire(ncid, varid, |call| {
        let count = c_int::try_from(call.shape.len()).unwrap_or(c_int::MAX);
        // SAFETY: the caller keeps this function's contract.
        unsafe {
            put(name, 0);
            put(ty, nc_type(call));
            put(rank, count);
            put(attributes, 0);
            if !dimensions.is_null() {
                for (at, id) in (0..call.shape.len()).zip(0..) {
                    dimensions.add(at).write(id);
                }
            }
        }
    })
}

/// nc_inq_type: the size of the variable's type, in bytes.
///
/// # Safety
/// As in netCDF-C: each pointer is null or may be written to.
// SAFETY: netCDF-C's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nc_inq_type(ncid: c_int, _ty: c_int, name: *mut c_char, size: *mut usize) -> c_int {
    inquire(ncid, VARID, |call| {
        // SAFETY: the caller keeps this function's contract.
        unsafe {
            put(name, 0);
            put(size, call.datatype.size);
        }
    })
}

/// nc_inq_var_chunking: the chunk shape. The storage is always chunked.
///
/// # Safety
/// As in netCDF-C: each pointer is null or may be written to; `lengths` has room for the rank.
// SAFETY: netCDF-C's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nc_inq_var_chunking(
    ncid: c_int,
    varid: c_int,
    storage: *mut c_int,
    lengths: *mut usize,
) -> c_int {
    inquire(ncid, varid, |call| {
        // SAFETY: the caller keeps this function's contract.
        unsafe {
            put(storage, 0);
            if !lengths.is_null() {
                for (at, length) in call.shape.iter().enumerate() {
                    lengths
                        .add(at)
                        .write(usize::try_from(*length).unwrap_or(usize::MAX));
                }
            }
        }
    })
}

/// nc_inq_var_endian: the byte order of the variable.
///
/// # Safety
/// As in netCDF-C: `order` is null or may be written to.
// SAFETY: netCDF-C's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nc_inq_var_endian(ncid: c_int, varid: c_int, order: *mut c_int) -> c_int {
    inquire(ncid, varid, |call| {
        let found = match call.datatype.big_endian {
            true => NC_ENDIAN_BIG,
            false => NC_ENDIAN_LITTLE,
        };
        // SAFETY: the caller keeps this function's contract.
        unsafe { put(order, found) };
    })
}

/// nc_inq_dimlen: the length of a chunk along a dimension. Plugins ask for it only where the chunk shape is missing.
///
/// # Safety
/// As in netCDF-C: `length` is null or may be written to.
// SAFETY: netCDF-C's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nc_inq_dimlen(ncid: c_int, dimension: c_int, length: *mut usize) -> c_int {
    let mut found = None;
    let status = inquire(ncid, VARID, |call| {
        let at = usize::try_from(dimension).ok();
        found = at.and_then(|at| call.shape.get(at).copied());
    });
    let Some(found) = found else {
        return status.min(NC_EBADID);
    };
    // SAFETY: the caller keeps this function's contract.
    unsafe { put(length, usize::try_from(found).unwrap_or(usize::MAX)) };
    0
}

/// ncaux_h5filterspec_fix8: puts the words of a number of 8 bytes in the order of a file. It does nothing, as in
/// netCDF-C on a little-endian machine.
// SAFETY: netCDF-C's name and signature of this function, which uses no pointer.
#[unsafe(no_mangle)]
pub extern "C" fn ncaux_h5filterspec_fix8(_bytes: *mut c_uchar, _decode: c_int) {
    const { assert!(cfg!(target_endian = "little")) };
}
