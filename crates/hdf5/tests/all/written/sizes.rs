//! Groups, attributes, chunk indexes and heaps of many sizes: each side of each threshold.

use std::sync::Arc;

use ncutils_hdf5::{
    AttributeSpec, ByteOrder, Data, Dataspace, Datatype, DatatypeSpec, File, FileTree, FileWriter,
    LayoutSpec, ObjectId, ObjectSpecKind,
};

use super::objects::{dataset, group, object, small_dataset};
use super::round_trip::{Memory, data, round_trip};

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
fn heap_objects_of_the_data_are_found_again() {
    let sink = Arc::new(Memory::default());
    let tree = FileTree {
        objects: vec![group(Vec::new())],
    };
    let writer = FileWriter::create(sink.clone(), &tree).unwrap();
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
