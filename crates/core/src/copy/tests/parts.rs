//! Parts of a copy: together they are the whole, they have nothing in common, and they cost about the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::super::{CopyPlan, Prepared, RunOptions, prepare, run};
use super::in_memory::{Log, Output, input, layout, plan, source};
use crate::chunk::ChunkGrid;
use crate::format::{EncodedChunk, Reader};
use crate::model::{Endian, VarId, VariableLayout};

/// The chunks that a copy writes.
pub(super) fn written(reader: &dyn Reader, prepared: &Prepared) -> BTreeMap<(VarId, u64), EncodedChunk> {
    let log = Arc::new(Mutex::new(Log::default()));
    let options = RunOptions {
        threads: Some(2),
        ..RunOptions::default()
    };
    run(reader, prepared, Box::new(Output(Arc::clone(&log))), &options).unwrap();
    let log = Arc::into_inner(log).unwrap().into_inner().unwrap();
    assert!(log.chunks.keys().copied().eq(0..log.chunks.len() as u64));
    let chunks = log.chunks.into_values();
    chunks.map(|(var, chunk, data)| ((var, chunk), data)).collect()
}

/// The chunks of each of `of` parts. Checks that a part is the same each time, and that all are the whole copy, each chunk
/// once.
pub(super) fn parts(reader: &dyn Reader, plan: &CopyPlan, of: u64) -> Vec<BTreeSet<(VarId, u64)>> {
    let whole = prepare(reader, plan).unwrap();
    let mut all = BTreeMap::new();
    let mut parts = Vec::new();
    for n in 0..of {
        let part = || prepare(reader, plan).unwrap().into_share(n, of).unwrap();
        let chunks = written(reader, &part());
        assert_eq!(chunks, written(reader, &part()));
        let promised: u64 = part().plans.iter().map(|plan| plan.promised.chunks()).sum();
        assert_eq!(promised, chunks.len() as u64);
        parts.push(chunks.keys().copied().collect());
        for (chunk, data) in chunks {
            assert!(all.insert(chunk, data).is_none(), "{chunk:?} is in two parts");
        }
    }
    assert_eq!(all, written(reader, &whole));
    parts
}

fn counts(reader: &dyn Reader, plan: &CopyPlan, of: u64) -> Vec<usize> {
    parts(reader, plan, of).iter().map(BTreeSet::len).collect()
}

#[test]
fn variables_of_one_chunk_are_spread_over_all_parts() {
    let one = || layout(&[10, 10], Some(&[10, 10]), 4, Endian::Little, 1);
    let layouts: Vec<VariableLayout> = (0..30).map(|_| one()).collect();
    let input = input(layouts.iter().map(|layout| source(layout.clone(), [])).collect());
    let counts = counts(&input, &plan(&layouts), 4);
    assert!(counts.iter().all(|count| (7..=8).contains(count)), "{counts:?}");
}

#[test]
fn small_variables_fill_the_parts_that_a_large_one_leaves() {
    let mut layouts = vec![layout(&[40, 10], Some(&[1, 10]), 4, Endian::Little, 1)];
    layouts.extend((0..20).map(|_| layout(&[1, 10], Some(&[1, 10]), 4, Endian::Little, 1)));
    let input = input(layouts.iter().map(|layout| source(layout.clone(), [])).collect());
    assert_eq!(counts(&input, &plan(&layouts), 3), [20, 20, 20]);
}

#[test]
fn chunks_that_pass_cost_less_than_those_that_are_encoded() {
    let from = layout(&[40, 4096], Some(&[1, 4096]), 4, Endian::Little, 1);
    let to = layout(&[40, 4096], Some(&[1, 4096]), 4, Endian::Little, 2);
    let input = input(vec![source(from.clone(), []), source(from.clone(), [])]);
    let parts = parts(&input, &plan(&[from, to]), 2);
    let encoded = |part: &BTreeSet<(VarId, u64)>| part.iter().filter(|(var, _)| *var == VarId(1)).count();
    assert_eq!(
        parts[0].len() - encoded(&parts[0]),
        40,
        "all that pass are in the first part"
    );
    assert!((18..20).contains(&encoded(&parts[0])), "{parts:?}");
}

#[test]
fn a_shard_is_in_one_part() {
    let mut to = layout(&[26, 10], Some(&[1, 5]), 4, Endian::Little, 1);
    to.shard = Some(vec![4, 10]);
    let one = || layout(&[1, 5], Some(&[1, 5]), 4, Endian::Little, 1);
    let layouts = [one(), to, one()];
    let input = input(layouts.iter().map(|layout| source(layout.clone(), [])).collect());
    let grid = ChunkGrid::new(&[26, 10], &[1, 5]).unwrap();
    for of in 1..9 {
        let parts = parts(&input, &plan(&layouts), of);
        let mut shards = BTreeMap::new();
        for (n, (var, chunk)) in parts
            .iter()
            .enumerate()
            .flat_map(|(n, part)| part.iter().map(move |c| (n, *c)))
        {
            if var == VarId(1) {
                let part = *shards.entry(grid.coordinates(chunk)[0] / 4).or_insert(n);
                assert_eq!(part, n, "a shard in two parts");
            }
        }
        let longest = parts.iter().map(BTreeSet::len).max().unwrap();
        // 54 chunks, in shards of 8.
        assert!(
            longest <= 54usize.div_ceil(of as usize) + 8,
            "{of} parts: {longest}"
        );
    }
}

#[test]
fn a_shard_of_several_tiles_is_in_one_part() {
    let from = layout(&[64, 8], Some(&[2, 8]), 4, Endian::Little, 1);
    let mut to = layout(&[64, 8], Some(&[2, 2]), 4, Endian::Little, 1);
    to.shard = Some(vec![16, 8]);
    let input = input(vec![source(from, [])]);
    for of in 1..6 {
        for (n, part) in parts(&input, &plan(std::slice::from_ref(&to)), of)
            .iter()
            .enumerate()
        {
            let shards: BTreeSet<u64> = part.iter().map(|(_, chunk)| chunk / 4 / 8).collect();
            assert_eq!(part.len(), 32 * shards.len(), "part {n} of {of}");
        }
    }
}

#[test]
fn chunks_of_one_tile_are_in_one_part() {
    let from = layout(&[64, 8], Some(&[4, 8]), 4, Endian::Little, 1);
    let to = layout(&[64, 8], Some(&[4, 2]), 4, Endian::Little, 1);
    let input = input(vec![source(from, [])]);
    for of in 1..5 {
        // An input chunk is made into four chunks, of which no two are in different parts.
        for (n, part) in parts(&input, &plan(std::slice::from_ref(&to)), of)
            .iter()
            .enumerate()
        {
            let tiles: BTreeSet<u64> = part.iter().map(|(_, chunk)| chunk / 4).collect();
            assert_eq!(part.len(), 4 * tiles.len(), "part {n} of {of}");
            assert!(
                (part.len() as u64 * of).abs_diff(64) <= 4 * of,
                "part {n} of {of}"
            );
        }
    }
}

proptest! {
    #[test]
    fn parts_of_like_chunks_differ_by_one_chunk_at_most(
        lengths in proptest::collection::vec(1u64..9, 1..6),
        of in 1u64..8,
        filters in 0usize..3,
        rechunks in any::<bool>(),
    ) {
        let from: Vec<_> = lengths
            .iter()
            .map(|n| layout(&[*n, 6], Some(&[1, if rechunks { 3 } else { 6 }]), 4, Endian::Little, 1))
            .collect();
        let to: Vec<_> = lengths.iter().map(|n| layout(&[*n, 6], Some(&[1, 6]), 4, Endian::Little, filters)).collect();
        let input = input(from.into_iter().map(|layout| source(layout, [])).collect());
        let all: u64 = lengths.iter().sum();
        for count in counts(&input, &plan(&to), of) {
            prop_assert!((count as u64 * of).abs_diff(all) <= of, "{count} of {all} in {of} parts");
        }
    }
}
