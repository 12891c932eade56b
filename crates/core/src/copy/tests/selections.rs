//! Slices, unions and strides, compared with a model that moves one element at a time.

use proptest::prelude::*;

use super::super::{CopyPlan, SourcePart, Sources, VariableCopy, prepare};
use super::in_memory::{InMemoryInput, Log, copy, input, layout, pipeline, schema, source};
use crate::chunk::{ChunkGrid, Selection, swap_units};
use crate::filter::{ChunkShape, Registry, Scratch};
use crate::format::read_region::swap_unit;
use crate::model::{Encoding, Endian, Kind, Storage, Type, VarId, VariableLayout};

pub(super) fn plan_of(parts: Vec<SourcePart>, to: &VariableLayout) -> CopyPlan {
    CopyPlan {
        schema: schema(std::slice::from_ref(to)),
        variables: vec![VariableCopy::new(Sources::Parts(parts), to.clone())],
        registry: Registry::builtin(),
        choices: Vec::new(),
        notices: crate::copy::plan::Notices::default(),
        grows: false,
    }
}

/// The expected element of the output at `at`.
fn expected(input: &InMemoryInput, parts: &[SourcePart], to: &VariableLayout, at: &[u64]) -> Vec<u8> {
    let fill = || to.fill.value.as_ref().unwrap().bytes.clone();
    let holds = |part: &&SourcePart| {
        let target = part.selection.target();
        let from = &input.sources[part.variable.0].layout.extent;
        (0..at.len()).all(|d| at[d] >= target.start[d] && at[d] < target.start[d] + target.count[d])
            && part.selection.index(at).iter().zip(from).all(|(a, n)| a < n)
    };
    match parts.iter().rfind(holds) {
        Some(part) => input.sources[part.variable.0].element(&part.selection.index(at)),
        None => fill(),
    }
}

/// The elements that were written, little-endian; fill for the others.
pub(super) fn written(log: &Log, to: &VariableLayout) -> Vec<Vec<u8>> {
    let size = to.element_size;
    let ones = ChunkGrid::new(&to.extent, &vec![1; to.extent.len()]).unwrap();
    let fill = to.fill.value.as_ref().unwrap().bytes.clone();
    let mut out = vec![fill; ones.len() as usize];
    if let Some(bytes) = log.ranges.get(&VarId(0)) {
        let mut all: Vec<u8> = bytes.values().copied().collect();
        swap_units(&mut all, swap_unit(to));
        return all.chunks(size).map(<[u8]>::to_vec).collect();
    }
    let grid = ChunkGrid::new(&to.extent, to.chunk_shape()).unwrap();
    for (_, index, data) in log.chunks.values() {
        let mut bytes = pipeline(to)
            .decode(data.clone(), ChunkShape::Full, &mut Scratch::new())
            .unwrap();
        swap_units(&mut bytes, swap_unit(to));
        let origin = grid.origin(*index);
        for n in ones.chunks_in(&grid.region(*index)) {
            let at = ones.coordinates(n);
            let within = (0..at.len()).fold(0, |k, d| k * grid.chunk()[d] + at[d] - origin[d]) as usize;
            out[n as usize] = bytes[within * size..(within + 1) * size].to_vec();
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn parts_equal_the_model(
        // Output length and chunk; then for each of two inputs: length, chunk, and for each of three parts: start, stride, count, place.
        dims in proptest::collection::vec(
            (1u64..14, 1u64..6, (1u64..14, 1u64..6), (1u64..14, 1u64..6),
             proptest::collection::vec((0u64..9, 1u64..4, 0u64..9, 0u64..9), 3)), 1..3),
        of in proptest::collection::vec(0usize..2, 1..4),
        aligned in 0..3,
        chunked in (any::<bool>(), any::<bool>(), any::<bool>()),
        filters in (0usize..3, 0usize..3),
        missing in proptest::collection::vec(0u64..12, 0..4),
        converted in proptest::bool::weighted(0.2),
        threads in 1usize..4,
        memory in proptest::sample::select(vec![1u64, 300, 1 << 30]),
    ) {
        let mut dims = dims;
        if aligned > 0 {
            // Chunks of one shape, and parts that start at chunk borders, or as far from one in the input as in the output.
            for d in &mut dims {
                d.2.1 = d.1;
                d.3.1 = d.1;
                for part in &mut d.4 {
                    let off = if aligned == 1 { 0 } else { part.0 % d.1 };
                    *part = (part.0 / d.1 * d.1 + off, 1, part.2, part.3 / d.1 * d.1 + off);
                }
            }
        }
        let pick = |f: &dyn Fn(&(u64, u64, (u64, u64), (u64, u64), Vec<(u64, u64, u64, u64)>)) -> u64| {
            dims.iter().map(f).collect::<Vec<u64>>()
        };
        let to = layout(&pick(&|d| d.0), chunked.0.then_some(&pick(&|d| d.1)[..]), 4, Endian::Big, filters.0);
        let mut first = layout(&pick(&|d| d.2.0), chunked.1.then_some(&pick(&|d| d.2.1)[..]), 4, Endian::Big, filters.1);
        let second = layout(&pick(&|d| d.3.0), chunked.2.then_some(&pick(&|d| d.3.1)[..]), 4, Endian::Little, 0);
        if converted {
            first.encoding = Encoding::Structured;
            first.endian = Endian::Little;
            first.filters.clear();
        }
        let mut input = input(vec![source(first, missing.iter().copied()), source(second, [])]);
        if converted && input.sources[0].layout.storage != Storage::Contiguous {
            input.sources[0].layout.fill = to.fill.clone();
        }
        let parts: Vec<SourcePart> = of.iter().enumerate().map(|(n, var)| SourcePart::new(
            VarId(*var),
            Selection::new(
                pick(&|d| d.4[n].0), pick(&|d| d.4[n].1), pick(&|d| d.4[n].2), pick(&|d| d.4[n].3),
            ).unwrap(),
        )).collect();
        let plan = plan_of(parts.clone(), &to);
        let log = copy(&input, &plan, threads, memory).unwrap();
        let all = ChunkGrid::new(&to.extent, &vec![1; to.extent.len()]).unwrap();
        for (n, found) in written(&log, &to).iter().enumerate() {
            let at = all.coordinates(n as u64);
            prop_assert_eq!(found, &expected(&input, &parts, &to, &at), "element {:?}", at);
        }
        prop_assert_eq!(&copy(&input, &plan, 1, 1 << 30).unwrap(), &log);
    }
}

#[test]
fn a_slice_reads_only_the_chunks_it_meets_and_passes_whole_ones() {
    let from = layout(&[100, 10], Some(&[5, 10]), 4, Endian::Little, 1);
    let input = input(vec![source(from, [])]);
    let to = layout(&[32, 10], Some(&[5, 10]), 4, Endian::Little, 1);
    let selection = Selection::new(vec![20, 0], vec![1, 1], vec![32, 10], vec![0, 0]).unwrap();
    let parts = vec![SourcePart::new(VarId(0), selection)];
    let log = copy(&input, &plan_of(parts, &to), 2, 1 << 20).unwrap();
    assert_eq!(input.reads.load(std::sync::atomic::Ordering::Relaxed), 7);
    for (_, chunk, data) in log.chunks.values().take(6) {
        assert_eq!(*data, input.sources[0].encoded(chunk + 4), "passed as it is");
    }
}

/// A part that takes `count` elements of variable 0 from the beginning, and puts them at `at`.
fn part(count: u64, at: u64) -> Vec<SourcePart> {
    let selection = Selection::new(vec![0], vec![1], vec![count], vec![at]).unwrap();
    vec![SourcePart::new(VarId(0), selection)]
}

#[test]
fn a_part_of_another_type_is_refused() {
    let to = layout(&[10], Some(&[5]), 4, Endian::Little, 0);
    let refused = |from: VariableLayout, ty| {
        let mut input = input(vec![source(from, [])]);
        input.schema.vars[0].ty = ty;
        input.schema.vars[0].name = "x".into();
        let mut plan = plan_of(part(4, 2), &to);
        plan.schema.vars[0].ty = Type::Int;
        let error = prepare(&input, &plan).err()?;
        assert!(
            matches!(&error, crate::Error::Variable { cause, .. } if matches!(**cause, crate::Error::Usage(_)))
        );
        Some(error.to_string())
    };
    let from = |size| layout(&[4], Some(&[4]), size, Endian::Big, 0);
    assert_eq!(refused(from(4), Type::Int), None);
    let mut packed = from(4);
    packed.encoding = Encoding::Packed;
    let mut converted = from(4);
    converted.encoding = Encoding::Structured;
    assert_eq!(refused(converted.clone(), Type::Int), None);
    for (from, ty) in [
        (from(8), Type::Int64),
        (from(4), Type::Float),
        (from(4), Type::UInt),
        (packed, Type::Int),
        (converted.clone(), Type::Short),
        (converted, Type::String),
    ] {
        let says = "variable v0: elements of an input are of another type, and cannot become part of it";
        assert_eq!(refused(from, ty).as_deref(), Some(says), "{ty:?}");
    }
}

#[test]
fn gaps_hold_the_default_fill_value_where_a_variable_must_have_one() {
    for (chunk, no_fill) in [(None, false), (Some(&[3u64][..]), false), (Some(&[3]), true)] {
        let mut to = layout(&[10], None, 4, Endian::Big, 0);
        to.fill.value = None;
        to.fill.no_fill = no_fill;
        let from = layout(&[4], chunk, 4, Endian::Little, 0);
        let mut input = input(vec![source(from, [])]);
        input.schema.vars[0].ty = Type::Int;
        let mut plan = plan_of(part(4, 2), &to);
        plan.schema.vars[0].ty = Type::Int;
        plan.schema.kind = Kind::Classic;
        let log = copy(&input, &plan, 2, 1 << 20).unwrap();
        let bytes: Vec<u8> = log.ranges[&VarId(0)].values().copied().collect();
        let numbers: Vec<i32> = bytes
            .chunks(4)
            .map(|b| i32::from_be_bytes(b.try_into().unwrap()))
            .collect();
        let data = &input.sources[0].data;
        for (n, found) in numbers.iter().enumerate() {
            let expected = match n {
                2..6 => i32::from_le_bytes(data[(n - 2) * 4..(n - 1) * 4].try_into().unwrap()),
                _ => -2_147_483_647,
            };
            assert_eq!(*found, expected, "element {n}");
        }
    }
}
