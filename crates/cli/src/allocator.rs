//! The memory allocator of the programs: mimalloc, and the system's for large blocks.
//!
//! A dataset with very many variables is very many small allocations, made by several threads and freed by others. For such a
//! dataset glibc's allocator takes up to 1.4 times the time.
//!
//! A large block that grows, such as a chunk whose length is found while it is inflated, moves its pages in glibc's allocator.
//! mimalloc would copy it, and the block would be in memory twice.
//!
//! mimalloc asks the system for the page size when the program starts. So a program runs on aarch64 with pages of 4, 16 or 64 KiB, and on
//! ppc64le with 64 KiB, and no setting of the build is needed. (jemalloc fixes the page size when it is built.)
//!
//! The feature `no_thp` leaves huge pages to the system's settings. If mimalloc asked for them, a program would take 6 to 40 MB more.
//!
//! Freed pages are kept for 50 ms (`KEPT_MS`) before they go back to the system. A copy between local files finds these pages again. In a copy
//! over a network, threads free what others allocated, and the pages that are kept are a third of the memory: see
//! [`return_freed_pages`].

#![expect(unsafe_code, reason = "an allocator is unsafe, and mimalloc is C")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_long;

use libmimalloc_sys::{mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: BySize = BySize;

/// Size in bytes from which a block is the system's. glibc's allocator maps each block of this size by itself.
const LARGE: usize = 32 << 20;

/// `mi_option_purge_delay`: how long freed pages are kept, in milliseconds.
const PURGE_DELAY: mi_option_t = 15;

/// How long freed pages are kept, in milliseconds. The second that is mimalloc's default makes the memory of a copy of 20,000 variables a
/// third larger. If they went back at once, buffers of chunks would take new pages each time.
const KEPT_MS: c_long = 50;

/// Allocates blocks below [`LARGE`] by mimalloc, and others by the system's allocator.
struct BySize;

fn is_large(size: usize) -> bool {
    size >= LARGE
}

// SAFETY: a block's size tells which allocator made it, as callers hand in the size that the block has. Each method passes on to that
// allocator what its own contract asks for.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        unsafe {
            if is_large(layout.size()) {
                System.alloc(layout)
            } else {
                MiMalloc.alloc(layout)
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        unsafe {
            if is_large(layout.size()) {
                System.alloc_zeroed(layout)
            } else {
                MiMalloc.alloc_zeroed(layout)
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the allocator is the one that made a block of this size.
        unsafe {
            if is_large(layout.size()) {
                System.dealloc(block, layout)
            } else {
                MiMalloc.dealloc(block, layout)
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the allocator is the one that made a block of this size. A block that changes its allocator is copied: both have at
        // least the bytes that are copied, the caller gives a size that makes a layout, and the old block is freed after the copy.
        unsafe {
            match (is_large(layout.size()), is_large(size)) {
                (false, false) => MiMalloc.realloc(block, layout, size),
                (true, true) => System.realloc(block, layout, size),
                _ => {
                    let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                    if !moved.is_null() {
                        moved.copy_from_nonoverlapping(block, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }
}

/// Sets how long freed pages are kept. To be called before other threads allocate.
pub(crate) fn start() {
    keep_freed_pages_for(KEPT_MS);
}

/// Gives pages back to the system as soon as they are freed, from now on. To be called before other threads allocate.
///
/// A copy of 2,000 chunks to or from a store takes a quarter less memory, in the same time. A copy between local files would take
/// longer.
pub fn return_freed_pages() {
    keep_freed_pages_for(0);
}

fn keep_freed_pages_for(milliseconds: c_long) {
    // SAFETY: the option exists, as the test shows. It is one number, which mimalloc reads without a lock when it frees pages. `start` and
    // the program's first step call this, when no other thread allocates.
    unsafe { mi_option_set(PURGE_DELAY, milliseconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No other option is 1,000 by default.
    #[test]
    fn the_option_is_the_delay() {
        let delay = || {
            // SAFETY: reads one number.
            unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) }
        };
        assert_eq!(delay(), 1000);
        start();
        assert_eq!(delay(), KEPT_MS);
        return_freed_pages();
        assert_eq!(delay(), 0);
    }

    #[test]
    fn a_block_that_grows_and_shrinks_keeps_its_bytes() {
        let mut block: Vec<u8> = (0..=255).cycle().take(LARGE / 2).collect();
        let holds =
            |block: &[u8], len: usize| block[..len].iter().zip((0..=255u8).cycle()).all(|(a, b)| *a == b);
        for size in [LARGE - 1, LARGE, 2 * LARGE, 3 * LARGE] {
            block.reserve_exact(size - block.len());
            assert!(holds(&block, LARGE / 2), "{size}");
        }
        block.truncate(1000);
        block.shrink_to(LARGE + 1);
        assert!(holds(&block, 1000));
        block.shrink_to_fit();
        assert!(holds(&block, 1000));
        assert!(vec![0u8; 2 * LARGE].iter().all(|byte| *byte == 0));
    }
}
