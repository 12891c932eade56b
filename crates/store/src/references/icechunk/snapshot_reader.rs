//! [`Snapshot`]: the nodes of a hierarchy, for readers and for what adds to a branch.

use std::collections::{BTreeMap, HashSet};

use super::flatbuffer_reader::{CopyLimit, Table, Wrong, little_endian};
use super::id::ObjectId;
use super::nodes::{ArrayNode, Axis, Chunks, ManifestRef, Node};

/// Numbers of the union of a node's data.
pub const ARRAY: u8 = 1;
pub const GROUP: u8 = 2;

/// The nodes of a hierarchy.
#[derive(Debug)]
pub struct Snapshot {
    /// The time of the snapshot, in microseconds since 1970.
    pub flushed_at: u64,
    /// The nodes, by path without slashes around it. They are stored in this order, byte by byte.
    pub nodes: BTreeMap<String, Node>,
    /// True if it has fields that are not known here.
    pub has_unknown_fields: bool,
}

/// The reading of one buffer.
struct SnapshotReader {
    limit: CopyLimit,
    has_unknown_fields: bool,
}

/// What a snapshot tells of the files of manifests: bytes, number of references, bytes of extensions.
type Files<'b> = BTreeMap<[u8; 12], (u64, u32, Option<&'b [u8]>)>;

impl Snapshot {
    /// What a flatbuffer says.
    ///
    /// # Errors
    /// What is damaged.
    pub fn parse(buffer: &[u8]) -> Result<Self, Wrong> {
        let mut reader = SnapshotReader {
            limit: CopyLimit::of(buffer),
            has_unknown_fields: false,
        };
        let root = reader.known(Table::root(buffer)?, 8)?;
        let files = reader.files(root)?;
        let mut nodes = BTreeMap::new();
        for node in root.vector(2, 4)?.ok_or("it has no nodes")?.tables() {
            let node = reader.known(node?, 6)?;
            let path = node.text(1)?.ok_or("a node without a path")?;
            let path = path
                .strip_prefix('/')
                .ok_or_else(|| format!("the path '{path}' without a slash"))?;
            let is_strange = |part: &str| matches!(part, "" | "." | "..");
            if !path.is_empty() && path.split('/').any(is_strange) {
                return Err(format!("the path '{path}'"));
            }
            let document = node.bytes(2)?.ok_or_else(|| format!("no metadata of {path}"))?;
            let extra = node.bytes(5)?;
            let copied = path.len() + document.len() + extra.map_or(0, <[u8]>::len);
            reader.limit.take(copied)?;
            let data = node.table(4)?;
            let array = match node.plain(3)? {
                Some([ARRAY]) => {
                    Some(reader.array(data.ok_or_else(|| format!("no data of {path}"))?, &files)?)
                }
                kind => {
                    reader.has_unknown_fields |= kind != Some([GROUP]);
                    data.map(|data| reader.known(data, 0)).transpose()?;
                    None
                }
            };
            let found = Node {
                id: node.plain(0)?.ok_or("a node without an id")?,
                document: document.to_vec(),
                array,
                extra: extra.map(<[u8]>::to_vec),
            };
            nodes.insert(path.to_owned(), found);
        }
        Ok(Self {
            flushed_at: root.number(3)?,
            nodes,
            has_unknown_fields: reader.has_unknown_fields,
        })
    }

    /// The arrays, by path.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, &Node, &ArrayNode)> {
        self.nodes
            .iter()
            .filter_map(|(path, node)| Some((path.as_str(), node, node.array.as_ref()?)))
    }
}

impl SnapshotReader {
    /// A table of which the fields before a number are known here.
    fn known<'b>(&mut self, table: Table<'b>, fields: usize) -> Result<Table<'b>, Wrong> {
        self.has_unknown_fields |= table.has_fields_from(fields)?;
        Ok(table)
    }

    /// The files of manifests: structures in specification 1, tables in specification 2.
    fn files<'b>(&mut self, root: Table<'b>) -> Result<Files<'b>, Wrong> {
        let mut files = BTreeMap::new();
        if let Some(all) = root.vector(7, 4)? {
            for file in all.tables() {
                let file = self.known(file?, 4)?;
                let id = file.plain(0)?.ok_or("a manifest without an id")?;
                files.insert(id, (file.number(1)?, file.short_number(2)?, file.bytes(3)?));
            }
        }
        if let Some(all) = root.vector(6, 32)? {
            for n in 0..all.len() {
                // The id of 12 bytes, 4 that align, size, count, 4 that align.
                let file: [u8; 32] = all.plain(n)?;
                let [id @ .., _, _, _, _] = *file.first_chunk::<16>().ok_or("a manifest without an id")?;
                let (size, count) = (little_endian(&file[16..24]), little_endian(&file[24..28]));
                files.insert(id, (size, u32::try_from(count).unwrap_or(u32::MAX), None));
            }
        }
        Ok(files)
    }

    fn array(&mut self, data: Table<'_>, files: &Files<'_>) -> Result<ArrayNode, Wrong> {
        let data = self.known(data, 4)?;
        Ok(ArrayNode {
            shape: self.shape(data)?,
            dimensions: self.dimensions(data)?,
            manifests: self.manifests(data, files)?,
        })
    }

    fn shape(&mut self, data: Table<'_>) -> Result<Vec<Axis>, Wrong> {
        let mut shape = Vec::new();
        if let Some(all) = data.vector(3, 4)? {
            for axis in all.tables() {
                let axis = self.known(axis?, 2)?;
                self.limit.take(16)?;
                shape.push(Axis {
                    length: axis.number(0)?,
                    chunks: Chunks::Count(axis.short_number(1)?),
                });
            }
        } else if let Some(all) = data.vector(0, 16)? {
            self.limit.take(16 * all.len())?;
            for n in 0..all.len() {
                let axis: [u8; 16] = all.plain(n)?;
                let (length, chunk) = axis.split_at(8);
                shape.push(Axis {
                    length: little_endian(length),
                    chunks: Chunks::Length(little_endian(chunk)),
                });
            }
        }
        Ok(shape)
    }

    fn dimensions(&mut self, data: Table<'_>) -> Result<Option<Vec<Option<String>>>, Wrong> {
        let Some(all) = data.vector(1, 4)? else {
            return Ok(None);
        };
        let name = |found: Result<Table<'_>, Wrong>| {
            let name = self.known(found?, 1)?.text(0)?;
            self.limit.take(8 + name.map_or(0, str::len))?;
            Ok(name.map(str::to_owned))
        };
        all.tables().map(name).collect::<Result<_, Wrong>>().map(Some)
    }

    fn manifests(&mut self, data: Table<'_>, files: &Files<'_>) -> Result<Vec<ManifestRef>, Wrong> {
        let mut manifests = Vec::new();
        let mut known = HashSet::new();
        let Some(all) = data.vector(2, 4)? else {
            return Ok(manifests);
        };
        for manifest in all.tables() {
            let manifest = self.known(manifest?, 2)?;
            let id: [u8; 12] = manifest.plain(0)?.ok_or("a manifest without an id")?;
            if !known.insert(id) {
                return Err("an array that names one manifest twice".to_owned());
            }
            let ranges = manifest.vector(1, 8)?.ok_or("a manifest without ranges")?;
            let (size, count, extra) = files.get(&id).copied().unwrap_or_default();
            let copied = 12 + 8 * ranges.len() + extra.map_or(0, <[u8]>::len);
            self.limit.take(copied)?;
            let extent = |n| -> Result<(u32, u32), Wrong> {
                let [a, b, c, d, e, f, g, h] = ranges.plain(n)?;
                Ok((u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])))
            };
            manifests.push(ManifestRef {
                id: ObjectId(id),
                size,
                count,
                extents: (0..ranges.len()).map(extent).collect::<Result<_, _>>()?,
                extra: extra.map(<[u8]>::to_vec),
            });
        }
        Ok(manifests)
    }
}

#[cfg(test)]
mod tests {
    use super::super::flatbuffer_writer::{FlatBuffer, FlatTable};
    use super::*;

    /// Groups that share one document.
    fn sharing(groups: usize, document: &str) -> Vec<u8> {
        let mut buffer = FlatBuffer::new();
        let places = buffer.table(None, &FlatTable::default().offset(2));
        let nodes = buffer.tables(places[0], groups);
        for n in 0..groups {
            let table = FlatTable::default()
                .inline(0, [0; 8])
                .inline(3, [2])
                .offset(1)
                .offset(2);
            let places = buffer.table(Some(nodes.place(n)), &table);
            buffer.string(places[0], &format!("/g{n}"));
            buffer.shared_string(places[1], document);
        }
        buffer.finish()
    }

    /// A snapshot with one array, of which one table has a field that no specification knows.
    fn with_unknown_field(of: usize) -> Vec<u8> {
        let table = |n: usize, unknown: usize, table: FlatTable| match n == of {
            true => table.inline(unknown, [1]),
            false => table,
        };
        let mut buffer = FlatBuffer::new();
        let root = FlatTable::default().offset(2).offset(7);
        let root = buffer.table(None, &table(0, 8, root));
        let nodes = buffer.tables(root[0], 2);
        let node = |kind| {
            FlatTable::default()
                .inline(0, [kind; 8])
                .inline(3, [kind])
                .offset(1)
                .offset(2)
                .offset(4)
        };
        let array = buffer.table(Some(nodes.place(0)), &table(1, 6, node(ARRAY)));
        buffer.string(array[0], "/v");
        buffer.string(array[1], "{}");
        let data = FlatTable::default().offset(1).offset(2).offset(3);
        let data = buffer.table(Some(array[2]), &table(2, 4, data));
        let names = buffer.tables(data[0], 1);
        buffer.table(Some(names.place(0)), &table(3, 1, FlatTable::default()));
        let manifests = buffer.tables(data[1], 1);
        let manifest = FlatTable::default().inline(0, [3; 12]).offset(1);
        let manifest = buffer.table(Some(manifests.place(0)), &table(4, 2, manifest));
        buffer.elements(manifest[0], 1, 4, &[0; 8]);
        let axes = buffer.tables(data[2], 1);
        buffer.table(Some(axes.place(0)), &table(5, 2, FlatTable::default()));
        let group = buffer.table(Some(nodes.place(1)), &node(if of == 6 { 3 } else { GROUP }));
        buffer.string(group[0], "/g");
        buffer.string(group[1], "{}");
        buffer.table(Some(group[2]), &table(7, 0, FlatTable::default()));
        let files = buffer.tables(root[1], 1);
        let file = FlatTable::default().inline(0, [3; 12]);
        buffer.table(Some(files.place(0)), &table(8, 4, file));
        buffer.finish()
    }

    #[test]
    fn fields_that_are_not_known_are_told() {
        for of in 0..10 {
            let found = Snapshot::parse(&with_unknown_field(of)).unwrap();
            assert_eq!(found.nodes.len(), 2);
            assert_eq!(found.has_unknown_fields, of < 9, "{of}");
        }
    }

    #[test]
    fn parts_that_are_shared_take_no_more_memory_than_the_file_explains() {
        let found = Snapshot::parse(&sharing(3, "{}")).unwrap();
        assert_eq!(found.nodes.len(), 3);
        let error = Snapshot::parse(&sharing(100, &"x".repeat(100_000))).unwrap_err();
        assert_eq!(error, "tables that share too many parts");
    }
}
