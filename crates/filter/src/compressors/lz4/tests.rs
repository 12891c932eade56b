//! Streams of the HDF5 plugin and of numcodecs, lengths that lie, and both directions on made-up data.

use super::*;
use crate::test_codec::{bound, decoded, encoded};
use ncutils_model::ZarrVersion;
use proptest::prelude::*;

/// A spec of numcodecs' codec.
fn zarr(version: ZarrVersion, acceleration: Option<i64>) -> CodecSpec {
    let member = acceleration.map(|number| ("acceleration".to_owned(), number.into()));
    let name = Lz4.facts().zarr_name(version).unwrap().to_owned();
    CodecSpec::zarr(version, name, Configuration::from_iter(member))
}

/// numcodecs' codec, bound.
fn single(acceleration: i64) -> Box<dyn BoundCodec> {
    let spec = zarr(ZarrVersion::V2, Some(acceleration));
    Lz4.bind(&spec, &ChunkType::of_bytes(100)).unwrap()
}

/// `LZ4().encode(b"hello hello hello hello")` of numcodecs.
const HELLO: [u8; 20] = [
    0x17, 0, 0, 0, 0x68, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x06, 0x00, 0x50, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
    0x00,
];

#[test]
fn stream_of_numcodecs() {
    let stored = &HELLO[..19];
    let plain = b"hello hello hello hello";
    let mut out = vec![9; 5];
    for acceleration in [-3, 1, 10] {
        let codec = single(acceleration);
        codec.decode(stored, ChunkShape::Full, 23, &mut out).unwrap();
        assert_eq!(out, plain);
        codec.encode(plain, ChunkShape::Full, &mut out).unwrap();
        assert_eq!(out[..4], stored[..4]);
        let mut back = Vec::new();
        codec.decode(&out, ChunkShape::Full, 23, &mut back).unwrap();
        assert_eq!(back, plain);
    }
    let codec = single(1);
    assert!(codec.decode(stored, ChunkShape::Full, 22, &mut out).is_err());
    for end in 0..stored.len() {
        assert!(
            codec
                .decode(&stored[..end], ChunkShape::Full, 23, &mut out)
                .is_err()
        );
    }
    assert!(codec.decode(&HELLO, ChunkShape::Full, 23, &mut out).is_err());
    // The HDF5 form is another stream.
    assert!(decoded(&Lz4, &[], stored, 23).is_err());
}

#[test]
fn stream_of_the_plugin() {
    // Two blocks: zeros, and three bytes that do not shrink.
    let stored = [
        0, 0, 0, 0, 0, 0, 0, 0x23, 0, 0, 0, 0x20, 0, 0, 0, 11, 0x1f, 0, 1, 0, 0x07, 0x50, 0, 0, 0, 0, 0, 0,
        0, 0, 3, 1, 2, 3,
    ];
    let mut plain = vec![0; 32];
    plain.extend([1, 2, 3]);
    assert_eq!(decoded(&Lz4, &[], &stored, 35).unwrap(), plain);
    assert!(decoded(&Lz4, &[], &stored, 34).is_err());
    let ours = encoded(&Lz4, &[32], &plain).unwrap();
    assert_eq!(ours[..12], stored[..12]);
    assert_eq!(ours[ours.len() - 7..], stored[stored.len() - 7..]);
    for end in 0..stored.len() {
        assert!(decoded(&Lz4, &[], &stored[..end], 35).is_err(), "{end}");
    }
    // A block without bytes.
    let mut empty = stored;
    empty[11] = 0;
    assert!(decoded(&Lz4, &[], &empty, 35).is_err());
}

#[test]
fn configurations_are_compared() {
    let same = same_configuration;
    let v2 = |acceleration| zarr(ZarrVersion::V2, acceleration);
    assert!(same(&v2(Some(1)), &v2(None)));
    assert!(same(&v2(Some(-5)), &zarr(ZarrVersion::V3, Some(0))));
    assert!(!same(&v2(Some(1)), &v2(Some(2))));
    let odd = Configuration::from_iter([("level".to_owned(), 1.into())]);
    let odd = CodecSpec::zarr(ZarrVersion::V2, "lz4", odd);
    assert!(!same(&odd, &odd));
    assert!(Lz4.bind(&odd, &ChunkType::of_bytes(100)).is_err());
    assert!(!same(&v2(Some(1)), &CodecSpec::hdf5(ID, [0])));
}

#[test]
fn parameters_are_checked() {
    let chunk = ChunkType::of_bytes(100);
    for visible in [&[][..], &[0], &[1], &[0x7e00_0000]] {
        assert_eq!(Lz4.working_parameters(visible, &chunk).unwrap(), visible);
    }
    for visible in [&[0x7e00_0001][..], &[0, 0]] {
        assert!(Lz4.working_parameters(visible, &chunk).is_err());
    }
    let lz4: &dyn Codec = &Lz4;
    assert_eq!(lz4.canonical_parameters(&[]), lz4.canonical_parameters(&[0, 7]));
    assert_eq!(Lz4.adapted_parameters(&[5, 6], &chunk).unwrap(), [5, 6]);
}

#[test]
fn a_false_size_makes_no_large_buffer() {
    let mut header = u64::MAX.to_be_bytes().to_vec();
    header.extend([0xff; 60]);
    let mut out = Vec::new();
    let codec = bound(&Lz4, &[], 100).unwrap();
    for total in [u64::MAX, 1 << 60, 1 << 30] {
        header[..8].copy_from_slice(&total.to_be_bytes());
        assert!(
            codec
                .decode(&header, ChunkShape::Full, usize::MAX, &mut out)
                .is_err()
        );
        assert!(out.capacity() < 100_000);
    }
}

proptest! {
    #[test]
    fn round_trip(
        data in proptest::collection::vec(0u8..50, 0..3000),
        size in prop_oneof![Just(0u32), 1u32..4000, Just(u32::MAX)],
    ) {
        let stored = encoded(&Lz4, &[size], &data).unwrap();
        prop_assert!(stored.len() <= bound(&Lz4, &[size], data.len()).unwrap().max_encoded_size(data.len()));
        prop_assert_eq!(decoded(&Lz4, &[], &stored, data.len()).unwrap(), &data[..]);
        let codec = single(1);
        let (mut stored, mut out) = (vec![1; 7], vec![2; 9]);
        codec.encode(&data, ChunkShape::Full, &mut stored).unwrap();
        codec.decode(&stored, ChunkShape::Full, data.len(), &mut out).unwrap();
        prop_assert_eq!(out, data);
    }

    #[test]
    fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300), total in 0u8..=255) {
        let hdf5 = [&[0, 0, 0, 0, 0, 0, 0, total, 0, 0, 0, 40][..], &data].concat();
        let zarr = [&[total, 0, 0, 0][..], &data].concat();
        let mut out = Vec::new();
        for input in [&data, &hdf5, &zarr] {
            for codec in [bound(&Lz4, &[], 100).unwrap(), single(1)] {
                if codec.decode(input, ChunkShape::Full, 1000, &mut out).is_ok() {
                    prop_assert!(out.len() <= 1000);
                }
            }
        }
    }
}
