//! The memory allocator of the programs.
//!
//! A dataset with very many variables is very many small allocations, made by several threads and freed by others.
//! For such a dataset jemalloc takes two thirds of the time and of the memory that glibc's allocator takes.
//!
//! Its settings are its defaults. Threads that kept longer freed buffers than its 32 KiB (`tcache_max`) would double the memory of a
//! copy over a network, which allocates ranges in one thread and frees them in another.
//!
//! jemalloc keeps freed pages for ten seconds, for each of its arenas. A copy between local files allocates and frees in the same few
//! threads, and finds these pages again. A copy over a network has more threads, and arenas hold more freed pages than the
//! copy has pages in use: see [`return_freed_pages`].

#![expect(unsafe_code, reason = "jemalloc is C")]

use std::ffi::{CStr, CString};
use std::mem::size_of;
use std::ptr::null_mut;

/// Number of arenas that may exist when a program starts.
const FIRST_ARENAS: usize = 4;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Gives pages back to the system as soon as they are freed, from now on. To be called before threads begin.
///
/// The memory of a copy of 2,000 chunks to a store halves, in the same time. A copy between local files would take up to a
/// tenth longer.
pub fn return_freed_pages() {
    // Arenas that come take the first setting, and those that exist have one each.
    keep_pages_for(c"arenas.dirty_decay_ms", 0);
    for arena in 0..FIRST_ARENAS {
        if let Ok(name) = CString::new(format!("arena.{arena}.dirty_decay_ms")) {
            keep_pages_for(&name, 0);
        }
    }
}

/// Sets how long freed pages are kept, in milliseconds. A setting of an arena that does not exist changes nothing.
fn keep_pages_for(setting: &CStr, mut milliseconds: isize) -> bool {
    // SAFETY: the name ends with a zero, the new value is of the type that the setting has (`ssize_t`), with its size, and no old
    // value is asked for.
    let status = unsafe {
        tikv_jemalloc_sys::mallctl(
            setting.as_ptr(),
            null_mut(),
            null_mut(),
            (&raw mut milliseconds).cast(),
            size_of::<isize>(),
        )
    };
    status == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_exist() {
        return_freed_pages();
        for setting in [c"arenas.dirty_decay_ms", c"arena.0.dirty_decay_ms"] {
            assert!(keep_pages_for(setting, 0), "{setting:?}");
        }
        assert!(!keep_pages_for(c"arena.0.no_such_setting", 0));
    }
}
