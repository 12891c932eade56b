//! Writes a tree of objects into memory, reads it back, and compares.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use ncutils_hdf5::{
    Attribute, ByteSink, Data, DatasetSpec, Datatype, DatatypeSpec, Error, File, FileSettings, FileSpace,
    FileTree, FileWriter, Fill, FillSpec, Layout, LayoutSpec, LinkTarget, ObjectId, ObjectKind,
    ObjectSpecKind, Payload,
};

/// A file in memory.
#[derive(Default)]
pub struct Memory(pub Mutex<Vec<u8>>);

impl ByteSink for Memory {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.0.lock().unwrap();
        let end = offset as usize + data.len();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[offset as usize..end].copy_from_slice(data);
        Ok(())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.lock().unwrap().resize(size as usize, 0);
        Ok(())
    }
}

/// The data of the dataset at a position of the tree: every byte follows from where it is.
pub fn data(id: usize, size: u64) -> Vec<u8> {
    (0..size).map(|i| (i * 7 + id as u64) as u8).collect()
}

/// The chunks stored of a dataset, by number: every other one, the last ones first.
fn stored_chunks(count: u64) -> impl Iterator<Item = u64> {
    (0..count).rev().map(|i| i * 2)
}

pub fn write(tree: &FileTree) -> Result<Vec<u8>, Error> {
    let sink = Arc::new(Memory::default());
    fill(FileWriter::create(sink.clone(), tree)?, tree)?;
    let bytes = sink.0.lock().unwrap();
    Ok(bytes.clone())
}

/// A file in memory that counts how often each byte is written.
#[derive(Default)]
struct Counted {
    file: Memory,
    writes: Mutex<Vec<u8>>,
}

impl ByteSink for Counted {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut writes = self.writes.lock().unwrap();
        let (start, end) = (offset as usize, offset as usize + data.len());
        if writes.len() < end {
            writes.resize(end, 0);
        }
        writes[start..end].iter_mut().for_each(|count| *count += 1);
        self.file.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_size(size)
    }
}

/// A file in pages of `page` bytes. Each of its bytes is written once.
fn write_in_pages(tree: &FileTree, page: u64) -> Vec<u8> {
    let sink = Arc::new(Counted::default());
    let settings = FileSettings {
        user_block: 0,
        space: Some(FileSpace::pages(page).unwrap()),
        behind: None,
    };
    fill(
        FileWriter::create_with(settings, sink.clone(), tree).unwrap(),
        tree,
    )
    .unwrap();
    let bytes = sink.file.0.lock().unwrap().clone();
    let writes = sink.writes.lock().unwrap();
    assert_eq!((writes.len(), bytes.len() as u64 % page), (bytes.len(), 0));
    let other = writes.iter().position(|count| *count != 1);
    assert_eq!(other, None, "of {} bytes", bytes.len());
    bytes
}

/// Writes the data of all datasets.
fn fill(writer: FileWriter, tree: &FileTree) -> Result<(), Error> {
    for (i, object) in tree.objects.iter().enumerate() {
        let ObjectSpecKind::Dataset(dataset) = &object.kind else {
            continue;
        };
        let id = ObjectId(i);
        match &dataset.layout {
            LayoutSpec::Compact { size }
            | LayoutSpec::Contiguous {
                size,
                allocated: true,
            } => {
                let data = data(i, *size);
                let (first, second) = data.split_at(data.len() / 2);
                writer.write_storage(id, first.len() as u64, second)?;
                writer.write_storage(id, 0, first)?;
            }
            LayoutSpec::Contiguous { .. }
            | LayoutSpec::External(_)
            | LayoutSpec::Virtual(_)
            | LayoutSpec::Kept(_) => {}
            LayoutSpec::Chunked { chunk_count, .. } => {
                for chunk in stored_chunks(*chunk_count) {
                    let bytes = data(i, chunk % 50 + 1);
                    let at = writer.reserve_chunk(id, chunk, bytes.len() as u64, chunk as u32)?;
                    writer.write_at(at, &bytes)?;
                }
            }
        }
    }
    writer.finish()
}

/// Compares a file with the tree that it was made from.
struct Comparison<'a> {
    tree: &'a FileTree,
    file: File,
    /// Where each object is, as far as links have told.
    addresses: HashMap<usize, u64>,
}

impl<'a> Comparison<'a> {
    fn run(tree: &'a FileTree, bytes: Vec<u8>) {
        let file = File::open(Arc::new(bytes)).unwrap();
        assert_eq!(file.superblock_version(), 2);
        let root = file.root();
        let mut comparison = Self {
            tree,
            file,
            addresses: HashMap::from([(0, root)]),
        };
        comparison.links();
        for id in 0..tree.objects.len() {
            comparison.object(id);
        }
    }

    /// Every object is linked to, from one with a lower number first.
    fn links(&mut self) {
        for (id, object) in self.tree.objects.iter().enumerate() {
            let ObjectSpecKind::Group { links: specs } = &object.kind else {
                continue;
            };
            let group = self.file.object(self.addresses[&id]).unwrap();
            assert_eq!(group.kind, ObjectKind::Group);
            let links = self.file.links(&group).unwrap();
            assert!(links.creation_order_tracked);
            assert_eq!(links.links.len(), specs.len());
            for (order, (link, (name, target))) in links.links.iter().zip(specs).enumerate() {
                assert_eq!((&link.name, link.creation_order), (name, Some(order as u64)));
                let LinkTarget::Hard(address) = link.target else {
                    panic!("{link:?}")
                };
                assert_eq!(
                    *self
                        .addresses
                        .entry(target.object().unwrap().0)
                        .or_insert(address),
                    address
                );
            }
        }
    }

    fn object(&self, id: usize) {
        let spec = &self.tree.objects[id];
        let object = self.file.object(self.addresses[&id]).unwrap();
        let attributes: Vec<Attribute> = self
            .file
            .attributes(&object)
            .unwrap()
            .into_iter()
            .map(|a| a.unwrap())
            .collect();
        assert_eq!(attributes.len(), spec.attributes.len());
        for (found, wanted) in attributes.iter().zip(&spec.attributes) {
            assert_eq!(found.name, wanted.name);
            assert_eq!(found.dataspace, wanted.dataspace);
            self.datatype(&found.datatype, found.committed, &wanted.datatype);
            self.data(&found.data, &wanted.data);
        }
        match &spec.kind {
            ObjectSpecKind::Group { .. } => {}
            ObjectSpecKind::EncodedDatatype(datatype, _) | ObjectSpecKind::NamedDatatype(datatype) => {
                assert_eq!(self.file.named_datatype(&object).unwrap(), *datatype);
            }
            ObjectSpecKind::Dataset(dataset) => {
                let found = self.file.dataset(&object).unwrap();
                self.datatype(&found.datatype, found.committed, &dataset.datatype);
                assert_eq!(found.dataspace, dataset.dataspace);
                assert_eq!(found.filters, dataset.filters);
                assert_eq!(found.fill.allocation_time, dataset.allocation_time);
                assert_eq!(found.fill.fill_time, dataset.fill_time);
                match (&found.fill.value, &dataset.fill) {
                    (Fill::Undefined, FillSpec::Undefined) | (Fill::Default, FillSpec::Default) => {}
                    (Fill::Defined(found), FillSpec::Defined(wanted)) => self.data(found, wanted),
                    (found, wanted) => panic!("{found:?} instead of {wanted:?}"),
                }
                self.storage(id, &found, dataset);
            }
        }
    }

    fn storage(&self, id: usize, found: &ncutils_hdf5::Dataset, wanted: &DatasetSpec) {
        match (&found.layout, &wanted.layout) {
            (Layout::Compact(bytes), LayoutSpec::Compact { size }) => assert_eq!(*bytes, data(id, *size)),
            (
                Layout::Contiguous { address, size },
                LayoutSpec::Contiguous {
                    size: wanted,
                    allocated,
                },
            ) => {
                assert_eq!(size, wanted);
                assert_eq!(address.is_some(), *allocated && *size > 0);
                if let Some(address) = address {
                    let mut bytes = vec![0; *size as usize];
                    self.file.read_at(*address, &mut bytes).unwrap();
                    assert_eq!(bytes, data(id, *size));
                }
            }
            (Layout::Chunked(layout), LayoutSpec::Chunked { shape, chunk_count }) => {
                assert_eq!(layout.shape, *shape);
                let table = self.file.chunk_table(found).unwrap();
                let mut chunks: Vec<u64> = stored_chunks(*chunk_count).collect();
                chunks.sort_unstable();
                assert!(
                    table
                        .iter()
                        .map(|record| record.unwrap().index)
                        .eq(chunks.iter().copied())
                );
                for chunk in chunks {
                    let record = table.get(chunk).unwrap().unwrap();
                    assert_eq!(record.filter_mask, chunk as u32);
                    let mut bytes = vec![0; record.size as usize];
                    self.file.read_at(record.address, &mut bytes).unwrap();
                    assert_eq!(bytes, data(id, chunk % 50 + 1));
                }
            }
            (found, wanted) => panic!("{found:?} instead of {wanted:?}"),
        }
    }

    fn datatype(&self, found: &Datatype, committed: Option<u64>, wanted: &DatatypeSpec) {
        assert_eq!(found, wanted.datatype());
        match wanted {
            DatatypeSpec::Inline(_) | DatatypeSpec::Encoded(..) => assert_eq!(committed, None),
            DatatypeSpec::Committed(id, _) => assert_eq!(committed, Some(self.addresses[&id.0])),
        }
    }

    fn data(&self, found: &[u8], wanted: &Data) {
        let uint = |at: usize, n: usize| {
            found[at..at + n]
                .iter()
                .rev()
                .fold(0, |v, b| v << 8 | u64::from(*b))
        };
        let mut rest = found.to_vec();
        for (offset, target) in &wanted.references {
            assert_eq!(uint(*offset, 8), self.addresses[&target.0]);
            rest[*offset..offset + 8].fill(0);
        }
        for (offset, length, payload) in wanted.sequences.iter() {
            assert_eq!(uint(offset, 4), u64::from(length));
            let object = self
                .file
                .global_heap_object(uint(offset + 4, 8), uint(offset + 12, 4) as u32)
                .unwrap();
            match payload {
                Payload::Plain(payload) => assert_eq!(&*object, payload),
                Payload::Nested(payload) => self.data(&object, payload),
            }
            rest[offset..offset + 16].fill(0);
        }
        assert_eq!(rest, wanted.bytes);
    }
}

#[track_caller]
pub fn round_trip(tree: &FileTree) {
    let bytes = write(tree).unwrap();
    assert_eq!(bytes, write(tree).unwrap(), "the same tree gives the same bytes");
    Comparison::run(tree, bytes);
    for page in [600, 16_384] {
        let bytes = write_in_pages(tree, page);
        let space = File::open(Arc::new(bytes.clone())).unwrap().file_space().unwrap();
        assert_eq!(space.page_size(), Some(page));
        Comparison::run(tree, bytes);
    }
}
