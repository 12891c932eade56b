//! Writes manifests: the references of some chunks of an array.

use std::io;
use std::time::UNIX_EPOCH;

use super::file_reader::FileKind;
use super::file_writer::file;
use super::flatbuffer_writer::{FlatBuffer, FlatTable, set_root_field};
use super::id::{NodeId, SnapshotId, id_of};
use crate::references::{ObjectVersion, Reference};

/// References of a manifest. Readers hold a whole manifest in memory to read one chunk.
pub const MOST_REFERENCES: usize = 100_000;

/// Where a chunk lies.
#[derive(Debug)]
pub enum Value {
    /// In the manifest, or in an object of others.
    Reference(Reference),
    /// In a file of the repository, which it is all of, with so many bytes.
    Native(SnapshotId, u64),
}

/// References that a manifest is made of, of one array.
#[derive(Debug, Default)]
pub struct OpenManifest {
    references: Vec<(Vec<u32>, Value)>,
}

/// A manifest that was written, as an array's node names it.
#[derive(Debug, Clone)]
pub struct ManifestRef {
    pub id: SnapshotId,
    /// Bytes of its file.
    pub size: u64,
    /// Number of references.
    pub count: u32,
    /// For each dimension, the first coordinate and the one behind the last.
    pub extents: Vec<(u32, u32)>,
}

impl OpenManifest {
    pub fn add(&mut self, index: Vec<u32>, value: Value) {
        self.references.push((index, value));
    }

    pub fn len(&self) -> usize {
        self.references.len()
    }

    pub fn is_empty(&self) -> bool {
        self.references.is_empty()
    }

    /// True if the next reference can begin another manifest: the chunk is the first of a slice along the slowest dimension. Slices are
    /// never split if they are short, so that the extents of manifests do not overlap.
    pub fn is_full(&self, next: &[u32]) -> bool {
        let last = self.references.last();
        let begins = last.is_some_and(|(last, _)| last.first() != next.first());
        self.len() >= MOST_REFERENCES && (begins || self.len() >= 4 * MOST_REFERENCES)
    }

    /// The file, and what names it. The references are sorted.
    ///
    /// # Errors
    /// No memory to compress it.
    pub fn write(mut self, node: NodeId) -> io::Result<(ManifestRef, Vec<u8>)> {
        self.references.sort_by(|a, b| a.0.cmp(&b.0));
        self.references.dedup_by(|b, a| a.0 == b.0);
        let rank = self.references.first().map_or(0, |(index, _)| index.len());
        let extents = (0..rank).map(|axis| {
            let coordinates = self.references.iter().map(|(index, _)| index[axis]);
            let (first, last) =
                coordinates.fold((u32::MAX, 0), |(first, last), at| (first.min(at), last.max(at)));
            (first, last.saturating_add(1))
        });
        let extents = extents.collect();
        // The name is a hash of the content without the name.
        let mut flatbuffer = self.flatbuffer(SnapshotId([0; 12]), node);
        let id = SnapshotId(id_of("manifest", &flatbuffer));
        set_root_field(&mut flatbuffer, 0, &id.0);
        let bytes = file(FileKind::Manifest, &flatbuffer)?;
        let manifest = ManifestRef {
            id,
            size: bytes.len() as u64,
            count: self.references.len() as u32,
            extents,
        };
        Ok((manifest, bytes))
    }

    fn flatbuffer(&self, id: SnapshotId, node: NodeId) -> Vec<u8> {
        let mut buffer = FlatBuffer::new();
        let root = buffer.table(None, &FlatTable::default().inline(0, id.0).offset(1));
        let arrays = buffer.tables(root[0], 1);
        let array = FlatTable::default().inline(0, node).offset(1);
        let array = buffer.table(Some(arrays.place(0)), &array);
        let references = buffer.tables(array[0], self.references.len());
        for (n, (index, value)) in self.references.iter().enumerate() {
            let from = Some(references.place(n));
            let table = FlatTable::default().offset(0);
            let coordinates: Vec<u8> = index.iter().flat_map(|n| n.to_le_bytes()).collect();
            let places = match value {
                Value::Native(id, length) => {
                    let table = table.inline(3, length.to_le_bytes()).inline(4, id.0);
                    buffer.table(from, &table)
                }
                Value::Reference(Reference::Inline(value)) => {
                    let places = buffer.table(from, &table.offset(1));
                    buffer.elements(places[1], value.len(), 1, value);
                    places
                }
                Value::Reference(Reference::Stored(stored)) => {
                    let (offset, length) = stored.range.unwrap_or_default();
                    let mut table = table
                        .inline(2, offset.to_le_bytes())
                        .inline(3, length.to_le_bytes())
                        .offset(5);
                    match &stored.version {
                        Some(ObjectVersion::ETag(_)) => table = table.offset(6),
                        Some(ObjectVersion::LastModified(time)) => {
                            let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
                            let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
                            table = table.inline(7, seconds.to_le_bytes());
                        }
                        None => {}
                    }
                    let places = buffer.table(from, &table);
                    buffer.shared_string(places[1], &stored.object);
                    if let Some(ObjectVersion::ETag(tag)) = &stored.version {
                        buffer.shared_string(places[2], tag);
                    }
                    places
                }
            };
            buffer.elements(places[0], index.len(), 4, &coordinates);
        }
        buffer.finish()
    }
}
