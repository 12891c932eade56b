//! The writer itself: plans the file, hands out addresses while data is written, and closes it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::check::{check, path};
use super::chunk_index::{Chunk, ChunkGrid, write_tree};
use super::global_heap::{Finished, FrontHeap, OpenHeap};
use super::layout::FrontLayout;
use super::spec::{DatasetSpec, FileTree, LayoutSpec, ObjectId, ObjectSpecKind};
use super::superblock::{SUPERBLOCK_SIZE, superblock};
use crate::{ByteSink, Error, Result};

/// Metadata is written in pieces of this size.
const PIECE: usize = 1 << 20;

/// Writes one file. Metadata is laid out by [`create`](Self::create), data follows in any order from any thread.
///
/// The bytes of the file depend only on the tree and on the order of the calls that hand out addresses.
pub struct FileWriter {
    sink: Arc<dyn ByteSink>,
    tree: FileTree,
    layout: FrontLayout,
    tail: Mutex<Tail>,
}

/// What changes while data is written.
struct Tail {
    /// The end of the file so far.
    end: u64,
    heap: OpenHeap,
    chunks: HashMap<ObjectId, Vec<Chunk>>,
    compact: HashMap<ObjectId, Vec<u8>>,
}

impl FileWriter {
    /// Plans the file. Nothing is written yet. Fails if no HDF5 file can hold the tree.
    pub fn create(sink: Arc<dyn ByteSink>, tree: FileTree) -> Result<FileWriter> {
        check(&tree)?;
        let layout = FrontLayout::new(&tree)?;
        let tail = Tail {
            end: layout.end,
            heap: OpenHeap::default(),
            chunks: HashMap::new(),
            compact: HashMap::new(),
        };
        Ok(FileWriter {
            sink,
            tree,
            layout,
            tail: Mutex::new(tail),
        })
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dataset(&self, id: ObjectId) -> Result<&DatasetSpec> {
        match self.tree.objects.get(id.0).map(|o| &o.kind) {
            Some(ObjectSpecKind::Dataset(dataset)) => Ok(dataset),
            _ => Err(Error::Usage(format!(
                "object {} of the tree is not a dataset",
                id.0
            ))),
        }
    }

    fn refuse<T>(&self, dataset: ObjectId, why: String) -> Result<T> {
        Err(Error::Usage(format!("{}: {why}", path(&self.tree, dataset))))
    }

    fn put(&self, what: &'static str, offset: u64, bytes: &[u8]) -> Result<()> {
        self.sink.write_all_at(offset, bytes).map_err(|source| Error::Io {
            what,
            offset,
            cause: source,
        })
    }

    /// Writes part of a contiguous or compact dataset, at a byte offset in its data. From any thread, in any order.
    pub fn write_storage(&self, dataset: ObjectId, offset: u64, bytes: &[u8]) -> Result<()> {
        let spec = self.dataset(dataset)?;
        let (LayoutSpec::Compact { size } | LayoutSpec::Contiguous { size, .. }) = &spec.layout else {
            return self.refuse(dataset, "its data is stored in chunks".into());
        };
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > *size) {
            return self.refuse(
                dataset,
                format!("{} bytes at byte {offset} of {size}", bytes.len()),
            );
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if matches!(spec.layout, LayoutSpec::Compact { .. }) {
            let mut tail = self.tail();
            let data = tail
                .compact
                .entry(dataset)
                .or_insert_with(|| vec![0; *size as usize]);
            if let Some(place) = data.get_mut(offset as usize..offset as usize + bytes.len()) {
                place.copy_from_slice(bytes);
            }
            return Ok(());
        }
        match self.layout.places.get(dataset.0).and_then(|place| place.storage) {
            Some(address) => self.put("contiguous data", address + offset, bytes),
            None => self.refuse(dataset, "its storage is not allocated".into()),
        }
    }

    /// Writes at an address that [`reserve_chunk`](Self::reserve_chunk) gave. From any thread, in any order.
    pub fn write_at(&self, address: u64, bytes: &[u8]) -> Result<()> {
        if address < self.layout.end {
            return Err(Error::Usage(format!(
                "byte {address} is not the address of a chunk"
            )));
        }
        self.put("chunk", address, bytes)
    }

    /// Hands out the address of a chunk: its number in C order over the grid that covers the present extent, its size in
    /// bytes as stored, and the filters that were skipped. Addresses follow the order of calls.
    ///
    /// Fails past the number of chunks that the tree announced, and for a chunk outside the extent or over 4 GiB. A
    /// chunk reserved twice makes [`finish`](Self::finish) fail.
    pub fn reserve_chunk(&self, dataset: ObjectId, chunk: u64, size: u64, filter_mask: u32) -> Result<u64> {
        let spec = self.dataset(dataset)?;
        let LayoutSpec::Chunked { shape, chunk_count } = &spec.layout else {
            return self.refuse(dataset, "its data is not stored in chunks".into());
        };
        let grid = spec
            .dataspace
            .dims()
            .iter()
            .zip(shape)
            .fold(1u64, |n, (dim, shape)| n.saturating_mul(dim.div_ceil(*shape)));
        if chunk >= grid {
            return self.refuse(dataset, format!("chunk {chunk} of a grid of {grid}"));
        }
        let Ok(stored) = u32::try_from(size) else {
            return self.refuse(
                dataset,
                format!("chunk {chunk} takes {size} bytes; the limit is 4 GiB"),
            );
        };
        let mut tail = self.tail();
        let address = tail.end;
        let chunks = tail
            .chunks
            .entry(dataset)
            .or_insert_with(|| Vec::with_capacity(*chunk_count as usize));
        if chunks.len() as u64 >= *chunk_count {
            drop(tail);
            return self.refuse(dataset, format!("more chunks than the {chunk_count} announced"));
        }
        chunks.push(Chunk {
            index: chunk,
            address,
            size: stored,
            filter_mask,
        });
        tail.end += size;
        Ok(address)
    }

    /// Puts the payloads of variable-length elements into the global heap and gives the 12 bytes (address of the
    /// collection, index in it) that follow the length in each element. Addresses follow the order of calls.
    ///
    /// A payload of no bytes takes an object too: that is how an empty string differs from NIL, which is 16 zeros and
    /// needs no call.
    pub fn insert_sequences(&self, payloads: &[&[u8]]) -> Result<Vec<[u8; 12]>> {
        let mut guard = self.tail();
        let tail = &mut *guard;
        let end = &mut tail.end;
        let (ids, finished) = tail.heap.insert(payloads, |size| {
            let address = end.next_multiple_of(8);
            *end = address + size;
            address
        });
        drop(guard);
        self.write_collections(finished)?;
        Ok(ids.into_iter().map(|id| id.to_bytes()).collect())
    }

    fn write_collections(&self, collections: Finished) -> Result<()> {
        for (address, bytes) in collections {
            self.put("global heap collection", address, &bytes)?;
        }
        Ok(())
    }

    /// Writes indexes, headers and last of all the superblock, and sets the size of the file.
    pub fn finish(self) -> Result<()> {
        let (end, mut chunks, mut compact, open) = {
            let mut tail = self.tail();
            (
                tail.end,
                std::mem::take(&mut tail.chunks),
                std::mem::take(&mut tail.compact),
                tail.heap.close(),
            )
        };
        self.write_collections(open.into_iter().collect())?;
        let mut front = Pieces {
            writer: &self,
            start: SUPERBLOCK_SIZE,
            bytes: Vec::new(),
        };
        let mut heap = FrontHeap::new(self.layout.heap);
        for (id, object) in self.tree.objects.iter().enumerate() {
            let id = ObjectId(id);
            let mut storage = self.layout.places.get(id.0).and_then(|place| place.storage);
            let mut data = Vec::new();
            if let ObjectSpecKind::Dataset(dataset) = &object.kind {
                match &dataset.layout {
                    LayoutSpec::Compact { size } => {
                        data = compact.remove(&id).unwrap_or_else(|| vec![0; *size as usize]);
                    }
                    LayoutSpec::Chunked { .. } if !chunks.contains_key(&id) => storage = None,
                    _ => {}
                }
            }
            debug_assert_eq!(
                self.layout.places.get(id.0).map(|place| place.header),
                Some(front.start + front.bytes.len() as u64)
            );
            let image = self.layout.encode(&self.tree, id, storage, &data, &mut heap)?;
            self.write_collections(heap.take_finished())?;
            front.push(&image.into_bytes())?;
        }
        front.flush()?;
        let (collections, front_end) = heap.finish();
        debug_assert!(front_end <= self.layout.end);
        self.write_collections(collections)?;
        for id in (0..self.tree.objects.len()).map(ObjectId) {
            if let Some(chunks) = chunks.remove(&id) {
                self.write_index(id, chunks)?;
            }
        }
        self.sink.set_size(end).map_err(|source| Error::Io {
            what: "end of file",
            offset: end,
            cause: source,
        })?;
        let root = self.layout.places.first().map_or(0, |place| place.header);
        self.put("superblock", 0, &superblock(root, end))
    }

    fn write_index(&self, id: ObjectId, mut chunks: Vec<Chunk>) -> Result<()> {
        let dataset = self.dataset(id)?;
        let LayoutSpec::Chunked { shape, .. } = &dataset.layout else {
            return Ok(());
        };
        chunks.sort_unstable_by_key(|chunk| chunk.index);
        if let Some(twice) = chunks.windows(2).find_map(|pair| match pair {
            [a, b] if a.index == b.index => Some(a.index),
            _ => None,
        }) {
            return self.refuse(id, format!("chunk {twice} was written twice"));
        }
        let Some(start) = self.layout.places.get(id.0).and_then(|place| place.storage) else {
            return Ok(());
        };
        let grid = ChunkGrid::new(dataset.dataspace.dims(), shape, dataset.datatype.datatype().size);
        let mut pieces = Pieces {
            writer: self,
            start,
            bytes: Vec::new(),
        };
        write_tree(&grid, &chunks, start, |node| pieces.push(node))?;
        pieces.flush()
    }
}

/// Gathers consecutive metadata into pieces worth writing.
struct Pieces<'a> {
    writer: &'a FileWriter,
    start: u64,
    bytes: Vec<u8>,
}

impl Pieces<'_> {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PIECE {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.put("metadata", self.start, &self.bytes)?;
        self.start += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}
