//! What the writer writes, the reader reads.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use ncutils_hdf5::{
    AllocationTime, Attribute, AttributeSpec, ByteOrder, ByteSink, CharacterSet, Class, CompoundMember, Data,
    DatasetSpec, Dataspace, Datatype, DatatypeSpec, Error, File, FileTree, FileWriter, Fill, FillSpec,
    FillTime, Filter, Layout, LayoutSpec, LinkTarget, ObjectId, ObjectKind, ObjectSpec, ObjectSpecKind,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A file in memory.
#[derive(Default)]
struct Memory(Mutex<Vec<u8>>);

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
fn data(id: usize, size: u64) -> Vec<u8> {
    (0..size).map(|i| (i * 7 + id as u64) as u8).collect()
}

/// The chunks stored of a dataset, by number: every other one, the last ones first.
fn stored_chunks(count: u64) -> impl Iterator<Item = u64> {
    (0..count).rev().map(|i| i * 2)
}

fn write(tree: &FileTree) -> Result<Vec<u8>, Error> {
    let sink = Arc::new(Memory::default());
    let writer = FileWriter::create(sink.clone(), tree.clone())?;
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
            LayoutSpec::Contiguous { .. } => {}
            LayoutSpec::Chunked { chunk_count, .. } => {
                for chunk in stored_chunks(*chunk_count) {
                    let bytes = data(i, chunk % 50 + 1);
                    let at = writer.reserve_chunk(id, chunk, bytes.len() as u64, chunk as u32)?;
                    writer.write_at(at, &bytes)?;
                }
            }
        }
    }
    writer.finish()?;
    let bytes = sink.0.lock().unwrap();
    Ok(bytes.clone())
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
                assert_eq!(*self.addresses.entry(target.0).or_insert(address), address);
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
            ObjectSpecKind::NamedDatatype(datatype) => {
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
                assert!(table.iter().map(|record| record.index).eq(chunks.iter().copied()));
                for chunk in chunks {
                    let record = table.get(chunk).unwrap();
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
            DatatypeSpec::Inline(_) => assert_eq!(committed, None),
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
        for (offset, length, payload) in &wanted.sequences {
            assert_eq!(uint(*offset, 4), u64::from(*length));
            let object = self
                .file
                .global_heap_object(uint(offset + 4, 8), uint(offset + 12, 4) as u32)
                .unwrap();
            self.data(&object, payload);
            rest[*offset..offset + 16].fill(0);
        }
        assert_eq!(rest, wanted.bytes);
    }
}

#[track_caller]
fn round_trip(tree: &FileTree) {
    let bytes = write(tree).unwrap();
    assert_eq!(bytes, write(tree).unwrap(), "the same tree gives the same bytes");
    Comparison::run(tree, bytes);
}

fn int() -> Datatype {
    Datatype::integer(4, true, ByteOrder::Little)
}

fn object(kind: ObjectSpecKind) -> ObjectSpec {
    ObjectSpec {
        kind,
        attributes: Vec::new(),
    }
}

fn group(links: Vec<(String, ObjectId)>) -> ObjectSpec {
    object(ObjectSpecKind::Group { links })
}

fn dataset(dims: &[u64], layout: LayoutSpec) -> DatasetSpec {
    DatasetSpec {
        datatype: DatatypeSpec::Inline(int()),
        dataspace: Dataspace::fixed(dims),
        layout,
        allocation_time: AllocationTime::Late,
        fill_time: FillTime::IfSet,
        fill: FillSpec::Default,
        filters: Vec::new(),
    }
}

fn small_dataset() -> ObjectSpec {
    let layout = LayoutSpec::Contiguous {
        size: 4,
        allocated: true,
    };
    object(ObjectSpecKind::Dataset(dataset(&[1], layout)))
}

/// One of each class that can be written, with `holds_addresses` or without.
fn datatypes() -> Vec<Datatype> {
    let byte = || Datatype::integer(1, false, ByteOrder::Little);
    let sized = |size, class| Datatype { size, class };
    let member = |name: &str, offset, datatype| CompoundMember {
        name: name.into(),
        offset,
        datatype,
    };
    vec![
        int(),
        Datatype::integer(8, false, ByteOrder::Big),
        Datatype::ieee(2, ByteOrder::Little),
        Datatype::ieee(8, ByteOrder::Big),
        Datatype::string(7, ncutils_hdf5::StringPadding::SpacePad, CharacterSet::Utf8),
        Datatype::variable_string(CharacterSet::Utf8),
        Datatype::variable_length(Datatype::variable_string(CharacterSet::Ascii)),
        Datatype::object_reference(),
        sized(
            3,
            Class::Opaque {
                tag: "12345678".into(),
            },
        ),
        sized(
            2,
            Class::Bitfield {
                order: ByteOrder::Big,
                bit_offset: 3,
                precision: 9,
            },
        ),
        sized(
            1,
            Class::Enumeration {
                base: Box::new(byte()),
                members: vec![("Ä".into(), vec![1]), ("b".into(), vec![200])],
            },
        ),
        sized(
            24,
            Class::Array {
                dims: vec![2, 3],
                base: Box::new(int()),
            },
        ),
        sized(
            400,
            Class::Compound {
                members: vec![
                    member("first", 0, Datatype::object_reference()),
                    member(
                        "second",
                        300,
                        sized(
                            1,
                            Class::Compound {
                                members: vec![member("x", 0, byte())],
                            },
                        ),
                    ),
                    member("third", 380, Datatype::variable_string(CharacterSet::Utf8)),
                ],
            },
        ),
    ]
}

/// Links at the thresholds between compact and dense, and of one and more B-tree levels.
#[test]
fn groups_of_many_sizes() {
    for count in [0, 1, 8, 9, 50, 3_000, 60_000] {
        let links = (0..count)
            .map(|i| (format!("variable {i}"), ObjectId(1)))
            .collect();
        round_trip(&FileTree {
            objects: vec![
                group(vec![("d".into(), ObjectId(1)), ("g".into(), ObjectId(2))]),
                small_dataset(),
                group(links),
            ],
        });
    }
}

/// Attributes at the thresholds, and of every size class of the fractal heap.
#[test]
fn attributes_of_many_numbers_and_sizes() {
    let with = |sizes: &mut dyn Iterator<Item = usize>| {
        let mut object = group(Vec::new());
        object.attributes = sizes
            .enumerate()
            .map(|(i, size)| AttributeSpec {
                name: format!("a{i}"),
                datatype: DatatypeSpec::Inline(Datatype::integer(1, false, ByteOrder::Little)),
                dataspace: Dataspace::fixed(&[size as u64]),
                data: Data::plain(data(i, size as u64)),
            })
            .collect();
        round_trip(&FileTree {
            objects: vec![object],
        });
    };
    for count in [1, 8, 9, 5_000, 65_535] {
        with(&mut (0..count).map(|i| i % 7));
    }
    with(&mut (0..300).map(|i| i * 20));
    with(&mut [65_000, 65_500, 65_520, 66_000, 3_000_000].into_iter());
    with(&mut (0..2_000).map(|_| 4_000));
}

/// A heap above 512 x 4 x 2^8 bytes has indirect blocks below the root.
#[test]
fn long_names_fill_indirect_blocks() {
    let links = (0..3_000)
        .map(|i| (format!("{i}{}", "x".repeat(i % 3_900)), ObjectId(1)))
        .collect();
    round_trip(&FileTree {
        objects: vec![
            group(vec![("d".into(), ObjectId(1)), ("g".into(), ObjectId(2))]),
            small_dataset(),
            group(links),
        ],
    });
}

#[test]
fn chunk_indexes_of_many_sizes() {
    for count in [0, 1, 64, 65, 4_096, 4_097, 20_000] {
        let layout = |shape: &[u64]| LayoutSpec::Chunked {
            shape: shape.to_vec(),
            chunk_count: count,
        };
        round_trip(&FileTree {
            objects: vec![
                group(vec![("one".into(), ObjectId(1)), ("three".into(), ObjectId(2))]),
                object(ObjectSpecKind::Dataset(dataset(&[count * 2 * 10], layout(&[10])))),
                object(ObjectSpecKind::Dataset(dataset(
                    &[count, 9, 7],
                    layout(&[1, 5, 9]),
                ))),
            ],
        });
    }
}

#[test]
fn fewer_chunks_than_announced_leave_room_and_more_are_refused() {
    let layout = LayoutSpec::Chunked {
        shape: vec![1],
        chunk_count: 200,
    };
    let tree = FileTree {
        objects: vec![
            group(vec![("d".into(), ObjectId(1))]),
            object(ObjectSpecKind::Dataset(dataset(&[300], layout))),
        ],
    };
    let sink = Arc::new(Memory::default());
    let writer = FileWriter::create(sink.clone(), tree.clone()).unwrap();
    for chunk in [7, 3] {
        writer.reserve_chunk(ObjectId(1), chunk, 4, 0).unwrap();
    }
    assert!(
        writer.reserve_chunk(ObjectId(1), 300, 4, 0).is_err(),
        "outside the extent"
    );
    assert!(
        writer.reserve_chunk(ObjectId(1), 8, 1 << 32, 0).is_err(),
        "over 4 GiB"
    );
    writer.finish().unwrap();
    let file = File::open(Arc::new(sink.0.lock().unwrap().clone())).unwrap();
    let LinkTarget::Hard(address) = file.links(&file.object(file.root()).unwrap()).unwrap().links[0].target
    else {
        panic!("a hard link was written")
    };
    let dataset = file.dataset(&file.object(address).unwrap()).unwrap();
    let chunks: Vec<u64> = file
        .chunk_table(&dataset)
        .unwrap()
        .iter()
        .map(|c| c.index)
        .collect();
    assert_eq!(chunks, [3, 7]);

    let writer = FileWriter::create(sink.clone(), tree.clone()).unwrap();
    for chunk in 0..200 {
        writer.reserve_chunk(ObjectId(1), chunk, 4, 0).unwrap();
    }
    let error = writer.reserve_chunk(ObjectId(1), 200, 4, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write: /d: more chunks than the 200 announced"
    );

    let writer = FileWriter::create(sink, tree).unwrap();
    for _ in 0..2 {
        writer.reserve_chunk(ObjectId(1), 5, 4, 0).unwrap();
    }
    assert_eq!(
        writer.finish().unwrap_err().to_string(),
        "cannot write: /d: chunk 5 was written twice"
    );
}

#[test]
fn heap_objects_of_the_data_are_found_again() {
    let sink = Arc::new(Memory::default());
    let tree = FileTree {
        objects: vec![group(Vec::new())],
    };
    let writer = FileWriter::create(sink.clone(), tree).unwrap();
    let payloads: Vec<Vec<u8>> = (0..5_000).map(|i| data(i, i as u64 % 300)).collect();
    let mut ids = Vec::new();
    for call in payloads.chunks(37) {
        let call: Vec<&[u8]> = call.iter().map(Vec::as_slice).collect();
        ids.extend(writer.insert_sequences(&call).unwrap());
    }
    ids.extend(writer.insert_sequences(&[&[5; 100_000]]).unwrap());
    writer.finish().unwrap();
    let file = File::open(Arc::new(sink.0.lock().unwrap().clone())).unwrap();
    let large = vec![5; 100_000];
    for (id, payload) in ids.iter().zip(payloads.iter().chain([&large])) {
        let collection = u64::from_le_bytes(id[..8].try_into().unwrap());
        let index = u32::from_le_bytes(id[8..].try_into().unwrap());
        assert_eq!(*file.global_heap_object(collection, index).unwrap(), **payload);
    }
}

#[test]
fn what_no_file_can_hold_is_refused_at_once() {
    let refused = |tree: FileTree, why: &str| {
        let error = write(&tree).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    refused(FileTree::default(), "the first object is not a group");
    refused(
        FileTree {
            objects: vec![
                group(vec![("a".into(), ObjectId(1)), ("a".into(), ObjectId(1))]),
                small_dataset(),
            ],
        },
        "two objects have the name `a`",
    );
    refused(
        FileTree {
            objects: vec![group(vec![("a/b".into(), ObjectId(0))])],
        },
        "cannot be the name",
    );
    let with = |dataset| FileTree {
        objects: vec![
            group(vec![("v".into(), ObjectId(1))]),
            object(ObjectSpecKind::Dataset(dataset)),
        ],
    };
    let compact = dataset(&[20_000], LayoutSpec::Compact { size: 80_000 });
    refused(with(compact), "/v: 80000 bytes of compact storage");
    let chunks = LayoutSpec::Chunked {
        shape: vec![1 << 31],
        chunk_count: 1,
    };
    refused(
        with(dataset(&[1 << 40], chunks)),
        "/v: chunks of shape [2147483648] exceed 4 GiB",
    );
    let layout = LayoutSpec::Contiguous {
        size: 5,
        allocated: true,
    };
    refused(with(dataset(&[1], layout)), "/v: 5 bytes of storage do not agree");
}

fn any_data(datatype: &Datatype, count: usize, objects: usize) -> BoxedStrategy<Data> {
    /// Where the holes are in one element.
    fn holes(
        datatype: &Datatype,
        at: usize,
        references: &mut Vec<usize>,
        sequences: &mut Vec<(usize, Option<Datatype>)>,
    ) {
        match &datatype.class {
            Class::Reference { .. } => references.push(at),
            Class::VariableString { .. } => sequences.push((at, None)),
            Class::VariableLength { base } => sequences.push((at, Some((**base).clone()))),
            Class::Compound { members } => {
                for member in members {
                    holes(
                        &member.datatype,
                        at + member.offset as usize,
                        references,
                        sequences,
                    );
                }
            }
            _ => {}
        }
    }
    let (mut references, mut sequences) = (Vec::new(), Vec::new());
    for i in 0..count {
        holes(
            datatype,
            i * datatype.size as usize,
            &mut references,
            &mut sequences,
        );
    }
    let size = count * datatype.size as usize;
    let references: Vec<_> = references
        .into_iter()
        .map(|at| (Just(at), (0..objects).prop_map(ObjectId)))
        .collect();
    let sequences: Vec<_> = sequences
        .into_iter()
        .map(|(at, base)| match base {
            None => vec(any::<u8>(), 0..200)
                .prop_map(move |bytes| (at, bytes.len() as u32, Data::plain(bytes)))
                .boxed(),
            Some(base) => (0usize..4)
                .prop_flat_map(move |length| (Just(length as u32), any_data(&base, length, objects)))
                .prop_map(move |(length, data)| (at, length, data))
                .boxed(),
        })
        .collect();
    (vec(any::<u8>(), size), references, sequences)
        .prop_map(|(mut bytes, references, sequences)| {
            for (at, _) in &references {
                bytes[*at..at + 8].fill(0);
            }
            for (at, ..) in &sequences {
                bytes[*at..at + 16].fill(0);
            }
            Data {
                bytes,
                references,
                sequences,
            }
        })
        .boxed()
}

fn any_attributes(objects: usize) -> impl Strategy<Value = Vec<AttributeSpec>> {
    let attribute = (
        prop::sample::select(datatypes()),
        prop_oneof![Just(0usize), Just(1), 2usize..300],
    )
        .prop_flat_map(move |(datatype, count)| {
            let data = any_data(&datatype, count, objects);
            (Just(datatype), Just(count), data, "[a-zä]{1,20}")
        });
    vec(attribute, 0..14).prop_map(|attributes| {
        attributes
            .into_iter()
            .enumerate()
            .map(|(i, (datatype, count, data, name))| AttributeSpec {
                name: format!("{name}{i}"),
                datatype: DatatypeSpec::Inline(datatype),
                dataspace: match count {
                    0 => Dataspace::Null,
                    1 => Dataspace::Scalar,
                    count => Dataspace::fixed(&[count as u64]),
                },
                data,
            })
            .collect()
    })
}

fn any_dataset(objects: usize) -> impl Strategy<Value = DatasetSpec> {
    let layout = (0..4, 1u64..300, 1u64..20, 0u64..400);
    let fill = (any::<bool>(), any::<bool>());
    (prop::sample::select(datatypes()), layout, fill).prop_flat_map(
        move |(datatype, (kind, length, shape, chunks), (defined, never))| {
            let value = any_data(&datatype, 1, objects);
            value.prop_map(move |value| {
                let size = length * u64::from(datatype.size);
                let layout = match kind {
                    0 if size < 65_000 => LayoutSpec::Compact { size },
                    0 | 1 => LayoutSpec::Contiguous {
                        size,
                        allocated: true,
                    },
                    2 => LayoutSpec::Contiguous {
                        size,
                        allocated: false,
                    },
                    _ => LayoutSpec::Chunked {
                        shape: vec![shape, 2],
                        // Every other chunk is stored.
                        chunk_count: chunks.min(length.div_ceil(shape)),
                    },
                };
                let chunked = matches!(layout, LayoutSpec::Chunked { .. });
                DatasetSpec {
                    datatype: DatatypeSpec::Inline(datatype.clone()),
                    dataspace: if chunked {
                        Dataspace::Simple {
                            dims: vec![length, 4],
                            max_dims: vec![None, Some(5)],
                        }
                    } else {
                        Dataspace::fixed(&[length])
                    },
                    allocation_time: if chunked {
                        AllocationTime::Incremental
                    } else {
                        AllocationTime::Early
                    },
                    fill_time: if never { FillTime::Never } else { FillTime::Alloc },
                    fill: if defined {
                        FillSpec::Defined(value)
                    } else {
                        FillSpec::Undefined
                    },
                    filters: if chunked {
                        vec![
                            Filter {
                                id: 1,
                                optional: true,
                                name: String::new(),
                                parameters: vec![9],
                            },
                            Filter {
                                id: 32_015,
                                optional: false,
                                name: "zstandard".into(),
                                parameters: Vec::new(),
                            },
                        ]
                    } else {
                        Vec::new()
                    },
                    layout,
                }
            })
        },
    )
}

/// Any tree: every object is linked to from a group before it, and some from others too.
fn any_tree() -> impl Strategy<Value = FileTree> {
    (1usize..40).prop_flat_map(|count| {
        let kind = prop_oneof![
            Just(ObjectSpecKind::Group { links: Vec::new() }),
            prop::sample::select(datatypes()).prop_map(ObjectSpecKind::NamedDatatype),
            any_dataset(count).prop_map(ObjectSpecKind::Dataset),
        ];
        let parents = vec((any::<prop::sample::Index>(), "[A-Zß]{1,30}"), count);
        let extra = vec((any::<prop::sample::Index>(), 0..count), 0..10);
        let objects = vec((kind, any_attributes(count)), count);
        (objects, parents, extra, any::<bool>()).prop_map(move |(objects, parents, extra, share)| {
            let mut objects: Vec<ObjectSpec> = objects
                .into_iter()
                .map(|(kind, attributes)| ObjectSpec { kind, attributes })
                .collect();
            objects[0].kind = ObjectSpecKind::Group { links: Vec::new() };
            let mut groups = vec![0];
            for id in 1..count {
                let (parent, name) = &parents[id];
                let parent = *parent.get(&groups);
                if let ObjectSpecKind::Group { links } = &mut objects[parent].kind {
                    links.push((format!("{name}{id}"), ObjectId(id)));
                }
                if matches!(objects[id].kind, ObjectSpecKind::Group { .. }) {
                    groups.push(id);
                }
            }
            for (i, (parent, target)) in extra.into_iter().enumerate() {
                if let ObjectSpecKind::Group { links } = &mut objects[*parent.get(&groups)].kind {
                    links.push((format!("again{i}"), ObjectId(target)));
                }
            }
            if share {
                let committed: Vec<(usize, Datatype)> = objects
                    .iter()
                    .enumerate()
                    .filter_map(|(id, object)| match &object.kind {
                        ObjectSpecKind::NamedDatatype(datatype) => Some((id, datatype.clone())),
                        _ => None,
                    })
                    .collect();
                let commit = |datatype: &mut DatatypeSpec| {
                    if let Some((id, found)) = committed.iter().find(|(_, d)| d == datatype.datatype()) {
                        *datatype = DatatypeSpec::Committed(ObjectId(*id), found.clone());
                    }
                };
                for object in &mut objects {
                    if let ObjectSpecKind::Dataset(dataset) = &mut object.kind {
                        commit(&mut dataset.datatype);
                    }
                    object.attributes.iter_mut().for_each(|a| commit(&mut a.datatype));
                }
            }
            FileTree { objects }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_tree_is_read_as_it_was_written(tree in any_tree()) {
        round_trip(&tree);
    }
}
