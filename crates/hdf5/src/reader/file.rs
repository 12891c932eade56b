//! An open file.

use std::sync::Arc;

use crate::attribute::{self, Attribute};
use crate::chunk_index::{self, ChunkTable};
use crate::dataset::ChunkRecord;
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::group::{self, Links};
use crate::heap::global::{GlobalHeap, GlobalHeapObject, GlobalHeapReader};
use crate::layout::Layout;
use crate::messages::message_type;
use crate::messages::shared::SharedMessages;
use crate::reader::bytes::MetadataReader;
use crate::reader::dataset::Dataset;
use crate::reader::object::{Object, ObjectKind};
use crate::reader::options::OpenOptions;
use crate::source::ByteSource;
use crate::superblock::Superblock;

/// An open HDF5 file. Clones are the same file; any thread may use any of them.
///
/// All addresses, of objects, data blocks and chunks, are those that stand in the file: they count in bytes from where the
/// file begins in its source, which is behind a [user block](Self::user_block_size). Errors alone name positions in the
/// source.
#[derive(Clone)]
pub struct File {
    inner: Arc<Inner>,
}

struct Inner {
    superblock: Superblock,
    shared: SharedMessages,
    global_heap: GlobalHeap,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("superblock", &self.inner.superblock)
            .finish_non_exhaustive()
    }
}

impl File {
    /// Opens the file in `source`: superblock versions 0 to 3, also behind a user block, with its extension.
    ///
    /// # Errors
    /// [`Error::NotHdf5`] where no superblock is; [`Error::Truncated`] where the source is shorter than the superblock
    /// says; [`Error::Unsupported`] for a file that is one of several (multi, split and family drivers).
    pub fn open(source: impl ByteSource + 'static) -> Result<Self> {
        OpenOptions::new().open(source)
    }

    /// Sizes and base address are the superblock's to say, so `reader` need not know them.
    pub(super) fn from_reader(reader: MetadataReader) -> Result<Self> {
        let (reader, superblock) = Superblock::read(&reader)?;
        let table = superblock.read_extension(&reader)?;
        Ok(Self {
            inner: Arc::new(Inner {
                superblock,
                global_heap: GlobalHeap::new(&reader),
                shared: SharedMessages::new(reader, table),
            }),
        })
    }

    /// The same file, read by `reader`, with the same caches.
    pub(super) fn read_by(&self, reader: MetadataReader) -> Self {
        Self {
            inner: Arc::new(Inner {
                superblock: self.inner.superblock.clone(),
                global_heap: self.inner.global_heap.read_by(reader.clone()),
                shared: self.inner.shared.read_by(reader),
            }),
        }
    }

    pub(super) fn reader(&self) -> &MetadataReader {
        &self.inner.shared.reader
    }

    /// The version of the superblock, 0 to 3.
    pub fn superblock_version(&self) -> u8 {
        self.inner.superblock.version
    }

    /// Bytes of an address in this file: 2, 4 or 8.
    pub fn offset_size(&self) -> u8 {
        self.reader().offset_size()
    }

    /// Where the file ends in its source, in bytes from the start of the source: the end of the source, or, where that
    /// does not tell its size, the end that the superblock gives.
    pub fn end(&self) -> u64 {
        self.reader().absolute(self.reader().file_size())
    }

    /// Address of the root group.
    pub fn root(&self) -> u64 {
        self.inner.superblock.root
    }

    /// The object whose object header is at `address`, with all messages of the header.
    pub fn object(&self, address: u64) -> Result<Object> {
        Ok(Object::new(address, self.inner.shared.header(address)?))
    }

    /// The links of a group; none where `group` is something else.
    pub fn links(&self, group: &Object) -> Result<Links> {
        group::read(&self.inner.shared, &group.header)
    }

    /// The attributes of an object: in creation order where it is tracked, else those in the object header in its order,
    /// then those in dense storage in the order of their name index.
    ///
    /// # Errors
    /// An inner error is about one attribute, which is [`Error::Unsupported`] or damaged; an outer one means that the
    /// attributes cannot even be listed.
    pub fn attributes(&self, object: &Object) -> Result<Vec<Result<Attribute>>> {
        attribute::read(&self.inner.shared, &object.header)
    }

    /// What the messages of a dataset say.
    ///
    /// # Errors
    /// [`Error::Usage`] where `object` is something else; [`Error::Unsupported`] for a datatype or layout that is not known; else where messages are missing, damaged, or
    /// contradict each other.
    pub fn dataset(&self, object: &Object) -> Result<Dataset> {
        match object.kind {
            ObjectKind::Group | ObjectKind::NamedDatatype => Err(Error::Usage(format!(
                "the object at address {} is not a dataset",
                object.address
            ))),
            ObjectKind::Dataset | ObjectKind::Unknown => Dataset::read(&self.inner.shared, object),
        }
    }

    /// The datatype that a [`NamedDatatype`](ObjectKind::NamedDatatype) object is.
    ///
    /// # Errors
    /// [`Error::Usage`] where it is another kind of object; [`Error::Unsupported`] for a class that is not known; else
    /// where the message is damaged.
    pub fn named_datatype(&self, object: &Object) -> Result<Datatype> {
        let message = object.header.first(message_type::DATATYPE);
        let (Some(message), ObjectKind::NamedDatatype) = (message, object.kind) else {
            return Err(Error::Usage(format!(
                "the object at address {} is not a committed datatype",
                object.address
            )));
        };
        Datatype::decode(&mut self.inner.shared.resolve(message)?.cursor())
    }

    /// Bytes of the user block: how far behind the start of the source the file begins.
    pub fn user_block_size(&self) -> u64 {
        self.reader().base()
    }

    /// Fills `buf` with raw data from `address` on, which is the address of a contiguous block, of a chunk, or between.
    /// Nothing is cached.
    ///
    /// # Errors
    /// [`Error::Truncated`] where the file ends before `buf` is full.
    pub fn read_at(&self, address: u64, buf: &mut [u8]) -> Result<()> {
        self.reader().read_raw("raw data", address, buf)
    }

    /// Reads a chunk as it is stored, in place of what `bytes` has. No more is allocated than the file has room for.
    ///
    /// # Errors
    /// [`Error::Truncated`] where the file ends before the chunk.
    pub fn read_stored(&self, chunk: &ChunkRecord, bytes: &mut Vec<u8>) -> Result<()> {
        self.reader()
            .read_raw_into("chunk", chunk.address, chunk.size, bytes)
    }

    /// The first address from `address` on that may hold something else than zeros, as far as the source knows without reading.
    ///
    /// # Errors
    /// Where the source cannot be asked.
    pub fn next_data(&self, address: u64) -> Result<u64> {
        self.reader().next_data("raw data", address)
    }

    /// Reads the whole chunk index of a chunked dataset.
    ///
    /// # Errors
    /// [`Error::Usage`] where the layout is not chunked; else where the index is damaged.
    pub fn chunk_table(&self, dataset: &Dataset) -> Result<ChunkTable> {
        let Layout::Chunked(layout) = &dataset.layout else {
            return Err(Error::Usage(
                "a dataset that is not chunked has no chunk table".into(),
            ));
        };
        chunk_index::chunk_table(self.reader(), dataset.address, &dataset.dataspace, layout)
    }

    /// The bytes of object `index` of the global heap collection at `collection`. Collections used last are kept.
    pub fn global_heap_object(&self, collection: u64, index: u32) -> Result<GlobalHeapObject> {
        self.inner.global_heap.object(collection, index)
    }

    /// Reads many objects of the global heap.
    pub fn global_heap(&self) -> GlobalHeapReader<'_> {
        GlobalHeapReader::new(&self.inner.global_heap)
    }
}
