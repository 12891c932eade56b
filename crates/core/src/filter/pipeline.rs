//! Several filters over one chunk.
//!
//! ```text
//! encode:  chunk ─► filter 0 ─► filter 1 ─► … ─► stored bytes, mask of the filters that were skipped
//! decode:  stored bytes ─► … ─► filter 1 ─► filter 0 ─► chunk
//! ```
//!
//! The stages pass their bytes through two buffers in turn, which belong to the caller and keep their memory from one
//! chunk to the next.

use super::{Context, EncodedChunk, Filter, registry};
use crate::chunk::{resize, too_large};
use crate::error::{Error, Result};
use crate::model::FilterSpec;

/// Buffers for the stages of a pipeline. One for each thread; empty at first.
#[derive(Debug, Default)]
pub struct Scratch {
    buffers: [Vec<u8>; 2],
}

impl Scratch {
    /// Buffers that hold no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of memory held.
    pub fn capacity(&self) -> usize {
        self.buffers.iter().map(Vec::capacity).sum()
    }
}

/// A buffer this large, in bytes, is taken from the system for one stage and given back after it: what is not touched of
/// it takes no memory. Smaller ones are kept, as new memory costs time.
const LARGE: usize = 32 << 20;

/// Makes `out` hold `size` bytes of any content, which a stage overwrites from the first on, mostly not to the last.
///
/// # Errors
/// Where memory does not hold that.
pub(super) fn room(out: &mut Vec<u8>, size: usize) -> Result<()> {
    if size < LARGE || out.len() >= size {
        // Not cleared first: what is there already need not be zeroed again.
        return resize(out, size);
    }
    *out = Vec::new();
    let mut tried = Vec::<u8>::new();
    tried.try_reserve_exact(size).map_err(|_| too_large(size))?;
    drop(tried);
    // The system's zeros, where resizing would write its own.
    *out = vec![0; size];
    Ok(())
}

/// The most filters that a pipeline has: the mask has one bit for each.
pub const MAX_FILTERS: usize = 32;

/// Whether every filter of the pipeline is built in, so that its chunks can be decoded and encoded.
pub fn is_known(pipeline: &[FilterSpec]) -> bool {
    pipeline.iter().all(|spec| registry::find(spec.id).is_some())
}

/// The filters that are not masked, with their positions.
fn active(pipeline: &[FilterSpec], mask: u32) -> Result<Vec<(usize, &FilterSpec, &'static dyn Filter)>> {
    if pipeline.len() > MAX_FILTERS {
        return Err(Error::Damaged(format!(
            "a pipeline of {} filters",
            pipeline.len()
        )));
    }
    let filters = pipeline.iter().enumerate();
    filters
        .filter(|(position, _)| mask >> position & 1 == 0)
        .map(|(position, spec)| Ok((position, spec, registry::get(spec.id, &spec.name)?)))
        .collect()
}

/// How long the output of the decoding stage of the filter at `position` may be: the chunk, and what encoding with the
/// filters before it may have added (an eighth and 4 KiB each, which is more than any does).
fn stage_limit(chunk_size: usize, position: usize) -> usize {
    let growth = (chunk_size / 8).saturating_add(4096);
    chunk_size.saturating_add(growth.saturating_mul(position))
}

/// Encodes one chunk. The result's bytes take no more memory than they need.
///
/// As in libhdf5, an optional filter that fails on the chunk is left out, and its bit set in the mask.
///
/// With an empty pipeline the data is copied; where it is owned, make the [`EncodedChunk`] of it instead.
///
/// # Errors
/// [`Error::UnknownFilter`] where a filter is not built in; [`Error::Filter`] where one that is mandatory fails.
pub fn encode(
    pipeline: &[FilterSpec],
    data: &[u8],
    scratch: &mut Scratch,
    context: &Context,
) -> Result<EncodedChunk> {
    let [mut input, mut output] = scratch.buffers.each_mut();
    let mut in_scratch = false;
    let mut filter_mask = 0;
    for (position, spec, filter) in active(pipeline, 0)? {
        let from = if in_scratch { input.as_slice() } else { data };
        match filter.encode(&spec.parameters, from, output, context) {
            Ok(()) => {
                std::mem::swap(&mut input, &mut output);
                in_scratch = true;
            }
            Err(_) if spec.optional => filter_mask |= 1 << position,
            Err(error) => return Err(error),
        }
    }
    let bytes = match in_scratch {
        true if input.capacity() >= LARGE => {
            let mut bytes = std::mem::take(input);
            bytes.shrink_to_fit();
            bytes
        }
        true => input.to_vec(),
        false => data.to_vec(),
    };
    Ok(EncodedChunk { bytes, filter_mask })
}

/// Decodes one chunk into `out`, whose earlier content is lost and whose memory is used again. The chunk must have
/// exactly `context.chunk_size` bytes.
///
/// # Errors
/// [`Error::UnknownFilter`] where a filter that was not skipped is not built in; [`Error::Filter`] for damaged input;
/// [`Error::Damaged`] where the chunk has another size.
pub fn decode_into(
    pipeline: &[FilterSpec],
    bytes: &[u8],
    filter_mask: u32,
    context: &Context,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<()> {
    let stages = active(pipeline, filter_mask)?;
    let [mut input, mut output] = scratch.buffers.each_mut();
    let mut in_scratch = false;
    // Encoding stages before this one that can have made its decoded output longer than the chunk.
    let mut before = stages.len();
    for (_, spec, filter) in stages.into_iter().rev() {
        before -= 1;
        let from = if in_scratch { input.as_slice() } else { bytes };
        let limit = Context {
            chunk_size: stage_limit(context.chunk_size, before),
            ..*context
        };
        if before == 0 {
            filter.decode(&spec.parameters, from, out, &limit)?;
            return check_size(out.len(), context);
        }
        filter.decode(&spec.parameters, from, output, &limit)?;
        std::mem::swap(&mut input, &mut output);
        in_scratch = true;
    }
    // No filter was active.
    check_size(bytes.len(), context)?;
    out.clear();
    out.extend_from_slice(bytes);
    Ok(())
}

/// Decodes one chunk. Where no filter was applied to it, its bytes are moved, not copied.
///
/// # Errors
/// Those of [`decode_into`].
pub fn decode(
    pipeline: &[FilterSpec],
    chunk: EncodedChunk,
    context: &Context,
    scratch: &mut Scratch,
) -> Result<Vec<u8>> {
    if active(pipeline, chunk.filter_mask)?.is_empty() {
        check_size(chunk.bytes.len(), context)?;
        return Ok(chunk.bytes);
    }
    let mut out = Vec::new();
    decode_into(
        pipeline,
        &chunk.bytes,
        chunk.filter_mask,
        context,
        scratch,
        &mut out,
    )?;
    Ok(out)
}

pub(crate) fn check_size(size: usize, context: &Context) -> Result<()> {
    if size == context.chunk_size {
        return Ok(());
    }
    Err(Error::Damaged(format!(
        "the chunk has {size} bytes after decoding instead of {}",
        context.chunk_size
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spec(id: u32, optional: bool, parameters: &[u32]) -> FilterSpec {
        FilterSpec {
            id,
            optional,
            parameters: parameters.to_vec(),
            name: String::new(),
        }
    }

    fn context(chunk_size: usize) -> Context {
        Context {
            element_size: 4,
            chunk_size,
        }
    }

    fn ramp(elements: u32) -> Vec<u8> {
        (0..elements).flat_map(|i| (i / 3).to_le_bytes()).collect()
    }

    #[test]
    fn a_filter_that_was_masked_is_not_decoded() {
        let pipeline = [spec(2, true, &[4]), spec(1, true, &[5])];
        let data = ramp(500);
        let mut scratch = Scratch::new();
        let mut shuffled = Vec::new();
        super::super::shuffle::shuffle(4, &data, &mut shuffled);
        let chunk = EncodedChunk {
            bytes: shuffled,
            filter_mask: 0b10,
        };
        assert_eq!(
            decode(&pipeline, chunk, &context(2000), &mut scratch).unwrap(),
            data
        );
        let chunk = EncodedChunk {
            bytes: data.clone(),
            filter_mask: 0b11,
        };
        assert_eq!(
            decode(&pipeline, chunk.clone(), &context(2000), &mut scratch).unwrap(),
            data
        );
        let error = decode(&pipeline, chunk, &context(2001), &mut scratch)
            .unwrap_err()
            .to_string();
        assert!(error.contains("2000") && error.contains("2001"), "{error}");
    }

    #[test]
    fn an_optional_filter_that_fails_is_skipped() {
        // Noise does not shrink under szip.
        let mut state = 1u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 56) as u8
        })
        .take(4000)
        .collect();
        let szip = [141, 32, 8, 100];
        let mut scratch = Scratch::new();
        let chunk = encode(
            &[spec(3, false, &[]), spec(4, true, &szip)],
            &noise,
            &mut scratch,
            &context(4000),
        )
        .unwrap();
        assert_eq!((chunk.filter_mask, chunk.bytes.len()), (0b10, 4004));
        let pipeline = [spec(3, false, &[]), spec(4, false, &szip)];
        assert!(encode(&pipeline, &noise, &mut scratch, &context(4000)).is_err());
        assert_eq!(
            decode(&pipeline, chunk, &context(4000), &mut scratch).unwrap(),
            noise
        );
    }

    #[test]
    fn unknown_filters_are_named() {
        let mut unknown = spec(32001, true, &[]);
        unknown.name = "blosc".to_owned();
        let pipeline = [unknown];
        let mut scratch = Scratch::new();
        let error = encode(&pipeline, &[0; 4], &mut scratch, &context(4))
            .unwrap_err()
            .to_string();
        assert!(error.contains("32001") && error.contains("blosc"), "{error}");
        let chunk = |filter_mask| EncodedChunk {
            bytes: vec![0; 4],
            filter_mask,
        };
        assert!(decode(&pipeline, chunk(0), &context(4), &mut scratch).is_err());
        assert!(decode(&pipeline, chunk(1), &context(4), &mut scratch).is_ok());
        assert!(!is_known(&pipeline));
    }

    #[test]
    fn a_large_chunk_leaves_no_large_buffer() {
        let zeros = vec![0; LARGE];
        let pipeline = [spec(1, true, &[1])];
        let mut scratch = Scratch::new();
        for _ in 0..2 {
            let chunk = encode(&pipeline, &zeros, &mut scratch, &context(LARGE)).unwrap();
            assert!(chunk.bytes.capacity() < LARGE / 100);
            assert!(scratch.capacity() < LARGE);
            let data = decode(&pipeline, chunk, &context(LARGE), &mut Scratch::new()).unwrap();
            assert_eq!(data, zeros);
        }
    }

    #[test]
    fn room_is_made_anew_or_kept() {
        let mut out = vec![7; 10];
        room(&mut out, 20).unwrap();
        assert_eq!((out[..10].to_vec(), out.len()), (vec![7; 10], 20));
        room(&mut out, LARGE).unwrap();
        assert_eq!((out[0], out.len()), (0, LARGE));
        out[0] = 1;
        room(&mut out, LARGE).unwrap();
        assert_eq!((out[0], out.len()), (1, LARGE));
        assert!(room(&mut out, isize::MAX as usize).is_err());
        assert!(out.is_empty());
    }

    #[test]
    fn a_bomb_between_stages_is_stopped() {
        let zeros = vec![0; 50_000_000];
        let mut scratch = Scratch::new();
        let pipeline = [spec(1, true, &[9]), spec(1, true, &[9])];
        let bomb = encode(&pipeline, &zeros, &mut scratch, &context(zeros.len())).unwrap();
        assert!(bomb.bytes.len() < 1000);
        let mut scratch = Scratch::new();
        assert!(decode(&pipeline, bomb, &context(1000), &mut scratch).is_err());
        assert!(scratch.capacity() < 20_000);
    }

    #[test]
    fn scratch_is_used_again() {
        let pipeline = [spec(2, true, &[4]), spec(1, true, &[5])];
        let data = ramp(5000);
        let (mut scratch, mut out) = (Scratch::new(), Vec::new());
        let chunk = encode(&pipeline, &data, &mut scratch, &context(data.len())).unwrap();
        assert_eq!(chunk.bytes.capacity(), chunk.bytes.len());
        for _ in 0..3 {
            decode_into(
                &pipeline,
                &chunk.bytes,
                0,
                &context(data.len()),
                &mut scratch,
                &mut out,
            )
            .unwrap();
            assert_eq!(out, data);
        }
        let (held, at) = (scratch.capacity(), out.as_ptr());
        decode_into(
            &pipeline,
            &chunk.bytes,
            0,
            &context(data.len()),
            &mut scratch,
            &mut out,
        )
        .unwrap();
        assert_eq!((scratch.capacity(), out.as_ptr()), (held, at));
    }

    fn any_filter() -> impl Strategy<Value = FilterSpec> {
        prop_oneof![
            Just(spec(2, true, &[4])),
            Just(spec(3, false, &[])),
            (0u32..10).prop_map(|level| spec(1, true, &[level])),
            Just(spec(4, true, &[169, 32, 32, 80])),
            Just(spec(4, true, &[141, 8, 16, 50])),
            (1u32..10).prop_map(|block| spec(307, true, &[block])),
            (1u32..5).prop_map(|level| spec(32015, true, &[level])),
        ]
    }

    proptest! {
        #[test]
        fn round_trip(
            pipeline in proptest::collection::vec(any_filter(), 0..5),
            data in proptest::collection::vec(0u8..20, 0..4000),
        ) {
            let mut scratch = Scratch::new();
            let chunk = encode(&pipeline, &data, &mut scratch, &context(data.len())).unwrap();
            prop_assert_eq!(decode(&pipeline, chunk, &context(data.len()), &mut scratch).unwrap(), data);
        }

        #[test]
        fn garbage_neither_panics_nor_grows(
            pipeline in proptest::collection::vec(any_filter(), 1..4),
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            filter_mask in 0u32..8,
        ) {
            let mut scratch = Scratch::new();
            if let Ok(out) = decode(&pipeline, EncodedChunk { bytes, filter_mask }, &context(5000), &mut scratch) {
                prop_assert_eq!(out.len(), 5000);
            }
            prop_assert!(scratch.capacity() < 2_000_000);
        }
    }
}
