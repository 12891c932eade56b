//! [`Snapshot`]: the nodes of a hierarchy.

use std::collections::BTreeMap;

use super::flatbuffer_reader::{Table, Wrong};
use super::id::SnapshotId;

/// The nodes of a hierarchy.
#[derive(Debug)]
pub struct Snapshot {
    /// The document of each node, by its path without slashes around it.
    pub documents: BTreeMap<String, Vec<u8>>,
    /// The arrays, by path.
    pub arrays: BTreeMap<String, Array>,
}

/// Where the chunks of an array are.
#[derive(Debug)]
pub struct Array {
    /// The id of the node.
    pub node: [u8; 8],
    /// The manifests that have chunks of it, each with the ranges of its positions.
    pub manifests: Vec<(SnapshotId, Vec<[u32; 2]>)>,
}

impl Snapshot {
    /// What a flatbuffer says.
    ///
    /// # Errors
    /// What is damaged.
    pub fn parse(buffer: &[u8]) -> Result<Self, Wrong> {
        let root = Table::root(buffer)?;
        let nodes = root.vector(2, 4)?.ok_or("it has no nodes")?;
        let mut found = Self {
            documents: BTreeMap::new(),
            arrays: BTreeMap::new(),
        };
        for node in nodes.tables() {
            let node = node?;
            let path = node.text(1)?.ok_or("a node without a path")?;
            let path = path
                .strip_prefix('/')
                .ok_or_else(|| format!("the path '{path}' without a slash"))?;
            let is_strange = |part: &str| matches!(part, "" | "." | "..");
            if !path.is_empty() && path.split('/').any(is_strange) {
                return Err(format!("the path '{path}'"));
            }
            let document = node.bytes(2)?.ok_or_else(|| format!("no metadata of {path}"))?;
            found.documents.insert(path.to_owned(), document.to_vec());
            // 1 is an array, 2 a group.
            if node.plain(3)? == Some([1]) {
                let data = node.table(4)?.ok_or_else(|| format!("no data of {path}"))?;
                let array = array(node, data)?;
                found.arrays.insert(path.to_owned(), array);
            }
        }
        Ok(found)
    }
}

fn array(node: Table<'_>, data: Table<'_>) -> Result<Array, Wrong> {
    let mut manifests = Vec::new();
    if let Some(all) = data.vector(2, 4)? {
        for manifest in all.tables() {
            let manifest = manifest?;
            let id = manifest.plain(0)?.ok_or("a manifest without an id")?;
            let extents = manifest.vector(1, 8)?.ok_or("a manifest without ranges")?;
            let range = |n| -> Result<[u32; 2], Wrong> {
                let [a, b, c, d, e, f, g, h] = extents.plain(n)?;
                Ok([u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])])
            };
            let ranges: Result<Vec<_>, Wrong> = (0..extents.len()).map(range).collect();
            manifests.push((SnapshotId(id), ranges?));
        }
    }
    Ok(Array {
        node: node.plain(0)?.ok_or("a node without an id")?,
        manifests,
    })
}
