//! The memory allocator of the programs.
//!
//! A dataset with very many variables is very many small allocations, made by several threads and freed by others.
//! For such a dataset jemalloc takes two thirds of the time and of the memory that glibc's allocator takes.

#![expect(
    unsafe_code,
    reason = "jemalloc is C and finds its settings by the name of a symbol"
)]

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The settings of jemalloc, which it reads when the program starts.
///
/// Threads keep freed buffers of up to 16 KiB to themselves, not of up to 2 MiB as the crate's build has it. A copy over a
/// network allocates ranges of that size in one thread and frees them in another, and the buffers that each keeps would double
/// its memory.
// SAFETY: jemalloc declares the symbol as a weak `const char *`. A reference to an array is such a pointer, and the text ends
// with a zero.
#[used]
#[unsafe(export_name = "_rjem_malloc_conf")]
static SETTINGS: &[u8; 17] = b"tcache_max:16384\0";
