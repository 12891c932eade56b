//! Joined variables whose borders are no borders of chunks: chunks that are whole in one input pass, and the others are made anew.

use super::super::{Routes, SourcePart, prepare};
use super::in_memory::{InMemoryInput, copy, input, layout, source};
use super::parts::parts;
use super::selections::{plan_of, written};
use crate::chunk::{ChunkGrid, Selection};
use crate::model::{Endian, VarId};

const ROW: u64 = 6;

/// The number of rows of each input, and how it stores them: chunk and number of filters.
type Stored = (u64, [u64; 2], usize);

fn joined(inputs: &[Stored]) -> (InMemoryInput, Vec<SourcePart>, u64) {
    let (mut sources, mut parts, mut at) = (Vec::new(), Vec::new(), 0);
    for (n, (rows, chunk, filters)) in inputs.iter().enumerate() {
        let from = layout(&[*rows, ROW], Some(chunk), 4, Endian::Little, *filters);
        let mut of_input = source(from, []);
        for byte in &mut of_input.data {
            *byte ^= (n * 19) as u8;
        }
        sources.push(of_input);
        let selection = Selection::new(vec![0, 0], vec![1, 1], vec![*rows, ROW], vec![at, 0]).unwrap();
        parts.push(SourcePart::new(VarId(n), selection));
        at += rows;
    }
    (input(sources), parts, at)
}

/// Copies the inputs into chunks of two rows, in shards of these rows. Returns the routes.
fn routes(inputs: &[Stored], shard: Option<u64>) -> String {
    let (input, sources, rows) = joined(inputs);
    let mut to = layout(&[rows, ROW], Some(&[2, ROW]), 4, Endian::Little, 1);
    to.shard = shard.map(|rows| vec![rows, ROW]);
    let plan = plan_of(sources, &to);
    let log = copy(&input, &plan, 1, 1 << 30).unwrap();
    for (threads, memory) in [(3, 300), (2, 1 << 30)] {
        assert_eq!(copy(&input, &plan, threads, memory).unwrap(), log);
    }
    let elements = input.sources.iter().flat_map(|source| {
        let all = ChunkGrid::new(&source.layout.extent, &[1, 1]).unwrap();
        let element = |n| source.element(&all.coordinates(n));
        (0..all.len()).map(element).collect::<Vec<_>>()
    });
    assert_eq!(written(&log, &to), elements.collect::<Vec<_>>());
    let prepared = prepare(&input, &plan).unwrap();
    let mut all = prepared.routes();
    let first = all.next().unwrap();
    let mut routes = Routes::of(first.route, first.chunks);
    all.for_each(|of| routes.add(of.route, of.chunks));
    for of in [2, 3] {
        parts(&input, &plan, of);
    }
    routes.to_string()
}

#[test]
fn whole_chunks_pass_and_those_at_a_border_are_made_anew() {
    let same = |rows| (rows, [2, ROW], 1);
    assert_eq!(routes(&[same(4), same(6), same(3)], None), "raw");
    // The second input begins in the middle of a chunk, and so does the third.
    assert_eq!(routes(&[same(5), same(4), same(6)], None), "raw 2, blocks 6");
    assert_eq!(routes(&[same(5), same(5), same(7)], None), "raw 6, blocks 3");
    assert_eq!(routes(&[same(1), same(2), same(2)], None), "blocks");
}

#[test]
fn inputs_that_are_stored_otherwise_are_encoded_alone() {
    let same = |rows| (rows, [2, ROW], 1);
    let other_filters = |rows| (rows, [2, ROW], 2);
    assert_eq!(
        routes(&[same(4), other_filters(4), same(5)], None),
        "raw 5, refilter 2"
    );
    assert_eq!(routes(&[other_filters(4), other_filters(3)], None), "refilter");
    assert_eq!(
        routes(&[same(4), (6, [3, 4], 1), same(4)], None),
        "raw 4, blocks 3"
    );
    let all = [same(5), (4, [1, 3], 0), other_filters(4), same(3)];
    assert_eq!(routes(&all, None), "raw 2, blocks 6");
}

#[test]
fn a_shard_goes_one_way() {
    let same = |rows| (rows, [2, ROW], 1);
    assert_eq!(routes(&[same(4), same(6), same(4)], Some(4)), "raw");
    // Half of the third shard could pass.
    assert_eq!(routes(&[same(5), same(5), same(8)], Some(4)), "raw 5, blocks 4");
}
