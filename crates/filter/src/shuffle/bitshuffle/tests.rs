//! Streams of the plugin, parameters, lengths that lie, and both directions on made-up data.

use super::*;
use crate::NumberClass;
use crate::test_codec::{bound, decoded, encoded};
use ncutils_model::Endian;
use proptest::prelude::*;

fn numbers(size: usize) -> ChunkType {
    ChunkType::of_numbers(NumberClass::Signed, size, Endian::Little, &[100])
}

/// Seventeen bytes 0, 0, 0, 1, 1, 1, …, 5 in a chunk of the plugin, without compression.
const PLAIN: [u8; 17] = [
    0x38, 0x8e, 0xc0, 0x0f, 0x00, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
];

#[test]
fn streams_of_the_plugin() {
    let data: Vec<u8> = (0..17).map(|i| i / 3).collect();
    assert_eq!(encoded(&Bitshuffle, &[0, 4, 1], &data).unwrap(), PLAIN);
    let lz4 = [
        &[0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0x20, 0, 0, 0, 0, 18, 0xf0, 1][..],
        &PLAIN[..16],
        &[5],
    ];
    let lz4 = lz4.concat();
    assert_eq!(decoded(&Bitshuffle, &[0, 4, 1, 0, 2], &lz4, 17).unwrap(), data);
    assert_eq!(encoded(&Bitshuffle, &[0, 4, 1, 0, 2], &data).unwrap(), lz4);
    assert!(decoded(&Bitshuffle, &[0, 4, 1, 0, 2], &lz4, 16).is_err());
    for end in 0..lz4.len() {
        assert!(decoded(&Bitshuffle, &[0, 4, 1, 0, 2], &lz4[..end], 17).is_err());
    }
    // Less than eight elements stay as they are.
    let few = [0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0x20, 0, 0, 0, 0, 1, 1, 1, 2];
    assert_eq!(
        encoded(&Bitshuffle, &[0, 4, 1, 0, 3], &[0, 0, 0, 1, 1, 1, 2]).unwrap(),
        few
    );
    assert_eq!(
        decoded(&Bitshuffle, &[0, 4, 1, 0, 3], &few, 7).unwrap(),
        [0, 0, 0, 1, 1, 1, 2]
    );
}

#[test]
fn blocks_have_the_size_of_the_header() {
    let data: Vec<u8> = (0..4000u32).flat_map(|i| (i / 5).to_le_bytes()).collect();
    for compression in [2, 3] {
        let stored = encoded(&Bitshuffle, &[0, 4, 4, 64, compression], &data).unwrap();
        assert_eq!(stored[8..12], [0, 0, 1, 0]);
        for block in [0, 8, 64, 100_000] {
            let parameters = [0, 4, 4, block, compression];
            assert_eq!(decoded(&Bitshuffle, &parameters, &stored, 16_000).unwrap(), data);
        }
        let mut odd = stored;
        odd[11] = 4;
        assert!(decoded(&Bitshuffle, &[0, 4, 4, 64, compression], &odd, 16_000).is_err());
    }
    // Without a header, the parameters say it.
    let stored = encoded(&Bitshuffle, &[0, 4, 4, 64], &data).unwrap();
    assert_eq!(
        decoded(&Bitshuffle, &[0, 4, 4, 64, 0], &stored, 16_000).unwrap(),
        data
    );
    assert_ne!(decoded(&Bitshuffle, &[0, 4, 4], &stored, 16_000).unwrap(), data);
}

#[test]
fn automatic_blocks_are_those_of_the_plugin() {
    // As found in chunks that hdf5plugin encoded.
    for (size, bytes) in [
        (1, 8192),
        (3, 8184),
        (7, 8176),
        (12, 8160),
        (65, 8320),
        (1000, 128_000),
    ] {
        let parameters = Parameters::parse(&[0, 4, size, 0, 2]).unwrap();
        assert_eq!(parameters::block_bytes(&parameters).unwrap(), bytes);
    }
}

#[test]
fn parameters_are_computed() {
    let chunk = numbers(4);
    for (visible, stored) in [
        (&[][..], &[0, 4, 4][..]),
        (&[0], &[0, 4, 4, 0]),
        (&[64, 0], &[0, 4, 4, 64, 0]),
        (&[0, 2], &[0, 4, 4, 0, 2]),
        (&[0, 3, 4294967291], &[0, 4, 4, 0, 3, 4294967291]),
        // As ncdump prints them for elements of eight bytes.
        (&[0, 4, 8], &[0, 4, 4]),
        (&[0, 4, 8, 64], &[0, 4, 4, 64]),
        (&[0, 4, 8, 0, 3, 5], &[0, 4, 4, 0, 3, 5]),
    ] {
        assert_eq!(Bitshuffle.working_parameters(visible, &chunk).unwrap(), stored);
    }
    for visible in [
        &[12][..],
        &[0, 1],
        &[0, 4],
        &[0, 2, 5],
        &[0, 0, 1],
        &[1 << 30],
        &[0, 4, 4, 0, 3, 5, 7],
    ] {
        assert!(
            Bitshuffle.working_parameters(visible, &chunk).is_err(),
            "{visible:?}"
        );
    }
    let chunk = numbers(8);
    for (stored, adapted) in [
        (&[0, 3, 4, 0, 2][..], &[0, 3, 8, 0, 2][..]),
        (&[0, 4, 4], &[0, 4, 8]),
        (&[], &[0, 4, 8]),
        (&[0, 4, 4, 0, 2, 9, 9], &[0, 4, 8, 0, 2, 9, 9]),
    ] {
        assert_eq!(Bitshuffle.adapted_parameters(stored, &chunk).unwrap(), adapted);
    }
    for stored in [&[][..], &[0, 4], &[0, 4, 0], &[0, 4, 4, 9]] {
        assert!(bound(&Bitshuffle, stored, 100).is_err());
    }
}

#[test]
fn chunks_that_end_within_an_element_are_declined() {
    for parameters in [&[0, 4, 8][..], &[0, 4, 8, 0, 2]] {
        assert!(encoded(&Bitshuffle, parameters, &[0; 100]).is_err());
    }
    assert!(decoded(&Bitshuffle, &[0, 4, 8], &[0; 100], 100).is_err());
    let mut stored = encoded(&Bitshuffle, &[0, 4, 8, 0, 2], &[0; 800]).unwrap();
    stored[7] -= 1;
    assert!(decoded(&Bitshuffle, &[0, 4, 8, 0, 2], &stored, 800).is_err());
}

#[test]
fn a_false_size_makes_no_large_buffer() {
    for (compression, most) in [(2, 100_000), (3, 10_000_000)] {
        let codec = bound(&Bitshuffle, &[0, 4, 8, 0, compression], 100).unwrap();
        let mut out = Vec::new();
        for total in [u64::MAX - 7, 1 << 60, 1 << 30, 1 << 20] {
            let stored = [&total.to_be_bytes()[..], &[0xf8; 60]].concat();
            assert!(
                codec
                    .decode(&stored, ChunkShape::Full, usize::MAX, &mut out)
                    .is_err()
            );
            assert!(out.capacity() < most);
        }
    }
}

proptest! {
    #[test]
    fn round_trip(
        data in proptest::collection::vec(0u8..50, 0..6000),
        size in prop_oneof![Just(1usize), Just(2), Just(4), Just(8), 1usize..20],
        block in prop_oneof![Just(0u32), (1u32..100).prop_map(|rows| 8 * rows)],
        compression in 0u32..4,
    ) {
        let data = &data[..data.len() / size * size];
        let parameters = [0, 4, size as u32, block, compression, 1];
        let stored = encoded(&Bitshuffle, &parameters, data).unwrap();
        let codec = bound(&Bitshuffle, &parameters, data.len()).unwrap();
        prop_assert!(stored.len() <= codec.max_encoded_size(data.len()));
        prop_assert_eq!(decoded(&Bitshuffle, &parameters, &stored, data.len()).unwrap(), data);
    }

    #[test]
    fn garbage_is_an_error_or_small(
        data in proptest::collection::vec(any::<u8>(), 0..300),
        total in any::<u8>(),
        compression in 2u32..4,
    ) {
        let framed = [&[0, 0, 0, 0, 0, 0, 0, total, 0, 0, 0, 64, 0, 0, 0][..], &data].concat();
        for input in [&data, &framed] {
            if let Ok(out) = decoded(&Bitshuffle, &[0, 4, 1, 0, compression], input, 1000) {
                prop_assert!(out.len() <= 1000);
            }
        }
    }
}
