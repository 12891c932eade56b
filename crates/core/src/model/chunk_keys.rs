//! The form of the keys of chunks in a store.

/// The character between the coordinates in a chunk's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySeparator {
    /// `0.1.2`: one key beside the other.
    Dot,
    /// `0/1/2`: in folders.
    Slash,
}

/// The form of the keys of chunks: `c/0/1` or `0.1`.
///
/// Zarr version 3, "Chunk key encoding".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkKeys {
    /// True if a key begins with `c`, as in the encoding `default`. False for the encoding `v2`.
    pub begin_with_c: bool,
    /// The character between coordinates.
    pub separator: KeySeparator,
}

impl ChunkKeys {
    /// Keys such as `0.1`, which version 2 of Zarr writes.
    pub const V2: Self = Self {
        begin_with_c: false,
        separator: KeySeparator::Dot,
    };

    /// Keys such as `c/0/1`, which version 3 of Zarr writes.
    pub const DEFAULT: Self = Self {
        begin_with_c: true,
        separator: KeySeparator::Slash,
    };
}

impl Default for ChunkKeys {
    fn default() -> Self {
        Self::DEFAULT
    }
}
