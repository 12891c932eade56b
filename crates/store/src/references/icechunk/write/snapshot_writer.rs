//! Writes snapshots: all groups and arrays with their metadata and manifests; and the log of what a snapshot added.

use std::io;

use super::super::file_reader::FileKind;
use super::super::id::{FIRST_SNAPSHOT, NodeId, SnapshotId, id_of};
use super::file_writer::file;
use super::flatbuffer_writer::{FlatBuffer, FlatTable};
use super::manifest_writer::ManifestRef;

/// A group or an array.
#[derive(Debug, Clone)]
pub struct Node {
    pub id: NodeId,
    /// Its path from the root, which is `/`.
    pub path: String,
    /// Its document of Zarr, version 3.
    pub document: Vec<u8>,
    /// `None` for a group.
    pub array: Option<ArrayNode>,
}

/// What a node of an array has beside its document.
#[derive(Debug, Clone)]
pub struct ArrayNode {
    /// Length, and length of a chunk, along each dimension.
    pub shape: Vec<(u64, u64)>,
    /// The names of the dimensions.
    pub dimensions: Vec<String>,
    pub manifests: Vec<ManifestRef>,
}

/// A snapshot that is written.
#[derive(Debug)]
pub struct Snapshot<'a> {
    /// In the order of paths.
    pub nodes: &'a [Node],
    pub message: &'a str,
    /// Microseconds since 1970.
    pub flushed_at: u64,
    /// The snapshot before it.
    pub parent: SnapshotId,
}

impl Snapshot<'_> {
    /// The file, and its name.
    ///
    /// # Errors
    /// No memory to compress it.
    pub fn write(&self) -> io::Result<(SnapshotId, Vec<u8>)> {
        let id = SnapshotId(id_of("snapshot", &self.flatbuffer(SnapshotId([0; 12]))));
        Ok((id, file(FileKind::Snapshot, &self.flatbuffer(id))?))
    }

    fn flatbuffer(&self, id: SnapshotId) -> Vec<u8> {
        let mut buffer = FlatBuffer::new();
        let root = FlatTable::default()
            .inline(0, id.0)
            .inline(1, self.parent.0)
            .inline(3, self.flushed_at.to_le_bytes())
            .offset(2)
            .offset(4)
            .offset(5)
            .offset(6);
        let places = buffer.table(None, &root);
        let nodes = buffer.tables(places[0], self.nodes.len());
        for (n, node) in self.nodes.iter().enumerate() {
            node_table(&mut buffer, nodes.place(n), node);
        }
        buffer.string(places[1], self.message);
        buffer.tables(places[2], 0);
        let manifests = self.nodes.iter().filter_map(|node| node.array.as_ref());
        let mut manifests: Vec<&ManifestRef> = manifests.flat_map(|array| &array.manifests).collect();
        manifests.sort_by_key(|manifest| manifest.id.0);
        manifests.dedup_by_key(|manifest| manifest.id);
        let structures = manifests.iter().flat_map(|manifest| {
            let mut structure = [0; 32];
            structure[..12].copy_from_slice(&manifest.id.0);
            structure[16..24].copy_from_slice(&manifest.size.to_le_bytes());
            structure[24..28].copy_from_slice(&manifest.count.to_le_bytes());
            structure
        });
        let structures: Vec<u8> = structures.collect();
        buffer.elements(places[3], manifests.len(), 8, &structures);
        buffer.finish()
    }
}

/// Numbers of the union of a node's data.
const ARRAY: u8 = 1;
const GROUP: u8 = 2;

fn node_table(buffer: &mut FlatBuffer, from: usize, node: &Node) {
    let kind = if node.array.is_some() { ARRAY } else { GROUP };
    let table = FlatTable::default()
        .inline(0, node.id)
        .inline(3, [kind])
        .offset(1)
        .offset(2)
        .offset(4);
    let places = buffer.table(Some(from), &table);
    buffer.string(places[0], &node.path);
    buffer.elements(places[1], node.document.len(), 1, &node.document);
    let Some(array) = &node.array else {
        buffer.table(Some(places[2]), &FlatTable::default());
        return;
    };
    let table = FlatTable::default().offset(0).offset(2).offset(1);
    let places = buffer.table(Some(places[2]), &table);
    let shape: Vec<u8> = array
        .shape
        .iter()
        .flat_map(|(length, chunk)| [length.to_le_bytes(), chunk.to_le_bytes()].concat())
        .collect();
    buffer.elements(places[0], array.shape.len(), 8, &shape);
    let manifests = buffer.tables(places[1], array.manifests.len());
    for (n, manifest) in array.manifests.iter().enumerate() {
        let table = FlatTable::default().inline(0, manifest.id.0).offset(1);
        let extents = buffer.table(Some(manifests.place(n)), &table);
        let ranges: Vec<u8> = manifest
            .extents
            .iter()
            .flat_map(|(from, to)| [from.to_le_bytes(), to.to_le_bytes()].concat())
            .collect();
        buffer.elements(extents[0], manifest.extents.len(), 4, &ranges);
    }
    let names = buffer.tables(places[2], array.dimensions.len());
    for (n, name) in array.dimensions.iter().enumerate() {
        let place = buffer.table(Some(names.place(n)), &FlatTable::default().offset(0));
        buffer.string(place[0], name);
    }
}

/// The file of the snapshot that every repository begins with.
///
/// # Errors
/// No memory to compress it.
pub fn first_snapshot(flushed_at: u64) -> io::Result<Vec<u8>> {
    /// `true` in MessagePack.
    const TRUE: [u8; 1] = [0xc3];
    let mut buffer = FlatBuffer::new();
    let root = FlatTable::default()
        .inline(0, FIRST_SNAPSHOT.0)
        .inline(3, flushed_at.to_le_bytes())
        .offset(2)
        .offset(4)
        .offset(5)
        .offset(6);
    let places = buffer.table(None, &root);
    buffer.tables(places[0], 0);
    buffer.string(places[1], "Repository initialized");
    let items = buffer.tables(places[2], 1);
    let item = buffer.table(Some(items.place(0)), &FlatTable::default().offset(0).offset(1));
    buffer.string(item[0], "__root");
    buffer.elements(item[1], TRUE.len(), 1, &TRUE);
    buffer.elements(places[3], 0, 8, &[]);
    file(FileKind::Snapshot, &buffer.finish())
}

/// What a snapshot changed of an array.
#[derive(Debug)]
pub struct ChangedArray {
    pub id: NodeId,
    /// Number of its dimensions.
    pub rank: usize,
    /// The coordinates of its new chunks, one after another.
    pub chunks: Vec<u32>,
}

/// The file of the log of a snapshot: which nodes it added, and which arrays it changed. The chunks of arrays that are new are not listed.
///
/// # Errors
/// No memory to compress it.
pub fn transaction_log(
    snapshot: SnapshotId,
    nodes: &[Node],
    changed: &[ChangedArray],
) -> io::Result<Vec<u8>> {
    let mut buffer = FlatBuffer::new();
    let mut root = FlatTable::default().inline(0, snapshot.0);
    for number in 1..=7 {
        root = root.offset(number);
    }
    let places = buffer.table(None, &root);
    let ids = |is_array: bool| {
        let mut ids: Vec<NodeId> = nodes
            .iter()
            .filter(|node| node.array.is_some() == is_array)
            .map(|node| node.id)
            .collect();
        ids.sort_unstable();
        ids
    };
    for (n, ids) in [ids(false), ids(true)].into_iter().enumerate() {
        buffer.elements(places[n], ids.len(), 1, &ids.concat());
    }
    for (n, place) in places[2..6].iter().enumerate() {
        // Deleted groups, deleted arrays, updated arrays, updated groups.
        let ids: Vec<NodeId> = match n {
            2 => changed.iter().map(|array| array.id).collect(),
            _ => Vec::new(),
        };
        buffer.elements(*place, ids.len(), 1, &ids.concat());
    }
    let has_chunks = |array: &&ChangedArray| !array.chunks.is_empty();
    let with_chunks: Vec<&ChangedArray> = changed.iter().filter(has_chunks).collect();
    let arrays = buffer.tables(places[6], with_chunks.len());
    for (n, array) in with_chunks.into_iter().enumerate() {
        let table = FlatTable::default().inline(0, array.id).offset(1);
        let chunks = buffer.table(Some(arrays.place(n)), &table);
        let form = buffer.form(&FlatTable::default().offset(0));
        let count = array.chunks.len() / array.rank.max(1);
        let tables = buffer.tables(chunks[0], count);
        for (n, index) in array.chunks.chunks_exact(array.rank.max(1)).enumerate() {
            let place = buffer.empty_table(Some(tables.place(n)), &form);
            let bytes: Vec<u8> = index.iter().flat_map(|at| at.to_le_bytes()).collect();
            buffer.elements(place + form.field(0), array.rank, 4, &bytes);
        }
    }
    file(FileKind::TransactionLog, &buffer.finish())
}
