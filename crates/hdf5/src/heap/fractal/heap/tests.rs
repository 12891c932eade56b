//! Heaps made by hand, byte by byte.

use std::sync::Arc;

use super::*;
use crate::checksum::lookup3;
use crate::dataset::{Encoded, FilterDecoder};
use crate::metadata::Limits;

/// The header of a heap with identifiers of `id_len` bytes, whose root is at byte 1024.
fn header(id_len: u16, filters: &[u8], huge_tree: Option<u64>, rows: u16, stored: (u64, u32)) -> Vec<u8> {
    let mut file = b"FRHP\0".to_vec();
    file.extend(id_len.to_le_bytes());
    file.extend((filters.len() as u16).to_le_bytes());
    file.push(2);
    file.extend(4096u32.to_le_bytes());
    file.extend([0; 8]);
    file.extend(huge_tree.unwrap_or(u64::MAX).to_le_bytes());
    file.extend([0; 8]);
    file.extend([0xff; 8]);
    file.extend([0; 64]);
    file.extend(4u16.to_le_bytes());
    file.extend(512u64.to_le_bytes());
    file.extend(65_536u64.to_le_bytes());
    file.extend(32u16.to_le_bytes());
    file.extend(1u16.to_le_bytes());
    file.extend(1024u64.to_le_bytes());
    file.extend(rows.to_le_bytes());
    if !filters.is_empty() {
        file.extend(stored.0.to_le_bytes());
        file.extend(stored.1.to_le_bytes());
        file.extend(filters);
    }
    file.extend(lookup3(&file).to_le_bytes());
    file.resize(1024, 0);
    file
}

/// A direct block of 512 bytes that begins at `start` of the heap's space and holds "hello" at its byte 30.
fn direct_block(start: u32) -> Vec<u8> {
    let mut block = b"FHDB\0".to_vec();
    block.extend([0; 8]);
    block.extend(start.to_le_bytes());
    block.resize(30, 0);
    block.extend(b"hello");
    block.resize(512, 0);
    let sum = lookup3(&block);
    block[17..21].copy_from_slice(&sum.to_le_bytes());
    block
}

fn open(file: Vec<u8>) -> Result<FractalHeap> {
    FractalHeap::open(&MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap(), 0)
}

/// A heap with identifiers of `id_len` bytes and a direct block as its root, which holds "hello" at offset 30.
fn heap(id_len: u16) -> Result<FractalHeap> {
    let mut file = header(id_len, &[], None, 0, (0, 0));
    file.extend(direct_block(0));
    open(file)
}

#[test]
fn managed_objects() {
    let heap = heap(7).unwrap();
    assert_eq!(heap.object(&[0, 30, 0, 0, 0, 5, 0]).unwrap(), b"hello");
    assert_eq!(heap.object(&[0, 30, 0, 0, 0, 4, 0]).unwrap(), b"hell");
    // Past the block's end, in no block, longer than any managed object, of an unknown kind or version.
    for id in [
        [0, 255, 1, 0, 0, 2, 0],
        [0, 0, 2, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 1, 16],
        [0x30, 30, 0, 0, 0, 5, 0],
        [0x40, 30, 0, 0, 0, 5, 0],
    ] {
        assert!(heap.object(&id).is_err(), "{id:?}");
    }
    assert!(heap.object(&[0, 30, 0]).is_err());
}

#[test]
fn tiny_objects_are_in_their_identifiers() {
    assert_eq!(heap(7).unwrap().object(b"\x22abcdef").unwrap(), b"abc");
    assert!(heap(7).unwrap().object(b"\x26abcdef").is_err());
    let mut id = vec![0x20, 29];
    id.extend([b'x'; 30]);
    assert_eq!(heap(32).unwrap().object(&id).unwrap(), [b'x'; 30]);
    id[0] = 0x21;
    assert!(heap(32).unwrap().object(&id).is_err());
}

#[test]
fn huge_objects_by_address() {
    let mut id = vec![0x10];
    id.extend(1054u64.to_le_bytes());
    id.extend(5u64.to_le_bytes());
    assert_eq!(heap(17).unwrap().object(&id).unwrap(), b"hello");
    // By key, but there are none.
    assert!(heap(16).unwrap().object(&id).is_err());
}

#[test]
fn the_same_object_ever_again_comes_to_an_end() {
    let heap = heap(7).unwrap();
    heap.read_limit.take(WHAT, 0, 64 << 20).unwrap();
    assert!((0..10_000).any(|_| heap.object(&[0, 30, 0, 0, 0, 5, 0]).is_err()));
}

/// A Filter Pipeline message with filters 1 and 2.
const PIPELINE: [u8; 18] = [2, 2, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 4, 0, 0, 0];

/// Filter 1 drops zeros at the end; filter 2 takes its parameter from each byte.
struct Toy;

impl FilterDecoder for Toy {
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String> {
        let Encoded {
            filters,
            mask,
            stored,
            size,
            ..
        } = *encoded;
        let mut bytes = stored.to_vec();
        for (position, filter) in filters.iter().enumerate().rev() {
            match filter.id {
                _ if mask >> position & 1 == 1 => {}
                1 if bytes.len() > size => return Err("too long".into()),
                1 => bytes.resize(size, 0),
                2 => bytes
                    .iter_mut()
                    .for_each(|byte| *byte = byte.wrapping_add(filter.parameters[0] as u8)),
                other => return Err(format!("no filter {other}")),
            }
        }
        Ok(bytes)
    }
}

fn encode(bytes: &[u8], mask: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if mask & 1 == 0 {
        bytes.truncate(
            bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(0, |last| last + 1),
        );
    }
    if mask & 2 == 0 {
        bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_sub(4));
    }
    bytes
}

fn open_filtered(file: Vec<u8>) -> FractalHeap {
    let reader = MetadataReader::open(Arc::new(file), Some(Arc::new(Toy)), Limits::default()).unwrap();
    FractalHeap::open(&reader, 0).unwrap()
}

/// A heap whose root direct block is stored filtered, `cut` bytes short.
fn filtered_root(mask: u32, cut: usize) -> Vec<u8> {
    let stored = encode(&direct_block(0), mask);
    let mut file = header(7, &PIPELINE, None, 0, ((stored.len() - cut) as u64, mask));
    file.extend(stored);
    file
}

#[test]
fn a_filtered_root_block() {
    for mask in 0..4 {
        let heap = open_filtered(filtered_root(mask, 0));
        for _ in 0..2 {
            assert_eq!(heap.object(&[0, 30, 0, 0, 0, 5, 0]).unwrap(), b"hello");
        }
        assert!(heap.object(&[0, 255, 1, 0, 0, 2, 0]).is_err());
        // Missing a byte of the object, or of the zeros behind it.
        let error = open_filtered(filtered_root(mask, 1)).object(&[0, 30, 0, 0, 0, 5, 0]);
        assert!(
            matches!(error, Err(Error::Checksum { .. } | Error::Filter { .. })),
            "{error:?}"
        );
    }
    // Tiny objects pass no filter, and nothing else can be read without a decoder.
    let heap = open(filtered_root(0, 0)).unwrap();
    assert_eq!(heap.object(b"\x22abcdef").unwrap(), b"abc");
    assert!(matches!(
        heap.object(&[0, 30, 0, 0, 0, 5, 0]),
        Err(Error::Unsupported(_))
    ));
}

#[test]
fn filtered_blocks_of_an_indirect_block() {
    let blocks = [encode(&direct_block(0), 2), encode(&direct_block(512), 0)];
    let mut file = header(7, &PIPELINE, None, 10, (0, 0));
    // 9 rows of direct blocks, which have a size and a mask, and one of indirect blocks, which have not.
    let mut root = b"FHIB\0".to_vec();
    root.extend([0; 8 + 4]);
    let size = root.len() + 36 * 20 + 4 * 8 + 4;
    let mut at = 1024 + size as u64;
    for (block, mask) in blocks.iter().zip([2u32, 0]) {
        root.extend(at.to_le_bytes());
        root.extend((block.len() as u64).to_le_bytes());
        root.extend(mask.to_le_bytes());
        at += block.len() as u64;
    }
    for _ in 2..36 {
        root.extend([0xff; 8]);
        root.extend([0; 12]);
    }
    root.extend([0xff; 4 * 8]);
    root.extend(lookup3(&root).to_le_bytes());
    assert_eq!(root.len(), size);
    file.extend(root);
    file.extend(blocks.concat());
    let heap = open_filtered(file);
    assert_eq!(heap.object(&[0, 30, 0, 0, 0, 5, 0]).unwrap(), b"hello");
    assert_eq!(heap.object(&[0, 30, 2, 0, 0, 5, 0]).unwrap(), b"hello");
    assert!(heap.object(&[0, 30, 4, 0, 0, 5, 0]).is_err());
}

#[test]
fn filtered_huge_objects() {
    let (object, mask) = (b"so long\0\0\0\0", 0u32);
    let stored = encode(object, mask);
    let mut record = 1024u64.to_le_bytes().to_vec();
    record.extend((stored.len() as u64).to_le_bytes());
    record.extend(mask.to_le_bytes());
    record.extend((object.len() as u64).to_le_bytes());

    // By key, in a tree of one leaf.
    let file = |record_type: u8, record: &[u8]| {
        let mut file = header(7, &PIPELINE, Some(1100), 0, (0, 0));
        file.extend(&stored);
        file.resize(1100, 0);
        let mut tree = b"BTHD\0".to_vec();
        tree.push(record_type);
        tree.extend(512u32.to_le_bytes());
        tree.extend((record.len() as u16).to_le_bytes());
        tree.extend([0, 0, 100, 40]);
        tree.extend(1200u64.to_le_bytes());
        tree.extend(1u16.to_le_bytes());
        tree.extend(1u64.to_le_bytes());
        tree.extend(lookup3(&tree).to_le_bytes());
        file.extend(tree);
        file.resize(1200, 0);
        let mut leaf = b"BTLF\0".to_vec();
        leaf.push(record_type);
        leaf.extend(record);
        leaf.extend(lookup3(&leaf).to_le_bytes());
        file.extend(leaf);
        file
    };
    let keyed = [&record[..], &7u64.to_le_bytes()].concat();
    let heap = open_filtered(file(2, &keyed));
    assert_eq!(heap.object(&[0x10, 7, 0, 0, 0, 0, 0]).unwrap(), object);
    assert!(heap.object(&[0x10, 8, 0, 0, 0, 0, 0]).is_err());
    // Records that say nothing of filters do not belong to this heap.
    let plain = [&record[..16], &7u64.to_le_bytes()].concat();
    assert!(matches!(
        open_filtered(file(1, &plain)).object(&[0x10, 7, 0, 0, 0, 0, 0]),
        Err(Error::Damaged { .. })
    ));
    // One that claims more memory than the file can justify.
    let vast = [&keyed[..20], &u64::MAX.to_le_bytes(), &keyed[28..]].concat();
    assert!(matches!(
        open_filtered(file(2, &vast)).object(&[0x10, 7, 0, 0, 0, 0, 0]),
        Err(Error::Damaged { .. })
    ));

    // By address, in an identifier that has room for all of it.
    let mut file = header(29, &PIPELINE, None, 0, (0, 0));
    file.extend(&stored);
    let id = [&[0x10][..], &record].concat();
    assert_eq!(open_filtered(file).object(&id).unwrap(), object);
}
