//! Archives of so many blocks that their indexes do not fit into the memory that is given.

use super::*;
use crate::format::CheckLimits;
use crate::format::archive::random_access::opened::Archive;

/// Memory that has no room for an index.
const LITTLE: u64 = 1 << 16;

/// A file of one variable whose blocks of 8 bytes differ in how they are stored, and its archive.
fn made() -> (Vec<u8>, Vec<u8>) {
    let head = header(5, 0, &[400_000], &[variable(1, &[0], 400)]);
    let mut original = file(head, 400);
    let mut state = 1u32;
    original.extend((0..400_000u32).map(|n| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match n / 800 % 5 {
            0 => 7,
            _ => (state >> 24) as u8,
        }
    }));
    let archive = archive_of(&original, &options(None));
    (original, archive)
}

fn options(memory: Option<u64>) -> PackOptions {
    let blocks = Blocks {
        length: 8,
        filters: Some(Filters::new([Filter::Delta])),
    };
    PackOptions {
        variables: vec![blocks.clone()],
        rest: blocks,
        threads: 2,
        memory,
    }
}

#[test]
fn indexes_that_do_not_fit_change_nothing() {
    let (original, archive) = made();
    assert!(archive_of(&original, &options(Some(LITTLE))) == archive, "packed");
    let output = MemoryOutput::new();
    restore(&archive[..], &output, 2, Some(LITTLE)).unwrap();
    assert!(output.bytes() == original, "restored");
    let source: Arc<dyn Object> = Arc::new(archive.clone());
    let output = MemoryOutput::new();
    repack(&source, &output, &[], 2, Some(LITTLE)).unwrap();
    assert!(output.bytes() == archive, "passed");
    let limits = CheckLimits {
        threads: 2,
        memory: Some(LITTLE),
    };
    assert_eq!(crate::format::archive::check(&source, limits).unwrap().0, []);
    let opened = Archive::open(source).unwrap();
    opened.keep_at_most(LITTLE);
    for at in (0..390_000u64).step_by(57_777) {
        let mut found = [0; 5000];
        opened.read(0, at, &mut found).unwrap();
        assert!(found == original[400 + at as usize..][..5000], "{at}");
    }
}

#[test]
fn a_large_index_that_is_damaged_is_found() {
    let (_, archive) = made();
    let opened = Archive::open(Arc::new(archive.clone())).unwrap();
    let index = opened.index(0).unwrap();
    assert!(index.content_length() > 1 << 20, "{}", index.content_length());
    let last = index.find(49_999).unwrap().unwrap();
    let back = last.end() as usize + 40;
    let end = archive.len() - 300;
    for at in (back..end)
        .step_by((end - back) / 6)
        .chain([back, back + 9, back + 17])
    {
        let mut damaged = archive.clone();
        damaged[at] ^= 0x20;
        let error = restore(&damaged[..], &MemoryOutput::new(), 1, Some(LITTLE));
        assert!(error.is_err(), "byte {at} of {}", archive.len());
        let opened = Archive::open(Arc::new(damaged)).unwrap();
        let error = opened.index(0).err().unwrap_or_else(|| panic!("byte {at}"));
        assert!(matches!(error, crate::error::Error::Damaged(_)), "{error}");
    }
    for cut in [back + 10, back + (end - back) / 2, end] {
        let error = restore(&archive[..cut], &MemoryOutput::new(), 1, Some(LITTLE)).unwrap_err();
        assert!(matches!(error, crate::error::Error::Truncated(_)), "{error}");
    }
}

#[test]
fn what_is_wrong_is_told_in_order_by_any_number_of_threads() {
    let (_, mut archive) = made();
    let opened = Archive::open(Arc::new(archive.clone())).unwrap();
    let index = opened.index(0).unwrap();
    for block in (250..50_000).step_by(500) {
        let entry = index.find(block).unwrap().unwrap();
        let at = entry.end() as usize - 1;
        if entry.run() == 1 {
            archive[at] ^= 1;
        }
    }
    let source: Arc<dyn Object> = Arc::new(archive);
    let checked = |threads| {
        let limits = CheckLimits {
            threads,
            memory: None,
        };
        crate::format::archive::check(&source, limits).unwrap()
    };
    let first = checked(1);
    assert!(first.0.len() > 90);
    assert!(first.0.is_sorted_by_key(|finding| finding.byte));
    assert_eq!(first, checked(2));
    assert_eq!(first, checked(7));
}
