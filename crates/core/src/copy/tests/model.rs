//! Any copy, compared with a model that moves one element at a time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::in_memory::{InMemoryVariable, Log, copy, input, layout, pipeline, plan, source};
use super::slow::Slow;
use crate::chunk::{ChunkGrid, swap_units};
use crate::filter::{ChainEnd, ChunkType, Scratch};
use crate::format::read_region::{chunk_shape, swap_unit};
use crate::format::{EncodedChunk, Region};
use crate::model::{EdgeChunks, Endian, Storage, VarId, VariableLayout};

/// Compares what was written of variable `n` with the model.
pub(super) fn check(source: &InMemoryVariable, out: &VariableLayout, n: usize, log: &Log, raw: bool) {
    let size = out.element_size;
    let grid = ChunkGrid::new(&out.extent, out.chunk_shape()).unwrap();
    let ones = vec![1; out.extent.len()];
    if !matches!(out.storage, Storage::Chunked { .. }) {
        let elements = ChunkGrid::new(&out.extent, &ones).unwrap();
        let Some(ranges) = log.ranges.get(&VarId(n)) else {
            assert!(elements.is_empty() || source.stored().is_empty());
            return;
        };
        let mut written: Vec<u8> = ranges.values().copied().collect();
        assert_eq!(
            written.len() as u64,
            elements.len() * size as u64,
            "every byte is written"
        );
        swap_units(&mut written, swap_unit(out));
        for e in 0..elements.len() {
            let at = e as usize * size;
            assert_eq!(written[at..at + size], source.element(&elements.coordinates(e)));
        }
        return;
    }
    let written: BTreeMap<u64, &EncodedChunk> = log
        .chunks
        .values()
        .filter(|(var, ..)| *var == VarId(n))
        .map(|(_, chunk, data)| (*chunk, data))
        .collect();
    let under: BTreeSet<u64> = if matches!(source.layout.storage, Storage::Chunked { .. }) {
        let regions = source.stored().into_iter().map(|i| source.grid().region(i));
        regions
            .flat_map(|r| grid.chunks_in(&r).collect::<Vec<_>>())
            .collect()
    } else {
        grid.chunks_in(&Region::whole(&source.layout.extent)).collect()
    };
    assert_eq!(
        written.keys().copied().collect::<BTreeSet<_>>(),
        under,
        "only what has data is written"
    );
    for (index, data) in written {
        let own = grid.region(index);
        let shape = out.stored_shape(&own.count);
        let decoded = pipeline(out).decode(data.clone(), chunk_shape(out, &own.count), &mut Scratch::new());
        let mut bytes = decoded.unwrap();
        swap_units(&mut bytes, swap_unit(out));
        let cells = ChunkGrid::new(shape, &ones).unwrap();
        let origin = grid.origin(index);
        for e in 0..cells.len() {
            let at: Vec<u64> = cells
                .coordinates(e)
                .iter()
                .zip(&origin)
                .map(|(a, b)| a + b)
                .collect();
            let past = at.iter().zip(&out.extent).any(|(a, e)| a >= e);
            let expected = match past {
                true if raw => continue,
                true => out.fill.value.as_ref().unwrap().bytes.clone(),
                false => source.element(&at),
            };
            let from = e as usize * size;
            assert_eq!(
                bytes[from..from + size],
                expected,
                "chunk {index}, element {at:?}"
            );
        }
    }
}

#[derive(Debug, Clone)]
struct Case {
    /// Length, input chunk, output chunk, growth.
    dims: Vec<(u64, u64, u64, u64)>,
    chunked: (bool, bool),
    size: usize,
    big: (bool, bool),
    filters: (usize, usize),
    /// True if the input clips chunks at the edge, if the output does, and if the input stores them unfiltered.
    edge: (bool, bool, bool),
    missing: Vec<u64>,
}

fn case() -> impl Strategy<Value = Case> {
    let dims = proptest::collection::vec(
        (
            0u64..12,
            1u64..6,
            1u64..6,
            prop_oneof![3 => Just(0u64), 1 => 0u64..4],
        ),
        0..4,
    );
    let bools = || {
        (
            prop_oneof![1 => Just(false), 4 => Just(true)],
            prop_oneof![1 => Just(false), 4 => Just(true)],
        )
    };
    (
        dims,
        bools(),
        proptest::sample::select(vec![1usize, 2, 4, 8]),
        (any::<bool>(), any::<bool>()),
        (0usize..3, 0usize..3),
        (any::<bool>(), any::<bool>(), any::<bool>()),
        proptest::collection::vec(0u64..12, 0..8),
        any::<bool>(),
    )
        .prop_map(|(mut dims, chunked, size, big, filters, edge, missing, same)| {
            if same {
                dims.iter_mut().for_each(|d| d.2 = d.1);
            }
            // A scalar is not chunked.
            let chunked = if dims.is_empty() { (false, false) } else { chunked };
            Case {
                dims,
                chunked,
                size,
                big,
                filters,
                edge,
                missing,
            }
        })
}

fn build(case: &Case) -> (InMemoryVariable, VariableLayout) {
    let endian = |big| if big { Endian::Big } else { Endian::Little };
    let extent: Vec<u64> = case.dims.iter().map(|d| d.0).collect();
    let grown: Vec<u64> = case.dims.iter().map(|d| d.0 + d.3).collect();
    let a: Vec<u64> = case.dims.iter().map(|d| d.1).collect();
    let b: Vec<u64> = case.dims.iter().map(|d| d.2).collect();
    let mut from = layout(
        &extent,
        case.chunked.0.then_some(&a),
        case.size,
        endian(case.big.0),
        case.filters.0,
    );
    let mut to = layout(
        &grown,
        case.chunked.1.then_some(&b),
        case.size,
        endian(case.big.1),
        case.filters.1,
    );
    let edges = |clipped| {
        if clipped {
            EdgeChunks::Clipped
        } else {
            EdgeChunks::Full
        }
    };
    from.edges = edges(case.edge.0);
    to.edges = edges(case.edge.1);
    let mut source = source(from, case.missing.iter().copied());
    source.unfiltered_edges = case.edge.2;
    (source, to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn copies_equal_the_model(
        cases in proptest::collection::vec(case(), 1..4),
        threads in 1usize..4,
        memory in proptest::sample::select(vec![1u64, 60, 300, 2_000, 1 << 30]),
    ) {
        let (sources, outputs): (Vec<_>, Vec<_>) = cases.iter().map(build).unzip();
        let input = input(sources);
        let plan = plan(&outputs);
        let log = copy(&input, &plan, threads, memory).unwrap();
        for (n, out) in outputs.iter().enumerate() {
            let source = &input.sources[n];
            let end = ChainEnd::between(&plan.registry, &source.layout.filters, &out.filters, &ChunkType::of_bytes(1));
            let raw = end.is_some() && source.layout.storage == out.storage;
            check(source, out, n, &log, raw);
        }
        // Neither threads nor memory change what is written, nor where.
        let again = copy(&input, &plan, 1, 1 << 30).unwrap();
        prop_assert_eq!(&log, &again);
        // Nor does a slow store.
        let slow = Slow::new(input, 8);
        prop_assert_eq!(log, copy(&slow, &plan, threads, memory).unwrap());
    }
}
