//! [`CheckOptions`]: threads and memory of all work on integrity.

/// How a dataset is checked: threads and memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions {
    /// Number of threads; `None` for [`threads::count`](crate::threads::count).
    pub threads: Option<usize>,
    /// Most bytes of memory for data; `None` for a quarter of the machine's.
    pub memory: Option<u64>,
}
