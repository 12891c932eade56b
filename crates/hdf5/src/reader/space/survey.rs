//! [`File::bytes_without_reference`]: meets all structures of a file, and all places of its raw data.

use std::collections::HashSet;
use std::sync::Arc;

use super::free_space;
use super::references::References;
use crate::attribute;
use crate::btree::v2;
use crate::dataset::{Fill, Layout};
use crate::dataspace::Dataspace;
use crate::error::Result;
use crate::group;
use crate::heap::fractal::FractalHeap;
use crate::messages::dense_storage::DenseStorage;
use crate::metadata::{MetadataReader, SpaceUse};
use crate::object_header::{HeaderBlocks, MessageIndex, ObjectHeader, SharedMessages, message_type};
use crate::reader::dataset::Dataset;
use crate::reader::file::File;
use crate::reader::object::{Object, ObjectKind};
use crate::superblock::Superblock;

/// Most bytes of contiguous data that are read at once.
const STEP: u64 = 1 << 20;

/// Largest chunk, in bytes, that is decoded to find what its elements refer to.
const LARGEST: u64 = 64 << 20;

/// Bytes of a file that hold no structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceCount {
    /// Bytes of the raw data of all datasets, as stored in the file. Each dataset counts once.
    pub data: u64,
    /// Bytes that are allocated in the file, but neither referred to nor listed as free.
    pub lost: u64,
    /// Bytes that the file lists as free.
    pub free: u64,
}

impl File {
    /// Returns the number of lost bytes: allocated in the file, but neither referred to nor listed as free. An object to which only
    /// an element of an attribute or a dataset refers is referred to.
    ///
    /// `None` if that cannot be known: something cannot be read, or may refer to more than is known here.
    ///
    /// # Errors
    /// The source failed.
    pub fn bytes_without_reference(&self) -> Result<Option<u64>> {
        Ok(self.count_space(true)?.map(|count| count.lost))
    }

    /// Returns what [`bytes_without_reference`](Self::bytes_without_reference) returns, the bytes that are listed as free, and those
    /// of raw data. Without
    /// `reads_data`, the result is also `None` if elements of a dataset may refer to bytes, because no raw data is read.
    ///
    /// # Errors
    /// The source failed.
    pub fn count_space(&self, reads_data: bool) -> Result<Option<SpaceCount>> {
        if self.recovered().is_some() {
            return Ok(None);
        }
        match self.surveyed(reads_data) {
            Err(error) if !error.is_failure() => Ok(None),
            surveyed => surveyed,
        }
    }

    fn surveyed(&self, reads_data: bool) -> Result<Option<SpaceCount>> {
        let superblock = self.superblock();
        let plain = self.reader().unnoted();
        let space = Arc::new(SpaceUse::new(superblock.node_sizes(&plain)?));
        let reader = plain.recording(&space);
        let shared = self.shared_messages().anew(reader.clone());
        let mut survey = Survey {
            file: self.read_by(reader.clone()),
            references: References::new(&reader),
            reader,
            shared,
            pending: vec![superblock.root],
            free: 0,
            data: 0,
            reads_data,
            is_incomplete: false,
        };
        survey.superblock(superblock)?;
        survey.objects()?;
        if survey.is_incomplete || survey.references.is_incomplete {
            return Ok(None);
        }
        let end = superblock.length.min(self.reader().file_size());
        let left = space.bytes_left(end);
        Ok(left.map(|left| SpaceCount {
            data: survey.data,
            lost: left.saturating_sub(survey.free),
            free: survey.free.min(left),
        }))
    }
}

/// A walk over all objects of a file.
struct Survey {
    file: File,
    reader: MetadataReader,
    shared: SharedMessages,
    references: References,
    /// Objects that were not met yet.
    pending: Vec<u64>,
    /// Bytes in lists of free space.
    free: u64,
    /// Bytes of raw data.
    data: u64,
    /// True if elements of datasets are read to find what they refer to.
    reads_data: bool,
    /// True after an item whose references are not known. The result is then `None`.
    is_incomplete: bool,
}

impl Survey {
    fn superblock(&mut self, superblock: &Superblock) -> Result<()> {
        self.reader.takes(0, superblock.size);
        if let Some(driver) = superblock.driver {
            let block = self.reader.read("driver information block", driver, 8)?;
            let mut block = self.reader.cursor("driver information block", driver, &block);
            block.skip(4)?;
            let size = block.u32()?;
            self.reader.takes(driver, 16 + u64::from(size));
        }
        let Some(address) = superblock.extension else {
            return Ok(());
        };
        let header = self.shared.header(address)?;
        let message = |kind| {
            let message = header.first(kind)?;
            Some(
                self.reader
                    .cursor("superblock extension", message.address, &message.data),
            )
        };
        if let Some(mut image) = message(message_type::CACHE_IMAGE) {
            image.version(0)?;
            if let (Some(address), length) = (image.offset()?, image.length()?) {
                self.reader.takes(address, length);
            }
        }
        if let Some(mut space) = message(message_type::FILE_SPACE_INFO) {
            match free_space::managers(&mut space)? {
                Some(managers) => {
                    for manager in managers {
                        let free = free_space::take(&self.reader, manager)?;
                        self.free = self.free.saturating_add(free);
                    }
                }
                None => self.is_incomplete = true,
            }
        }
        if let Some(mut table) = message(message_type::SHARED_MESSAGE_TABLE) {
            let table = crate::object_header::SharedMessageTable::read(&self.reader, &mut table)?;
            for heap in table.heaps() {
                self.heap(heap)?;
            }
            for index in &table.indexes {
                match index {
                    MessageIndex::Btree(tree) => self.btree(*tree)?,
                    MessageIndex::List(list, room) => {
                        // A place, a hash, and a heap identifier or an address, of which the larger one counts.
                        let message = 5 + 12.max(4 + u64::from(self.reader.offset_size()));
                        self.reader.takes(*list, 8 + u64::from(*room) * message);
                    }
                }
            }
        }
        Ok(())
    }

    fn objects(&mut self) -> Result<()> {
        let mut met = HashSet::new();
        loop {
            if let Some(address) = self.pending.pop() {
                if met.insert(address) {
                    let object = Object::new(address, self.shared.header(address)?);
                    self.object(&object)?;
                }
            } else if let Some(address) = self.references.targets.pop() {
                // An object without a link, which only elements refer to. Of one that was deleted, nothing may be left.
                if !met.contains(&address) && self.is_object(address) {
                    self.pending.push(address);
                }
            } else {
                return Ok(());
            }
        }
    }

    /// True if there is an object of a known kind at this address.
    fn is_object(&self, address: u64) -> bool {
        let plain = self.reader.unrecorded();
        let header = ObjectHeader::read(&plain, &HeaderBlocks::default(), address);
        header.is_ok_and(|header| Object::new(address, header).kind != ObjectKind::Unknown)
    }

    fn object(&mut self, object: &Object) -> Result<()> {
        let header = &object.header;
        for attribute in attribute::read(&self.shared, header)? {
            let attribute = attribute?;
            self.references.add(&attribute.datatype, &attribute.data)?;
            self.pending.extend(attribute.committed);
        }
        if let Some(message) = header.first(message_type::ATTRIBUTE_INFO) {
            let info = DenseStorage::of_attributes(&mut self.shared.resolve(message)?.cursor())?;
            self.dense(info.heap, [info.name_index, info.order_index])?;
        }
        match object.kind {
            ObjectKind::Group => {
                let links = group::read(&self.shared, header)?;
                let targets = links.links.iter().filter_map(|link| link.target.address());
                self.pending.extend(targets);
                if let Some(message) = header.first(message_type::LINK_INFO) {
                    let info = DenseStorage::of_links(&mut self.shared.resolve(message)?.cursor())?;
                    self.dense(info.heap, [info.name_index, info.order_index])?;
                }
                Ok(())
            }
            ObjectKind::Dataset => {
                let dataset = Dataset::read(&self.shared, object)?;
                self.dataset(&dataset)
            }
            ObjectKind::NamedDatatype => Ok(()),
            ObjectKind::Unknown => {
                self.is_incomplete = true;
                Ok(())
            }
        }
    }

    /// Dense storage: a heap and its indexes.
    fn dense(&mut self, heap: Option<u64>, indexes: [Option<u64>; 2]) -> Result<()> {
        if let Some(heap) = heap {
            self.heap(heap)?;
        }
        indexes
            .into_iter()
            .flatten()
            .try_for_each(|tree| self.btree(tree))
    }

    fn heap(&self, address: u64) -> Result<()> {
        if let Some(manager) = FractalHeap::open(&self.reader, address)?.take_all()? {
            free_space::take(&self.reader, manager)?;
        }
        Ok(())
    }

    fn btree(&self, address: u64) -> Result<()> {
        v2::Header::read(&self.reader, address)?.visit(&self.reader, |_| Ok(()))?;
        Ok(())
    }

    fn dataset(&mut self, dataset: &Dataset) -> Result<()> {
        self.pending.extend(dataset.committed);
        if let Fill::Defined(value) = &dataset.fill.value {
            self.references.add(&dataset.datatype, value)?;
        }
        let refers = References::are_in(&dataset.datatype);
        match &dataset.layout {
            Layout::Compact(data) => {
                self.data = self.data.saturating_add(data.len() as u64);
                self.references.add(&dataset.datatype, data)
            }
            Layout::Contiguous {
                address: Some(address),
                size,
            } => {
                self.reader.takes(*address, *size);
                self.data = self.data.saturating_add(*size);
                match (refers, self.reads_data) {
                    (true, true) => self.contiguous(dataset, *address, *size)?,
                    (true, false) => self.is_incomplete = true,
                    (false, _) => {}
                }
                Ok(())
            }
            Layout::Chunked(layout) => {
                let mut dataset = dataset.clone();
                if let Dataspace::Simple { dims, max_dims } = &mut dataset.dataspace {
                    // The index of a dataset that shrank to nothing is still there.
                    for (dim, max) in dims.iter_mut().zip(max_dims) {
                        *dim = (*dim).max(max.unwrap_or(1).min(1));
                    }
                }
                let table = self.file.chunk_table(&dataset)?;
                for chunk in table.iter() {
                    self.data = self.data.saturating_add(chunk?.size);
                }
                if !refers {
                    return Ok(());
                }
                if !self.reads_data {
                    self.is_incomplete = true;
                    return Ok(());
                }
                let size = layout
                    .shape
                    .iter()
                    .try_fold(layout.element_size, |n, dim| n.checked_mul(*dim));
                if size.is_none_or(|size| size > LARGEST) {
                    self.is_incomplete = true;
                    return Ok(());
                }
                for chunk in table.iter() {
                    let decoded = self.file.decoded_chunk(&dataset, layout, chunk?)?;
                    self.references.add(&dataset.datatype, &decoded)?;
                }
                Ok(())
            }
            Layout::Virtual {
                collection: Some(collection),
                ..
            } => self.references.add_collection(*collection),
            Layout::External(_) => {
                // What elements in other files refer to is not looked for.
                self.is_incomplete |= refers;
                Ok(())
            }
            Layout::Contiguous { address: None, .. } | Layout::Virtual { collection: None, .. } => Ok(()),
        }
    }

    fn contiguous(&mut self, dataset: &Dataset, address: u64, size: u64) -> Result<()> {
        let element = u64::from(dataset.datatype.size).max(1);
        let step = (STEP - STEP % element).max(element);
        let mut done = 0;
        while done < size {
            let length = step.min(size - done);
            let bytes = self.file.read_bytes(address.saturating_add(done), length)?;
            self.references.add(&dataset.datatype, &bytes)?;
            done += length;
        }
        Ok(())
    }
}
