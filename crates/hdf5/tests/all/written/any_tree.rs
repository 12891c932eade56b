//! Any tree of objects is read as it was written.

use ncutils_hdf5::{
    AllocationTime, AttributeSpec, Class, Data, DatasetSpec, Dataspace, Datatype, DatatypeSpec, FileTree,
    FillSpec, FillTime, Filter, LayoutSpec, ObjectId, ObjectSpec, ObjectSpecKind,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::objects::datatypes;
use super::round_trip::round_trip;

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
                sequences: sequences.into_iter().collect(),
                ..Data::default()
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
                        FillSpec::Defined(Box::new(value))
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
                .map(|(kind, attributes)| ObjectSpec {
                    kind,
                    attributes,
                    properties: Default::default(),
                })
                .collect();
            objects[0].kind = ObjectSpecKind::Group { links: Vec::new() };
            let mut groups = vec![0];
            for id in 1..count {
                let (parent, name) = &parents[id];
                let parent = *parent.get(&groups);
                if let ObjectSpecKind::Group { links } = &mut objects[parent].kind {
                    links.push((format!("{name}{id}"), ObjectId(id).into()));
                }
                if matches!(objects[id].kind, ObjectSpecKind::Group { .. }) {
                    groups.push(id);
                }
            }
            for (i, (parent, target)) in extra.into_iter().enumerate() {
                if let ObjectSpecKind::Group { links } = &mut objects[*parent.get(&groups)].kind {
                    links.push((format!("again{i}"), ObjectId(target).into()));
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
