//! Writes snapshots: all groups and arrays with their metadata and manifests.

use std::collections::BTreeMap;
use std::io;

use super::super::file_reader::{FileKind, Specification};
use super::super::flatbuffer_writer::{FlatBuffer, FlatTable};
use super::super::flexbuffer::FlexValue;
use super::super::id::{FIRST_SNAPSHOT, ObjectId, id_of};
use super::super::nodes::{ArrayNode, ManifestRef, Node, too_many_chunks};
use super::super::snapshot_reader::{ARRAY, GROUP};
use super::file_writer::file;

/// The message of the snapshot that every repository begins with.
pub const FIRST_MESSAGE: &str = "Repository initialized";

/// The branch of a new repository.
pub const MAIN: &str = "main";

/// A snapshot that is written.
#[derive(Debug)]
pub struct NewSnapshot<'a> {
    pub specification: Specification,
    /// The nodes, by path without a slash before it.
    pub nodes: &'a BTreeMap<String, Node>,
    pub message: &'a str,
    /// Microseconds since 1970.
    pub flushed_at: u64,
    /// The branch that it is added to.
    pub branch: &'a str,
    /// The snapshot before it, which snapshots of specification 2 do not tell.
    pub parent: ObjectId,
}

impl NewSnapshot<'_> {
    /// The file, and its name.
    ///
    /// # Errors
    /// An array with too many chunks; no memory to compress the file.
    pub fn write(&self) -> io::Result<(ObjectId, Vec<u8>)> {
        // The same nodes on another branch or behind another snapshot are another snapshot.
        let place = format!("snapshot {} {}", self.parent, self.branch);
        let id = ObjectId(id_of(&place, &self.flatbuffer(ObjectId([0; 12]))?));
        let flatbuffer = self.flatbuffer(id)?;
        Ok((id, file(self.specification, FileKind::Snapshot, &flatbuffer)?))
    }

    /// The file of the snapshot that every repository begins with.
    ///
    /// # Errors
    /// No memory to compress it.
    pub fn first(specification: Specification, flushed_at: u64) -> io::Result<Vec<u8>> {
        let first = NewSnapshot {
            specification,
            nodes: &BTreeMap::new(),
            message: FIRST_MESSAGE,
            flushed_at,
            branch: MAIN,
            parent: FIRST_SNAPSHOT,
        };
        file(
            specification,
            FileKind::Snapshot,
            &first.flatbuffer(FIRST_SNAPSHOT)?,
        )
    }

    fn flatbuffer(&self, id: ObjectId) -> io::Result<Vec<u8>> {
        let is_v2 = self.specification == Specification::V2;
        let mut buffer = FlatBuffer::new();
        let mut root = FlatTable::default()
            .inline(0, id.0)
            .inline(3, self.flushed_at.to_le_bytes())
            .offset(2)
            .offset(4)
            .offset(5)
            .offset(6);
        if is_v2 {
            root = root.offset(7);
        } else if id != FIRST_SNAPSHOT {
            root = root.inline(1, self.parent.0);
        }
        let places = buffer.table(None, &root);
        let nodes = buffer.tables(places[0], self.nodes.len());
        for (n, (path, node)) in self.nodes.iter().enumerate() {
            node_table(&mut buffer, nodes.place(n), path, node, self.specification)?;
        }
        buffer.string(places[1], self.message);
        self.metadata(&mut buffer, places[2], id);
        let manifests = self.nodes.values().filter_map(|node| node.array.as_ref());
        let mut manifests: Vec<&ManifestRef> = manifests.flat_map(|array| &array.manifests).collect();
        manifests.sort_by_key(|manifest| manifest.id.0);
        manifests.dedup_by_key(|manifest| manifest.id);
        if is_v2 {
            buffer.elements(places[3], 0, 8, &[]);
            let tables = buffer.tables(places[4], manifests.len());
            for (n, manifest) in manifests.into_iter().enumerate() {
                manifest_table(&mut buffer, tables.place(n), manifest);
            }
            return Ok(buffer.finish());
        }
        let structures = manifests.iter().flat_map(|manifest| {
            let mut structure = [0; 32];
            structure[..12].copy_from_slice(&manifest.id.0);
            structure[16..24].copy_from_slice(&manifest.size.to_le_bytes());
            structure[24..28].copy_from_slice(&manifest.count.to_le_bytes());
            structure
        });
        let structures: Vec<u8> = structures.collect();
        buffer.elements(places[3], manifests.len(), 8, &structures);
        Ok(buffer.finish())
    }

    /// The metadata, by which programs know the first snapshot.
    fn metadata(&self, buffer: &mut FlatBuffer, from: usize, id: ObjectId) {
        /// `true` in MessagePack.
        const TRUE: [u8; 1] = [0xc3];
        if id != FIRST_SNAPSHOT {
            buffer.tables(from, 0);
            return;
        }
        let (name, value) = match self.specification {
            Specification::V1 => ("__root", TRUE.to_vec()),
            Specification::V2 => {
                let mut value = FlexValue::Null;
                value.set("is_root", FlexValue::Bool(true));
                ("__icechunk", value.write())
            }
        };
        let items = buffer.tables(from, 1);
        let item = buffer.table(Some(items.place(0)), &FlatTable::default().offset(0).offset(1));
        buffer.string(item[0], name);
        buffer.elements(item[1], value.len(), 1, &value);
    }
}

/// The table of a manifest's file in specification 2.
fn manifest_table(buffer: &mut FlatBuffer, from: usize, manifest: &ManifestRef) {
    let mut table = FlatTable::default()
        .inline(0, manifest.id.0)
        .inline(1, manifest.size.to_le_bytes())
        .inline(2, manifest.count.to_le_bytes());
    if manifest.extra.is_some() {
        table = table.offset(3);
    }
    let places = buffer.table(Some(from), &table);
    if let (Some(place), Some(extra)) = (places.first(), &manifest.extra) {
        buffer.elements(*place, extra.len(), 1, extra);
    }
}

fn node_table(
    buffer: &mut FlatBuffer,
    from: usize,
    path: &str,
    node: &Node,
    specification: Specification,
) -> io::Result<()> {
    let kind = if node.array.is_some() { ARRAY } else { GROUP };
    let mut table = FlatTable::default()
        .inline(0, node.id)
        .inline(3, [kind])
        .offset(1)
        .offset(2)
        .offset(4);
    if node.extra.is_some() {
        table = table.offset(5);
    }
    let places = buffer.table(Some(from), &table);
    buffer.string(places[0], &format!("/{path}"));
    buffer.elements(places[1], node.document.len(), 1, &node.document);
    match &node.array {
        Some(array) => array_table(buffer, places[2], path, array, specification)?,
        None => drop(buffer.table(Some(places[2]), &FlatTable::default())),
    }
    if let Some(extra) = &node.extra {
        buffer.elements(places[3], extra.len(), 1, extra);
    }
    Ok(())
}

fn array_table(
    buffer: &mut FlatBuffer,
    from: usize,
    path: &str,
    array: &ArrayNode,
    specification: Specification,
) -> io::Result<()> {
    let is_v2 = specification == Specification::V2;
    let mut table = FlatTable::default().offset(0).offset(2);
    if is_v2 {
        table = table.offset(3);
    }
    if array.dimensions.is_some() {
        table = table.offset(1);
    }
    let mut places = buffer.table(Some(from), &table).into_iter();
    let mut next = || places.next().unwrap_or_default();
    let (shape, manifests) = (next(), next());
    match is_v2 {
        true => {
            buffer.elements(shape, 0, 8, &[]);
            let tables = buffer.tables(next(), array.shape.len());
            for (n, axis) in array.shape.iter().enumerate() {
                let name = || array.dimensions.as_ref()?.get(n)?.as_deref();
                let count = axis.count().ok_or_else(|| too_many_chunks(path, n, name()))?;
                let table = FlatTable::default()
                    .inline(0, axis.length.to_le_bytes())
                    .inline(1, count.to_le_bytes());
                buffer.table(Some(tables.place(n)), &table);
            }
        }
        false => {
            let axes = array.shape.iter();
            let axes = axes.flat_map(|axis| [axis.length, axis.chunk_length()].map(u64::to_le_bytes));
            let bytes = axes.collect::<Vec<_>>().concat();
            buffer.elements(shape, array.shape.len(), 8, &bytes);
        }
    }
    let tables = buffer.tables(manifests, array.manifests.len());
    for (n, manifest) in array.manifests.iter().enumerate() {
        let table = FlatTable::default().inline(0, manifest.id.0).offset(1);
        let extents = buffer.table(Some(tables.place(n)), &table);
        let ranges = manifest.extents.iter();
        let ranges = ranges.flat_map(|(from, to)| [from.to_le_bytes(), to.to_le_bytes()]);
        let ranges = ranges.collect::<Vec<_>>().concat();
        buffer.elements(extents[0], manifest.extents.len(), 4, &ranges);
    }
    let Some(dimensions) = &array.dimensions else {
        return Ok(());
    };
    let names = buffer.tables(next(), dimensions.len());
    for (n, name) in dimensions.iter().enumerate() {
        let table = match name {
            Some(_) => FlatTable::default().offset(0),
            None => FlatTable::default(),
        };
        let place = buffer.table(Some(names.place(n)), &table);
        if let (Some(place), Some(name)) = (place.first(), name) {
            buffer.string(*place, name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::file_reader::read_file;
    use super::super::super::nodes::{Axis, Chunks};
    use super::super::super::snapshot_reader;
    use super::*;

    #[test]
    fn nodes_are_read_as_they_were_written() {
        for specification in [Specification::V1, Specification::V2] {
            let chunks = |length| match specification {
                Specification::V1 => Chunks::Length(length),
                Specification::V2 => Chunks::Count(4),
            };
            let axis = |length| Axis {
                length,
                chunks: chunks(length / 4),
            };
            let is_v2 = specification == Specification::V2;
            let extra = is_v2.then(|| vec![1, 2, 3]);
            let manifest = |id, extents: &[(u32, u32)]| ManifestRef {
                id: ObjectId([id; 12]),
                size: 1 << 40,
                count: 7,
                extents: extents.to_vec(),
                extra: extra.clone(),
            };
            let array = |dimensions, manifests: Vec<ManifestRef>, shape: &[u64]| Node {
                id: [9; 8],
                document: b"{}".to_vec(),
                array: Some(ArrayNode {
                    shape: shape.iter().map(|length| axis(*length)).collect(),
                    dimensions,
                    manifests,
                }),
                extra: extra.clone(),
            };
            let group = Node {
                array: None,
                ..array(None, Vec::new(), &[])
            };
            let unnamed = Some(vec![Some("y".to_owned()), None]);
            let nodes = BTreeMap::from([
                (String::new(), group.clone()),
                ("a".to_owned(), group),
                (
                    "a-b".to_owned(),
                    array(
                        unnamed,
                        vec![manifest(2, &[(0, 2), (1, 3)]), manifest(1, &[(2, 4), (0, 3)])],
                        &[8, 400],
                    ),
                ),
                (
                    "a/b".to_owned(),
                    array(Some(Vec::new()), vec![manifest(1, &[])], &[]),
                ),
                ("a/c".to_owned(), array(None, Vec::new(), &[4])),
            ]);
            let snapshot = NewSnapshot {
                specification,
                nodes: &nodes,
                message: "m",
                flushed_at: 5,
                branch: "main",
                parent: FIRST_SNAPSHOT,
            };
            let (_, file) = snapshot.write().unwrap();
            let buffer = read_file(&file, FileKind::Snapshot).unwrap();
            let found = snapshot_reader::Snapshot::parse(&buffer).unwrap();
            assert_eq!((found.flushed_at, &found.nodes), (5, &nodes));
            let first =
                read_file(&NewSnapshot::first(specification, 3).unwrap(), FileKind::Snapshot).unwrap();
            assert!(snapshot_reader::Snapshot::parse(&first).unwrap().nodes.is_empty());
        }
    }
}
