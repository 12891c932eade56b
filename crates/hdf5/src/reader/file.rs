//! [`File`]: an open HDF5 file.

use std::collections::HashSet;
use std::sync::Arc;

use crate::attribute::{self, Attribute};
use crate::chunk_index::ChunkRecord;
use crate::chunk_index::{self, ChunkTable};
use crate::dataset::virtual_mapping::{self, VirtualMapping};
use crate::dataset::{Layout, StorageMessages};
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::group::{self, Links};
use crate::heap::global::{GlobalHeap, GlobalHeapObject, GlobalHeapReader};
use crate::messages::superblock_extension::file_space::FileSpace;
use crate::metadata::MetadataReader;
use crate::object_header::SharedMessages;
use crate::object_header::message_type;
use crate::object_header::properties::{self, ObjectProperties};
use crate::reader::dataset::Dataset;
use crate::reader::object::{Object, ObjectKind};
use crate::reader::options::OpenOptions;
use crate::reader::recovery::{self, Recovered, Recovery};
use crate::source::ByteSource;
use crate::superblock::{Consistency, Superblock};

/// An open HDF5 file. A clone is the same file, and all may be used from any thread.
///
/// Addresses of objects, data blocks and chunks are the file's: they count bytes from the beginning of the file in its
/// source, which is after a [user block](Self::user_block_size). Only errors contain positions in the source.
#[derive(Clone)]
pub struct File {
    inner: Arc<Inner>,
}

struct Inner {
    superblock: Superblock,
    space: Option<FileSpace>,
    shared: SharedMessages,
    global_heap: GlobalHeap,
    /// What was found besides, of a file that is damaged.
    recovery: Option<Arc<Recovery>>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("superblock", &self.inner.superblock)
            .finish_non_exhaustive()
    }
}

impl OpenOptions {
    /// Opens the file in `source`.
    ///
    /// # Errors
    /// The same as for [`File::open`].
    pub fn open(&self, source: impl ByteSource + 'static) -> Result<File> {
        let reader = MetadataReader::open(Arc::new(source), self.decoder.clone(), self.limits.clone())?;
        let reader = if self.truncated {
            reader.of_truncated_file()
        } else {
            reader
        };
        match self.recovers {
            true => File::recovered_from(&reader),
            false => File::from_reader(reader),
        }
    }
}

impl File {
    /// Opens the file in `source`: superblock versions 0 to 3, with or without a user block and an extension.
    ///
    /// # Errors
    /// [`Error::NotHdf5`] without a superblock; [`Error::Truncated`] if the source is shorter than the superblock says;
    /// [`Error::Unsupported`] for a part of a multi, split or family file.
    pub fn open(source: impl ByteSource + 'static) -> Result<Self> {
        OpenOptions::new().open(source)
    }

    /// `reader` need not know sizes and base address; the superblock has them.
    pub(super) fn from_reader(reader: MetadataReader) -> Result<Self> {
        let (reader, superblock) = Superblock::read(&reader)?;
        let extension = superblock.read_extension(&reader)?;
        Ok(Self {
            inner: Arc::new(Inner {
                superblock,
                space: extension.space,
                global_heap: GlobalHeap::new(&reader),
                shared: SharedMessages::new(reader, extension.shared),
                recovery: None,
            }),
        })
    }

    /// A file whose superblock, too, may be damaged.
    fn recovered_from(reader: &MetadataReader) -> Result<Self> {
        let (reader, superblock) = match Superblock::read(reader) {
            Ok(read) => read,
            Err(error) if error.is_failure() => return Err(error),
            Err(_) => {
                let base = match Superblock::position(reader) {
                    Some(base) => base,
                    None => recovery::find_base(reader)?,
                };
                let reader = reader.at_base(base, 8, 8)?;
                let superblock = Superblock::lost(&reader);
                (reader, superblock)
            }
        };
        let extension = match superblock.read_extension(&reader) {
            Err(error) if error.is_failure() => return Err(error),
            extension => extension.unwrap_or_default(),
        };
        let shared = SharedMessages::new(reader, extension.shared);
        let recovery = Recovery::of(&shared, &superblock)?;
        Ok(Self {
            inner: Arc::new(Inner {
                superblock,
                space: extension.space,
                global_heap: GlobalHeap::new(&shared.reader),
                shared,
                recovery: Some(Arc::new(recovery)),
            }),
        })
    }

    /// The same file and caches, with another reader.
    pub(super) fn read_by(&self, reader: MetadataReader) -> Self {
        Self {
            inner: Arc::new(Inner {
                superblock: self.inner.superblock.clone(),
                space: self.inner.space,
                global_heap: self.inner.global_heap.read_by(reader.clone()),
                shared: self.inner.shared.read_by(reader),
                recovery: self.inner.recovery.clone(),
            }),
        }
    }

    pub(super) fn reader(&self) -> &MetadataReader {
        &self.inner.shared.reader
    }

    pub(super) fn superblock(&self) -> &Superblock {
        &self.inner.superblock
    }

    pub(super) fn shared_messages(&self) -> &SharedMessages {
        &self.inner.shared
    }

    /// The version of the superblock, 0 to 3.
    pub fn superblock_version(&self) -> u8 {
        self.inner.superblock.version
    }

    /// Whether the file is open for writing, or was when its writer ended.
    pub fn consistency(&self) -> Consistency {
        self.inner.superblock.consistency
    }

    /// How the space of the file is managed; `None` if the file does not say, and so has libhdf5's defaults.
    pub fn file_space(&self) -> Option<FileSpace> {
        self.inner.space
    }

    /// Size of the file's pages, in bytes; `None` if its space is not in pages. libhdf5 ends a file at the end of a page, so
    /// a file that is shorter than one page has none.
    pub fn page_size(&self) -> Option<u64> {
        let size = self.inner.space.and_then(|space| space.page_size());
        size.filter(|size| *size <= self.reader().file_size())
    }

    /// Size of an address in this file, in bytes: 2, 4 or 8.
    pub fn offset_size(&self) -> u8 {
        self.reader().offset_size()
    }

    /// End of the file, in bytes from the start of the source. It is the end of the source, or the superblock's end of
    /// file if the source does not know its size.
    pub fn end(&self) -> u64 {
        self.reader().absolute(self.reader().file_size())
    }

    /// Bytes of the source behind the end of what libhdf5 has allocated for the file. 0 if the source does not know its size.
    pub fn trailing_bytes(&self) -> u64 {
        match self.reader().file_size() {
            u64::MAX => 0,
            size => size.saturating_sub(self.inner.superblock.length),
        }
    }

    /// Keeps at most `bytes` bytes of the metadata of a local file from now on, for later reads.
    pub fn keep_at_most(&self, bytes: u64) {
        self.reader().cache().keep_at_most(bytes);
    }

    /// Frees the metadata of a local file that is kept for later reads. What is needed again is read again.
    pub fn forget_metadata(&self) {
        self.reader().cache().forget_metadata();
    }

    /// Address of the root group. It may lie past the end of a file that was [recovered](OpenOptions::recovering).
    pub fn root(&self) -> u64 {
        let found = self.inner.recovery.as_ref().and_then(|recovery| recovery.root);
        found.unwrap_or(self.inner.superblock.root)
    }

    /// What was found of a file that was opened as one to [recover](OpenOptions::recovering).
    pub fn recovered(&self) -> Option<&Recovered> {
        self.inner.recovery.as_ref().map(|recovery| &recovery.found)
    }

    /// The object with its header at `address`, and all messages of the header.
    pub fn object(&self, address: u64) -> Result<Object> {
        let header = self.inner.shared.header(address);
        match (header, &self.inner.recovery) {
            (Err(error), Some(recovery)) if recovery.has_group(address) => {
                // A group that was made up has no header to tell of.
                if self.reader().tolerates() && address < self.reader().file_size() {
                    self.reader().tolerate(error)?;
                }
                Ok(Object::group(address))
            }
            (header, _) => Ok(Object::new(address, header?)),
        }
    }

    /// The links of a group; none for another kind of object.
    pub fn links(&self, group: &Object) -> Result<Links> {
        let links = group::read(&self.inner.shared, &group.header);
        let Some(recovery) = &self.inner.recovery else {
            return links;
        };
        let mut links = match links {
            Err(error) if self.reader().tolerates() => {
                self.reader().tolerate(error)?;
                Links {
                    creation_order_tracked: false,
                    links: Vec::new(),
                }
            }
            links => links?,
        };
        recovery.complete(group.address, &mut links.links);
        Ok(links)
    }

    /// The attributes of an object, in creation order if it is tracked. Otherwise the ones in the object header come
    /// first, in its order, then the ones in dense storage, in the order of their name index.
    ///
    /// # Errors
    /// An inner error concerns one attribute, which is damaged or [`Error::Unsupported`]. An outer error means that the
    /// attributes cannot be listed.
    pub fn attributes(&self, object: &Object) -> Result<Vec<Result<Attribute>>> {
        let mut attributes = attribute::read(&self.inner.shared, &object.header)?;
        if let (Some(recovery), true) = (&self.inner.recovery, self.reader().tolerates()) {
            match recovery.attributes(&self.inner.shared, &object.header) {
                Ok(found) => {
                    let names = attributes.iter().flatten().map(|known| known.name.clone());
                    let mut names: HashSet<String> = names.collect();
                    let found = found.into_iter();
                    attributes.extend(found.filter(|found| names.insert(found.name.clone())).map(Ok));
                }
                Err(error) if error.is_failure() => return Err(error),
                // What is wrong with the heap was met before.
                Err(_) => {}
            }
        }
        Ok(attributes)
    }

    /// The properties of an object that are neither its content nor its attributes.
    ///
    /// # Errors
    /// A message is damaged.
    pub fn properties(&self, object: &Object) -> Result<ObjectProperties> {
        properties::read(&self.inner.shared, &object.header)
    }

    /// The bytes of the Datatype message of a dataset or committed datatype. For a dataset with a committed datatype,
    /// they are those of that type.
    ///
    /// # Errors
    /// [`Error::Usage`] for an object without such a message; other errors if it is damaged.
    pub fn datatype_message(&self, object: &Object) -> Result<Vec<u8>> {
        let Some(message) = object.header.first(message_type::DATATYPE) else {
            return Err(Error::Usage(format!(
                "the object at address {} has no datatype",
                object.address
            )));
        };
        let resolved = self.inner.shared.resolve(message)?;
        let mut cursor = resolved.cursor();
        let length = cursor.remaining();
        Ok(cursor.bytes(length)?.to_vec())
    }

    /// The bytes of the messages that say where the raw data of a dataset is.
    ///
    /// # Errors
    /// [`Error::Usage`] for an object without a Data Layout message.
    pub fn storage_messages(&self, object: &Object) -> Result<StorageMessages> {
        let bytes = |kind| object.header.first(kind).map(|message| message.data.to_vec());
        let Some(layout) = bytes(message_type::LAYOUT) else {
            return Err(Error::Usage(format!(
                "the object at address {} has no layout",
                object.address
            )));
        };
        Ok(StorageMessages {
            layout,
            external_files: bytes(message_type::EXTERNAL_FILES),
        })
    }

    /// Parses the messages of a dataset.
    ///
    /// # Errors
    /// [`Error::Usage`] for another kind of object; [`Error::Unsupported`] for an unknown datatype or layout; other
    /// errors if messages are missing, damaged or inconsistent.
    pub fn dataset(&self, object: &Object) -> Result<Dataset> {
        match object.kind {
            ObjectKind::Group | ObjectKind::NamedDatatype => Err(Error::Usage(format!(
                "the object at address {} is not a dataset",
                object.address
            ))),
            ObjectKind::Dataset | ObjectKind::Unknown => Dataset::read(&self.inner.shared, object),
        }
    }

    /// The datatype of a [`NamedDatatype`](ObjectKind::NamedDatatype) object.
    ///
    /// # Errors
    /// [`Error::Usage`] for another kind of object; [`Error::Unsupported`] for an unknown class; other errors if the
    /// message is damaged.
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

    /// Size of the user block before the file, in bytes.
    pub fn user_block_size(&self) -> u64 {
        self.reader().base()
    }

    /// Fills `buf` with raw data at `address`, which may be within a contiguous block or a chunk. Nothing is cached.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the file ends before `buf` is full.
    pub fn read_at(&self, address: u64, buf: &mut [u8]) -> Result<()> {
        self.reader().read_raw("raw data", address, buf)
    }

    /// Reads `size` bytes of raw data at `address`. The size is checked against the file's before memory is allocated.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the file ends before the data does.
    pub fn read_bytes(&self, address: u64, size: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader()
            .read_raw_into("raw data", address, size, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a chunk as stored, replacing the content of `bytes`. The size is checked against the file's before memory
    /// is allocated.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the file ends before the chunk does.
    pub fn read_stored(&self, chunk: &ChunkRecord, bytes: &mut Vec<u8>) -> Result<()> {
        self.reader()
            .read_raw_into("chunk", chunk.address, chunk.size, bytes)
    }

    /// The first address at or after `address` that may hold bytes other than zero, as far as the source knows without
    /// reading.
    ///
    /// # Errors
    /// Errors of the source.
    pub fn next_data(&self, address: u64) -> Result<u64> {
        self.reader().next_data("raw data", address)
    }

    /// Reads the chunk index of a chunked dataset. All of it is checked.
    ///
    /// # Errors
    /// [`Error::Usage`] for another layout; other errors if the index is damaged.
    pub fn chunk_table(&self, dataset: &Dataset) -> Result<ChunkTable> {
        self.chunk_table_with(dataset, &[])
    }

    /// The chunk index with further blocks of it, which it does not lead to.
    fn chunk_table_with(&self, dataset: &Dataset, found: &[u64]) -> Result<ChunkTable> {
        let Layout::Chunked(layout) = &dataset.layout else {
            return Err(Error::Usage(
                "a dataset that is not chunked has no chunk table".into(),
            ));
        };
        chunk_index::chunk_table(self.reader(), dataset.address, &dataset.dataspace, layout, found)
    }

    /// Reads as much of a chunk index as can be read. Also returns what is wrong with the rest. Chunks that reach past the
    /// end of the file are in the table.
    ///
    /// # Errors
    /// Those of [`File::chunk_table`] that do not concern the index.
    pub fn chunk_table_of_damaged(&self, dataset: &Dataset) -> Result<(ChunkTable, Vec<Error>)> {
        let (file, faults) = self.tolerating();
        let table = file.chunk_table(dataset)?;
        let told = faults.take();
        let found = match &self.inner.recovery {
            Some(recovery) if !told.is_empty() => recovery.index_blocks(dataset.address)?,
            _ => &[],
        };
        if found.is_empty() {
            return Ok((table, told));
        }
        let table = file.chunk_table_with(dataset, found)?;
        Ok((table, faults.take()))
    }

    /// The mappings of a [virtual](Layout::Virtual) dataset, in their order. Where two mappings have elements of the
    /// virtual dataset in common, the later one counts.
    ///
    /// # Errors
    /// [`Error::Usage`] for another layout; other errors if the mappings are damaged, or of an unknown version.
    pub fn virtual_mappings(&self, dataset: &Dataset) -> Result<Vec<VirtualMapping>> {
        let Layout::Virtual { collection, index } = dataset.layout else {
            return Err(Error::Usage(
                "a dataset that is not virtual has no mappings".into(),
            ));
        };
        let Some(collection) = collection else {
            return Ok(Vec::new());
        };
        let block = self.global_heap_object(collection, index)?;
        let mut block = self
            .reader()
            .cursor("virtual dataset mappings", collection, &block);
        virtual_mapping::decode(&mut block)
    }

    /// The bytes of object `index` in the global heap collection at `collection`. Recently used collections are cached.
    pub fn global_heap_object(&self, collection: u64, index: u32) -> Result<GlobalHeapObject> {
        self.inner.global_heap.object(collection, index)
    }

    /// A reader for many objects of the global heap.
    pub fn global_heap(&self) -> GlobalHeapReader<'_> {
        GlobalHeapReader::new(&self.inner.global_heap)
    }
}
