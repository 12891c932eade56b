//! Writes the log of a snapshot: what it added and changed.

use std::collections::BTreeMap;
use std::io;

use super::super::file_reader::{FileKind, Specification};
use super::super::id::{NodeId, SnapshotId};
use super::super::nodes::Node;
use super::file_writer::file;
use super::flatbuffer_writer::{FlatBuffer, FlatTable};

/// What a snapshot changed of an array.
#[derive(Debug)]
pub struct ChangedArray {
    pub id: NodeId,
    /// The coordinates of its new chunks, ascending.
    pub chunks: Vec<Vec<u32>>,
}

/// The file of the log of a snapshot: which nodes it added, and which arrays it changed, ascending by id. The chunks of arrays that are
/// new are not listed.
///
/// # Errors
/// No memory to compress it.
pub fn transaction_log(
    specification: Specification,
    snapshot: SnapshotId,
    nodes: &BTreeMap<String, Node>,
    changed: &[ChangedArray],
) -> io::Result<Vec<u8>> {
    let mut buffer = FlatBuffer::new();
    let mut root = FlatTable::default().inline(0, snapshot.0);
    for number in 1..=7 {
        root = root.offset(number);
    }
    let places = buffer.table(None, &root);
    let ids = |is_array: bool| {
        let of_kind = nodes.values().filter(|node| node.array.is_some() == is_array);
        let mut ids: Vec<NodeId> = of_kind.map(|node| node.id).collect();
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
    let with_chunks: Vec<&ChangedArray> = changed.iter().filter(|array| !array.chunks.is_empty()).collect();
    let arrays = buffer.tables(places[6], with_chunks.len());
    for (n, array) in with_chunks.into_iter().enumerate() {
        let table = FlatTable::default().inline(0, array.id).offset(1);
        let chunks = buffer.table(Some(arrays.place(n)), &table);
        let form = buffer.form(&FlatTable::default().offset(0));
        let tables = buffer.tables(chunks[0], array.chunks.len());
        for (n, index) in array.chunks.iter().enumerate() {
            let place = buffer.empty_table(Some(tables.place(n)), &form);
            let bytes: Vec<u8> = index.iter().flat_map(|at| at.to_le_bytes()).collect();
            buffer.elements(place + form.field(0), index.len(), 4, &bytes);
        }
    }
    file(specification, FileKind::TransactionLog, &buffer.finish())
}
