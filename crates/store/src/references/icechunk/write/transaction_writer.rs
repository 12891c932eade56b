//! Writes the log of a snapshot: what it added and changed.

use std::collections::BTreeMap;
use std::io;

use super::super::file_reader::{FileKind, Specification};
use super::super::flatbuffer_writer::{FlatBuffer, FlatTable};
use super::super::id::{NodeId, ObjectId};
use super::super::nodes::Node;
use super::chunk_list::ChunkList;
use super::file_writer::file;

/// What a snapshot adds and changes.
#[derive(Debug, Default)]
pub struct Changes {
    new: NodeIds,
    /// Nodes with another document than before.
    updated: NodeIds,
    /// The new chunks of each array that is not new.
    chunks: BTreeMap<NodeId, ChunkList>,
}

/// The ids of groups and of arrays.
#[derive(Debug, Default)]
struct NodeIds {
    groups: Vec<NodeId>,
    arrays: Vec<NodeId>,
}

impl NodeIds {
    fn push(&mut self, node: &Node) {
        match &node.array {
            Some(_) => self.arrays.push(node.id),
            None => self.groups.push(node.id),
        }
    }
}

impl Changes {
    /// Adds a node that is new.
    pub fn add(&mut self, node: &Node) {
        self.new.push(node);
    }

    /// Adds a node that has another document than before.
    pub fn update(&mut self, node: &Node) {
        self.updated.push(node);
    }

    /// Adds an array's new chunks.
    pub fn add_chunks(&mut self, array: NodeId, chunks: ChunkList) {
        self.chunks.insert(array, chunks);
    }

    /// The file of the log of a snapshot.
    ///
    /// # Errors
    /// No memory to compress it.
    pub fn log(self, specification: Specification, snapshot: ObjectId) -> io::Result<Vec<u8>> {
        let mut buffer = FlatBuffer::new();
        let mut root = FlatTable::default().inline(0, snapshot.0);
        for number in 1..=7 {
            root = root.offset(number);
        }
        let places = buffer.table(None, &root);
        let (new, updated) = (self.new, self.updated);
        // Nothing is deleted.
        let none = Vec::new();
        let lists = [
            new.groups,
            new.arrays,
            none.clone(),
            none,
            updated.arrays,
            updated.groups,
        ];
        for (place, mut ids) in places.iter().zip(lists) {
            ids.sort_unstable();
            buffer.elements(*place, ids.len(), 1, &ids.concat());
        }
        let arrays = buffer.tables(places[6], self.chunks.len());
        for (n, (id, chunks)) in self.chunks.iter().enumerate() {
            let table = FlatTable::default().inline(0, id).offset(1);
            let place = buffer.table(Some(arrays.place(n)), &table);
            let layout = buffer.layout(&FlatTable::default().offset(0));
            let order = chunks.order();
            let tables = buffer.tables(place[0], order.len());
            for (n, at) in order.into_iter().enumerate() {
                let place = buffer.empty_table(Some(tables.place(n)), &layout);
                let index = chunks.get(at);
                let bytes: Vec<u8> = index.iter().flat_map(|at| at.to_le_bytes()).collect();
                buffer.elements(place + layout.field(0), index.len(), 4, &bytes);
            }
        }
        file(specification, FileKind::TransactionLog, &buffer.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::file_reader::read_file;
    use super::super::super::flatbuffer_reader::Table;
    use super::super::super::nodes::ArrayNode;
    use super::*;

    #[test]
    fn each_change_is_in_its_list() {
        let node = |id, is_array: bool| Node {
            id: [id; 8],
            document: Vec::new(),
            array: is_array.then(|| ArrayNode {
                shape: Vec::new(),
                dimensions: None,
                manifests: Vec::new(),
            }),
            extra: None,
        };
        let mut changes = Changes::default();
        changes.add(&node(9, false));
        changes.add(&node(3, false));
        changes.add(&node(4, true));
        changes.update(&node(5, true));
        changes.update(&node(6, false));
        let mut chunks = ChunkList::default();
        chunks.push(&[1, 0]);
        chunks.push(&[0, 2]);
        changes.add_chunks([7; 8], chunks);
        let file = changes.log(Specification::V2, ObjectId([1; 12])).unwrap();
        let buffer = read_file(&file, FileKind::TransactionLog).unwrap();
        let root = Table::root(&buffer).unwrap();
        let ids = |number| {
            let ids = root.elements(number, 8).unwrap().unwrap();
            ids.chunks(8).map(|id| id[0]).collect::<Vec<_>>()
        };
        let expected: [&[u8]; 6] = [&[3, 9], &[4], &[], &[], &[5], &[6]];
        assert_eq!([1, 2, 3, 4, 5, 6].map(ids), expected);
        let arrays = root.vector(7, 4).unwrap().unwrap();
        assert_eq!(arrays.len(), 1);
        let array = arrays.table(0).unwrap();
        assert_eq!(array.plain(0), Ok(Some([7; 8])));
        let chunks = array.vector(1, 4).unwrap().unwrap().tables();
        let first = |chunk: Table<'_>| chunk.vector(0, 4).unwrap().unwrap().plain::<4>(0).unwrap()[0];
        assert_eq!(
            chunks.map(|chunk| first(chunk.unwrap())).collect::<Vec<_>>(),
            [0, 1]
        );
    }
}
