//! [`Parent`]: the snapshot of a branch that a new one is made from.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::Arc;

use super::super::file_reader::{FileKind, read_file};
use super::super::flatbuffer_reader::{CopyLimit, Table, Wrong};
use super::super::id::{NodeId, SnapshotId};
use super::super::manifest_reader::Manifest;
use super::manifest_writer::{ManifestRef, OpenManifest, Value};
use super::snapshot_writer::{ArrayNode, Node};
use crate::references::{Reference, StoredRange};
use crate::{GetRange, KeyStore};

/// The file of repositories of specification 2.
const REPOSITORY: &str = "repo";

/// What the names of chunks of a repository begin with.
const CHUNKS: &str = "chunks/";

/// The snapshot of a branch that a new one is made from.
pub struct Parent {
    store: Arc<dyn KeyStore>,
    branch: String,
    pub id: SnapshotId,
    /// The time of the snapshot, in microseconds since 1970.
    pub flushed_at: u64,
    /// The nodes, by their paths without a slash before them.
    pub nodes: BTreeMap<String, Node>,
    /// The settings of the repository.
    pub settings: String,
}

fn damaged(key: &str, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{key}: {why}"))
}

impl Parent {
    /// The last snapshot of a branch of the repository in `store`.
    ///
    /// # Errors
    /// A repository of specification 2; no such branch; files that are damaged.
    pub fn open(store: Arc<dyn KeyStore>, branch: &str) -> io::Result<Self> {
        if store.size(REPOSITORY)?.is_some() {
            let why = "the repository is of specification 2, and snapshots are added to those of specification 1 alone";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        let id = tip(&*store, branch)?;
        let key = format!("snapshots/{id}");
        let file = store.get(&key, GetRange::Whole)?;
        let file = file.ok_or_else(|| damaged(&key, "the repository has no such file"))?;
        let buffer = read_file(&file, FileKind::Snapshot).map_err(|why| damaged(&key, &why))?;
        let (flushed_at, nodes) = parse(&buffer).map_err(|why| damaged(&key, &why))?;
        let settings = store.get("config.yaml", GetRange::Whole)?.unwrap_or_default();
        Ok(Self {
            branch: branch.to_owned(),
            id,
            flushed_at,
            nodes,
            settings: String::from_utf8_lossy(&settings).into_owned(),
            store,
        })
    }

    /// The key of the file that names the last snapshot of the branch.
    pub fn reference(&self) -> String {
        reference(&self.branch)
    }

    /// Checks that no other program has added to the branch.
    ///
    /// # Errors
    /// One has.
    pub fn check_unmoved(&self) -> io::Result<()> {
        match tip(&*self.store, &self.branch)? == self.id {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                format!(
                    "another program has added a snapshot to the branch {} meanwhile: run nccopy --append again",
                    self.branch
                ),
            )),
        }
    }

    /// True if a manifest of the array may have the chunk.
    pub fn may_have_chunk(&self, array: &str, index: &[u32]) -> bool {
        let array = self.nodes.get(array).and_then(|node| node.array.as_ref());
        array.is_some_and(|array| array.manifests.iter().any(|manifest| manifest.may_have(index)))
    }

    /// The references of a manifest but those of `replaced` chunks; `None` if it has none of these.
    ///
    /// # Errors
    /// The manifest is missing or damaged.
    pub fn without(
        &self,
        manifest: &ManifestRef,
        node: NodeId,
        replaced: &[Vec<u32>],
    ) -> io::Result<Option<OpenManifest>> {
        if !replaced.iter().any(|index| manifest.may_have(index)) {
            return Ok(None);
        }
        let key = format!("manifests/{}", manifest.id);
        let file = self.store.get(&key, GetRange::Whole)?;
        let file = file.ok_or_else(|| damaged(&key, "the repository has no such file"))?;
        let buffer = read_file(&file, FileKind::Manifest).map_err(|why| damaged(&key, &why))?;
        let replaced: HashSet<&[u32]> = replaced.iter().map(Vec::as_slice).collect();
        let rank = manifest.extents.len();
        let (mut kept, mut has_replaced, mut is_strange) = (OpenManifest::default(), false, false);
        let read = Manifest::new(buffer).references(&node, |index, reference| {
            is_strange |= index.len() != rank;
            match replaced.contains(index.as_slice()) {
                true => has_replaced = true,
                false => kept.add(&index, value_of(reference)),
            }
        });
        read.map_err(|why| damaged(&key, &why))?;
        if is_strange {
            return Err(damaged(&key, "a chunk with coordinates of another array"));
        }
        Ok(has_replaced.then_some(kept))
    }
}

/// A reference as it is written.
fn value_of(reference: Reference) -> Value {
    if let Reference::Stored(StoredRange { object, range, .. }) = &reference
        && let Some(id) = object.strip_prefix(CHUNKS).and_then(SnapshotId::parse)
    {
        let (offset, length) = range.unwrap_or_default();
        return Value::Native(id, offset, length);
    }
    Value::Reference(reference)
}

fn reference(branch: &str) -> String {
    format!("refs/branch.{branch}/ref.json")
}

/// The last snapshot of a branch.
fn tip(store: &dyn KeyStore, branch: &str) -> io::Result<SnapshotId> {
    let key = reference(branch);
    let file = store.get(&key, GetRange::Whole)?;
    let file = file.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the repository has no branch {}", branch.escape_debug()),
        )
    })?;
    let text = String::from_utf8_lossy(&file);
    // The only string of 20 digits.
    let id = text.split('"').find_map(SnapshotId::parse);
    id.ok_or_else(|| damaged(&key, "it names no snapshot"))
}

/// The time and the nodes of a snapshot.
fn parse(buffer: &[u8]) -> Result<(u64, BTreeMap<String, Node>), Wrong> {
    let root = Table::root(buffer)?;
    let mut limit = CopyLimit::of(buffer);
    let mut files = BTreeMap::new();
    if let Some(all) = root.vector(6, 32)? {
        for n in 0..all.len() {
            let file: [u8; 32] = all.plain(n)?;
            let (id, rest) = file.split_first_chunk::<12>().ok_or("a manifest without an id")?;
            let size = rest.get(4..12).and_then(|size| size.try_into().ok());
            let count = rest.get(12..16).and_then(|count| count.try_into().ok());
            let size = u64::from_le_bytes(size.unwrap_or_default());
            files.insert(*id, (size, u32::from_le_bytes(count.unwrap_or_default())));
        }
    }
    let mut nodes = BTreeMap::new();
    for node in root.vector(2, 4)?.ok_or("it has no nodes")?.tables() {
        let node = node?;
        let path = node.text(1)?.ok_or("a node without a path")?.to_owned();
        let document = node.bytes(2)?.unwrap_or_default();
        limit.take(path.len() + document.len())?;
        let array = match node.plain(3)? {
            Some([1]) => {
                let data = node.table(4)?.ok_or("an array without data")?;
                Some(array(data, &files, &mut limit)?)
            }
            _ => None,
        };
        let found = Node {
            id: node.plain(0)?.ok_or("a node without an id")?,
            document: document.to_vec(),
            array,
            path,
        };
        nodes.insert(found.path.trim_start_matches('/').to_owned(), found);
    }
    Ok((root.number(3)?, nodes))
}

fn array(
    data: Table<'_>,
    files: &BTreeMap<[u8; 12], (u64, u32)>,
    limit: &mut CopyLimit,
) -> Result<ArrayNode, Wrong> {
    let pair = |bytes: [u8; 16]| {
        let (first, last) = bytes.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
        (number(first), number(last))
    };
    let mut shape = Vec::new();
    if let Some(all) = data.vector(0, 16)? {
        limit.take(16 * all.len())?;
        for n in 0..all.len() {
            shape.push(pair(all.plain(n)?));
        }
    }
    let mut dimensions = Vec::new();
    if let Some(all) = data.vector(1, 4)? {
        for name in all.tables() {
            let name = name?.text(0)?.unwrap_or_default();
            limit.take(name.len())?;
            dimensions.push(name.to_owned());
        }
    }
    let mut manifests = Vec::new();
    if let Some(all) = data.vector(2, 4)? {
        for manifest in all.tables() {
            let manifest = manifest?;
            let id: [u8; 12] = manifest.plain(0)?.ok_or("a manifest without an id")?;
            let ranges = manifest.vector(1, 8)?.ok_or("a manifest without ranges")?;
            limit.take(12 + 8 * ranges.len())?;
            let mut extents = Vec::new();
            for n in 0..ranges.len() {
                let [a, b, c, d, e, f, g, h] = ranges.plain(n)?;
                extents.push((u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])));
            }
            let (size, count) = files.get(&id).copied().unwrap_or_default();
            manifests.push(ManifestRef {
                id: SnapshotId(id),
                size,
                count,
                extents,
            });
        }
    }
    Ok(ArrayNode {
        shape,
        dimensions,
        manifests,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyOutput, MemoryKeys, RepositoryOutput};

    #[test]
    fn a_branch_that_another_program_moved_is_refused() {
        let keys = MemoryKeys::new();
        let first = RepositoryOutput::new(Arc::new(keys.output()));
        first.put_last("zarr.json", b"{}").unwrap();
        first.publish().unwrap();
        let store: Arc<dyn KeyStore> = Arc::new(keys.clone());
        let parent = Parent::open(Arc::clone(&store), "main").unwrap();
        assert_eq!(parent.nodes[""].document, b"{}");
        parent.check_unmoved().unwrap();
        let moved = br#"{"snapshot":"1CECHNKREP0F1RSTCMT0"}"#;
        let put = |key: &str, value: &[u8]| {
            let output = keys.output();
            output.put(key, value).and_then(|()| output.publish()).unwrap();
        };
        put("refs/branch.main/ref.json", moved);
        let error = parent.check_unmoved().unwrap_err();
        assert!(error.to_string().contains("the branch main"), "{error}");
        assert!(Parent::open(Arc::clone(&store), "dev").is_err());
        put("repo", b"");
        assert!(Parent::open(store, "main").is_err());
    }
}
