//! [`FileWriter`]: plans a file, hands out addresses while data is written, and completes it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::btree_v1::{Chunk, ChunkGrid, node_count, write_tree};
use super::bytes::leaves_hole;
use super::heap::global::{Finished, FrontHeap, OpenHeap};
use super::kept::{Kept, Stored};
use super::layout::{FrontLayout, layout_message};
use super::metadata_run::MetadataRun;
use super::object::{BodyPlace, replace_body};
use super::pages::{MAX_ADDRESS, Pages};
use super::spec::Payload;
use super::spec::{Data, LayoutSpec, ObjectId, ObjectSource};
use super::superblock::{SUPERBLOCK_SIZE, extension, superblock};
use crate::{ByteSink, ChunkRecord, Error, FileSpace, Result};

/// Size of the pieces in which zeros are written, in bytes.
const PIECE: usize = 1 << 20;

/// Properties of a file as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileSettings {
    /// Size of the user block in bytes: 0, or a power of two from 512 on. The caller writes its content.
    pub user_block: u64,
    /// How space is managed; `None` for libhdf5's defaults. In pages, metadata and raw data lie in separate ones.
    pub space: Option<FileSpace>,
    /// For a file that [grows](crate::File::growing): its end. Everything new lies behind it. `None` for a new file.
    pub behind: Option<u64>,
}

impl FileSettings {
    /// Where the first new block lies.
    fn start(&self, pages: Pages) -> u64 {
        self.behind.map_or(SUPERBLOCK_SIZE, |end| pages.raw_start(end))
    }
}

/// Writes one file. [`create`](Self::create) lays out and writes the metadata. Data follows in any order, from any
/// thread. The file becomes valid when [`finish`](Self::finish) writes its superblock.
///
/// The bytes of the file depend only on the objects and on the order of the calls that hand out addresses.
pub struct FileWriter {
    sink: Arc<dyn ByteSink>,
    settings: FileSettings,
    layout: FrontLayout,
    objects: Vec<Kept>,
    tail: Mutex<Tail>,
}

/// State that changes while data is written.
struct Tail {
    /// Current end of the file.
    end: u64,
    heap: OpenHeap,
    chunks: HashMap<ObjectId, Vec<Chunk>>,
    compact: HashMap<ObjectId, Vec<u8>>,
    /// Headers of compact datasets, into which the data is put at the end.
    headers: HashMap<ObjectId, (Box<[u8]>, BodyPlace)>,
}

impl FileWriter {
    /// Plans the file, and writes the headers and attributes of its objects. Fails if an HDF5 file cannot hold them.
    ///
    /// The objects may be a [`FileTree`](super::FileTree).
    pub fn create<S: ObjectSource + ?Sized>(
        sink: Arc<dyn ByteSink>,
        source: &S,
    ) -> Result<FileWriter, S::Error> {
        Self::create_with(FileSettings::default(), sink, source)
    }

    /// Like [`create`](Self::create), for a file with these properties.
    pub fn create_with<S: ObjectSource + ?Sized>(
        settings: FileSettings,
        sink: Arc<dyn ByteSink>,
        source: &S,
    ) -> Result<FileWriter, S::Error> {
        let base = settings.user_block;
        if settings.behind.is_some_and(|end| end >= MAX_ADDRESS) {
            return Err(Error::CannotWrite("the file would exceed 2^63 bytes".into()).into());
        }
        if base != 0 && (base < 512 || !base.is_power_of_two()) {
            return Err(Error::Usage(format!("a user block of {base} bytes")).into());
        }
        let extension = extension(settings.space.as_ref());
        let pages = Pages::of(settings.space.and_then(|space| space.page_size()));
        let start = settings.start(pages);
        let (layout, objects) = FrontLayout::new(source, start + extension.len() as u64, pages)?;
        let tail = Tail {
            end: layout.end,
            heap: OpenHeap::default(),
            chunks: HashMap::new(),
            compact: HashMap::new(),
            headers: HashMap::new(),
        };
        let mut writer = FileWriter {
            sink,
            settings,
            layout,
            objects,
            tail: Mutex::new(tail),
        };
        let headers = writer.write_front(source, start, &extension)?;
        writer.tail().headers = headers;
        Ok(writer)
    }

    /// Writes all objects, but for the headers that data will change. Returns these: every byte is written once, as some
    /// outputs need it.
    fn write_front<S: ObjectSource + ?Sized>(
        &mut self,
        source: &S,
        start: u64,
        extension: &[u8],
    ) -> Result<HashMap<ObjectId, (Box<[u8]>, BodyPlace)>, S::Error> {
        let mut headers = HashMap::new();
        let mut front = MetadataRun::new(start, |at, bytes| self.put("metadata", at, bytes));
        front.push(extension)?;
        let mut heap = FrontHeap::new(self.layout.heap, self.layout.pages);
        for (n, kept) in self.objects.iter().enumerate() {
            let id = ObjectId(n);
            let place = self.layout.places.get(n).copied().unwrap_or_default();
            front.go_to(place.header)?;
            let image = self
                .layout
                .encode(&*source.object(id)?, id, place.storage, &mut heap)?;
            let changes = kept
                .stored
                .as_ref()
                .is_some_and(|stored| matches!(stored.layout, LayoutSpec::Compact { size } if size > 0));
            self.write_collections(heap.take_finished())?;
            match image.layout_message.filter(|_| changes) {
                Some(layout_message) => {
                    front.leave_out(image.header.len())?;
                    headers.insert(id, (image.header.as_slice().into(), layout_message));
                }
                None => front.push(&image.header)?,
            }
            image.into_parts(|address, bytes| {
                front.go_to(address)?;
                front.push(bytes)
            })?;
        }
        front.go_to(self.layout.objects_end)?;
        front.flush()?;
        let (collections, front_end) = heap.finish();
        debug_assert!(front_end <= self.layout.end);
        self.write_collections(collections)?;
        for gap in &self.layout.gaps {
            self.write_gap(gap)?;
        }
        Ok(headers)
    }

    /// Writes zeros where nothing else will be, as some outputs need every byte.
    fn write_gap(&self, gap: &Range<u64>) -> Result<()> {
        let mut at = gap.start;
        while at < gap.end {
            let zeros = vec![0; (gap.end - at).min(PIECE as u64) as usize];
            self.put("space between blocks", at, &zeros)?;
            at += zeros.len() as u64;
        }
        Ok(())
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dataset(&self, id: ObjectId) -> Result<&Stored> {
        let stored = self.objects.get(id.0).and_then(|object| object.stored.as_ref());
        stored.ok_or_else(|| Error::Usage(format!("object {} is not a dataset", id.0)))
    }

    /// A path to an object.
    fn path(&self, id: ObjectId) -> String {
        let link = |id: &ObjectId| self.objects.get(id.0)?.link.as_ref().filter(|_| id.0 > 0);
        let ids = std::iter::successors(Some(id), |id| link(id).map(|(group, _)| *group));
        // Links may form cycles, but a path has no more steps than there are objects.
        let ids: Vec<ObjectId> = ids.take(self.objects.len()).collect();
        let names: Vec<&str> = ids
            .iter()
            .rev()
            .filter_map(link)
            .map(|(_, name)| &**name)
            .collect();
        format!("/{}", names.join("/"))
    }

    fn refuse<T>(&self, dataset: ObjectId, why: String) -> Result<T> {
        Err(Error::Usage(format!("{}: {why}", self.path(dataset))))
    }

    fn put(&self, what: &'static str, offset: u64, bytes: &[u8]) -> Result<()> {
        let place = self.settings.user_block.saturating_add(offset);
        self.sink.write_all_at(place, bytes).map_err(|source| Error::Io {
            what,
            offset: place,
            cause: source,
        })
    }

    /// Writes part of a contiguous or compact dataset, at a byte offset in its data. May be called from any thread, in
    /// any order.
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
            Some(_) if leaves_hole(bytes) => Ok(()),
            Some(address) => self.put("contiguous data", address + offset, bytes),
            None => self.refuse(dataset, "its storage is not allocated".into()),
        }
    }

    /// Writes at an address returned by [`reserve_chunk`](Self::reserve_chunk). May be called from any thread, in any
    /// order.
    pub fn write_at(&self, address: u64, bytes: &[u8]) -> Result<()> {
        if address < self.layout.end {
            return Err(Error::Usage(format!(
                "byte {address} is not the address of a chunk"
            )));
        }
        self.put("chunk", address, bytes)
    }

    /// Returns the address for a chunk. `chunk` is its number in C order over the grid that covers the present extent,
    /// `size` its stored size in bytes, and `filter_mask` the filters that were skipped. Addresses ascend in the order
    /// of calls.
    ///
    /// Fails for more chunks than the tree announced, for a chunk outside the extent, and for a chunk above 4 GiB. If a
    /// chunk is reserved twice, [`finish`](Self::finish) fails.
    pub fn reserve_chunk(&self, dataset: ObjectId, chunk: u64, size: u64, filter_mask: u32) -> Result<u64> {
        let spec = self.dataset(dataset)?;
        let LayoutSpec::Chunked { shape, chunk_count } = &spec.layout else {
            return self.refuse(dataset, "its data is not stored in chunks".into());
        };
        let grid = spec
            .extent
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
        let place = self.layout.pages.place(tail.end, size);
        let chunks = tail
            .chunks
            .entry(dataset)
            .or_insert_with(|| Vec::with_capacity(*chunk_count as usize));
        if chunks.len() as u64 >= *chunk_count {
            drop(tail);
            return self.refuse(dataset, format!("more chunks than the {chunk_count} announced"));
        }
        let Some(place) = place else {
            drop(tail);
            return self.refuse(dataset, "the file would exceed 2^63 bytes".into());
        };
        let address = place.start;
        chunks.push(Chunk {
            index: chunk,
            address,
            size: stored,
            filter_mask,
        });
        let before = std::mem::replace(&mut tail.end, place.end);
        drop(tail);
        self.write_gap(&(before..address))?;
        self.write_gap(&(address + size..place.end))?;
        Ok(address)
    }

    /// Takes a chunk that a file that grows has already, where it is. Its place among the announced chunks is that of one that is
    /// [reserved](Self::reserve_chunk).
    ///
    /// # Errors
    /// The dataset is not stored in chunks; the file is a new one.
    pub fn keep_chunk(&self, dataset: ObjectId, chunk: u64, stored: &ChunkRecord) -> Result<()> {
        let spec = self.dataset(dataset)?;
        let end = stored.address.checked_add(stored.size);
        let size = u32::try_from(stored.size);
        let (LayoutSpec::Chunked { .. }, Ok(size)) = (&spec.layout, size) else {
            return self.refuse(dataset, "it has no such chunk".into());
        };
        if end.is_none_or(|end| self.settings.behind.is_none_or(|behind| end > behind)) {
            return self.refuse(dataset, format!("chunk {chunk} is not in the file"));
        }
        let mut tail = self.tail();
        tail.chunks.entry(dataset).or_default().push(Chunk {
            index: chunk,
            address: stored.address,
            size,
            filter_mask: stored.filter_mask,
        });
        Ok(())
    }

    /// Puts the payloads of variable-length elements into the global heap. Returns the 12 bytes (address of the
    /// collection, index in it) that follow the length in each element. Addresses ascend in the order of calls.
    ///
    /// An empty payload takes an object too. So an empty string differs from NIL, which is 16 zeros and needs no call.
    pub fn insert_sequences(&self, payloads: &[&[u8]]) -> Result<Vec<[u8; 12]>> {
        let mut guard = self.tail();
        let tail = &mut *guard;
        let (end, pages) = (&mut tail.end, self.layout.pages);
        let mut gaps = Vec::new();
        let (ids, finished) = tail.heap.insert(payloads, |size| {
            let place = pages.within(end.next_multiple_of(8), size);
            if pages.are_there() {
                gaps.extend([*end..place.start, place.start + size..place.end]);
            }
            *end = place.end;
            place.start
        });
        drop(guard);
        for gap in gaps {
            self.write_gap(&gap)?;
        }
        self.write_collections(finished)?;
        Ok(ids.into_iter().map(|id| id.to_bytes()).collect())
    }

    /// Resolves elements of a dataset: object references get addresses, and variable-length data and region references go
    /// to the global heap. Addresses ascend in the order of calls.
    pub fn resolve(&self, data: &Data) -> Result<Vec<u8>> {
        let mut bytes = data.bytes.clone();
        let mut put = |offset: usize, value: &[u8]| {
            if let Some(place) = bytes.get_mut(offset..).and_then(|b| b.get_mut(..value.len())) {
                place.copy_from_slice(value);
            }
        };
        for (offset, target) in &data.references {
            put(*offset, &self.layout.header_of(*target).to_le_bytes());
        }
        let regions: Vec<Vec<u8>> = data
            .regions
            .iter()
            .map(|(_, target, selection)| {
                [&self.layout.header_of(*target).to_le_bytes(), &**selection].concat()
            })
            .collect();
        let mut contents: Vec<Cow<'_, [u8]>> =
            regions.iter().map(|region| Cow::Borrowed(&**region)).collect();
        for (_, _, payload) in data.sequences.iter() {
            contents.push(match payload {
                Payload::Plain(bytes) => Cow::Borrowed(bytes),
                Payload::Nested(nested) => Cow::Owned(self.resolve(nested)?),
            });
        }
        let contents: Vec<&[u8]> = contents.iter().map(|content| &**content).collect();
        let mut ids = self.insert_sequences(&contents)?.into_iter();
        for ((offset, ..), id) in data.regions.iter().zip(ids.by_ref()) {
            put(*offset, &id);
        }
        for ((offset, length, _), id) in data.sequences.iter().zip(ids) {
            put(offset, &length.to_le_bytes());
            put(offset + size_of::<u32>(), &id);
        }
        Ok(bytes)
    }

    fn write_collections(&self, collections: Finished) -> Result<()> {
        for (address, bytes) in collections {
            self.put("global heap collection", address, &bytes)?;
        }
        Ok(())
    }

    /// Writes the chunk indexes, then the superblock, and sets the size of the file. The superblock of a file that grows is
    /// replaced in one write, after everything new was made durable. Until then the file is the old one.
    ///
    /// Fails if chunks were announced for a dataset, and none was reserved or [kept](Self::keep_chunk).
    pub fn finish(self) -> Result<()> {
        let (end, mut chunks, compact, headers, open) = {
            let mut tail = self.tail();
            (
                tail.end,
                std::mem::take(&mut tail.chunks),
                std::mem::take(&mut tail.compact),
                std::mem::take(&mut tail.headers),
                tail.heap.close(),
            )
        };
        self.write_collections(open.into_iter().collect())?;
        let padded = self.layout.pages.end_of_page(end);
        self.write_gap(&(end..padded))?;
        let end = padded;
        for (id, (mut header, place)) in headers {
            if let Some(data) = compact.get(&id) {
                let stored = self.dataset(id)?;
                let message = layout_message(&stored.layout, stored.element_size, None, data)?;
                replace_body(&mut header, place, &message);
            }
            let at = self.layout.places.get(id.0).map_or(0, |place| place.header);
            self.put("object header", at, &header)?;
        }
        for id in (0..self.objects.len()).map(ObjectId) {
            match chunks.remove(&id) {
                Some(chunks) => self.write_index(id, chunks)?,
                None => self.check_no_index(id)?,
            }
        }
        self.sink
            .set_size(self.settings.user_block.saturating_add(end))
            .map_err(|source| Error::Io {
                what: "end of file",
                offset: end,
                cause: source,
            })?;
        let root = self.layout.places.first().map_or(0, |place| place.header);
        let (base, start) = (self.settings.user_block, self.settings.start(self.layout.pages));
        if self.settings.behind.is_some() {
            // Whatever the new superblock leads to must be there before it is.
            self.sink.sync().map_err(|source| Error::Io {
                what: "new blocks",
                offset: start,
                cause: source,
            })?;
        }
        let extension = self.settings.space.map(|_| start);
        self.put("superblock", 0, &superblock(root, end, base, extension))
    }

    /// Refuses a dataset whose header names a chunk index, as no chunk came for it.
    fn check_no_index(&self, id: ObjectId) -> Result<()> {
        let Some(Stored {
            layout: LayoutSpec::Chunked { chunk_count, .. },
            ..
        }) = self.objects.get(id.0).and_then(|object| object.stored.as_ref())
        else {
            return Ok(());
        };
        if *chunk_count == 0 {
            return Ok(());
        }
        self.refuse(id, format!("none of the {chunk_count} chunks announced came"))
    }

    fn write_index(&self, id: ObjectId, mut chunks: Vec<Chunk>) -> Result<()> {
        let dataset = self.dataset(id)?;
        let LayoutSpec::Chunked { shape, chunk_count } = &dataset.layout else {
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
        let grid = ChunkGrid::new(&dataset.extent, shape, dataset.element_size);
        let mut pieces = MetadataRun::new(start, |at, bytes| self.put("metadata", at, bytes));
        write_tree(&grid, &chunks, start, self.layout.pages, |node| pieces.push(node))?;
        let room = self.layout.pages.run(node_count(*chunk_count), grid.node_size());
        pieces.go_to(start + room)?;
        pieces.flush()
    }
}

mod unowned;
