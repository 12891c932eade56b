use proptest::prelude::*;

use super::*;
use crate::NumberClass;
use crate::deflate::blocks::last_block::reopen;
use crate::deflate::blocks::stored_blocks::store;
use crate::deflate::encoder::{Search, encode_matches};
use crate::test_codec::{decoded, encoded};
use ncutils_model::Endian;

/// `zlib.compress(b"hello, hello, hello", 0)` of Python, and `Zlib(0).encode(…)` of numcodecs.
const STORED: [u8; 30] = [
    0x78, 0x01, 0x01, 0x13, 0x00, 0xec, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c,
    0x6c, 0x6f, 0x2c, 0x20, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x44, 0x28, 0x06, 0xd5,
];

#[test]
fn stored_stream_of_zlib() {
    assert_eq!(
        decoded(&Deflate, &[0], &STORED, 100).unwrap(),
        b"hello, hello, hello"
    );
    assert!(decoded(&Deflate, &[0], &STORED[..29], 100).is_err());
    assert!(decoded(&Deflate, &[0], &STORED, 18).is_err());
    let mut damaged = STORED;
    damaged[9] ^= 1;
    assert!(decoded(&Deflate, &[0], &damaged, 100).is_err());
}

#[test]
fn what_follows_the_stream_is_ignored_as_in_libhdf5() {
    let longer = [&STORED[..], &[1, 2, 3]].concat();
    assert_eq!(
        decoded(&Deflate, &[0], &longer, 100).unwrap(),
        b"hello, hello, hello"
    );
}

#[test]
fn what_zlib_refuses_is_an_error() {
    let content: Vec<u8> = (0..5000u32).map(|n| (n * n % 7) as u8).collect();
    let mut literals = Vec::new();
    encode_plain(5, &content, &mut literals).unwrap();
    for stream in [&STORED[..], &literals] {
        let (stream_alone, checksum) = stream.split_at(stream.len() - 4);
        let wrong = [0xde, 0xad, 0xbe, 0xef];
        let two_checksums = [stream_alone, &wrong, checksum].concat();
        assert!(decoded(&Deflate, &[5], &two_checksums, 100_000).is_err());
        let mut window = stream.to_vec();
        // A window of 64 KiB.
        window[..2].copy_from_slice(&[0x88, 0x1c]);
        assert!(decoded(&Deflate, &[5], &window, 100_000).is_err());
    }
}

#[test]
fn a_small_input_never_makes_a_large_buffer() {
    let out = decoded(&Deflate, &[5], &STORED, usize::MAX).unwrap();
    assert!(out.capacity() <= STORED.len() * EXPANSION);
}

#[test]
fn bad_levels_decode_and_do_not_encode() {
    for parameters in [&[10][..], &[], &[1, 2]] {
        assert!(encoded(&Deflate, parameters, b"x").is_err());
        assert!(decoded(&Deflate, parameters, &STORED, 100).is_ok());
    }
}

/// Planes of `order`, a noise of its own for each number that is `None`.
fn planes(order: [Option<usize>; 4]) -> Vec<u8> {
    let plane = |(n, period): (usize, &Option<usize>)| {
        let mut state = n as u32 + 1;
        let byte = move |at: usize| {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
            match period {
                Some(period) => (at % period / 9) as u8,
                None => (state >> 24) as u8,
            }
        };
        (0..70_000).map(byte).collect::<Vec<u8>>()
    };
    order.iter().enumerate().flat_map(plane).collect()
}

#[test]
fn noise_is_stored_before_and_behind_what_is_compressed() {
    let chunk = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[100, 700]);
    for order in [
        [None, None, Some(300), Some(1000)],
        [Some(1000), Some(300), None, None],
        [None, Some(77), None, None],
        [None; 4],
        [Some(1), Some(2), Some(3), Some(4)],
    ] {
        let data = planes(order);
        for level in 0..=9 {
            let codec = Deflate.bind(&CodecSpec::hdf5(ID, [level]), &chunk).unwrap();
            let mut stored = Vec::new();
            codec.encode(&data, ChunkShape::Full, &mut stored).unwrap();
            assert!(stored.len() <= codec.max_encoded_size(data.len()));
            if level > 0 {
                let noise = order.iter().filter(|period| period.is_none()).count() * 70_000;
                assert!(
                    stored.len() > noise && stored.len() < noise + 9000,
                    "{order:?} {level}"
                );
            }
            assert_eq!(decoded(&Deflate, &[level], &stored, data.len()).unwrap(), data);
            // Another decoder agrees.
            let mut inflated = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&stored[..]), &mut inflated)
                .unwrap();
            assert_eq!(inflated, data);
        }
    }
}

#[test]
fn planes_of_a_small_chunk_are_compressed_one_by_one() {
    let chunk = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[30, 700]);
    let plane = 21_000;
    let mut state = 1u32;
    let mut data = vec![0; plane];
    for values in [100, 8, 2] {
        data.extend((0..plane).map(|_| {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
            (state >> 24) as u8 % values
        }));
    }
    for level in 1..=9 {
        let codec = Deflate.bind(&CodecSpec::hdf5(ID, [level]), &chunk).unwrap();
        let mut stored = Vec::new();
        codec.encode(&data, ChunkShape::Full, &mut stored).unwrap();
        let mut inflated = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&stored[..]), &mut inflated).unwrap();
        assert_eq!(inflated, data);
        let whole = encoded(&Deflate, &[level], &data).unwrap();
        assert!(
            stored.len() <= whole.len() + whole.len() / 100,
            "{level}: {} {}",
            stored.len(),
            whole.len()
        );
    }
}

proptest! {
    #[test]
    fn blocks_are_appended_to_any_stream(
        data in proptest::collection::vec(0u8..9, 1..3000),
        noise in proptest::collection::vec(any::<u8>(), 1..900),
        level in 1usize..=9,
    ) {
        let mut stream = vec![1, 2, 3];
        encode_matches(level, &data, Search::Usual, 3, &mut stream).unwrap();
        reopen(3, &mut stream).unwrap();
        store(&noise, true, &mut stream);
        let mut inflated = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(&stream[3..]), &mut inflated)
            .unwrap();
        prop_assert_eq!(inflated, [data, noise].concat());
    }

    #[test]
    fn round_trip(data in proptest::collection::vec(0u8..9, 0..3000), level in 0u32..=9) {
        let stored = encoded(&Deflate, &[level], &data).unwrap();
        prop_assert_eq!(decoded(&Deflate, &[level], &stored, data.len() + 1).unwrap(), data);
    }

    #[test]
    fn round_trip_of_what_begins_simply(
        run in 4000usize..5000,
        rest in proptest::collection::vec(any::<u8>(), 0..9000),
        level in 0u32..=9,
    ) {
        let data = [vec![7; run], rest].concat();
        let stored = encoded(&Deflate, &[level], &data).unwrap();
        prop_assert_eq!(decoded(&Deflate, &[level], &stored, data.len()).unwrap(), data);
    }

    #[test]
    fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(out) = decoded(&Deflate, &[6], &data, 1000) {
            prop_assert!(out.len() <= 1000);
        }
    }
}

#[test]
fn streams_of_all_kinds_of_blocks_decode_and_what_is_damaged_does_not() {
    for order in [
        [None, Some(9), None, Some(1)],
        [Some(1), None, Some(900), None],
        [Some(1); 4],
    ] {
        let content = planes(order);
        let chunk = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[content.len() as u64 / 4]);
        let bound = Deflate.bind(&CodecSpec::hdf5(ID, [5]), &chunk).unwrap();
        let (mut stream, mut out) = (Vec::new(), Vec::new());
        bound.encode(&content, ChunkShape::Full, &mut stream).unwrap();
        bound
            .decode(&stream, ChunkShape::Full, content.len(), &mut out)
            .unwrap();
        assert!(out == content);
        let less = bound.decode(&stream, ChunkShape::Full, content.len() - 1, &mut out);
        assert!(less.unwrap_err().starts_with("more than"));
        stream.extend([1, 2, 3]);
        bound
            .decode(&stream, ChunkShape::Full, content.len(), &mut out)
            .unwrap();
        assert!(out == content);
        let last = stream.len() - 4;
        stream[last] ^= 1;
        assert!(
            bound
                .decode(&stream, ChunkShape::Full, content.len(), &mut out)
                .is_err()
        );
    }
}
