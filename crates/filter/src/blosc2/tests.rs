//! Parameters, frames of the registered plugin, and damaged frames.

use super::*;
use crate::test_codec::{decoded, encoded};
use crate::{NumberClass, Registry};
use ncutils_model::{Endian, ZarrVersion};
use proptest::prelude::*;
use serde_json::json;

fn floats(shape: &[u64]) -> ChunkType {
    ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, shape)
}

/// Words for chunks of 20 × 30 floats.
fn words(level: u32, filter: u32, compressor: u32) -> Vec<u32> {
    vec![1, 0, 4, 2400, level, filter, compressor, 2, 20, 30]
}

fn waves(count: usize) -> Vec<u8> {
    let waves = (0..count).map(|i| (i as f32 / 37.0).sin().to_le_bytes());
    waves.collect::<Vec<_>>().concat()
}

#[test]
fn parameters_that_a_user_gives() {
    for (given, shape, stored) in [
        (&[][..], &[100][..], &[1, 0, 4, 400, 5, 1, 0][..]),
        (&[0, 0, 0, 0], &[100], &[1, 0, 4, 400, 5, 1, 0]),
        (
            &[0, 0, 0, 0, 9, 2, 5],
            &[20, 30],
            &[1, 0, 4, 2400, 9, 2, 5, 2, 20, 30],
        ),
        (
            &[0, 512, 0, 0, 9],
            &[20, 30],
            &[1, 512, 4, 2400, 9, 1, 0, 2, 20, 30],
        ),
        // As ncdump prints what another variable stores.
        (
            &[1, 0, 8, 96, 3, 3, 4, 2, 3, 4],
            &[20, 30],
            &[1, 0, 4, 2400, 3, 3, 4, 2, 20, 30],
        ),
    ] {
        assert_eq!(Blosc2.working_parameters(given, &floats(shape)).unwrap(), stored);
    }
    for wrong in [
        &[5][..],
        &[0, 0, 0, 0, 10],
        &[0, 0, 0, 0, 5, 4],
        &[0, 0, 0, 0, 5, 1, 3],
        &[0, 0, 0, 0, 5, 1, 6],
        &[0, 0, 0, 0, 5, 1, 5, 2, 3],
    ] {
        let error = Blosc2.working_parameters(wrong, &floats(&[20, 30])).unwrap_err();
        assert!(error.starts_with("takes four numbers"), "{error}");
    }
    let huge = Blosc2.working_parameters(&[], &ChunkType::of_bytes(1 << 31));
    assert!(huge.unwrap_err().contains("2147483615"));
    let deep = floats(&[2; 17]);
    assert_eq!(Blosc2.working_parameters(&[], &deep).unwrap().len(), 7);
}

#[test]
fn parameters_have_names() {
    let registry = Registry::builtin();
    let chunk = floats(&[20, 30]);
    let named = json!({"cname": "lz4", "clevel": 3, "shuffle": 3, "blocksize": 600});
    let visible = visible_parameters(named.as_object().unwrap());
    assert_eq!(visible.unwrap(), [0, 600, 0, 0, 3, 3, 1]);
    let asked =
        crate::spec::filter_argument::parse_filters("blosc2,cname=zstd,clevel=7,shuffle=bit").unwrap();
    let pipeline = registry.new_pipeline(&asked, &chunk).unwrap();
    assert_eq!(pipeline[0].parameters(), words(7, 2, 5));
    for odd in [
        json!({"cname": "snappy"}),
        json!({"clevel": 10}),
        json!({"shuffle": "bits"}),
        json!({"shuffle": 4}),
        json!({"more": 1}),
    ] {
        let odd = odd.as_object().unwrap();
        assert!(visible_parameters(odd).is_err(), "{odd:?}");
    }
    for (text, why) in [
        (
            "blosc2,cname=snappy",
            "takes cname (blosclz, lz4, lz4hc, zlib or zstd), clevel (0 to 9)",
        ),
        ("blosc2,level=3", "is 'clevel' meant"),
    ] {
        let asked = crate::spec::filter_argument::parse_filters(text).unwrap();
        let refused = registry.new_pipeline(&asked, &chunk).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    // No codec of Zarr stores frames.
    let spec = CodecSpec::hdf5(ID, words(5, 2, 5));
    for version in [ZarrVersion::V2, ZarrVersion::V3] {
        assert!(registry.in_zarr(&spec, version, &chunk).is_err());
    }
}

#[test]
fn parameters_with_one_meaning() {
    let canonical = |words: &[u32]| (&Blosc2 as &dyn Codec).canonical_parameters(words).into_owned();
    assert_eq!(canonical(&[1, 0, 4, 400]), canonical(&[2, 0, 4, 99, 5, 1, 0]));
    assert_ne!(canonical(&[1, 0, 4, 400]), canonical(&[1, 0, 8, 400]));
    assert_ne!(canonical(&words(5, 1, 0)), canonical(&words(5, 1, 0)[..7]));
}

#[test]
fn frames_of_the_plugin() {
    // 10 × 10 doubles, zero: `hdf5plugin.Blosc2("lz4", 5)`.
    let metalayer = [
        &b"\xa4b2nd\xd2\0\0\0\x6b\xdc\0\x01\xc6\0\0\0\x35\x97\0\x02"[..],
        &b"\x92\xd3\0\0\0\0\0\0\0\x0a\xd3\0\0\0\0\0\0\0\x0a"[..],
        &b"\x92\xd2\0\0\0\x0a\xd2\0\0\0\x0a\x92\xd2\0\0\0\x0a\xd2\0\0\0\x0a\0\xdb\0\0\0\x03|V8"[..],
    ]
    .concat();
    let stored = [
        &b"\x9e\xa8b2frame\0\xd2\0\0\0\xa5\xcf\0\0\0\0\0\0\0\xf0\xa4\x12\0\x51\x03\xd3\0\0\0\0\0\0\x03\x20"[..],
        b"\xd3\0\0\0\0\0\0\0\0\xd2\0\0\0\x08\xd2\0\0\x03\x20\xd2\0\0\x03\x20\xd1\0\0\xd1\0\x01\xc2\xd8\x06",
        b"\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0\0\0\x93\xcd\0\x11\xde\0\x01",
        &metalayer,
        b"\x05\x01\x07\x08\x08\0\0\0\x08\0\0\0\x28\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x81",
        b"\x94\x01\x93\xcd\0\x06\xde\0\0\xdc\0\0\xce\0\0\0\x23\xd8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ]
    .concat();
    let words = [1, 0, 8, 800, 5, 1, 1, 2, 10, 10];
    assert_eq!(encoded(&Blosc2, &words, &[0; 800]).unwrap(), stored);
    assert_eq!(decoded(&Blosc2, &[], &stored, 800).unwrap(), [0; 800]);
    let error = decoded(&Blosc2, &[], &stored, 799).unwrap_err();
    assert_eq!(error, "more than the 799 bytes expected");
    // NaN in place of zeros.
    let mut odd = stored.clone();
    odd[240 - 36] = 0x82;
    let nan = decoded(&Blosc2, &[], &odd, 800).unwrap();
    assert!(
        nan.chunks(8)
            .all(|n| f64::from_le_bytes(n.try_into().unwrap()).is_nan())
    );
    // A chunk in another file, and versions of later libraries.
    for (at, byte) in [(0x1a, 1), (0x19, 0x13), (0x5d, 17), (240 - 36, 0x85)] {
        let mut odd = stored.clone();
        odd[at] = byte;
        assert!(decoded(&Blosc2, &[], &odd, 800).is_err(), "{at:#x}");
    }
}

#[test]
fn the_shape_of_blocks() {
    use crate::blosc2::block_size::{block_bytes, block_shape};
    use ncutils_blosc::Compressor::{BloscLz, Zstd};
    assert_eq!(block_shape(16, 4, &[1, 9, 9]), [1, 2, 2]);
    assert_eq!(block_shape(1 << 18, 4, &[1000, 1000]), [256, 256]);
    assert_eq!(block_shape(7920, 4, &[60, 33]), [60, 33]);
    assert_eq!(block_bytes(BloscLz, 5, true, 4, 4_000_000, 0), 256 << 10);
    assert_eq!(block_bytes(Zstd, 9, true, 4, 4_000_000, 0), 1 << 20);
    assert_eq!(block_bytes(Zstd, 9, true, 3, 100, 50), 48);
    assert_eq!(block_bytes(Zstd, 9, true, 8, 5, 0), 1);
}

#[test]
fn every_setting_and_length() {
    let data = waves(600);
    for compressor in [0, 1, 2, 4, 5] {
        for filter in 0..4 {
            for level in [0, 1, 5, 9] {
                let words = words(level, filter, compressor);
                // Another length than the array's, as after fletcher32, is no array.
                for length in [2400, 2399, 2000, 33, 7, 1] {
                    let stored = encoded(&Blosc2, &words, &data[..length]).unwrap();
                    assert_eq!(decoded(&Blosc2, &[], &stored, length).unwrap(), data[..length]);
                    assert!(decoded(&Blosc2, &[], &stored, length - 1).is_err());
                }
            }
        }
    }
    assert!(encoded(&Blosc2, &words(5, 1, 0), &[]).is_err());
    assert!(encoded(&Blosc2, &words(5, 4, 0), &data).is_err());
}

#[test]
fn long_chunks_with_blocks_at_edges() {
    // Blocks that end outside of their chunk, and one chunk of a length that C-Blosc makes no single block of.
    for (shape, element_size) in [(&[331u32, 517][..], 4), (&[3, 331, 517], 1), (&[150_001], 4)] {
        let size = shape.iter().product::<u32>() * element_size;
        let data: Vec<u8> = (0..size).map(|i| (i / 50 % 200) as u8).collect();
        for (level, filter, compressor) in [(3, 1, 0), (9, 1, 2), (9, 2, 4), (5, 3, 5), (9, 0, 1)] {
            let mut words = vec![1, 0, element_size, size, level, filter, compressor];
            if shape.len() > 1 {
                words.push(shape.len() as u32);
                words.extend(shape);
            }
            let stored = encoded(&Blosc2, &words, &data).unwrap();
            assert!(stored.len() < data.len() * 9 / 10, "{words:?}: {}", stored.len());
            assert!(decoded(&Blosc2, &words, &stored, data.len()).unwrap() == data);
        }
    }
}

#[test]
fn cut_frames_are_errors() {
    let data = waves(600);
    for words in [
        words(5, 1, 0),
        words(5, 2, 5),
        words(0, 1, 1),
        words(5, 1, 1)[..7].to_vec(),
    ] {
        let stored = encoded(&Blosc2, &words, &data).unwrap();
        for end in 0..stored.len() {
            assert!(
                decoded(&Blosc2, &[], &stored[..end], data.len()).is_err(),
                "{end}"
            );
        }
        let longer = [&stored[..], &[0]].concat();
        assert!(decoded(&Blosc2, &[], &longer, data.len()).is_err());
    }
}

#[test]
fn any_bit_and_any_length() {
    let data = waves(600);
    for words in [
        words(5, 1, 0),
        words(5, 2, 5),
        words(3, 3, 1),
        words(5, 1, 4)[..7].to_vec(),
    ] {
        let stored = encoded(&Blosc2, &words, &data).unwrap();
        for at in 0..stored.len() {
            let mut odd = stored.clone();
            for bit in 0..8 {
                odd[at] ^= 1 << bit;
                if let Ok(out) = decoded(&Blosc2, &[], &odd, data.len()) {
                    assert!(out.len() <= data.len());
                }
                odd[at] ^= 1 << bit;
            }
            for lie in [0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
                for lie in [lie.to_be_bytes(), lie.to_le_bytes()] {
                    let mut odd = stored.clone();
                    let end = odd.len().min(at + 4);
                    odd[at..end].copy_from_slice(&lie[..end - at]);
                    if let Ok(out) = decoded(&Blosc2, &[], &odd, data.len()) {
                        assert!(out.len() <= data.len());
                    }
                }
            }
        }
    }
}

#[test]
fn code_of_users_is_refused() {
    let data = waves(600);
    let stored = encoded(&Blosc2, &words(5, 1, 5)[..7], &data).unwrap();
    // The chunk's header is behind that of the frame.
    let chunk = 97;
    assert_eq!(stored[chunk..chunk + 2], [5, 1]);
    for (at, byte, says) in [
        (2, 0x05 | 6 << 5, "compressor"),
        (2, 0x05 | 2 << 5, "compressor"),
        (2, 0x85 & !1, "version"),
        (21, 32, "filter 32"),
        (31, 0x01, "dictionary"),
        (31, 0x08, "elsewhere"),
        (31, 0x80, "elsewhere"),
        (31, 0x50, "reserved"),
        (3, 0, "sizes"),
    ] {
        let mut odd = stored.clone();
        odd[chunk + at] = byte;
        let error = decoded(&Blosc2, &[], &odd, data.len()).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

proptest! {
    #[test]
    fn any_array(
        shape in proptest::collection::vec(1u32..7, 2..6),
        block in 0u32..200,
        choice in (0u32..10, 0u32..4, prop_oneof![0u32..3, 4u32..6], 1u32..10),
        seed in proptest::collection::vec(any::<u8>(), 1..60),
    ) {
        let (level, filter, compressor, element) = choice;
        let size = shape.iter().product::<u32>() * element;
        let words = [&[1, block, element, size, level, filter, compressor, shape.len() as u32], &shape[..]].concat();
        let data: Vec<u8> = seed.into_iter().cycle().take(size as usize).collect();
        let stored = encoded(&Blosc2, &words, &data).unwrap();
        let spec = CodecSpec::hdf5(ID, words);
        let bound = Blosc2.bind(&spec, &ChunkType::of_bytes(data.len())).unwrap();
        prop_assert!(stored.len() <= bound.max_encoded_size(data.len()));
        prop_assert_eq!(decoded(&Blosc2, &[], &stored, data.len()).unwrap(), data);
    }

    #[test]
    fn any_damage(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        choice in (0u32..6, 0u32..4, prop_oneof![0u32..3, 4u32..6]),
        plain in any::<bool>(),
    ) {
        let words = words(choice.0, choice.1, choice.2);
        let words = if plain { &words[..7] } else { &words };
        let mut stored = encoded(&Blosc2, words, &waves(600)).unwrap();
        for (at, byte) in changes {
            let at = at.index(stored.len());
            stored[at] = byte;
        }
        if let Ok(out) = decoded(&Blosc2, &[], &stored, 2400) {
            prop_assert!(out.len() <= 2400);
        }
    }
}
