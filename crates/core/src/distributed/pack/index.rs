//! The index of a pack: `ncupack1`, the attempt (`u64`), entries of 48 bytes, and the CRC-32C of all bytes before.
//!
//! An entry has a tag, three zero bytes, the variable (`u32`), two numbers (`u64`), position in the pack and length (`u64`), CRC-32C
//! (`u32`), and four zero bytes. Numbers are little-endian. Tags, and their numbers:
//!
//! - 0, a chunk: number, filter mask
//! - 1, a chunk left out: number
//! - 2, a range of a variable: offset
//! - 3, bytes of the output: offset
//! - 4, bytes of a variable that are in the output: offset, count

use crate::error::{Error, Result};

/// First bytes of an index.
const MAGIC: [u8; 8] = *b"ncupack1";

/// Bytes of an entry.
const ENTRY: usize = 48;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackItem {
    /// An encoded chunk, with HDF5's mask of the filters that were left out.
    Chunk { number: u64, filter_mask: u32 },
    /// A chunk that holds only fill values, and is left out.
    Skipped { number: u64 },
    /// Bytes of a variable in one piece, from this byte on.
    Range { offset: u64 },
    /// Bytes of the output itself, from this byte on.
    Place { offset: u64 },
    /// No bytes: so many bytes of a variable, from this byte on, are in the output.
    Written { offset: u64, count: u64 },
}

/// An entry of the index: one piece of the pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackEntry {
    /// Number of the variable in the output's schema.
    pub variable: u32,
    pub item: PackItem,
    /// Where its bytes begin in the pack.
    pub at: u64,
    /// How many there are.
    pub length: u64,
    /// Their CRC-32C.
    pub crc: u32,
}

impl PackEntry {
    /// True if it has a sequence number.
    pub fn is_numbered(&self) -> bool {
        matches!(self.item, PackItem::Chunk { .. } | PackItem::Skipped { .. })
    }

    /// What the entry is, without its place in the pack.
    pub fn name(&self) -> [u8; 21] {
        let (tag, number, more) = self.fields();
        let mut name = [0; 21];
        name[0] = tag;
        name[1..5].copy_from_slice(&self.variable.to_le_bytes());
        name[5..13].copy_from_slice(&number.to_le_bytes());
        name[13..].copy_from_slice(&more.to_le_bytes());
        name
    }

    fn fields(&self) -> (u8, u64, u64) {
        match self.item {
            PackItem::Chunk { number, filter_mask } => (0, number, filter_mask.into()),
            PackItem::Skipped { number } => (1, number, 0),
            PackItem::Range { offset } => (2, offset, 0),
            PackItem::Place { offset } => (3, offset, 0),
            PackItem::Written { offset, count } => (4, offset, count),
        }
    }

    fn bytes(&self) -> [u8; ENTRY] {
        let (tag, number, more) = self.fields();
        let mut bytes = [0; ENTRY];
        bytes[0] = tag;
        bytes[4..8].copy_from_slice(&self.variable.to_le_bytes());
        bytes[8..16].copy_from_slice(&number.to_le_bytes());
        bytes[16..24].copy_from_slice(&more.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.at.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.length.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.crc.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; ENTRY]) -> Option<Self> {
        let u32_at = |at: usize| bytes[at..at + 4].try_into().map(u32::from_le_bytes).ok();
        let u64_at = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let (number, more) = (u64_at(8)?, u64_at(16)?);
        let item = match bytes[0] {
            0 => PackItem::Chunk {
                number,
                filter_mask: more.try_into().ok()?,
            },
            1 => PackItem::Skipped { number },
            2 => PackItem::Range { offset: number },
            3 => PackItem::Place { offset: number },
            4 => PackItem::Written {
                offset: number,
                count: more,
            },
            _ => return None,
        };
        let entry = Self {
            variable: u32_at(4)?,
            item,
            at: u64_at(24)?,
            length: u64_at(32)?,
            crc: u32_at(40)?,
        };
        entry.at.checked_add(entry.length)?;
        number.checked_add(more)?;
        Some(entry)
    }
}

/// The bytes of the index of the pack of an attempt.
pub fn write(attempt: u64, entries: &[PackEntry]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(attempt.to_le_bytes());
    bytes.extend(entries.iter().flat_map(PackEntry::bytes));
    let crc = crc32c::crc32c(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes
}

/// The attempt whose pack an index is of, and its entries.
///
/// # Errors
/// Bytes that are no index, or damaged.
pub fn read(bytes: &[u8]) -> Result<(u64, Vec<PackEntry>)> {
    let damaged = || Error::Damaged("the index of the pack is damaged".to_owned());
    let (content, crc) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
    let entries = content.strip_prefix(&MAGIC).ok_or_else(damaged)?;
    let (attempt, entries) = entries.split_first_chunk::<8>().ok_or_else(damaged)?;
    let (entries, rest) = entries.as_chunks::<ENTRY>();
    if !rest.is_empty() || crc32c::crc32c(content) != u32::from_le_bytes(*crc) {
        return Err(damaged());
    }
    let entries = entries
        .iter()
        .map(|bytes| PackEntry::read(bytes).ok_or_else(damaged));
    Ok((u64::from_le_bytes(*attempt), entries.collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entries() -> impl Strategy<Value = Vec<PackEntry>> {
        let item = prop_oneof![
            (0..u64::MAX / 2, any::<u32>())
                .prop_map(|(number, filter_mask)| PackItem::Chunk { number, filter_mask }),
            any::<u64>().prop_map(|number| PackItem::Skipped { number }),
            any::<u64>().prop_map(|offset| PackItem::Range { offset }),
            any::<u64>().prop_map(|offset| PackItem::Place { offset }),
            (0..u64::MAX / 2, 0..u64::MAX / 2)
                .prop_map(|(offset, count)| PackItem::Written { offset, count }),
        ];
        let entry = (any::<u32>(), item, 0..u64::MAX / 2, 0..u64::MAX / 2, any::<u32>());
        let entry = entry.prop_map(|(variable, item, at, length, crc)| PackEntry {
            variable,
            item,
            at,
            length,
            crc,
        });
        prop::collection::vec(entry, 0..20)
    }

    proptest! {
        #[test]
        fn an_index_is_read_as_it_was_written(attempt in any::<u64>(), entries in entries()) {
            prop_assert_eq!(read(&write(attempt, &entries)).unwrap(), (attempt, entries));
        }

        #[test]
        fn a_byte_that_changed_is_found(entries in entries(), at in any::<prop::sample::Index>(), with in 1u8..) {
            let mut bytes = write(7, &entries);
            let at = at.index(bytes.len());
            bytes[at] ^= with;
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }
}
