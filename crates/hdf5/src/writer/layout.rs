//! Layout of the front of the file: sizes and addresses of all metadata.
//!
//! ```text
//! superblock │ extension │ objects │ global heap │ chunk indexes │ contiguous data │ chunks and heap collections as they come
//!                 │
//!                 └─ each: header │ dense attributes │ dense links │ names of external files
//! ```
//!
//! In a file of pages, chunk indexes come before the global heap, which is raw data for libhdf5's page buffer and begins a page.
//!
//! Objects are encoded twice: first without addresses, for their sizes, then with addresses. No size depends on an
//! address, so both results have the same size.

use std::ops::Range;

use super::btree_v1::{ChunkGrid, node_count};
use super::bytes::PutBytes;
use super::heap::global::FrontHeap;
use super::heap::local;
use super::kept::{Kept, count_references, keep};
use super::messages::{self, LinkInformation, MAX_MESSAGE, Storage, kind};
use super::object::Dense;
use super::object::DenseKind;
use super::object::{BodyPlace, ObjectHeader, flag};
use super::object::{DenseSizes, ObjectImage};
use super::pages::Pages;
use super::spec::Payload;
use super::spec::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FillSpec, LayoutSpec, LinkSpec, ObjectId, ObjectSource,
    ObjectSpec, ObjectSpecKind,
};
use super::spec::{check, path};
use crate::{Error, Result, StorageMessages};

/// Position of an object.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ObjectPlace {
    /// Address of its header.
    pub(super) header: u64,
    /// Size of the header in bytes, rounded up to a multiple of 8.
    header_size: u64,
    /// For datasets: address of the contiguous data or the chunk index; `None` if there is none.
    pub(super) storage: Option<u64>,
}

/// Layout of the front of the file.
pub(super) struct FrontLayout {
    /// How blocks follow each other.
    pub(super) pages: Pages,
    /// Position of each object of the tree.
    pub(super) places: Vec<ObjectPlace>,
    /// Number of references to each object: hard links, and uses as a committed datatype.
    reference_counts: Vec<u32>,
    /// End of the objects.
    pub(super) objects_end: u64,
    /// Address of the global heap.
    pub(super) heap: u64,
    /// In a file of pages: space between chunk indexes and contiguous data that nothing uses.
    pub(super) gaps: Vec<Range<u64>>,
    /// End of the front. Data and later metadata follow.
    pub(super) end: u64,
}

impl FrontLayout {
    /// Checks and lays out all objects, from address `start` on.
    pub(super) fn new<S: ObjectSource + ?Sized>(
        source: &S,
        start: u64,
        pages: Pages,
    ) -> Result<(Self, Vec<Kept>), S::Error> {
        let count = source.object_count();
        let mut layout = Self {
            pages,
            places: vec![ObjectPlace::default(); count],
            reference_counts: vec![1; count],
            objects_end: 0,
            heap: 0,
            gaps: Vec::new(),
            end: 0,
        };
        let mut kept: Vec<Kept> = Vec::new();
        kept.resize_with(count, Kept::default);
        if count == 0 {
            return Err(Error::CannotWrite("the first object is not a group".into()).into());
        }
        let mut references = vec![0u32; count];
        if let Some(root) = references.first_mut() {
            *root = 1; // the superblock's
        }
        let mut dense_sizes = vec![DenseSizes::default(); count];
        let mut heap = FrontHeap::new(0, pages);
        for (n, dense) in dense_sizes.iter_mut().enumerate() {
            let id = ObjectId(n);
            let object = source.object(id)?;
            check(source, id, &object)?;
            count_references(&object, &mut references);
            keep(id, &object, &mut kept);
            let image = layout.measure(source, id, &object, &mut heap)?;
            heap.take_finished();
            *dense = image.dense_sizes();
            if let Some(place) = layout.places.get_mut(n) {
                place.header_size = (image.header.len() as u64).next_multiple_of(8);
            }
        }
        layout.reference_counts = references;
        // Reference counts are complete only now.
        for n in 0..count {
            if layout.reference_counts.get(n).is_some_and(|count| *count > 1) {
                let id = ObjectId(n);
                let image =
                    layout.measure(source, id, &*source.object(id)?, &mut FrontHeap::new(0, pages))?;
                if let Some(place) = layout.places.get_mut(n) {
                    place.header_size = (image.header.len() as u64).next_multiple_of(8);
                }
            }
        }
        let (_, heap_size) = heap.finish();
        let mut end = start;
        for (place, dense) in layout.places.iter_mut().zip(&dense_sizes) {
            let header = pages.place(end, place.header_size).ok_or_else(too_large)?;
            place.header = header.start;
            let (_, links) = dense_places(pages, *place, *dense).ok_or_else(too_large)?;
            end = links.end;
        }
        layout.objects_end = end;
        layout.end = end;
        if pages.are_there() {
            layout.place_storage(&kept, false)?;
            layout.skip(pages.end_of_page(layout.end));
        }
        layout.heap = layout.end;
        layout.end = layout.end.checked_add(heap_size).ok_or_else(too_large)?;
        if !pages.are_there() {
            layout.place_storage(&kept, false)?;
        }
        layout.place_storage(&kept, true)?;
        Ok((layout, kept))
    }

    /// Encodes an object without addresses, to find its size.
    fn measure<S: ObjectSource + ?Sized>(
        &self,
        source: &S,
        id: ObjectId,
        object: &ObjectSpec,
        heap: &mut FrontHeap,
    ) -> Result<ObjectImage> {
        self.encode(object, id, None, heap).map_err(|error| match error {
            Error::CannotWrite(why) => Error::CannotWrite(format!("{}: {why}", path(source, id))),
            other => other,
        })
    }

    /// Assigns addresses to contiguous data, or else to chunk indexes.
    fn place_storage(&mut self, kept: &[Kept], contiguous: bool) -> Result<()> {
        for (n, kept) in kept.iter().enumerate() {
            let Some(stored) = &kept.stored else {
                continue;
            };
            let size = match &stored.layout {
                LayoutSpec::Contiguous {
                    size,
                    allocated: true,
                } if contiguous => *size,
                LayoutSpec::Chunked { shape, chunk_count } if !contiguous => {
                    let node_size = ChunkGrid::new(&[], shape, 0).node_size();
                    self.pages.run(node_count(*chunk_count), node_size)
                }
                _ => continue,
            };
            if size == 0 {
                continue;
            }
            let place = self.pages.place(self.end, size).ok_or_else(too_large)?;
            if let Some(object) = self.places.get_mut(n) {
                object.storage = Some(place.start);
            }
            self.skip(place.start);
            self.end = place.start.saturating_add(size);
            self.skip(match self.pages.are_there() {
                true => place.end,
                false => place.end.next_multiple_of(8),
            });
        }
        Ok(())
    }

    /// Moves the end to `end`, over space that nothing uses.
    fn skip(&mut self, end: u64) {
        if self.end < end && self.pages.are_there() {
            self.gaps.push(self.end..end);
        }
        self.end = end;
    }

    /// Address of an object's header.
    pub(super) fn header_of(&self, id: ObjectId) -> u64 {
        self.places.get(id.0).map_or(0, |place| place.header)
    }

    /// Encodes one object. `storage` is the address for its layout message; compact data is left zero. Objects must be
    /// encoded in order, with the same `heap`.
    pub(super) fn encode(
        &self,
        object: &ObjectSpec,
        id: ObjectId,
        storage: Option<u64>,
        heap: &mut FrontHeap,
    ) -> Result<ObjectImage> {
        let place = self.places.get(id.0).copied().unwrap_or_default();
        let mut messages = Vec::with_capacity(object.attributes.len());
        for attribute in &object.attributes {
            messages.push(self.attribute(attribute, heap)?);
        }
        let pages = self.pages;
        let (link_order, attribute_order) = (object.properties.link_order, object.properties.attribute_order);
        let attributes = Dense::if_needed(DenseKind::Attributes, attribute_order, pages, messages, || {
            object.attributes.iter().map(|a| a.name.clone()).collect()
        })?;
        let (attributes, compact_attributes) = attributes;
        let mut dense = DenseSizes {
            attributes: attributes.as_ref().map_or(0, |d| d.storage.size()),
            links: 0,
        };
        let behind = |dense| dense_places(pages, place, dense).ok_or_else(too_large);
        let attributes_at = behind(dense)?.0.start;

        let mut header = ObjectHeader::new(&object.properties);
        let mut links = None;
        let mut external = Vec::new();
        let mut layout_message = None;
        let mut compact_links = Vec::new();
        match &object.kind {
            ObjectSpecKind::Group { links: specs } => {
                let messages = specs
                    .iter()
                    .zip(0..)
                    .map(|((name, target), order)| {
                        let target = match target {
                            LinkSpec::Hard(object) => LinkInformation::Hard(self.header_of(*object)),
                            LinkSpec::Soft(path) => LinkInformation::Soft(path),
                            LinkSpec::External { file, path } => LinkInformation::External(file, path),
                            LinkSpec::UserDefined { class, data } => {
                                LinkInformation::UserDefined(*class, data)
                            }
                        };
                        messages::link(name, link_order.is_tracked().then_some(order), &target)
                    })
                    .collect::<Result<Vec<_>>>()?;
                (links, compact_links) =
                    Dense::if_needed(DenseKind::Links, link_order, pages, messages, || {
                        specs.iter().map(|(name, _)| name.clone()).collect()
                    })?;
                dense.links = links.as_ref().map_or(0, |d| d.storage.size());
                let links_at = behind(dense)?.1.start;
                let addresses = links.as_ref().map(|d| d.storage.addresses(links_at));
                let info = messages::link_info(specs.len() as u64, link_order, addresses.as_ref());
                header.push(kind::LINK_INFO, 0, 0, &info);
                let info = object.properties.group_info.clone();
                let info = fits(
                    info.unwrap_or_else(messages::group_info),
                    "information on a group",
                )?;
                header.push(kind::GROUP_INFO, flag::CONSTANT, 0, &info);
            }
            ObjectSpecKind::NamedDatatype(datatype) => {
                let body = fits(messages::datatype(datatype)?, "a committed datatype")?;
                header.push(kind::DATATYPE, flag::CONSTANT | flag::DO_NOT_SHARE, 0, &body);
            }
            ObjectSpecKind::EncodedDatatype(_, message) => {
                let body = fits(message.clone(), "a committed datatype")?;
                header.push(kind::DATATYPE, flag::CONSTANT | flag::DO_NOT_SHARE, 0, &body);
            }
            ObjectSpecKind::Dataset(dataset) => {
                if let LayoutSpec::External(segments) = &dataset.layout {
                    let (_, names) = local::encode(segments, 0)?;
                    dense.links = (names.len() as u64).next_multiple_of(8);
                }
                let external_at = behind(dense)?.1.start;
                (layout_message, external) =
                    self.dataset(dataset, storage, heap, external_at, &mut header)?;
            }
        }
        if !object.attributes.is_empty() {
            let dense = attributes.as_ref().map(|d| d.storage.addresses(attributes_at));
            let info =
                messages::attribute_info(object.attributes.len() as u16, attribute_order, dense.as_ref());
            header.push(kind::ATTRIBUTE_INFO, flag::DO_NOT_SHARE, 0, &info);
        }
        if let Some(comment) = &object.properties.comment {
            header.push(kind::COMMENT, 0, 0, &fits(comment.clone(), "a comment")?);
        }
        for link in &compact_links {
            header.push(kind::LINK, 0, 0, link);
        }
        for (attribute, order) in compact_attributes.iter().zip(0..) {
            header.push(kind::ATTRIBUTE, 0, order, attribute);
        }
        let references = self.reference_counts.get(id.0).copied().unwrap_or(1);
        if references > 1 {
            let body = messages::reference_count(references);
            header.push(kind::REFERENCE_COUNT, flag::DO_NOT_SHARE, 0, &body);
        }
        Ok(ObjectImage {
            header: header.encode(),
            layout_message,
            attributes,
            attributes_at,
            links,
            links_at: behind(dense)?.1.start,
            external,
        })
    }

    fn dataset(
        &self,
        dataset: &DatasetSpec,
        storage: Option<u64>,
        heap: &mut FrontHeap,
        external_at: u64,
        header: &mut ObjectHeader,
    ) -> Result<(Option<BodyPlace>, Vec<u8>)> {
        let (shared, datatype) = self.datatype(&dataset.datatype)?;
        let datatype = fits(datatype, "a datatype")?;
        header.push(kind::DATASPACE, 0, 0, &messages::dataspace(&dataset.dataspace)?);
        let shared = if shared { flag::SHARED } else { 0 };
        header.push(kind::DATATYPE, flag::CONSTANT | shared, 0, &datatype);
        let value = match &dataset.fill {
            FillSpec::Undefined => None,
            FillSpec::Default => Some(Vec::new()),
            FillSpec::Defined(data) => {
                let mut value = Vec::new();
                self.resolve(data, heap, &mut value);
                Some(value)
            }
        };
        let fill = messages::fill_value(dataset.allocation_time, dataset.fill_time, value.as_deref());
        header.push(kind::FILL_VALUE, flag::CONSTANT, 0, &fits(fill, "a fill value")?);
        let compact = match &dataset.layout {
            LayoutSpec::Compact { size } => vec![0; *size as usize],
            _ => Vec::new(),
        };
        let element_size = dataset.datatype.datatype().size;
        let layout = match &dataset.layout {
            LayoutSpec::Virtual(mappings) => {
                let object = mappings.as_ref().map(|mappings| heap.insert(mappings).to_bytes());
                messages::layout(&Storage::Virtual(object))?
            }
            // The message of external data is that of contiguous data without an address.
            LayoutSpec::External(_) => {
                let size = dataset.dataspace.count().unwrap_or(0);
                let size = size.saturating_mul(u64::from(element_size));
                messages::layout(&Storage::Contiguous(None, size))?
            }
            LayoutSpec::Kept(kept) => fits(kept.layout.clone(), "compact data")?,
            layout => layout_message(layout, element_size, storage, &compact)?,
        };
        let mut external = Vec::new();
        if let LayoutSpec::Kept(StorageMessages {
            external_files: Some(message),
            ..
        }) = &dataset.layout
        {
            let message = fits(message.clone(), "external files")?;
            header.push(kind::EXTERNAL_FILES, flag::CONSTANT, 0, &message);
        }
        if let LayoutSpec::External(segments) = &dataset.layout {
            let (message, names) = local::encode(segments, external_at)?;
            external = names;
            header.push(
                kind::EXTERNAL_FILES,
                flag::CONSTANT,
                0,
                &fits(message, "external files")?,
            );
        }
        header.push(kind::LAYOUT, 0, 0, &layout);
        let place = header.last_body(layout.len());
        if !dataset.filters.is_empty() {
            let filters = fits(messages::filter_pipeline(&dataset.filters)?, "a filter pipeline")?;
            header.push(kind::FILTER_PIPELINE, flag::CONSTANT, 0, &filters);
        }
        Ok((Some(place), external))
    }

    /// The encoded datatype, and true if it refers to a committed one.
    fn datatype(&self, datatype: &DatatypeSpec) -> Result<(bool, Vec<u8>)> {
        match datatype {
            DatatypeSpec::Inline(datatype) => Ok((false, messages::datatype(datatype)?)),
            DatatypeSpec::Encoded(_, message) => Ok((false, message.clone())),
            DatatypeSpec::Committed(id, _) => Ok((true, messages::shared(self.header_of(*id)))),
        }
    }

    fn attribute(&self, attribute: &AttributeSpec, heap: &mut FrontHeap) -> Result<Vec<u8>> {
        let (shared, datatype) = self.datatype(&attribute.datatype)?;
        let dataspace = messages::dataspace(&attribute.dataspace)?;
        let mut message = messages::attribute_head(&attribute.name, shared, &datatype, &dataspace)?;
        self.resolve(&attribute.data, heap, &mut message);
        Ok(message)
    }

    /// Appends `data` to `out`, with its holes filled.
    fn resolve(&self, data: &Data, heap: &mut FrontHeap, out: &mut Vec<u8>) {
        let base = out.len();
        out.put(&data.bytes);
        let bytes = out.get_mut(base..).unwrap_or_default();
        let mut put = |offset: usize, value: &[u8]| {
            if let Some(place) = bytes.get_mut(offset..).and_then(|b| b.get_mut(..value.len())) {
                place.copy_from_slice(value);
            }
        };
        for (offset, target) in &data.references {
            put(*offset, &self.header_of(*target).to_le_bytes());
        }
        for (offset, target, selection) in &data.regions {
            let content = [&self.header_of(*target).to_le_bytes(), &**selection].concat();
            put(*offset, &heap.insert(&content).to_bytes());
        }
        for (offset, length, payload) in data.sequences.iter() {
            let id = match payload {
                Payload::Plain(payload) => heap.insert(payload),
                Payload::Nested(payload) => {
                    let mut resolved = Vec::new();
                    self.resolve(payload, heap, &mut resolved);
                    heap.insert(&resolved)
                }
            };
            put(offset, &length.to_le_bytes());
            put(offset + size_of::<u32>(), &id.to_bytes());
        }
    }
}

/// Places of the dense attributes and the dense links of an object.
fn dense_places(pages: Pages, object: ObjectPlace, sizes: DenseSizes) -> Option<(Range<u64>, Range<u64>)> {
    let header = pages.place(object.header, object.header_size)?;
    let attributes = pages.place(header.end, sizes.attributes)?;
    let links = pages.place(attributes.end, sizes.links)?;
    Some((attributes, links))
}

fn too_large() -> Error {
    Error::CannotWrite("the file would exceed 2^63 bytes".into())
}

/// Checks that a message can hold `body`.
fn fits(body: Vec<u8>, what: &str) -> Result<Vec<u8>> {
    if body.len() > MAX_MESSAGE {
        return Err(Error::CannotWrite(format!(
            "{what} of {} bytes: an object header's message holds {MAX_MESSAGE}",
            body.len()
        )));
    }
    Ok(body)
}

/// The Data Layout message of a dataset. `storage` is the address of its data or chunk index, `compact` is its compact
/// data.
pub(super) fn layout_message(
    layout: &LayoutSpec,
    element_size: u32,
    storage: Option<u64>,
    compact: &[u8],
) -> Result<Vec<u8>> {
    let message = messages::layout(&match layout {
        LayoutSpec::Compact { .. } => Storage::Compact(compact),
        LayoutSpec::Contiguous { size, .. } => Storage::Contiguous(storage, *size),
        LayoutSpec::Chunked { shape, .. } => Storage::Chunked(shape, element_size, storage),
        LayoutSpec::External(_) | LayoutSpec::Virtual(_) | LayoutSpec::Kept(_) => {
            Storage::Contiguous(None, 0)
        }
    })?;
    fits(message, "compact data")
}
