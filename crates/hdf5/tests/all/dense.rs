//! Dense links and attributes and variable-length data, which `data/dense.py` made.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ncutils_hdf5::{Attribute, File, Layout, LinkTarget, Object};

fn open(name: &str) -> File {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    File::open(Arc::new(std::fs::read(path).unwrap())).unwrap()
}

fn child(file: &File, name: &str) -> Object {
    let links = file.links(&file.object(file.root()).unwrap()).unwrap().links;
    let link = links.into_iter().find(|link| link.name == name).unwrap();
    let LinkTarget::Hard(address) = link.target else {
        panic!("{link:?}")
    };
    file.object(address).unwrap()
}

#[test]
fn links_in_creation_order() {
    let file = open("dense.h5");
    let links = file.links(&child(&file, "ordered")).unwrap();
    assert!(links.creation_order_tracked);
    assert_eq!(links.links.len(), 250);
    for (i, link) in links.links.into_iter().enumerate() {
        assert_eq!(link.name, format!("link {:03} {}", 249 - i, "x".repeat(i % 50)));
        assert_eq!(link.creation_order, Some(i as u64));
        assert_eq!(link.target, LinkTarget::Soft(format!("/target {i}")));
    }
}

#[test]
fn links_by_name() {
    let file = open("dense.h5");
    let links = file.links(&child(&file, "named")).unwrap();
    let mut names: Vec<String> = (0..20).map(|i| format!("name{i}")).collect();
    names.sort();
    assert_eq!(
        links.links.into_iter().map(|link| link.name).collect::<Vec<_>>(),
        names
    );
}

/// Attributes in managed space; and huge ones, found by the heap's B-tree or by their identifiers.
#[test]
fn attributes_small_and_huge() {
    for name in ["dense.h5", "dense_direct.h5"] {
        let file = open(name);
        let attributes = file.attributes(&child(&file, "attributes")).unwrap();
        let attributes: BTreeMap<String, Attribute> = attributes
            .into_iter()
            .map(|attribute| attribute.unwrap())
            .map(|attribute| (attribute.name.clone(), attribute))
            .collect();
        assert_eq!(attributes.len(), 15, "{name}");
        for i in 0..12i32 {
            let expected: Vec<u8> = (0..=i).flat_map(i32::to_le_bytes).collect();
            assert_eq!(attributes[&format!("small{i}")].data, expected, "{name}");
        }
        for i in 0..3u32 {
            let expected: Vec<u8> = (0..5000 + i).map(|n| ((n + i) % 251) as u8).collect();
            assert_eq!(attributes[&format!("huge{i}")].data, expected, "{name}");
        }
    }
}

/// Collections of many objects, and one that is larger than usual.
#[test]
fn global_heap_objects() {
    let file = open("dense.h5");
    let dataset = file.dataset(&child(&file, "strings")).unwrap();
    let Layout::Contiguous {
        address: Some(address),
        size,
    } = dataset.layout
    else {
        panic!("{:?}", dataset.layout)
    };
    let mut elements = vec![0; size as usize];
    file.read_at(address, &mut elements).unwrap();
    assert_eq!(elements.len(), 16 * 300);
    for (i, element) in elements.chunks(16).enumerate() {
        let len = u32::from_le_bytes(element[..4].try_into().unwrap());
        let collection = u64::from_le_bytes(element[4..12].try_into().unwrap());
        let index = u32::from_le_bytes(element[12..].try_into().unwrap());
        let object = file.global_heap_object(collection, index).unwrap();
        let expected = if i == 7 {
            "long".repeat(1200)
        } else {
            format!("string {i}")
        };
        assert_eq!(len as usize, expected.len(), "element {i}");
        assert_eq!(
            object.get(..expected.len()).unwrap(),
            expected.as_bytes(),
            "element {i}"
        );
        assert!(file.global_heap_object(collection, 60_000).is_err());
    }
}
