//! [`Limits`]: bounds on memory and work in reading a file.

/// Bounds on the memory and work of reading, whatever the file contains. Set when a file is
/// [opened](crate::OpenOptions).
///
/// ```
/// let mut limits = ncutils_hdf5::Limits::default();
/// limits.links_followed = 5;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum size of cached metadata, in bytes. `None` means 16 MiB, or 32 times the source's
    /// [`readahead`](crate::ByteSource::readahead) if that is more.
    pub cache_bytes: Option<usize>,
    /// Maximum size of cached global heap collections, in bytes. Default: 32 MiB.
    pub global_heap_cache_bytes: usize,
    /// Bytes that may be read from one heap, in addition to 8 times the file's size. A damaged file can refer to the
    /// same bytes any number of times. Default: 64 MiB.
    pub heap_bytes: u64,
    /// Maximum nesting of datatypes, at most 256. Default: 32.
    pub datatype_depth: u32,
    /// Maximum size of a dataset that is read as a whole, in bytes. Default: 1 GiB.
    pub dataset_bytes: u64,
    /// Maximum number of soft links followed in a path. Default: 40.
    pub links_followed: u32,
    /// Maximum length of a path, in bytes. Default: 64 KiB.
    pub path_bytes: usize,
    /// Maximum number of chunks of a dataset whose places are kept in memory, if the source is fast. An index of more chunks stays in
    /// the file, and its parts are read again when they are needed. Default: 2^18.
    pub chunks_in_memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cache_bytes: None,
            global_heap_cache_bytes: 32 << 20,
            heap_bytes: 64 << 20,
            datatype_depth: 32,
            dataset_bytes: 1 << 30,
            links_followed: 40,
            path_bytes: 64 << 10,
            chunks_in_memory: 1 << 18,
        }
    }
}

impl Limits {
    /// Size of the metadata cache, in bytes, for a source with this readahead.
    pub(crate) fn cache_capacity(&self, readahead: usize) -> usize {
        self.cache_bytes
            .unwrap_or_else(|| readahead.saturating_mul(32).clamp(16 << 20, 1 << 30))
    }
}
