//! What is refused: trees that no file can hold, and chunks that were not announced.

use std::sync::Arc;

use ncutils_hdf5::{File, FileTree, FileWriter, LayoutSpec, LinkTarget, ObjectId, ObjectSpecKind};

use super::objects::{dataset, group, object, small_dataset};
use super::round_trip::{Memory, write};

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
    let writer = FileWriter::create(sink.clone(), &tree).unwrap();
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
        .map(|c| c.unwrap().index)
        .collect();
    assert_eq!(chunks, [3, 7]);

    let writer = FileWriter::create(sink.clone(), &tree).unwrap();
    for chunk in 0..200 {
        writer.reserve_chunk(ObjectId(1), chunk, 4, 0).unwrap();
    }
    let error = writer.reserve_chunk(ObjectId(1), 200, 4, 0).unwrap_err();
    assert_eq!(error.to_string(), "/d: more chunks than the 200 announced");

    let writer = FileWriter::create(sink.clone(), &tree).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.to_string(), "/d: none of the 200 chunks announced came");

    let writer = FileWriter::create(sink, &tree).unwrap();
    for _ in 0..2 {
        writer.reserve_chunk(ObjectId(1), 5, 4, 0).unwrap();
    }
    assert_eq!(
        writer.finish().unwrap_err().to_string(),
        "/d: chunk 5 was written twice"
    );
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
