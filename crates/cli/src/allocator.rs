//! The memory allocator of the programs.
//!
//! A dataset with very many variables is very many small allocations, made by several threads and freed by others.
//! For such a dataset jemalloc takes two thirds of the time and of the memory that glibc's allocator takes.
//!
//! Its settings are its defaults. Threads that kept longer freed buffers than its 32 KiB (`tcache_max`) would double the memory of a
//! copy over a network, which allocates ranges in one thread and frees them in another.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
