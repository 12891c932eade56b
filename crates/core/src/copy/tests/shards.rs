//! Tests of copies to outputs with shards: the chunks of a shard follow each other, and are those of an output without.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::in_memory::{Log, copy, input, layout, plan, rechunk, source};
use super::model::check;
use crate::chunk::ChunkGrid;
use crate::format::EncodedChunk;
use crate::model::{Endian, VarId, VariableLayout};

fn chunks(log: &Log) -> BTreeMap<u64, &EncodedChunk> {
    log.chunks
        .values()
        .map(|(_, chunk, data)| (*chunk, data))
        .collect()
}

/// The shards of an output's chunks, in sequence order.
fn shards(log: &Log, out: &VariableLayout) -> Vec<Vec<u64>> {
    let grid = ChunkGrid::new(&out.extent, out.chunk_shape()).unwrap();
    let shard = out.shard.as_ref().unwrap();
    let of = |chunk: u64| {
        let origin = grid.origin(chunk);
        origin.iter().zip(shard).map(|(at, shard)| at / shard).collect()
    };
    log.chunks.values().map(|(_, chunk, _)| of(*chunk)).collect()
}

fn follow_each_other(mut shards: Vec<Vec<u64>>) -> bool {
    shards.dedup();
    let all = shards.len();
    let in_order = shards.is_sorted();
    shards.sort();
    shards.dedup();
    in_order && shards.len() == all
}

#[test]
fn the_chunks_of_a_shard_follow_each_other_on_every_route() {
    let extent = [41, 60, 50];
    let from = |chunk: Option<&[u64]>, filters| layout(&extent, chunk, 4, Endian::Little, filters);
    for (name, from) in [
        ("raw", from(Some(&[1, 20, 50]), 1)),
        ("refilter", from(Some(&[1, 20, 50]), 2)),
        ("blocks of chunks", from(Some(&[7, 30, 30]), 1)),
        ("blocks of one piece", from(None, 0)),
    ] {
        let flat = layout(&extent, Some(&[1, 20, 50]), 4, Endian::Little, 1);
        let mut sharded = flat.clone();
        sharded.shard = Some(vec![10, 40, 50]);
        let input = input(vec![source(from, [5, 6, 17])]);
        let expected = copy(&input, &plan(&[flat]), 1, 1 << 30).unwrap();
        let to = plan(&[sharded.clone()]);
        let first = copy(&input, &to, 1, 1 << 30).unwrap();
        assert!(follow_each_other(shards(&first, &sharded)), "{name}");
        assert_eq!(chunks(&first), chunks(&expected), "{name}");
        // A shard takes 80 kB.
        for (threads, memory) in [(2, 20_000), (3, 200_000), (4, 1 << 30)] {
            assert_eq!(copy(&input, &to, threads, memory).unwrap(), first, "{name}");
        }
    }
}

#[test]
fn input_chunks_that_meet_several_shards_are_decoded_once() {
    for (from, to, shard) in [
        ([1, 60, 50], [40, 6, 5], [40, 30, 25]),
        ([1, 60, 50], [20, 6, 5], [20, 12, 10]),
        ([40, 12, 10], [1, 60, 50], [7, 60, 50]),
        ([9, 33, 27], [4, 10, 10], [8, 10, 20]),
    ] {
        let (input, mut to) = rechunk(&[40, 60, 50], &from, &to);
        let mut layout = VariableLayout::clone(&to.variables[0].layout);
        layout.shard = Some(shard.to_vec());
        to.variables[0].layout = layout.clone().into();
        let decoded = |memory| {
            input.reads.store(0, Ordering::Relaxed);
            let log = copy(&input, &to, 2, memory).unwrap();
            (log, input.reads.load(Ordering::Relaxed))
        };
        let all = input.sources[0].grid().len();
        let (expected, reads) = decoded(1 << 30);
        assert!(follow_each_other(shards(&expected, &layout)));
        check(&input.sources[0], &layout, 0, &expected, false);
        assert!(reads <= 2 * all, "{reads} of {all}: {from:?} {shard:?}");
        let (log, _) = decoded(100_000);
        assert_eq!(log, expected);
    }
}

#[test]
fn other_shards_are_no_reason_to_decode() {
    let mut from = layout(&[40, 30], Some(&[4, 10]), 4, Endian::Little, 1);
    let mut to = from.clone();
    from.shard = Some(vec![8, 30]);
    to.shard = Some(vec![40, 10]);
    to.shard_index = crate::model::IndexLocation::Start;
    let input = input(vec![source(from, [3])]);
    let log = copy(&input, &plan(&[to]), 2, 1 << 20).unwrap();
    assert_eq!(log.chunks.len(), 29);
    for (var, chunk, data) in log.chunks.values() {
        assert_eq!(*var, VarId(0));
        assert_eq!(*data, input.sources[0].encoded(*chunk));
    }
    let prepared = crate::copy::prepare(&input, &plan(&[input.sources[0].layout.clone()])).unwrap();
    assert!(prepared.routes().all(|of| of.route.as_str() == "raw"));
}
