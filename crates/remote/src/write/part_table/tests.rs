use std::sync::Arc;

use object_store::memory::InMemory;
use proptest::prelude::*;

use super::*;
use crate::requests::Session;

/// Parts of 10 bytes, or 20.
const SMALL: PartSizes = PartSizes {
    least: 10,
    usual: 20,
    unit: 1,
    most: 8,
};

fn sending(limit: u64) -> Arc<Sending> {
    Sending::new(Session::over(Arc::new(InMemory::new()), "test"), limit)
}

#[test]
fn parts_grow_with_the_object_and_shrink_with_memory() {
    let size = |total, limit| PartSizes::REMOTE.of(total, limit);
    let (mib, gib) = (1 << 20, 1 << 30);
    assert_eq!(size(0, gib), 8 * mib);
    assert_eq!(size(0, 16 * mib), 5 * mib);
    assert_eq!(size(80 * gib, gib), 9 * mib);
    assert_eq!(size(5000 * gib, gib), 512 * mib);
    assert!(size(5000 * gib, gib) * 10_000 >= 5000 * gib);
}

#[test]
fn what_is_sent_is_not_written_again() {
    let sending = sending(10_000);
    let mut table = PartTable::new(SMALL, Arc::clone(&sending), None);
    assert_eq!(table.write(0, &[1; 30]).unwrap(), [(0, vec![1; 20])]);
    let error = table.write(19, &[1; 2]).unwrap_err();
    assert!(error.to_string().contains("byte 19"), "{error}");
    let mut back = [0];
    let error = table.read_back(25, &mut back).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    assert_eq!(table.close().unwrap(), [1]);
}

#[test]
fn what_passes_the_most_parts_waits_in_a_file() {
    let sending = sending(10_000);
    let mut table = PartTable::new(SMALL, Arc::clone(&sending), None);
    assert!(table.write(5, &[1; 10]).unwrap().is_empty());
    assert!(table.write(500, &[2; 40]).unwrap().is_empty());
    assert_eq!(table.close().unwrap().len(), 8);
    assert_eq!(table.part().unwrap(), 68);
    let error = {
        let mut table = PartTable::new(SMALL, Arc::clone(&sending), None);
        table.write(0, &[1; 20]).unwrap();
        table.write(160, &[1]).unwrap_err()
    };
    assert!(error.to_string().contains("8 parts of 20 bytes"), "{error}");
}

#[test]
fn a_cut_object_cannot_lose_what_was_sent() {
    let sending = sending(10_000);
    let mut table = PartTable::new(SMALL, Arc::clone(&sending), None);
    table.write(0, &[1; 50]).unwrap();
    table.set_size(45);
    assert_eq!(table.close().unwrap(), [2]);
    assert_eq!(table.take(2).unwrap(), [1; 5]);
    table.set_size(15);
    assert!(table.close().is_err());
}

proptest! {
    /// Whatever the order and the memory, the parts are the object, and each is handed out once.
    #[test]
    fn parts_are_the_object(
        limit in prop_oneof![Just(10u64), Just(40), Just(10_000)],
        cuts in proptest::collection::vec(0usize..150, 0..12),
        order in any::<u64>(),
        size in prop_oneof![Just(None), (0u64..200).prop_map(Some)],
        promised in any::<bool>(),
        read_back in any::<bool>(),
        hole in 0usize..3,
    ) {
        // Memory is counted by the capacity of buffers, which are 64 KiB at least.
        let sending = sending(limit);
        let mut table = PartTable::new(SMALL, Arc::clone(&sending), Some(200));
        let bytes: Vec<u8> = (0..150).map(|n| (n % 250 + 1) as u8).collect();
        let mut ends: Vec<usize> = cuts.into_iter().chain([0, 150]).collect();
        ends.sort_unstable();
        let mut pieces: Vec<(usize, usize)> = ends.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut seed = order;
        for n in (1..pieces.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            pieces.swap(n, (seed >> 33) as usize % (n + 1));
        }
        let missing: Vec<(usize, usize)> = pieces.split_off(pieces.len().saturating_sub(hole));
        let mut expected = bytes.clone();
        for (from, to) in missing {
            expected[from..to].fill(0);
        }
        let end = pieces.iter().filter(|(from, to)| from < to).map(|(_, to)| *to).max().unwrap_or(0);
        // Nothing that was written is cut off.
        let size = size.map(|size| size.max(end as u64));
        if promised && let Some(size) = size {
            table.set_size(size);
        }
        let mut found = vec![None; 100];
        for (from, to) in pieces {
            for (number, part) in table.write(from as u64, &bytes[from..to]).unwrap() {
                prop_assert!(found[number as usize].replace(part).is_none());
            }
            if read_back && from < to {
                let mut back = vec![0; to - from];
                if table.read_back(from as u64, &mut back).is_ok() {
                    prop_assert_eq!(&back, &bytes[from..to]);
                }
            }
        }
        if let Some(size) = size {
            table.set_size(size);
        }
        for number in table.close().unwrap() {
            let part = table.take(number).unwrap();
            prop_assert!(found[number as usize].replace(part).is_none());
        }
        let parts: Vec<Vec<u8>> = found.into_iter().map_while(|part| part).collect();
        let (last, others) = parts.split_last().unwrap();
        prop_assert!(others.iter().all(|part| part.len() == parts[0].len()) && last.len() <= parts[0].len());
        prop_assert!(parts.len() <= 8);
        expected.resize(size.map_or(end, |size| size as usize), 0);
        prop_assert_eq!(parts.concat(), expected);
    }
}

#[test]
fn a_file_that_takes_no_bytes_loses_none() {
    let sending = sending(10_000);
    let mut table = PartTable::new(SMALL, Arc::clone(&sending), None);
    assert!(table.write(0, &[1; 5]).unwrap().is_empty());
    // Opened for reading, as a full disk refuses too.
    table.spool = File::open("/dev/null").ok();
    table.spill(0).unwrap_err();
    assert_eq!(table.close().unwrap(), [0]);
    assert_eq!(table.take(0).unwrap(), [1; 5]);
}
