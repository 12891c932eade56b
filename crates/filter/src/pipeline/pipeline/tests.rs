//! Masks, limits, clipped chunks, codecs that fail or are not known, and both directions on made-up data.

mod any_codec;

use super::*;
use crate::AskedCodec;
use crate::codec::facts::CodecFacts;
use crate::codec::room::room;
use crate::{Codec, NumberClass, UNKNOWN_ID, ZarrForm};
use ncutils_model::{Configuration, Endian, ZarrVersion};

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

fn decode(specs: &[CodecSpec], chunk: EncodedChunk, size: usize, scratch: &mut Scratch) -> Result<Vec<u8>> {
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
    crate::shuffle::shuffle::shuffle(4, &data, &mut shuffled);
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
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(65001),
            zarr3: Some("test.fivefold"),
            ..CodecFacts::named("fivefold")
        }
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

/// Keeps the low half of each number, as Zarr's type conversions do.
struct Halve;

impl Codec for Halve {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(65002),
            encoded_type: Some(|_, chunk| {
                let half = chunk.element_size / 2;
                ChunkType::of_numbers(NumberClass::Unsigned, half, chunk.endian, &chunk.shape)
            }),
            ..CodecFacts::named("halve")
        }
    }

    fn bind(&self, _: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Half(chunk.element_size)))
    }
}

/// [`Halve`], for elements of this many bytes.
struct Half(usize);

impl BoundCodec for Half {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        out.extend(input.chunks(self.0).flat_map(|n| &n[..self.0 / 2]));
        Ok(())
    }
    fn decode(&self, input: &[u8], _: ChunkShape, _: usize, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        out.extend(
            input
                .chunks(self.0 / 2)
                .flat_map(|n| [n, &vec![0; self.0 / 2]].concat()),
        );
        Ok(())
    }
    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}

#[test]
fn a_codec_that_changes_the_type_takes_no_clipped_chunks() {
    let mut registry = Registry::builtin();
    registry.add(Arc::new(Halve));
    let chunk = ChunkType::of_numbers(NumberClass::Unsigned, 8, Endian::Little, &[10]);
    let specs = [
        spec(65002, false, &[]),
        spec(65002, false, &[]),
        spec(1, false, &[1]),
    ];
    let pipeline = registry.bind(&specs, &chunk).unwrap();
    let data: Vec<u8> = (0..10u64).flat_map(u64::to_le_bytes).collect();
    let mut scratch = Scratch::new();
    let encoded = pipeline.encode(&data, ChunkShape::Full, &mut scratch).unwrap();
    let decoded = pipeline.decode(encoded.clone(), ChunkShape::Full, &mut scratch);
    assert_eq!(decoded.unwrap(), data);
    let clipped = ChunkShape::Clipped(&[3]);
    for failed in [
        pipeline.encode(&data[..24], clipped, &mut scratch).map(|_| ()),
        pipeline.decode(encoded, clipped, &mut scratch).map(|_| ()),
    ] {
        let error = failed.unwrap_err().to_string();
        assert!(
            error.contains("filter 65002 (halve)") && error.contains("clipped"),
            "{error}"
        );
    }
    // No codec runs.
    let plain = EncodedChunk {
        bytes: data[..24].to_vec(),
        filter_mask: ALL_SKIPPED,
    };
    assert_eq!(pipeline.decode(plain, clipped, &mut scratch).unwrap(), data[..24]);
}

/// Its stored parameter is the size of an element, which its Zarr form does not tell.
struct Sized;

impl Codec for Sized {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(65003),
            zarr3: Some("test.sized"),
            zarr_form: Some(self),
            ..CodecFacts::named("sized")
        }
    }

    fn bind(&self, _: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Half(chunk.element_size)))
    }
}

impl ZarrForm for Sized {
    fn parameters(&self, _: ZarrVersion, _: &Configuration, chunk: &ChunkType) -> Option<Vec<u32>> {
        Some(vec![chunk.element_size as u32])
    }

    fn configuration(&self, _: ZarrVersion, _: &[u32], _: &ChunkType) -> Option<Configuration> {
        None
    }
}

#[test]
fn streams_are_compared_for_the_type_that_each_codec_gets() {
    let mut registry = Registry::builtin();
    registry.add(Arc::new(Halve));
    registry.add(Arc::new(Sized));
    let chunk = ChunkType::of_numbers(NumberClass::Unsigned, 8, Endian::Little, &[10]);
    let halve = spec(65002, false, &[]);
    let zarr = CodecSpec::zarr(ZarrVersion::V3, "test.sized", Configuration::new());
    let same = |size| {
        let hdf5 = [halve.clone(), spec(65003, false, &[size])];
        registry.same_streams(&hdf5, &[halve.clone(), zarr.clone()], &chunk)
    };
    assert!(same(4) && !same(8));
}

#[test]
fn each_codec_is_told_the_type_that_it_gets() {
    let mut registry = Registry::builtin();
    registry.add(Arc::new(Halve));
    let chunk = ChunkType::of_numbers(NumberClass::Unsigned, 8, Endian::Little, &[10]);
    let requested = [(65002, vec![]), (UNKNOWN_ID, vec![]), (4, vec![32, 8])]
        .map(|(id, parameters)| AskedCodec::id(id, parameters));
    let pipeline = registry.new_pipeline(&requested, &chunk).unwrap();
    let halved = ChunkType::of_numbers(NumberClass::Unsigned, 4, Endian::Little, &[10]);
    let szip = CodecSpec::hdf5(4, [32, 8]).with_optional(true);
    assert_eq!(pipeline[2], registry.working(&szip, &halved).unwrap());
    assert_ne!(pipeline[2], registry.working(&szip, &chunk).unwrap());
    let types: Vec<usize> = registry
        .types(&pipeline, &chunk)
        .map(|(_, ty)| ty.element_size)
        .collect();
    assert_eq!(types, [8, 4, 4]);
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

#[test]
fn a_chunk_beyond_the_limit_is_not_decoded() {
    let mut registry = Registry::builtin();
    registry.set_decode_limit(1000);
    let bind = |specs: &[CodecSpec], size| registry.bind(specs, &ChunkType::of_bytes(size)).unwrap();
    let deflate = [spec(1, false, &[1])];
    let mut scratch = Scratch::new();
    let stored = encode(&deflate, &[0; 1001], &mut scratch).unwrap();
    let error = bind(&deflate, 1001)
        .decode(stored, ChunkShape::Full, &mut scratch)
        .unwrap_err();
    assert!(matches!(error, Error::Alternative { .. }), "{error}");
    let plain = EncodedChunk {
        bytes: vec![7; 1001],
        filter_mask: 0,
    };
    let read = bind(&[], 1001).decode(plain, ChunkShape::Full, &mut scratch);
    assert_eq!(read.unwrap(), [7; 1001]);
    assert!(bind(&deflate, 1001).hold(1001).is_err() && bind(&[], 1001).hold(1001).is_ok());
}
