//! What this crate reads of files that libhdf5 wrote is what libhdf5 reads of them.
//!
//! `data/structure/make.py` makes the files, and the listings by way of libhdf5.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ncutils_hdf5::{Error, File};

/// Lists the file `name`, and holds it against the listing beside it.
fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/structure");
    let bytes = std::fs::read(folder.join(name).with_extension("h5")).unwrap();
    let expected = std::fs::read_to_string(folder.join(name).with_extension("tree")).unwrap();
    let found = super::tree::list(&File::open(Arc::new(bytes)).unwrap());
    let (found, expected) = (in_order(&found, &expected), in_order(&expected, &expected));
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(found.len(), expected.len(), "{name}");
}

/// The lines of a listing, with attributes sorted where the order that libhdf5 has is not the file's: `attribute~`.
fn in_order(listing: &str, expected: &str) -> Vec<String> {
    let unordered: Vec<&str> = expected
        .lines()
        .filter_map(|line| line.split_once("\tattribute~\t"))
        .map(|(path, _)| path)
        .collect();
    let mut lines: Vec<String> = listing
        .lines()
        .map(|line| line.replacen("\tattribute~\t", "\tattribute\t", 1))
        .collect();
    let path = |line: &String| line.split_once("\tattribute\t").map(|(path, _)| path.to_owned());
    for run in lines.chunk_by_mut(|a, b| path(a).is_some() && path(a) == path(b)) {
        if run
            .first()
            .and_then(path)
            .is_some_and(|path| unordered.contains(&path.as_str()))
        {
            run.sort();
        }
    }
    lines
}

#[test]
fn all_that_libhdf5_1_0_could_write() {
    check("earliest");
}

#[test]
fn all_that_libhdf5_1_8_could_write() {
    check("v18");
}

#[test]
fn all_that_libhdf5_2_0_can_write() {
    check("v200");
}

#[test]
fn behind_a_user_block() {
    check("userblock");
}

#[test]
fn narrow_addresses_and_lengths() {
    check("sizes24");
    check("sizes44");
    check("sizes84");
}

#[test]
fn nodes_of_other_sizes_than_usual() {
    check("superblock1");
}

#[test]
fn shared_messages() {
    check("shared_list");
    check("shared_btree");
}

#[test]
fn closed_with_a_metadata_cache_image() {
    check("cache_image");
}

/// Files that libhdf5 wrote have each structure that begins with a signature, and each version of the superblock.
#[test]
fn fixtures_have_every_structure() {
    let mut left: BTreeSet<Vec<u8>> = [
        "TREE", "SNOD", "HEAP", "GCOL", "FRHP", "FHDB", "FHIB", "FSHD", "FSSE", "BTHD", "BTIN", "BTLF",
        "FAHD", "FADB", "EAHD", "EAIB", "EASB", "EADB", "SMTB", "SMLI", "OHDR", "OCHK",
    ]
    .map(|signature| signature.as_bytes().to_vec())
    .into();
    left.extend((0..4).map(|version| [b"\x89HDF\r\n\x1a\n", &[version][..]].concat()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["tests/data", "tests/data/structure", "../../testdata/netcdf4"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "h5" || e == "nc") {
                let bytes = std::fs::read(path).unwrap();
                left.retain(|wanted| !bytes.windows(wanted.len()).any(|window| window == wanted));
            }
        }
    }
    let left: Vec<_> = left
        .iter()
        .map(|wanted| wanted.escape_ascii().to_string())
        .collect();
    assert!(left.is_empty(), "no fixture has {left:?}");
}

#[test]
fn refuses_what_is_no_file_or_not_a_whole_one() {
    let open = |bytes: Vec<u8>| File::open(Arc::new(bytes)).map(drop);
    assert!(matches!(open(Vec::new()), Err(Error::NotHdf5)));
    assert!(matches!(open(b"CDF\x01".repeat(1000)), Err(Error::NotHdf5)));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/structure");
    let mut bytes = std::fs::read(folder.join("userblock.h5")).unwrap();
    bytes.pop();
    assert!(matches!(open(bytes), Err(Error::Truncated { offset: 1024, .. })));
}
