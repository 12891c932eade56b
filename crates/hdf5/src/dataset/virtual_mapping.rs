//! The mappings of a virtual dataset: the Global Heap Block for Virtual Datasets (specification section III.F).
//!
//! ```text
//! version │ number of mappings │ mappings │ checksum
//! mapping, version 0: file name NUL, dataset name NUL, selection in the source, selection in the virtual dataset
//! mapping, version 1: flags, names that an earlier mapping has as its number, the same selections
//! ```

use std::sync::Arc;

use crate::checksum;
use crate::dataset::virtual_selection::ElementSelection;
use crate::error::{Error, Result};
use crate::metadata::Cursor;
use crate::name::text;

/// Elements of a source dataset, and their place in a virtual dataset. Both selections have their elements in C order,
/// points in their own; the first element of one is the first of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VirtualMapping {
    /// Name of the source's file, as stored. `.` is the file of the virtual dataset.
    pub file: Arc<str>,
    /// Path of the source in that file, as stored.
    pub dataset: Arc<str>,
    /// The elements of the source.
    pub source: ElementSelection,
    /// Their place in the virtual dataset.
    pub target: ElementSelection,
}

/// Flags of a mapping of version 1.
mod flag {
    /// The file name is that of an earlier mapping.
    pub(crate) const FILE_SHARED: u8 = 1;
    /// The dataset name is that of an earlier mapping.
    pub(crate) const DATASET_SHARED: u8 = 1 << 1;
    /// The file is that of the virtual dataset.
    pub(crate) const SAME_FILE: u8 = 1 << 2;
}

/// Size, in bytes, of the smallest mapping: two names of no characters and two selections without rank.
const SMALLEST: u64 = 1 + 16 + 16;

/// Parses a block, whose bytes are those of `block`, from its beginning on.
pub(crate) fn decode(block: &mut Cursor<'_>) -> Result<Vec<VirtualMapping>> {
    let all = block.rest();
    let version = block.u8()?;
    if version > 1 {
        return Err(Error::Unsupported(format!(
            "version {version} of the mappings of a virtual dataset"
        )));
    }
    let count = block.length()?;
    let count = usize::try_from(count)
        .ok()
        .filter(|_| count <= block.remaining() as u64 / SMALLEST)
        .ok_or_else(|| block.damaged(format!("{count} mappings, for which it is too small")))?;
    let mut mappings: Vec<VirtualMapping> = Vec::with_capacity(count);
    for _ in 0..count {
        let flags = if version == 0 { 0 } else { block.u8()? };
        let last = mappings.last();
        let file = match flags {
            flags if flags & flag::SAME_FILE != 0 => match last.filter(|last| &*last.file == ".") {
                Some(last) => last.file.clone(),
                None => Arc::from("."),
            },
            flags if flags & flag::FILE_SHARED != 0 => earlier(block, &mappings)?.file.clone(),
            _ => name(block, last.map(|last| &last.file))?,
        };
        let dataset = match flags & flag::DATASET_SHARED {
            0 => name(block, last.map(|last| &last.dataset))?,
            _ => earlier(block, &mappings)?.dataset.clone(),
        };
        mappings.push(VirtualMapping {
            file,
            dataset,
            source: ElementSelection::decode(block)?,
            target: ElementSelection::decode(block)?,
        });
    }
    let covered = block.position();
    let stored = block.u32()?;
    if !checksum::matches(all.get(..covered).unwrap_or_default(), stored) {
        return Err(block.damaged("the checksum of its mappings does not match"));
    }
    Ok(mappings)
}

fn earlier<'a>(block: &mut Cursor<'_>, mappings: &'a [VirtualMapping]) -> Result<&'a VirtualMapping> {
    let number = block.length()?;
    usize::try_from(number)
        .ok()
        .and_then(|number| mappings.get(number))
        .ok_or_else(|| {
            block.damaged(format!(
                "mapping {} takes a name of mapping {number}",
                mappings.len()
            ))
        })
}

/// A name. Mappings one after another often have the same, which is then kept once.
fn name(block: &mut Cursor<'_>, last: Option<&Arc<str>>) -> Result<Arc<str>> {
    let name = text(block.nul_terminated()?);
    Ok(match last.filter(|last| ***last == *name) {
        Some(last) => last.clone(),
        None => name.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::virtual_selection::Stripe;

    /// A block of these mappings with its checksum.
    fn block(version: u8, count: u64, mappings: &[u8]) -> Vec<u8> {
        let mut block = vec![version];
        block.extend(count.to_le_bytes());
        block.extend(mappings);
        let sum = checksum::lookup3(&block);
        block.extend(sum.to_le_bytes());
        block
    }

    fn all() -> Vec<u8> {
        [&[3, 0, 0, 0, 1, 0, 0, 0][..], &[0; 8]].concat()
    }

    /// A run of 3 elements from `start` on, in version 3 of a hyperslab.
    fn run(start: u8) -> Vec<u8> {
        [
            &[2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 1, 0, 0, 0][..],
            &[start, 0, 1, 0, 1, 0, 3, 0],
        ]
        .concat()
    }

    fn stripe(start: u64) -> ElementSelection {
        ElementSelection::Regular(vec![Stripe {
            start,
            stride: 1,
            count: Some(1),
            block: Some(3),
        }])
    }

    fn parse(bytes: &[u8]) -> Result<Vec<VirtualMapping>> {
        decode(&mut Cursor::over(bytes))
    }

    #[test]
    fn mappings_of_version_0() {
        let one = [&b"a.h5\0/d\0"[..], &all(), &run(0)].concat();
        let two = [&b"a.h5\0/e\0"[..], &all(), &run(3)].concat();
        let found = parse(&block(0, 2, &[one, two].concat())).unwrap();
        assert_eq!(found.len(), 2);
        assert!(Arc::ptr_eq(&found[0].file, &found[1].file));
        assert_eq!((&*found[1].file, &*found[1].dataset), ("a.h5", "/e"));
        assert_eq!(
            (&found[1].source, &found[1].target),
            (&ElementSelection::All, &stripe(3))
        );
    }

    #[test]
    fn mappings_of_version_1_share_names() {
        let first = [&[0][..], b"a.h5\0/d\0", &all(), &run(0)].concat();
        let same = [&[3][..], &[0; 16], &all(), &run(3)].concat();
        let own = [&[4][..], b"/x\0", &all(), &run(6)].concat();
        let found = parse(&block(1, 3, &[first.clone(), same, own].concat())).unwrap();
        let names: Vec<_> = found.iter().map(|m| (&*m.file, &*m.dataset)).collect();
        assert_eq!(names, [("a.h5", "/d"), ("a.h5", "/d"), (".", "/x")]);
        let later = [&[1][..], &2u64.to_le_bytes(), b"/x\0", &all(), &run(3)].concat();
        let error = parse(&block(1, 2, &[first, later].concat())).unwrap_err();
        assert!(
            error.to_string().contains("mapping 1 takes a name of mapping 2"),
            "{error}"
        );
    }

    #[test]
    fn damage_is_found() {
        let one = [&b"a.h5\0/d\0"[..], &all(), &run(0)].concat();
        let good = block(0, 1, &one);
        assert!(parse(&good).is_ok());
        for cut in 0..good.len() {
            assert!(parse(&good[..cut]).is_err(), "{cut}");
        }
        let mut flipped = good.clone();
        flipped[10] ^= 1;
        assert!(parse(&flipped).unwrap_err().to_string().contains("checksum"));
        for count in [2, 1 << 20, u64::MAX] {
            assert!(parse(&block(0, count, &one)).is_err());
        }
        assert!(matches!(parse(&block(2, 1, &one)), Err(Error::Unsupported(_))));
    }
}
