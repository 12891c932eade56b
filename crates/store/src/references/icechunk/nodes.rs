//! [`Node`]: a group or an array of a snapshot, as it is read and as it is written.

use std::io;

use super::id::{NodeId, ObjectId};

/// A group or an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The id, which stays when the node is moved.
    pub id: NodeId,
    /// Its document of Zarr, version 3.
    pub document: Vec<u8>,
    /// `None` for a group.
    pub array: Option<ArrayNode>,
    /// Bytes of extensions, which are kept as they are.
    pub extra: Option<Vec<u8>>,
}

/// What a node of an array has beside its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayNode {
    /// The dimensions.
    pub shape: Vec<Axis>,
    /// The name of each dimension, if it has one; `None` if the document names none.
    pub dimensions: Option<Vec<Option<String>>>,
    /// The manifests that have chunks of the array.
    pub manifests: Vec<ManifestRef>,
}

/// A dimension of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The number of cells.
    pub length: u64,
    /// What the snapshot tells of its chunks.
    pub chunks: Chunks,
}

/// The error of an array with more chunks along dimension number `n` than a repository can tell.
pub fn too_many_chunks(path: &str, n: usize, name: Option<&str>) -> io::Error {
    let along = name.map_or_else(
        || format!("dimension {n}"),
        |name| name.escape_debug().to_string(),
    );
    let path = path.escape_debug();
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{path} has more chunks along {along} than Icechunk can hold; use larger chunks"),
    )
}

/// The chunks along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunks {
    /// Cells of a chunk: specification 1.
    Length(u64),
    /// Number of chunks: specification 2.
    Count(u32),
}

impl Axis {
    /// The number of chunks; `None` if it has more than 32 bits.
    pub fn count(self) -> Option<u32> {
        match self.chunks {
            Chunks::Length(0) => Some(0),
            Chunks::Length(length) => u32::try_from(self.length.div_ceil(length)).ok(),
            Chunks::Count(count) => Some(count),
        }
    }

    /// Elements per chunk. For a count, the smallest length that gives this many chunks.
    pub fn chunk_length(self) -> u64 {
        match self.chunks {
            Chunks::Length(length) => length,
            Chunks::Count(0) => 0,
            Chunks::Count(count) => self.length.div_ceil(count.into()),
        }
    }
}

/// A manifest, as an array's node names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestRef {
    /// The id, which is the name of the file.
    pub id: ObjectId,
    /// Bytes of its file.
    pub size: u64,
    /// Number of references.
    pub count: u32,
    /// For each dimension, the first coordinate and the one behind the last.
    pub extents: Vec<(u32, u32)>,
    /// Bytes of extensions, which are kept as they are.
    pub extra: Option<Vec<u8>>,
}

impl ManifestRef {
    /// True if a chunk may be in it.
    pub fn may_have(&self, index: &[u32]) -> bool {
        let within = |(at, (from, to)): (&u32, &(u32, u32))| from <= at && at < to;
        self.extents.len() == index.len() && index.iter().zip(&self.extents).all(within)
    }
}
