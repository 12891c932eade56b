//! Objects are found again as a reader finds them.

use super::*;
use crate::writer::pages::Pages;

/// A heap's objects, found by their IDs through its blocks as a reader finds them.
fn find(heap: &HeapLayout, bytes: &[u8], base: u64, id: &[u8]) -> Vec<u8> {
    let uint = |at: usize, n: usize| {
        bytes[at..at + n]
            .iter()
            .rev()
            .fold(0, |v, b| v << 8 | u64::from(*b))
    };
    let p = heap.parameters;
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
    if id[0] == 0x10 {
        let tree = (uint(22, 8) - base) as usize;
        let root = (uint(tree + 16, 8) - base) as usize;
        let record = root + 6 + (number(&id[1..]) as usize - 1) * 24;
        let (at, size) = ((uint(record, 8) - base) as usize, uint(record + 8, 8) as usize);
        return bytes[at..at + size].to_vec();
    }
    let mut offset = number(&id[1..1 + p.offset_size()]);
    let size = number(&id[1 + p.offset_size()..3 + p.offset_size()]) as usize;
    let mut block = (uint(132, 8) - base) as usize;
    let mut start = 0;
    while &bytes[block..block + 4] == b"FHIB" {
        assert_eq!(uint(block + 13, p.offset_size()), start);
        let row = p.row_of(offset);
        let column = (offset - p.row_start(row)) / p.block_size(row);
        let entry = block + 13 + p.offset_size() + (u64::from(row) * 4 + column) as usize * 8;
        let passed = p.row_start(row) + column * p.block_size(row);
        block = (uint(entry, 8) - base) as usize;
        offset -= passed;
        start += passed;
    }
    assert_eq!(&bytes[block..block + 4], b"FHDB");
    assert_eq!(uint(block + 13, p.offset_size()), start);
    bytes[block + offset as usize..block + offset as usize + size].to_vec()
}

#[test]
fn every_object_is_found_by_its_id() {
    for (parameters, count, size) in [
        (HeapParameters::LINKS, 1, 20),
        (HeapParameters::LINKS, 100, 30),
        (HeapParameters::LINKS, 60_000, 40),
        (HeapParameters::ATTRIBUTES, 3, 4096),
        (HeapParameters::ATTRIBUTES, 3_000, 600),
        (HeapParameters::ATTRIBUTES, 20, 5_000),
    ] {
        let objects: Vec<Vec<u8>> = (0..count).map(|i| vec![i as u8; size + i % 7]).collect();
        for page in [None, Some(512), Some(1000), Some(1 << 20)] {
            let heap = HeapLayout::new(
                parameters,
                objects.iter().map(|o| o.len() as u64),
                Pages::of(page),
            )
            .unwrap();
            let (mut bytes, huge_at, huge) = heap.encode(8192, &objects);
            if !huge.is_empty() {
                bytes.resize(huge_at as usize, 0);
                bytes.extend(huge);
            }
            match page {
                None => assert!(heap.size() - (bytes.len() as u64) < 8),
                Some(page) => assert!(heap.size() - bytes.len() as u64 <= page),
            }
            for (i, object) in objects.iter().enumerate() {
                let id = heap.id(i);
                assert_eq!(id.len(), parameters.id_size);
                assert_eq!(
                    find(&heap, &bytes, 8192, &id),
                    *object,
                    "{i} of {count} of {size}"
                );
            }
        }
    }
}

#[test]
fn only_huge_objects_need_no_blocks() {
    let heap = HeapLayout::new(
        HeapParameters::ATTRIBUTES,
        [100_000].into_iter(),
        Pages::default(),
    )
    .unwrap();
    let header = heap.header(0);
    assert_eq!(header.len() as u64, HEADER_SIZE);
    assert_eq!(header[132..140], [0xff; 8]);
}
