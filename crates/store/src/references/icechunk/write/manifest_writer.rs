//! Writes manifests: the references of some chunks of an array.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::file_reader::{FileKind, Specification};
use super::super::flatbuffer_writer::{FlatBuffer, FlatTable, TableLayout, set_root_field};
use super::super::id::{NodeId, ObjectId, id_of};
use super::super::nodes::ManifestRef;
use super::chunk_list::ChunkList;
use super::file_writer::file;
use crate::references::{ObjectVersion, Reference};

/// References of a manifest. Readers hold a whole manifest in memory to read one chunk.
pub const MOST_REFERENCES: usize = 100_000;

/// A chunk's value, or where it lies.
#[derive(Debug)]
pub enum ChunkRef {
    /// In the manifest, or in an object of others.
    Reference(Reference),
    /// In a file of the repository, by its position and number of bytes.
    Native(ObjectId, u64, u64),
}

/// References that a manifest is made of, of one array.
#[derive(Debug, Default)]
pub struct OpenManifest {
    chunks: ChunkList,
    values: Vec<ChunkRef>,
    /// True if a chunk came behind a later one.
    is_unsorted: bool,
}

impl OpenManifest {
    /// Adds the reference of the chunk at these coordinates.
    pub fn add(&mut self, index: &[u32], value: ChunkRef) {
        self.is_unsorted |= self.chunks.last().is_some_and(|last| last >= index);
        self.chunks.push(index);
        self.values.push(value);
    }

    /// The chunks, in the order in which they came.
    pub fn chunks(&self) -> &ChunkList {
        &self.chunks
    }

    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// True if the next reference can begin another manifest: the chunk is the first of a slice along the slowest dimension. Slices are
    /// never split if they are short, so that the extents of manifests do not overlap.
    pub fn is_full(&self, next: &[u32]) -> bool {
        let begins = self
            .chunks
            .last()
            .is_some_and(|last| last.first() != next.first());
        self.len() >= MOST_REFERENCES && (begins || self.len() >= 4 * MOST_REFERENCES)
    }

    /// The file, and what names it. The references are sorted.
    ///
    /// # Errors
    /// No memory to compress it.
    pub fn write(self, specification: Specification, node: NodeId) -> io::Result<(ManifestRef, Vec<u8>)> {
        let order = match self.is_unsorted {
            true => self.chunks.order(),
            false => (0..self.len()).collect(),
        };
        let extents = (0..self.chunks.rank()).map(|axis| {
            let coordinates = order
                .iter()
                .filter_map(|n| self.chunks.get(*n).get(axis).copied());
            let (first, last) =
                coordinates.fold((u32::MAX, 0), |(first, last), at| (first.min(at), last.max(at)));
            (first, last.saturating_add(1))
        });
        let extents = extents.collect();
        // The name is a hash of the content without the name.
        let mut flatbuffer = self.flatbuffer(specification, &order, node);
        let id = ObjectId(id_of("manifest", &flatbuffer));
        set_root_field(&mut flatbuffer, 0, &id.0);
        let bytes = file(specification, FileKind::Manifest, &flatbuffer)?;
        let manifest = ManifestRef {
            id,
            size: bytes.len() as u64,
            count: order.len() as u32,
            extents,
            extra: None,
        };
        Ok((manifest, bytes))
    }

    /// The content, without the name.
    fn flatbuffer(&self, specification: Specification, order: &[usize], node: NodeId) -> Vec<u8> {
        let mut buffer = FlatBuffer::new();
        let root = FlatTable::default().inline(0, [0; 12]).offset(1);
        let root = match specification {
            Specification::V1 => root,
            // URLs are not compressed.
            Specification::V2 => root.inline(3, [0]),
        };
        let root = buffer.table(None, &root);
        let arrays = buffer.tables(root[0], 1);
        let array = FlatTable::default().inline(0, node).offset(1);
        let array = buffer.table(Some(arrays.place(0)), &array);
        let references = buffer.tables(array[0], order.len());
        let layouts = TableLayouts::new(&mut buffer);
        let mut coordinates = Vec::with_capacity(4 * self.chunks.rank());
        for (n, at) in order.iter().enumerate() {
            let (from, Some(value)) = (Some(references.place(n)), self.values.get(*at)) else {
                continue;
            };
            let place = layouts.write(&mut buffer, from, value);
            coordinates.clear();
            coordinates.extend(self.chunks.get(*at).iter().flat_map(|n| n.to_le_bytes()));
            buffer.elements(place, self.chunks.rank(), 4, &coordinates);
        }
        buffer.finish()
    }
}

/// The layouts of tables of references. The first field of each leads to the coordinates.
struct TableLayouts {
    native: TableLayout,
    inline: TableLayout,
    /// In an object that nothing is known of; whose ETag is known; whose last change is known.
    stored: [TableLayout; 3],
}

impl TableLayouts {
    fn new(buffer: &mut FlatBuffer) -> Self {
        let begin = || FlatTable::default().offset(0);
        let stored = || begin().offset(5).inline(2, [0; 8]).inline(3, [0; 8]);
        Self {
            native: buffer.layout(&begin().inline(2, [0; 8]).inline(3, [0; 8]).inline(4, [0; 12])),
            inline: buffer.layout(&begin().offset(1)),
            stored: [
                buffer.layout(&stored()),
                buffer.layout(&stored().offset(6)),
                buffer.layout(&stored().inline(7, [0; 4])),
            ],
        }
    }

    /// Writes the table of a reference. Returns the place of the offset of its coordinates.
    fn write(&self, buffer: &mut FlatBuffer, from: Option<usize>, value: &ChunkRef) -> usize {
        match value {
            ChunkRef::Native(id, offset, length) => {
                let layout = &self.native;
                let place = buffer.empty_table(from, layout);
                buffer.set(place + layout.field(1), &offset.to_le_bytes());
                buffer.set(place + layout.field(2), &length.to_le_bytes());
                buffer.set(place + layout.field(3), &id.0);
                place + layout.field(0)
            }
            ChunkRef::Reference(Reference::Inline(value)) => {
                let layout = &self.inline;
                let place = buffer.empty_table(from, layout);
                buffer.elements(place + layout.field(1), value.len(), 1, value);
                place + layout.field(0)
            }
            ChunkRef::Reference(Reference::Stored(stored)) => {
                let layout = match &stored.version {
                    None => &self.stored[0],
                    Some(ObjectVersion::ETag(_)) => &self.stored[1],
                    Some(ObjectVersion::LastModified(_)) => &self.stored[2],
                };
                let place = buffer.empty_table(from, layout);
                let (offset, length) = stored.range.unwrap_or_default();
                buffer.set(place + layout.field(2), &offset.to_le_bytes());
                buffer.set(place + layout.field(3), &length.to_le_bytes());
                buffer.shared_string(place + layout.field(1), &stored.object);
                match &stored.version {
                    None => {}
                    Some(ObjectVersion::ETag(tag)) => buffer.shared_string(place + layout.field(4), tag),
                    Some(ObjectVersion::LastModified(time)) => {
                        buffer.set(place + layout.field(4), &seconds(*time).to_le_bytes());
                    }
                }
                place + layout.field(0)
            }
        }
    }
}

/// Whole seconds since 1970, rounded up: readers refuse an object that was changed later.
fn seconds(time: SystemTime) -> u32 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let up = u64::from(since.subsec_nanos() > 0);
    u32::try_from(since.as_secs() + up).unwrap_or(u32::MAX)
}
