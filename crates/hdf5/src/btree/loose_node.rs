//! Nodes of version 2 B-trees that nothing leads to any more.
//!
//! A node does not say how many records it has: its parent does. Its checksum follows the last record of a leaf, and the last pointer
//! of an internal node, so the number is the one whose checksum is right.

use super::v2::Header;
use crate::checksum;
use crate::error::Result;
use crate::metadata::MetadataReader;

const NODE: &str = "version 2 B-tree node";

/// Signature, version and type.
const HEAD: usize = 6;

/// Largest node that is read, in bytes: 32 times libhdf5's default for chunks.
const MOST: usize = 64 << 10;

/// The first bytes of structures that may follow a node.
const SIGNATURES: [&[u8; 4]; 19] = [
    b"BTHD", b"BTIN", b"BTLF", b"OHDR", b"OCHK", b"FRHP", b"FHDB", b"FHIB", b"FSHD", b"FSSE", b"FAHD",
    b"FADB", b"EAHD", b"EAIB", b"EASB", b"EADB", b"HEAP", b"GCOL", b"TREE",
];

/// How many records at most look as if they belonged to a node, behind its last one.
const SURPLUS: usize = 3;

/// A node that nothing leads to.
#[derive(Debug)]
pub(crate) struct LooseNode {
    /// Its records.
    pub(crate) records: Vec<u8>,
    /// Addresses of its children; none of a leaf.
    pub(crate) children: Vec<u64>,
}

/// Type of the records of the node at `address`; `None` if there is no node.
pub(crate) fn record_type(reader: &MetadataReader, address: u64) -> Result<Option<u8>> {
    let head = reader.read(NODE, address, HEAD)?;
    Ok(match head.as_slice() {
        [b'B', b'T', b'L' | b'I', b'F' | b'N', 0, kind] => Some(*kind),
        _ => None,
    })
}

/// Reads the node at `address`, which ends before the next structure, of a tree with this header. `follows` tells whether a record can come
/// after those before it. `None` if there is no such node.
pub(crate) fn read(
    reader: &MetadataReader,
    header: &Header,
    address: u64,
    mut follows: impl FnMut(&[u8]) -> bool,
) -> Result<Option<LooseNode>> {
    if record_type(reader, address)? != Some(header.record_type) {
        return Ok(None);
    }
    let left = reader.file_size().saturating_sub(address);
    let most = header.node_size().min(left).min(MOST as u64) as usize;
    let mut bytes = reader.read(NODE, address, most)?;
    bytes.truncate(end_of_node(&bytes));
    let size = header.record_size;
    let records = bytes.get(HEAD..).unwrap_or_default();
    let most = records
        .chunks_exact(size)
        .take_while(|record| follows(record))
        .count();
    let counts = || (1..=most).rev().take(SURPLUS);
    if bytes.starts_with(b"BTLF") {
        let found = counts().find(|count| is_sum_at(&bytes, HEAD + count * size));
        return Ok(found.map(|count| LooseNode {
            records: records.get(..count * size).unwrap_or_default().to_vec(),
            children: Vec::new(),
        }));
    }
    for count in counts() {
        for width in header.pointer_sizes(reader) {
            let end = HEAD + count * size;
            if !is_sum_at(&bytes, end + (count + 1) * width) {
                continue;
            }
            let mut pointers = reader.cursor(NODE, address, bytes.get(end..).unwrap_or_default());
            let mut children = Vec::new();
            for _ in 0..=count {
                children.extend(pointers.offset()?);
                pointers.skip(width - usize::from(reader.offset_size()))?;
            }
            return Ok(Some(LooseNode {
                records: records.get(..count * size).unwrap_or_default().to_vec(),
                children,
            }));
        }
    }
    Ok(None)
}

/// The place of the first structure behind the node at the beginning of `bytes`.
fn end_of_node(bytes: &[u8]) -> usize {
    let behind = bytes.windows(4).skip(HEAD);
    let next = behind
        .enumerate()
        .find(|(_, window)| SIGNATURES.iter().any(|signature| window == signature));
    next.map_or(bytes.len(), |(at, _)| HEAD + at)
}

/// True if the checksum of the bytes before `at` is there.
fn is_sum_at(bytes: &[u8], at: usize) -> bool {
    let Some((covered, rest)) = bytes.split_at_checked(at) else {
        return false;
    };
    let stored = rest.first_chunk::<4>();
    stored.is_some_and(|sum| checksum::matches(covered, u32::from_le_bytes(*sum)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::checksum::lookup3;

    fn node(signature: &[u8; 4], records: &[u16], pointers: &[u8]) -> Vec<u8> {
        let mut node = [signature, &[0, 5][..]].concat();
        node.extend(records.iter().flat_map(|record| record.to_le_bytes()));
        node.extend(pointers);
        let sum = lookup3(&node);
        node.extend(sum.to_le_bytes());
        node.resize(100, 0);
        node
    }

    fn found(bytes: Vec<u8>) -> Option<(Vec<u8>, Vec<u64>)> {
        let reader = MetadataReader::new(Arc::new(bytes), 0, 8, 8).unwrap();
        let header = Header::lost(5, 2, 100);
        let mut last = 0;
        let node = read(&reader, &header, 0, |record| {
            let before = std::mem::replace(&mut last, u16::from_le_bytes([record[0], record[1]]));
            before < last
        });
        node.unwrap().map(|node| (node.records, node.children))
    }

    #[test]
    fn the_checksum_tells_the_number_of_records() {
        for records in [&[1u16][..], &[1, 2, 9], &[7, 8]] {
            let bytes: Vec<u8> = records.iter().flat_map(|record| record.to_le_bytes()).collect();
            assert_eq!(found(node(b"BTLF", records, &[])), Some((bytes, vec![])));
        }
        // A leaf's number of records has one byte, and the one of a tree below has none at depth 1.
        let pointers = [&600u64.to_le_bytes()[..], &[4], &700u64.to_le_bytes(), &[2]].concat();
        assert_eq!(
            found(node(b"BTIN", &[3], &pointers)),
            Some((vec![3, 0], vec![600, 700]))
        );
        // The node before another one ends there, whatever its records would go on with.
        let mut followed = node(b"BTLF", &[1, 2], &[]);
        followed.truncate(HEAD + 8);
        followed.extend(node(b"BTLF", &[0x1000, 0x2000, 0x3000, 0x4000], &[]));
        assert_eq!(found(followed), Some((vec![1, 0, 2, 0], vec![])));
        let mut other = node(b"BTLF", &[1, 2, 9], &[]);
        other[7] ^= 1;
        assert_eq!(found(other), None);
        assert_eq!(found(node(b"BTLF", &[2, 1, 3, 4], &[])), None);
    }
}
