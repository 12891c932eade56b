//! The codecs of one variable, bound to its chunks.
//!
//! ```text
//! encode:  chunk ─► codec 0 ─► codec 1 ─► … ─► stored bytes, mask of the codecs that were skipped
//! decode:  stored bytes ─► … ─► codec 1 ─► codec 0 ─► chunk
//! ```
//!
//! The stages pass their bytes through two buffers in turn. These belong to the caller and keep their memory from one
//! chunk to the next.

use std::fmt;
use std::sync::{Arc, LazyLock};

use super::chunk_type::{ChunkShape, ChunkType};
use super::codec::{BoundCodec, Outcome};
use super::registry::Registry;
use crate::chunk::{resize, too_large};
use crate::error::{Error, Result};
use crate::model::CodecSpec;

/// One chunk as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedChunk {
    /// The bytes after the codecs.
    pub bytes: Vec<u8>,
    /// HDF5's filter mask: bit i set means that codec i of the pipeline was skipped.
    pub filter_mask: u32,
}

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

/// The most codecs that a pipeline has: the mask has one bit for each.
pub const MAX_FILTERS: usize = 32;

/// The filter mask of a chunk that no codec was applied to.
pub const ALL_SKIPPED: u32 = u32::MAX;

/// The codecs of one variable, bound to its chunks. Made by [`Registry::bind`]; used from many threads at once.
pub struct Pipeline {
    specs: Box<[CodecSpec]>,
    /// One for each of `specs`.
    stages: Box<[Stage]>,
    chunk: ChunkType,
    decoded_size: usize,
}

/// One codec of a pipeline.
struct Stage {
    codec: Bound,
    /// Its name for messages.
    label: Label,
    optional: bool,
}

/// What became of a spec.
enum Bound {
    Ready(Box<dyn BoundCodec>),
    /// No codec of the registry has this name.
    Unknown,
    /// The codec does not take these parameters, and why.
    Refused(String),
}

/// The codec's own name for a filter of HDF5; `None` where the spec's name is to be told.
type Label = Option<Box<str>>;

impl Pipeline {
    /// The one pipeline without codecs, of all variables that have no chunks. The decoded size of its chunks is 0.
    pub fn empty() -> Arc<Self> {
        static EMPTY: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
            Arc::new(Pipeline {
                specs: Box::default(),
                stages: Box::default(),
                chunk: ChunkType::of_bytes(0),
                decoded_size: 0,
            })
        });
        Arc::clone(&EMPTY)
    }

    /// See [`Registry::bind`].
    pub(super) fn bind(registry: &Registry, specs: &[CodecSpec], chunk: &ChunkType) -> Result<Self> {
        if specs.len() > MAX_FILTERS {
            return Err(Error::Damaged(format!("a pipeline of {} filters", specs.len())));
        }
        let stage = |spec: &CodecSpec| {
            let (codec, label) = match registry.find(spec) {
                None => (Bound::Unknown, None),
                Some(codec) => (
                    codec.bind(spec, chunk).map_or_else(Bound::Refused, Bound::Ready),
                    (spec.hdf5_id().is_some() && spec.name() != codec.name()).then(|| codec.name().into()),
                ),
            };
            Stage {
                codec,
                label,
                optional: spec.is_optional(),
            }
        };
        Ok(Self {
            stages: specs.iter().map(stage).collect(),
            specs: specs.into(),
            decoded_size: chunk.decoded_size(ChunkShape::Full)?,
            chunk: chunk.clone(),
        })
    }

    /// Whether there are no codecs.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// The codecs as the file names them.
    pub fn specs(&self) -> &[CodecSpec] {
        &self.specs
    }

    /// The chunks that the codecs are bound to.
    pub fn chunk_type(&self) -> &ChunkType {
        &self.chunk
    }

    /// Bytes of a decoded chunk of full shape.
    pub fn decoded_size(&self) -> usize {
        self.decoded_size
    }

    /// Bytes of a decoded chunk.
    ///
    /// # Errors
    /// A clipped chunk that does not fit into memory.
    pub fn size_of(&self, shape: ChunkShape) -> Result<usize> {
        match shape {
            ChunkShape::Full => Ok(self.decoded_size),
            clipped @ ChunkShape::Clipped(_) => self.chunk.decoded_size(clipped),
        }
    }

    /// Whether chunks can go through all codecs, as far as is known beforehand.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] for a codec that is not known.
    pub fn check_known(&self) -> Result<()> {
        for (stage, spec) in self.stages.iter().zip(&self.specs) {
            if matches!(stage.codec, Bound::Unknown) {
                return Err(unknown(spec));
            }
        }
        Ok(())
    }

    /// Encodes one chunk. The result's bytes take no more memory than they need.
    ///
    /// As in libhdf5, an optional codec that fails on the chunk is left out, and its bit set in the mask.
    ///
    /// Without codecs the data is copied; where it is owned, make the [`EncodedChunk`] of it instead.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] where a codec is not known; [`Error::Filter`] where one that is mandatory fails.
    pub fn encode(&self, data: &[u8], shape: ChunkShape, scratch: &mut Scratch) -> Result<EncodedChunk> {
        self.check_known()?;
        let [mut input, mut output] = scratch.buffers.each_mut();
        let mut in_scratch = false;
        let mut filter_mask = 0;
        for (position, stage) in self.stages.iter().enumerate() {
            let from = if in_scratch { input.as_slice() } else { data };
            match stage.encode(from, shape, output) {
                Ok(()) => {
                    std::mem::swap(&mut input, &mut output);
                    in_scratch = true;
                }
                Err(_) if stage.optional => filter_mask |= 1 << position,
                Err(why) => return Err(self.failure(position, why)),
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

    /// Decodes one chunk into `out`, whose earlier content is lost and whose memory is used again. The result has exactly
    /// [`Pipeline::size_of`] `shape` bytes.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] where a codec that was not skipped is not known; [`Error::Filter`] for damaged input;
    /// [`Error::Damaged`] where the chunk has another size.
    pub fn decode_into(
        &self,
        bytes: &[u8],
        filter_mask: u32,
        shape: ChunkShape,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let size = self.size_of(shape)?;
        let Some(first) = self.first_active(filter_mask) else {
            check_size(bytes.len(), size)?;
            out.clear();
            out.extend_from_slice(bytes);
            return Ok(());
        };
        // What each stage may decode to: the chunk, as long as the stages before can have made it.
        let mut limits = [0; MAX_FILTERS];
        let mut limit = size;
        for position in self.active(filter_mask) {
            limits[position] = limit;
            limit = match &self.stages[position].codec {
                Bound::Ready(codec) => codec.max_encoded_size(limit),
                Bound::Unknown => return Err(unknown(&self.specs[position])),
                Bound::Refused(why) => return Err(self.failure(position, why.clone())),
            };
        }
        let [mut input, mut output] = scratch.buffers.each_mut();
        let mut in_scratch = false;
        for position in self.active(filter_mask).rev() {
            let from = if in_scratch { input.as_slice() } else { bytes };
            let to = if position == first {
                &mut *out
            } else {
                &mut *output
            };
            self.stages[position]
                .decode(from, shape, limits[position], to)
                .map_err(|why| self.failure(position, why))?;
            std::mem::swap(&mut input, &mut output);
            in_scratch = true;
        }
        check_size(out.len(), size)
    }

    /// Decodes one chunk. Where no codec was applied to it, its bytes are moved, not copied.
    ///
    /// # Errors
    /// Those of [`Pipeline::decode_into`].
    pub fn decode(&self, chunk: EncodedChunk, shape: ChunkShape, scratch: &mut Scratch) -> Result<Vec<u8>> {
        if self.first_active(chunk.filter_mask).is_none() {
            check_size(chunk.bytes.len(), self.size_of(shape)?)?;
            return Ok(chunk.bytes);
        }
        let mut out = Vec::new();
        self.decode_into(&chunk.bytes, chunk.filter_mask, shape, scratch, &mut out)?;
        Ok(out)
    }

    /// The positions of the codecs that are not masked.
    fn active(&self, mask: u32) -> impl DoubleEndedIterator<Item = usize> + use<> {
        (0..self.stages.len()).filter(move |position| mask >> position & 1 == 0)
    }

    fn first_active(&self, mask: u32) -> Option<usize> {
        self.active(mask).next()
    }

    /// The error of the codec at `position`.
    fn failure(&self, position: usize, why: String) -> Error {
        let (spec, stage) = (&self.specs[position], &self.stages[position]);
        let codec = match (&stage.label, spec.hdf5_id()) {
            (Some(name), Some(id)) => format!("filter {id} ({name})"),
            _ => spec.to_string(),
        };
        Error::Filter { codec, why }
    }
}

impl Stage {
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.encode(input, shape, out),
            Bound::Unknown => Err("not known".to_owned()),
            Bound::Refused(why) => Err(why.clone()),
        }
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.decode(input, shape, limit, out),
            Bound::Unknown => Err("not known".to_owned()),
            Bound::Refused(why) => Err(why.clone()),
        }
    }
}

/// Equal where the specs and the chunks are: what they are bound to is not looked at.
impl PartialEq for Pipeline {
    fn eq(&self, other: &Self) -> bool {
        self.specs == other.specs && self.chunk == other.chunk
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("specs", &self.specs)
            .field("chunk", &self.chunk)
            .finish()
    }
}

fn unknown(spec: &CodecSpec) -> Error {
    Error::UnknownFilter {
        codec: spec.to_string(),
    }
}

/// Checks that a chunk has as many bytes as it must.
///
/// # Errors
/// [`Error::Damaged`].
pub(crate) fn check_size(size: usize, expected: usize) -> Result<()> {
    if size == expected {
        return Ok(());
    }
    Err(Error::Damaged(format!(
        "the chunk has {size} bytes after decoding instead of {expected}"
    )))
}

#[cfg(test)]
mod tests {
    use super::super::{Codec, NumberClass, UNKNOWN_ID};
    use super::*;
    use crate::model::{Configuration, Endian, ZarrVersion};
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use std::collections::BTreeSet;

    fn spec(id: u32, optional: bool, parameters: &[u32]) -> CodecSpec {
        CodecSpec::hdf5(id, parameters).with_optional(optional)
    }

    fn bound(specs: &[CodecSpec], chunk_size: usize) -> Pipeline {
        Registry::builtin()
            .bind(specs, &ChunkType::of_bytes(chunk_size))
            .unwrap()
    }

    fn encode(specs: &[CodecSpec], data: &[u8], scratch: &mut Scratch) -> Result<EncodedChunk> {
        bound(specs, data.len()).encode(data, ChunkShape::Full, scratch)
    }

    fn decode(
        specs: &[CodecSpec],
        chunk: EncodedChunk,
        size: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>> {
        bound(specs, size).decode(chunk, ChunkShape::Full, scratch)
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
        assert_eq!(decode(&pipeline, chunk, 2000, &mut scratch).unwrap(), data);
        let chunk = EncodedChunk {
            bytes: data.clone(),
            filter_mask: 0b11,
        };
        assert_eq!(
            decode(&pipeline, chunk.clone(), 2000, &mut scratch).unwrap(),
            data
        );
        let error = decode(&pipeline, chunk, 2001, &mut scratch)
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
        let chunk = encode(&[spec(3, false, &[]), spec(4, true, &szip)], &noise, &mut scratch).unwrap();
        assert_eq!((chunk.filter_mask, chunk.bytes.len()), (0b10, 4004));
        let pipeline = [spec(3, false, &[]), spec(4, false, &szip)];
        assert!(encode(&pipeline, &noise, &mut scratch).is_err());
        assert_eq!(decode(&pipeline, chunk, 4000, &mut scratch).unwrap(), noise);
    }

    #[test]
    fn unknown_filters_are_named() {
        let pipeline = [spec(UNKNOWN_ID, true, &[]).with_name("odd")];
        let mut scratch = Scratch::new();
        let error = encode(&pipeline, &[0; 4], &mut scratch).unwrap_err().to_string();
        assert!(error.contains("filter 511 (odd)"), "{error}");
        let chunk = |filter_mask| EncodedChunk {
            bytes: vec![0; 4],
            filter_mask,
        };
        assert!(decode(&pipeline, chunk(0), 4, &mut scratch).is_err());
        assert!(decode(&pipeline, chunk(1), 4, &mut scratch).is_ok());
        assert!(bound(&pipeline, 4).check_known().is_err());
    }

    #[test]
    fn a_large_chunk_leaves_no_large_buffer() {
        let zeros = vec![0; LARGE];
        let pipeline = [spec(1, true, &[1])];
        let mut scratch = Scratch::new();
        for _ in 0..2 {
            let chunk = encode(&pipeline, &zeros, &mut scratch).unwrap();
            assert!(chunk.bytes.capacity() < LARGE / 100);
            assert!(scratch.capacity() < LARGE);
            let data = decode(&pipeline, chunk, LARGE, &mut Scratch::new()).unwrap();
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
        let bomb = encode(&pipeline, &zeros, &mut scratch).unwrap();
        assert!(bomb.bytes.len() < 1000);
        let mut scratch = Scratch::new();
        assert!(decode(&pipeline, bomb, 1000, &mut scratch).is_err());
        assert!(scratch.capacity() < 20_000);
    }

    #[test]
    fn scratch_is_used_again() {
        let pipeline = [spec(2, true, &[4]), spec(1, true, &[5])];
        let data = ramp(5000);
        let (mut scratch, mut out) = (Scratch::new(), Vec::new());
        let pipeline = bound(&pipeline, data.len());
        let chunk = pipeline.encode(&data, ChunkShape::Full, &mut scratch).unwrap();
        assert_eq!(chunk.bytes.capacity(), chunk.bytes.len());
        let mut decode = |scratch: &mut Scratch| {
            pipeline
                .decode_into(&chunk.bytes, 0, ChunkShape::Full, scratch, &mut out)
                .unwrap();
            assert_eq!(out, data);
            out.as_ptr()
        };
        for _ in 0..3 {
            decode(&mut scratch);
        }
        let (held, at) = (scratch.capacity(), decode(&mut scratch));
        assert_eq!((scratch.capacity(), decode(&mut scratch)), (held, at));
    }

    /// Writes each byte five times.
    struct Fivefold;

    impl Codec for Fivefold {
        fn name(&self) -> &str {
            "fivefold"
        }
        fn hdf5_id(&self) -> Option<u32> {
            Some(65001)
        }
        fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
            (version == ZarrVersion::V3).then_some("test.fivefold")
        }
        fn bind(&self, _: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
            Ok(Box::new(Self))
        }
    }

    impl BoundCodec for Fivefold {
        fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
            out.clear();
            out.extend(input.iter().flat_map(|byte| [*byte; 5]));
            Ok(())
        }
        fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
            if input.len() / 5 > limit {
                return Err(format!("more than the {limit} bytes expected"));
            }
            out.clear();
            out.extend(input.iter().step_by(5));
            Ok(())
        }
        fn max_encoded_size(&self, input_len: usize) -> usize {
            input_len.saturating_mul(5)
        }
    }

    #[test]
    fn stages_are_limited_by_what_the_stages_before_can_make() {
        let mut registry = Registry::builtin();
        registry.add(Arc::new(Fivefold));
        let data: Vec<u8> = (0..100_000u32).map(|i| (i / 7) as u8).collect();
        let fivefold = [
            spec(65001, false, &[]),
            CodecSpec::zarr(ZarrVersion::V3, "test.fivefold", Configuration::new()),
        ];
        let chunk = ChunkType::of_bytes(data.len());
        let mut scratch = Scratch::new();
        for first in fivefold {
            let grown = [first.clone(), first, spec(3, false, &[]), spec(1, false, &[1])];
            let pipeline = registry.bind(&grown, &chunk).unwrap();
            let encoded = pipeline.encode(&data, ChunkShape::Full, &mut scratch).unwrap();
            let decoded = pipeline.decode(encoded.clone(), ChunkShape::Full, &mut scratch);
            assert_eq!(decoded.unwrap(), data);
            // The same stream where nothing before it can have made it as long.
            let short = registry.bind(&grown[2..], &chunk).unwrap();
            let error = short.decode(encoded, ChunkShape::Full, &mut scratch).unwrap_err();
            assert!(
                error.to_string().contains("filter 1 (deflate): more than"),
                "{error}"
            );
        }
        // Not known to others.
        assert!(bound(&[spec(65001, true, &[])], 4).check_known().is_err());
    }

    #[test]
    fn clipped_chunks_have_a_size_of_their_own() {
        let float = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[10, 20]);
        // Shuffle, deflate; n-bit of 17 bits of 32, which counts elements.
        let pipelines = [
            vec![spec(2, true, &[4]), spec(1, true, &[5])],
            vec![spec(5, true, &[8, 0, 200, 1, 4, 0, 17, 3]), spec(3, false, &[])],
            Vec::new(),
        ];
        for specs in pipelines {
            let pipeline = Registry::builtin().bind(&specs, &float).unwrap();
            assert_eq!(pipeline.decoded_size(), 800);
            let clipped = ChunkShape::Clipped(&[3, 20]);
            let data: Vec<u8> = (0..60u32).flat_map(|i| (i << 5).to_le_bytes()).collect();
            let mut scratch = Scratch::new();
            let chunk = pipeline.encode(&data, clipped, &mut scratch).unwrap();
            assert_eq!(chunk.filter_mask, 0);
            assert_eq!(
                pipeline.decode(chunk.clone(), clipped, &mut scratch).unwrap(),
                data
            );
            assert!(pipeline.decode(chunk, ChunkShape::Full, &mut scratch).is_err());
        }
    }

    #[test]
    fn parameters_that_are_refused_fail_only_where_they_are_used() {
        let shuffle = [spec(2, true, &[])];
        let chunk = encode(&shuffle, &[1, 2, 3, 4], &mut Scratch::new()).unwrap();
        assert_eq!((chunk.filter_mask, &chunk.bytes[..]), (1, &[1, 2, 3, 4][..]));
        assert!(decode(&shuffle, chunk, 4, &mut Scratch::new()).is_ok());
        let chunk = EncodedChunk {
            bytes: vec![0; 4],
            filter_mask: 0,
        };
        let error = decode(&shuffle, chunk, 4, &mut Scratch::new()).unwrap_err();
        assert!(error.to_string().starts_with("filter 2 (shuffle): "), "{error}");
        assert!(encode(&[spec(2, false, &[])], &[0; 4], &mut Scratch::new()).is_err());
        let many = vec![spec(1, true, &[1]); MAX_FILTERS + 1];
        assert!(Registry::builtin().bind(&many, &ChunkType::of_bytes(4)).is_err());
    }

    fn any_filter() -> impl Strategy<Value = CodecSpec> {
        prop_oneof![
            Just(spec(2, true, &[4])),
            Just(spec(3, false, &[])),
            (0u32..10).prop_map(|level| spec(1, true, &[level])),
            Just(spec(4, true, &[169, 32, 32, 80])),
            Just(spec(4, true, &[141, 8, 16, 50])),
            (1u32..10).prop_map(|block| spec(307, true, &[block])),
            (1u32..5).prop_map(|level| spec(32015, true, &[level])),
            Just(spec(5, true, &[8, 1, 200, 1, 4, 0, 32, 0])),
        ]
    }

    #[test]
    fn every_codec_with_an_id_is_tried() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut left: BTreeSet<u32> = Registry::builtin()
            .iter()
            .filter_map(|codec| codec.hdf5_id())
            .collect();
        for _ in 0..1000 {
            let spec = any_filter().new_tree(&mut runner).unwrap().current();
            left.remove(&spec.hdf5_id().unwrap());
        }
        assert!(
            left.is_empty(),
            "the property tests leave out {left:?}: any_filter makes them"
        );
    }

    proptest! {
        #[test]
        fn round_trip(
            pipeline in proptest::collection::vec(any_filter(), 0..5),
            data in proptest::collection::vec(0u8..20, 0..4000),
        ) {
            let mut scratch = Scratch::new();
            let chunk = encode(&pipeline, &data, &mut scratch).unwrap();
            prop_assert_eq!(decode(&pipeline, chunk, data.len(), &mut scratch).unwrap(), data);
        }

        #[test]
        fn garbage_neither_panics_nor_grows(
            pipeline in proptest::collection::vec(any_filter(), 1..4),
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            filter_mask in 0u32..8,
        ) {
            let mut scratch = Scratch::new();
            if let Ok(out) = decode(&pipeline, EncodedChunk { bytes, filter_mask }, 5000, &mut scratch) {
                prop_assert_eq!(out.len(), 5000);
            }
            prop_assert!(scratch.capacity() < 2_000_000);
        }
    }
}
