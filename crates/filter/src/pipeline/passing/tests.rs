//! What encoders make passes, what is cut or became zeros does not, and a test refuses nothing that a decoder takes.

use super::*;
use crate::codec::encoded_test::PAGE;
use crate::{ChunkType, EncodedChunk, Registry, UNKNOWN_ID};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};
use proptest::prelude::*;

fn zarr(name: &str, members: &[(&str, serde_json::Value)]) -> CodecSpec {
    let members = members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    CodecSpec::zarr(ZarrVersion::V3, name, Configuration::from_iter(members))
}

/// Chains whose streams tell where they end.
fn chains_with_an_end() -> Vec<Vec<CodecSpec>> {
    let mut chains = vec![
        vec![CodecSpec::hdf5(3, [])],
        vec![CodecSpec::hdf5(2, [4]), CodecSpec::hdf5(3, [])],
        vec![CodecSpec::hdf5(2, [4])],
        vec![CodecSpec::hdf5(3, []), CodecSpec::hdf5(2, [4])],
        vec![CodecSpec::hdf5(1, [5]), CodecSpec::hdf5(3, [])],
        vec![CodecSpec::hdf5(3, []), CodecSpec::hdf5(32015, [3])],
        vec![CodecSpec::hdf5(32015, [3])],
        vec![CodecSpec::hdf5(32004, [])],
        vec![CodecSpec::hdf5(32004, [1000])],
        vec![CodecSpec::hdf5(32008, [0, 4, 4, 0, 2])],
        vec![CodecSpec::hdf5(32008, [0, 4, 4, 0, 3, 3])],
        vec![CodecSpec::hdf5(307, [1])],
        vec![zarr("gzip", &[("level", 5.into())])],
        vec![
            zarr("zstd", &[("level", 3.into()), ("checksum", true.into())]),
            zarr("crc32c", &[]),
        ],
        vec![zarr("crc32c", &[])],
        vec![zarr("numcodecs.adler32", &[])],
        vec![zarr("numcodecs.lzma", &[])],
    ];
    #[cfg(feature = "blosc")]
    chains
        .extend([0, 1, 4, 5].map(|compressor| vec![CodecSpec::hdf5(32001, [2, 2, 4, 0, 5, 1, compressor])]));
    #[cfg(feature = "blosc2")]
    chains.push(vec![CodecSpec::hdf5(32026, [1, 0, 4, 0, 5, 1, 1])]);
    chains
}

/// Chains of which a test tells less.
fn other_chains() -> Vec<Vec<CodecSpec>> {
    vec![
        vec![],
        vec![CodecSpec::hdf5(2, [4]), CodecSpec::hdf5(1, [5])],
        vec![CodecSpec::hdf5(1, [0])],
        vec![CodecSpec::hdf5(32000, [])],
        vec![CodecSpec::hdf5(4, [141, 8, 32, 32])],
        vec![zarr("numcodecs.zlib", &[("level", 1.into())])],
        vec![zarr("numcodecs.lz4", &[])],
    ]
}

/// A chain, bound to chunks of `size` bytes without masks.
fn bound(specs: &[CodecSpec], size: usize) -> Pipeline {
    let chunk = ChunkType::of_numbers(
        crate::NumberClass::Unsigned,
        4,
        ncutils_model::Endian::Little,
        &[size as u64 / 4],
    );
    Registry::builtin().bind(specs, &chunk).unwrap().without_masks()
}

fn tested(pipeline: &Pipeline, bytes: &[u8]) -> Result<Tested> {
    let (mut scratch, mut out) = (Scratch::new(), vec![7; 3]);
    pipeline.test(bytes, 0, ChunkShape::Full, &mut scratch, &mut out)
}

fn decoded(pipeline: &Pipeline, bytes: &[u8]) -> Result<Vec<u8>> {
    let chunk = EncodedChunk {
        bytes: bytes.to_vec(),
        filter_mask: 0,
    };
    pipeline.decode(chunk, ChunkShape::Full, &mut Scratch::new())
}

fn encoded(pipeline: &Pipeline, data: &[u8]) -> Vec<u8> {
    let encoded = pipeline.encode(data, ChunkShape::Full, &mut Scratch::new());
    encoded.unwrap().bytes
}

/// Smooth, constant and noisy numbers.
fn samples() -> [Vec<u8>; 4] {
    let mut noise = 1u32;
    let mut random = move || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise
    };
    [
        (0..700u32).flat_map(|n| (n * n / 5).to_le_bytes()).collect(),
        vec![0; 4000],
        (0..300).flat_map(|_| random().to_le_bytes()).collect(),
        vec![1, 2, 3, 4],
    ]
}

#[test]
fn what_encoders_make_passes() {
    for specs in chains_with_an_end().into_iter().chain(other_chains()) {
        for data in samples() {
            let pipeline = bound(&specs, data.len());
            let bytes = encoded(&pipeline, &data);
            let found = tested(&pipeline, &bytes).unwrap();
            let ends_in_checksum = specs.last().is_some_and(|last| {
                let registry = Registry::builtin();
                registry.find(last).unwrap().facts().is_checksum
            });
            assert_eq!(found == Tested::Checksum, ends_in_checksum, "{specs:?}");
            let is_lzf = specs.iter().any(|spec| spec.hdf5_id() == Some(32000));
            assert!(is_lzf || found > Tested::Nothing, "{specs:?}");
        }
    }
}

#[test]
fn every_cut_is_found() {
    for specs in chains_with_an_end() {
        for data in samples() {
            let pipeline = bound(&specs, data.len());
            let bytes = encoded(&pipeline, &data);
            for end in (0..bytes.len()).step_by(1 + bytes.len() / 500) {
                assert!(tested(&pipeline, &bytes[..end]).is_err(), "{specs:?} {end}");
            }
            assert!(tested(&pipeline, &bytes[..bytes.len() - 1]).is_err(), "{specs:?}");
        }
    }
}

#[test]
fn zeros_are_found() {
    let mut state = 1u64;
    let data: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Compressible, but not much.
        ((state >> 32) as u32 & 0x0f3f_3f3f).to_le_bytes()
    })
    .take(20_000)
    .flatten()
    .collect();
    for specs in chains_with_an_end().into_iter().chain(other_chains()) {
        let pipeline = bound(&specs, data.len());
        let bytes = encoded(&pipeline, &data);
        let only_length = specs.iter().all(|spec| matches!(spec.hdf5_id(), Some(2 | 4)));
        // What no checksum covers may decode all the same, and .xz streams are not looked through.
        let verifies = |spec: &CodecSpec| {
            let registry = Registry::builtin();
            registry.find(spec).is_some_and(|codec| codec.facts().verifies())
        };
        let is_xz = specs.iter().any(|spec| spec.to_string().contains("lzma"));
        if !only_length {
            let is_fletcher = specs.iter().any(|spec| spec.hdf5_id() == Some(3));
            let whole = tested(&pipeline, &vec![0; bytes.len()]);
            // The Fletcher-32 of zeros is zero.
            assert!(whole.is_err() || is_fletcher && specs.len() < 3, "{specs:?}");
        }
        if specs.iter().any(verifies) && !is_xz {
            for start in (0..bytes.len() - PAGE).step_by(997) {
                let mut bytes = bytes.clone();
                bytes[start..start + PAGE].fill(0);
                assert!(tested(&pipeline, &bytes).is_err(), "{specs:?} {start}");
            }
        }
    }
}

#[test]
fn every_byte_under_a_checksum_counts() {
    for specs in chains_with_an_end() {
        let data = &samples()[0];
        let pipeline = bound(&specs, data.len());
        let bytes = encoded(&pipeline, data);
        if tested(&pipeline, &bytes).unwrap() >= Tested::Checksum {
            for at in 0..bytes.len() {
                let mut bytes = bytes.clone();
                bytes[at] ^= 0x40;
                assert!(tested(&pipeline, &bytes).is_err(), "{specs:?} {at}");
            }
        }
    }
}

#[test]
fn what_only_some_writers_make_passes() {
    let data = &samples()[0];
    let one = |specs: &[CodecSpec], part: &[u8]| encoded(&bound(specs, part.len()), part);
    let (first, second) = data.split_at(1000);
    let zstd = [CodecSpec::hdf5(32015, [3])];
    let pipeline = bound(&zstd, data.len());
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let frames = [&one(&zstd, first)[..], &skippable, &one(&zstd, second)].concat();
    assert_eq!(tested(&pipeline, &frames).unwrap(), Tested::Structure);
    let streamed = ::zstd::stream::encode_all(&data[..], 1).unwrap();
    assert_eq!(tested(&pipeline, &streamed).unwrap(), Tested::Structure);
    let gzip = [zarr("gzip", &[])];
    let members = [one(&gzip, first), one(&gzip, second)].concat();
    assert_eq!(
        tested(&bound(&gzip, data.len()), &members).unwrap(),
        Tested::Decoded
    );
    let deflate = [CodecSpec::hdf5(1, [5])];
    let longer = [&one(&deflate, data)[..], &[0; 100]].concat();
    assert_eq!(
        tested(&bound(&deflate, data.len()), &longer).unwrap(),
        Tested::Decoded
    );
    let constant = vec![0; 40 << 20];
    let pipeline = bound(&deflate, constant.len());
    assert!(tested(&pipeline, &one(&deflate, &constant)).unwrap() > Tested::Nothing);
    let mut swapped = one(&[CodecSpec::hdf5(3, [])], data);
    let sum = swapped.len() - 4;
    swapped[sum..].swap(0, 1);
    swapped[sum..].swap(2, 3);
    let pipeline = bound(&[CodecSpec::hdf5(3, [])], data.len());
    assert_eq!(tested(&pipeline, &swapped).unwrap(), Tested::Checksum);
}

#[test]
fn masks_and_unknown_codecs_leave_what_can_be_tested() {
    let data = &samples()[0];
    let unknown = CodecSpec::hdf5(UNKNOWN_ID, []);
    let sum = CodecSpec::hdf5(3, []);
    let summed = encoded(&bound(std::slice::from_ref(&sum), data.len()), data);
    let pipeline = bound(&[unknown.clone(), sum.clone()], 999);
    assert_eq!(tested(&pipeline, &summed).unwrap(), Tested::Checksum);
    let mut damaged = summed.clone();
    damaged[7] ^= 1;
    let error = tested(&pipeline, &damaged).unwrap_err().to_string();
    assert!(
        error.starts_with("filter 3 (fletcher32): checksum mismatch"),
        "{error}"
    );
    let pipeline = bound(&[sum, unknown], data.len());
    assert_eq!(tested(&pipeline, &damaged).unwrap(), Tested::Nothing);
    let (mut scratch, mut out) = (Scratch::new(), Vec::new());
    let mut test = |bytes: &[u8], mask| pipeline.test(bytes, mask, ChunkShape::Full, &mut scratch, &mut out);
    assert_eq!(test(&summed, 0b10).unwrap(), Tested::Checksum);
    assert!(test(&damaged, 0b10).is_err());
    assert_eq!(test(data, 0b11).unwrap(), Tested::Structure);
    assert!(test(&summed, 0b11).is_err());
}

#[test]
fn what_memory_does_not_let_decode_is_not_refused() {
    let size = 8 << 20;
    let mut registry = Registry::builtin();
    registry.set_decode_limit(1 << 20);
    let bind = |specs: &[CodecSpec]| registry.bind(specs, &ChunkType::of_bytes(size)).unwrap();
    let (deflate, sum) = (CodecSpec::hdf5(1, [5]), CodecSpec::hdf5(3, []));
    // Bytes behind the stream look like damage.
    let mut bytes = encoded(&bind(std::slice::from_ref(&deflate)), &vec![0; size]);
    bytes.extend([0; 100]);
    assert_eq!(
        tested(&bind(std::slice::from_ref(&deflate)), &bytes).unwrap(),
        Tested::Nothing
    );
    let mut bytes = encoded(&bind(&[deflate.clone(), sum.clone()]), &vec![0; size]);
    bytes[500] ^= 1;
    assert!(tested(&bind(&[deflate, sum]), &bytes).is_err());
}

proptest! {
    /// A chunk that a test refuses is one that the decoder refuses, for the same reason.
    #[test]
    fn a_decoder_has_the_last_word(
        chain in 0usize..30,
        data in proptest::collection::vec(0u8..40, 4..900),
        at in any::<proptest::sample::Index>(),
        change in 0u8..5,
        byte in any::<u8>(),
    ) {
        let chains: Vec<_> = chains_with_an_end().into_iter().chain(other_chains()).collect();
        let data = &data[..data.len() / 4 * 4];
        let pipeline = bound(&chains[chain % chains.len()], data.len());
        let mut bytes = encoded(&pipeline, data);
        let at = at.index(bytes.len());
        match change {
            0 => bytes[at] ^= byte,
            1 => bytes.truncate(at),
            2 => bytes[at..].fill(0),
            3 => bytes[..at].fill(0),
            _ => bytes.extend([byte; 9]),
        }
        match (tested(&pipeline, &bytes), decoded(&pipeline, &bytes)) {
            (Err(found), Err(told)) => prop_assert_eq!(found.to_string(), told.to_string()),
            (Err(found), Ok(_)) => prop_assert!(false, "{} {}", found, chain),
            (Ok(Tested::Decoded), told) => prop_assert!(told.is_ok()),
            (Ok(_), _) => {}
        }
    }

    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), chain in 0usize..30) {
        let chains: Vec<_> = chains_with_an_end().into_iter().chain(other_chains()).collect();
        let _ = tested(&bound(&chains[chain % chains.len()], 400), &bytes);
    }
}
