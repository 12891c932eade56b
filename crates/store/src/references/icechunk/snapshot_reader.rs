//! [`Snapshot`]: the nodes of a hierarchy.

use std::collections::BTreeMap;

use super::flatbuffer_reader::{CopyLimit, Table, Wrong};
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
        let mut limit = CopyLimit::of(buffer);
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
            limit.take(path.len() + document.len())?;
            found.documents.insert(path.to_owned(), document.to_vec());
            // 1 is an array, 2 a group.
            if node.plain(3)? == Some([1]) {
                let data = node.table(4)?.ok_or_else(|| format!("no data of {path}"))?;
                limit.take(path.len())?;
                let array = array(node, data, &mut limit)?;
                found.arrays.insert(path.to_owned(), array);
            }
        }
        Ok(found)
    }
}

fn array(node: Table<'_>, data: Table<'_>, limit: &mut CopyLimit) -> Result<Array, Wrong> {
    let mut manifests = Vec::new();
    if let Some(all) = data.vector(2, 4)? {
        for manifest in all.tables() {
            let manifest = manifest?;
            let id = manifest.plain(0)?.ok_or("a manifest without an id")?;
            let extents = manifest.vector(1, 8)?.ok_or("a manifest without ranges")?;
            limit.take(12 + 8 * extents.len())?;
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

#[cfg(test)]
mod tests {
    use super::super::write::flatbuffer_writer::{FlatBuffer, FlatTable};
    use super::*;

    /// Groups that share one document.
    fn sharing(groups: usize, document: &str) -> Vec<u8> {
        let mut buffer = FlatBuffer::new();
        let places = buffer.table(None, &FlatTable::default().offset(2));
        let nodes = buffer.tables(places[0], groups);
        for n in 0..groups {
            let table = FlatTable::default().inline(3, [2]).offset(1).offset(2);
            let places = buffer.table(Some(nodes.place(n)), &table);
            buffer.string(places[0], &format!("/g{n}"));
            buffer.shared_string(places[1], document);
        }
        buffer.finish()
    }

    #[test]
    fn parts_that_are_shared_take_no_more_memory_than_the_file_explains() {
        let found = Snapshot::parse(&sharing(3, "{}")).unwrap();
        assert_eq!(found.documents.len(), 3);
        let error = Snapshot::parse(&sharing(100, &"x".repeat(100_000))).unwrap_err();
        assert_eq!(error, "tables that share too many parts");
    }
}
