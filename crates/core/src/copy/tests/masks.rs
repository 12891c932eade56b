//! Outputs whose chunks have no filter mask, and outputs whose variables are as long as their dimensions.

use super::in_memory::{InMemoryInput, Log, copy, input, layout, plan, source};
use super::model::check;
use crate::copy::{CopyPlan, RouteName, prepare};
use crate::filter::{ChunkShape, Scratch};
use crate::model::{Capabilities, CodecSpec, Endian, Kind, UnlimitedDimensions};

/// Chunks without filter masks, codecs by HDF5 ids.
pub(super) static WITHOUT_MASKS: Capabilities = {
    let mut can = Capabilities::new("without masks");
    can.contiguous = false;
    can.chunks = true;
    can.unlimited = UnlimitedDimensions::Any;
    can.byte_order = None;
    can.no_fill = true;
    can
};

fn without_masks(mut plan: CopyPlan) -> CopyPlan {
    plan.schema.kind = Kind::Other(&WITHOUT_MASKS);
    plan
}

fn route(input: &InMemoryInput, plan: &CopyPlan) -> RouteName {
    prepare(input, plan).unwrap().routes().next().unwrap().route
}

/// Decodes each written chunk, and compares it with the model. Returns the numbers of chunks that passed unchanged.
fn passed(input: &InMemoryInput, log: &Log) -> Vec<u64> {
    let same = |(chunk, data): (&u64, &crate::format::EncodedChunk)| {
        (*data == input.sources[0].encoded(*chunk)).then_some(*chunk)
    };
    log.chunks
        .values()
        .filter_map(|(_, chunk, data)| same((chunk, data)))
        .collect()
}

#[test]
fn chunks_that_skipped_codecs_are_encoded_anew_where_masks_are_lost() {
    // 3 × 2 chunks. Those at an edge are stored without filters.
    let from = layout(&[10, 7], Some(&[4, 4]), 4, Endian::Little, 1);
    let mut source = source(from.clone(), [2]);
    source.unfiltered_edges = true;
    let input = input(vec![source]);
    let same = plan(std::slice::from_ref(&from));
    assert_eq!(
        passed(&input, &copy(&input, &same, 2, 1 << 30).unwrap()),
        [0, 1, 3, 4, 5]
    );

    let plan = without_masks(same);
    assert_eq!(route(&input, &plan), RouteName::Raw);
    let log = copy(&input, &plan, 2, 1 << 30).unwrap();
    assert_eq!(passed(&input, &log), [0], "the only chunk that passed all codecs");
    assert!(log.chunks.values().all(|(_, _, data)| data.filter_mask == 0));
    check(&input.sources[0], &from, 0, &log, true);
}

#[test]
fn a_codec_that_declines_makes_the_chunk_longer_where_masks_are_lost() {
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 56) as u8
    })
    .take(4 * 256)
    .collect();
    for spec in [
        CodecSpec::hdf5(4, [141, 32, 8, 16]),
        CodecSpec::hdf5(32000, [4, 0x0105, 1024]),
        #[cfg(feature = "blosc")]
        CodecSpec::hdf5(32001, [2, 2, 4, 1024, 5, 1, 0]),
    ] {
        let from = layout(&[256], Some(&[256]), 4, Endian::Little, 0);
        let mut to = from.clone();
        // What a checksum makes of a longer chunk must be decoded, too.
        to.filters = vec![spec.clone(), CodecSpec::hdf5(3, [])];
        let mut source = source(from, []);
        source.data = noise.clone();
        let input = input(vec![source]);
        let same = plan(std::slice::from_ref(&to));
        let chunk = |plan: &CopyPlan| copy(&input, plan, 1, 1 << 30).unwrap().chunks[&0].2.clone();
        assert_eq!(chunk(&same).filter_mask, 1, "{spec} declines noise");
        let plan = without_masks(same);
        let data = chunk(&plan);
        assert_eq!(data.filter_mask, 0, "{spec}");
        assert!(data.bytes.len() > noise.len() + 4, "{spec}");
        let pipeline = &prepare(&input, &plan).unwrap().plans[0].pipeline;
        let decoded = pipeline.decode(data, ChunkShape::Full, &mut Scratch::new());
        assert_eq!(decoded.unwrap(), noise, "{spec}");
    }
    // Scale-offset has no stream for chunks that are cut in the middle of an element.
    let from = layout(&[8], Some(&[8]), 4, Endian::Little, 0);
    let mut to = from.clone();
    to.filters = vec![CodecSpec::hdf5(6, [9; 20])];
    let input = input(vec![source(from, [])]);
    let error = copy(&input, &without_masks(plan(&[to])), 1, 1 << 30)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("filter 6 (scaleoffset)") && error.contains("choose other filters"),
        "{error}"
    );
}

#[test]
fn chunks_within_a_shorter_extent_pass() {
    // 3 × 2 chunks in the input, 4 × 3 in the output. The last row of the input's chunks ends within a chunk.
    let from = layout(&[10, 8], Some(&[4, 4]), 4, Endian::Little, 1);
    let to = layout(&[15, 9], Some(&[4, 4]), 4, Endian::Little, 1);
    let input = input(vec![source(from, [1])]);
    let plan = plan(std::slice::from_ref(&to));
    assert_eq!(route(&input, &plan), RouteName::Raw);
    let log = copy(&input, &plan, 2, 1 << 30).unwrap();
    let chunks: Vec<u64> = log.chunks.values().map(|(_, chunk, _)| *chunk).collect();
    // Chunk 1 of the input is missing. Its others are 0, 2, 3, 4 and 5.
    assert_eq!(chunks, [0, 3, 4, 6, 7]);
    let passed = [(0, 0), (3, 2), (4, 3)];
    for (chunk, number) in passed {
        let data = &log.chunks.values().find(|(_, n, _)| *n == chunk).unwrap().2;
        assert_eq!(*data, input.sources[0].encoded(number), "chunk {chunk}");
    }
    // What lies past the input's extent is the fill value, not what the input's chunk has there.
    check(&input.sources[0], &to, 0, &log, true);
}
