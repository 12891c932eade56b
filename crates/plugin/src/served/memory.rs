//! HDF5's library functions, H5: memory for buffers, which is the C library's, and initialization.

use std::ffi::{c_int, c_uchar, c_void};

/// H5allocate_memory: memory for a buffer, with zeros if `clear` is not 0.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5allocate_memory(size: usize, clear: c_uchar) -> *mut c_void {
    if size == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: any size may be asked for.
    unsafe {
        match clear {
            0 => libc::malloc(size),
            _ => libc::calloc(1, size),
        }
    }
}

/// H5resize_memory: changes the size of a buffer.
///
/// # Safety
/// As in HDF5: `memory` is null or a buffer of the C library.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5resize_memory(memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the caller gives null or a buffer of the C library.
    unsafe {
        if size == 0 {
            libc::free(memory);
            return std::ptr::null_mut();
        }
        libc::realloc(memory, size)
    }
}

/// H5free_memory: frees a buffer.
///
/// # Safety
/// As in HDF5: `memory` is null or a buffer of the C library.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5free_memory(memory: *mut c_void) -> c_int {
    // SAFETY: the caller gives null or a buffer of the C library.
    unsafe { libc::free(memory) };
    0
}

/// H5open: does nothing. Nothing needs initialization.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5open() -> c_int {
    0
}

/// H5Zregister: does nothing. The loader asks the plugin for its class.
// SAFETY: HDF5's name and signature of this function, which reads nothing through `_class`.
#[unsafe(no_mangle)]
pub extern "C" fn H5Zregister(_class: *const c_void) -> c_int {
    0
}

/// H5Zunregister: does nothing.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Zunregister(_id: c_int) -> c_int {
    0
}
