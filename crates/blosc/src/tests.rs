//! Round trips with all settings, limits, and damaged buffers.

use super::*;
use proptest::prelude::*;

fn settings(compressor: Compressor, shuffle: Shuffle) -> Settings {
    Settings {
        compressor,
        level: 5,
        shuffle,
        type_size: 4,
        block_size: 0,
    }
}

fn ramp(elements: u32) -> Vec<u8> {
    (0..elements).flat_map(|i| (i / 3).to_le_bytes()).collect()
}

fn compressed(settings: &Settings, input: &[u8]) -> Vec<u8> {
    let mut out = vec![1; 3];
    compress(settings, input, input.len() + HEADER_LENGTH, &mut out).unwrap();
    out
}

fn decompressed(input: &[u8], limit: usize) -> Result<Vec<u8>, Error> {
    let mut out = vec![1; 3];
    decompress(input, limit, &mut out)?;
    Ok(out)
}

#[test]
fn each_compressor_and_shuffle() {
    let data = ramp(5000);
    for compressor in Compressor::ALL {
        assert_eq!(Compressor::of_name(compressor.name()), Some(compressor));
        assert_eq!(Compressor::of_code(compressor.code()), Some(compressor));
        for shuffle in Shuffle::ALL {
            assert_eq!(Shuffle::of_code(shuffle.code()), Some(shuffle));
            let stored = compressed(&settings(compressor, shuffle), &data);
            assert!(stored.len() < data.len(), "{compressor:?} {shuffle:?}");
            let header = Header::parse(&stored).unwrap();
            assert_eq!(
                (header.decoded_size, header.encoded_size, header.type_size),
                (data.len(), stored.len(), 4)
            );
            assert_eq!(decompressed(&stored, data.len()).unwrap(), data);
            assert_eq!(
                decompressed(&stored, data.len() - 1),
                Err(Error::OutputTooLong(data.len() - 1))
            );
        }
    }
    assert_eq!((Compressor::of_code(6), Shuffle::of_code(3)), (None, None));
    assert_eq!(Compressor::of_name("lizard"), None);
}

#[test]
fn output_that_does_not_fit() {
    let data: Vec<u8> = (0..4000u32)
        .map(|i| (i.wrapping_mul(2654435761) >> 24) as u8)
        .collect();
    let settings = Settings {
        level: 0,
        ..settings(Compressor::Lz4, Shuffle::Byte)
    };
    let mut out = Vec::new();
    for most in [0, 15, 16, data.len(), data.len() + 15] {
        assert_eq!(
            compress(&settings, &data, most, &mut out),
            Err(Error::OutputTooLong(most))
        );
    }
    compress(&settings, &data, usize::MAX, &mut out).unwrap();
    assert_eq!(out.len(), data.len() + HEADER_LENGTH);
    assert_eq!(decompressed(&out, data.len()).unwrap(), data);
}

#[test]
fn no_data() {
    let stored = compressed(&settings(Compressor::Lz4, Shuffle::Byte), &[]);
    assert_eq!(stored.len(), HEADER_LENGTH);
    assert_eq!(decompressed(&stored, 0).unwrap(), []);
}

#[test]
fn settings_out_of_range_are_brought_into_it() {
    let data = ramp(1000);
    for type_size in [0, 255, 256, usize::MAX] {
        for block_size in [0, 1, 1000, usize::MAX] {
            let settings = Settings {
                level: u32::MAX,
                type_size,
                block_size,
                ..settings(Compressor::Zlib, Shuffle::Bit)
            };
            let stored = compressed(&settings, &data);
            assert_eq!(decompressed(&stored, data.len()).unwrap(), data);
        }
    }
}

#[test]
fn false_headers() {
    let data = ramp(1000);
    let stored = compressed(&settings(Compressor::Lz4, Shuffle::Byte), &data);
    for end in 0..stored.len() {
        assert!(decompressed(&stored[..end], data.len()).is_err(), "cut at {end}");
    }
    let longer = [&stored[..], &[0]].concat();
    assert!(decompressed(&longer, data.len()).is_err());
    for (at, bytes) in [
        (0, &[1][..]),
        (2, &[0x0a]),
        (2, &[0xe1]),
        (3, &[0]),
        (4, &[0; 4]),
        (4, &[0xff; 4]),
        (4, &[0, 0, 0, 0x70]),
        (8, &[0; 4]),
        (8, &[0xff; 4]),
        (12, &[0xff; 4]),
        (16, &[0xff; 4]),
    ] {
        let mut odd = stored.clone();
        odd[at..at + bytes.len()].copy_from_slice(bytes);
        let mut out = Vec::new();
        let result = decompress(&odd, 1 << 31, &mut out);
        let empty = at == 4 && bytes == [0; 4];
        assert!(result.is_err() || empty, "{bytes:?} at {at}");
        assert!(out.capacity() < 1 << 20);
    }
}

#[test]
fn many_threads_at_once() {
    let data = ramp(20_000);
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let data = &data;
            scope.spawn(move || {
                let compressor = Compressor::ALL[thread % 6];
                let stored = compressed(&settings(compressor, Shuffle::ALL[thread % 3]), data);
                assert_eq!(decompressed(&stored, data.len()).unwrap(), *data);
            });
        }
    });
}

fn any_settings() -> impl Strategy<Value = Settings> {
    (
        0u32..6,
        0u32..10,
        0u32..3,
        0usize..300,
        prop_oneof![Just(0), 1usize..5000],
    )
        .prop_map(|(compressor, level, shuffle, type_size, block_size)| Settings {
            compressor: Compressor::of_code(compressor).unwrap(),
            level,
            shuffle: Shuffle::of_code(shuffle).unwrap(),
            type_size,
            block_size,
        })
}

proptest! {
    #[test]
    fn round_trip(settings in any_settings(), data in proptest::collection::vec(0u8..20, 0..4000)) {
        let stored = compressed(&settings, &data);
        prop_assert_eq!(decompressed(&stored, data.len()).unwrap(), data);
    }

    #[test]
    fn damage_is_an_error_or_other_data(
        settings in any_settings(),
        data in proptest::collection::vec(0u8..5, 200..4000),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut stored = compressed(&settings, &data);
        for (at, byte) in damage {
            let at = at.index(stored.len());
            stored[at] = byte;
        }
        if let Ok(out) = decompressed(&stored, data.len()) {
            prop_assert!(out.len() <= data.len());
        }
    }
}
