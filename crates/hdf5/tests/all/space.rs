//! Bytes that nothing refers to: as many as h5stat counts in the same files.

use ncutils_hdf5::{File, OpenOptions};

/// Files, and their "Unaccounted space" as h5stat tells it, without the global heap collections, which it does not count. Of the first,
/// 16384 bytes are a collection.
const FILES: [(&str, u64); 11] = [
    ("dense.h5", 16430 - 16384),
    ("dense_direct.h5", 150),
    ("chunk_indexes_earliest.h5", 1058),
    ("structure/shared_btree.h5", 0),
    ("structure/shared_list.h5", 0),
    ("structure/sizes24.h5", 3059),
    ("structure/sizes44.h5", 3027),
    ("structure/sizes84.h5", 2947),
    ("structure/superblock1.h5", 372),
    ("structure/userblock.h5", 2216),
    ("structure/v18.h5", 5128 - 4096),
];

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn bytes_that_nothing_refers_to_are_counted() {
    for (name, unaccounted) in FILES {
        let file = File::open(bytes(name)).unwrap();
        assert_eq!(
            file.bytes_without_reference().unwrap(),
            Some(unaccounted),
            "{name}"
        );
        let recovering = OpenOptions::new().recovering().open(bytes(name)).unwrap();
        assert_eq!(recovering.bytes_without_reference().unwrap(), None, "{name}");
    }
}

#[test]
fn what_cannot_be_read_leaves_the_number_unknown() {
    let mut damaged = bytes("dense_direct.h5");
    let header = damaged.windows(4).rposition(|found| found == b"FRHP").unwrap();
    damaged[header] = 0;
    let file = File::open(damaged).unwrap();
    assert_eq!(file.bytes_without_reference().unwrap(), None);
}
