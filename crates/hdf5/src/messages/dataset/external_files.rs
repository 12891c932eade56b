//! The External Data Files message (specification section IV.A.2.h).

use crate::dataset::ExternalSegment;
use crate::error::Result;
use crate::heap::local::LocalHeap;
use crate::metadata::{Cursor, MetadataReader};

/// Parses the message. Names of files are in the local heap that it refers to.
///
/// # Errors
/// The message or its heap is damaged.
pub(crate) fn decode(message: &mut Cursor<'_>, reader: &MetadataReader) -> Result<Vec<ExternalSegment>> {
    let slots = Slots::decode(message)?;
    if slots.list.is_empty() {
        return Ok(Vec::new());
    }
    let heap = LocalHeap::open(reader, slots.heap)?;
    let segment = |slot: &Slot| {
        Ok(ExternalSegment {
            // By the specification, names are ASCII or UTF-8; some programs write other bytes.
            file: String::from_utf8_lossy(&heap.string(slot.name)?).into_owned(),
            offset: slot.offset,
            size: slot.size,
        })
    };
    slots.list.iter().map(segment).collect()
}

/// The message itself.
#[derive(Debug, PartialEq, Eq)]
struct Slots {
    /// Address of the heap.
    heap: u64,
    list: Vec<Slot>,
}

#[derive(Debug, PartialEq, Eq)]
struct Slot {
    /// Offset of the file's name in the heap.
    name: u64,
    /// Offset of the data in the file, in bytes.
    offset: u64,
    /// Size of the data in bytes; `None` if it has no end.
    size: Option<u64>,
}

impl Slots {
    fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        message.version(1)?;
        message.skip(3)?;
        let allocated = message.u16()?;
        let used = message.u16()?;
        if used > allocated {
            return Err(message.damaged(format!("{used} of {allocated} slots are used")));
        }
        let heap = message.defined_offset()?;
        let unlimited = u64::MAX >> (64 - 8 * u32::from(message.length_size()));
        let mut list = Vec::new();
        for _ in 0..used {
            list.push(Slot {
                name: message.length()?,
                offset: message.length()?,
                size: Some(message.length()?).filter(|size| *size != unlimited),
            });
        }
        Ok(Self { heap, list })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(allocated: u16, used: u16, slots: &[[u64; 3]]) -> Vec<u8> {
        let mut message = vec![1, 0, 0, 0];
        message.extend(allocated.to_le_bytes());
        message.extend(used.to_le_bytes());
        message.extend(96u64.to_le_bytes());
        message.extend(slots.iter().flatten().flat_map(|n| n.to_le_bytes()));
        message
    }

    fn decode(bytes: &[u8]) -> Result<Slots> {
        Slots::decode(&mut Cursor::over(bytes))
    }

    #[test]
    fn slots_in_use() {
        let found = decode(&message(4, 2, &[[8, 100, 20], [16, 0, u64::MAX], [0, 0, 0]])).unwrap();
        assert_eq!(found.heap, 96);
        let [first, last] = &found.list[..] else {
            panic!("{found:?}")
        };
        assert_eq!((first.name, first.offset, first.size), (8, 100, Some(20)));
        assert_eq!((last.name, last.offset, last.size), (16, 0, None));
    }

    #[test]
    fn damage_is_found() {
        assert!(decode(&message(1, 2, &[[8, 0, 1], [8, 0, 1]])).is_err());
        assert!(decode(&message(2, 2, &[[8, 0, 1]])).is_err());
        let mut other = message(1, 1, &[[8, 0, 1]]);
        other[0] = 2;
        assert!(decode(&other).is_err());
    }
}
