//! Limits of what reading a file may take.

/// How much memory and how many steps reading may take, whatever the file says. Set when a file is
/// [opened](crate::OpenOptions).
///
/// ```
/// let mut limits = ncutils_hdf5::Limits::default();
/// limits.links_followed = 5;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of metadata kept in memory: 16 MiB, or 32 times the source's
    /// [`readahead`](crate::ByteSource::readahead) where that is more. `None` is this default.
    pub cache_bytes: Option<usize>,
    /// Bytes of global heap collections kept in memory: 32 MiB.
    pub global_heap_cache_bytes: usize,
    /// Bytes that one heap may hand out besides 8 times the file's size, as a damaged file can name the same bytes again
    /// and again: 64 MiB.
    pub heap_bytes: u64,
    /// How deep datatypes may nest: 32, and never more than 256.
    pub datatype_depth: u32,
    /// The most bytes that the elements of a dataset may take where they are read as a whole: 1 GiB.
    pub dataset_bytes: u64,
    /// How many soft links a path may lead through: 40.
    pub links_followed: u32,
    /// How many bytes a path may have: 64 KiB.
    pub path_bytes: usize,
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
        }
    }
}

impl Limits {
    /// Bytes of the metadata cache over a source with this readahead.
    pub(crate) fn cache_capacity(&self, readahead: usize) -> usize {
        self.cache_bytes
            .unwrap_or_else(|| readahead.saturating_mul(32).clamp(16 << 20, 1 << 30))
    }
}
