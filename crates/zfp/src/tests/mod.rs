//! Headers as zfp writes them, round trips, and damaged streams.

mod streams;

use super::*;
use proptest::prelude::*;

fn header(scalar: Scalar, sizes: &[u64], mode: Mode) -> Header {
    Header::new(scalar, sizes, mode).unwrap()
}

fn waves(count: usize) -> Vec<f64> {
    (0..count).map(|i| (i as f64 / 37.0).sin() * 1000.0).collect()
}

/// The waves as numbers of a type.
fn numbers(scalar: Scalar, count: usize) -> Vec<u8> {
    let waves = waves(count).into_iter();
    match scalar {
        Scalar::Int32 => waves.flat_map(|n| (n as i32).to_ne_bytes()).collect(),
        Scalar::Int64 => waves.flat_map(|n| (n as i64).to_ne_bytes()).collect(),
        Scalar::Float => waves.flat_map(|n| (n as f32).to_ne_bytes()).collect(),
        Scalar::Double => waves.flat_map(f64::to_ne_bytes).collect(),
    }
}

fn compressed(header: &Header, data: &[u8]) -> Vec<u8> {
    let mut out = vec![1; 3];
    compress(header, data, &mut out).unwrap();
    out
}

fn decompressed(header: &Header, input: &[u8], limit: usize) -> Result<Vec<u8>, Error> {
    let mut out = vec![1; 3];
    decompress(header, input, limit, &mut out)?;
    Ok(out)
}

#[test]
fn headers_of_the_plugin() {
    let float = |mode| header(Scalar::Float, &[80, 15], mode);
    let double = |sizes: &[u64]| header(Scalar::Double, sizes, Mode::accuracy(1e-3));
    let expert = Mode {
        min_bits: 1,
        max_bits: 16658,
        max_precision: 20,
        min_exponent: -10,
    };
    for (header, words) in [
        (
            float(Mode::rate(8.0, Scalar::Float, 2)),
            &[0xe00004f6, 0x07f00000][..],
        ),
        (
            float(Mode::rate(0.0, Scalar::Float, 2)),
            &[0xe00004f6, 0x00800000],
        ),
        (
            float(Mode::rate(500.0, Scalar::Float, 2)),
            &[0xe00004f6, 0xfff00000, 0xcf9f9f3f, 0x787af],
        ),
        (float(Mode::precision(11)), &[0xe00004f6, 0x80a00000]),
        (
            float(Mode::precision(0)),
            &[0xe00004f6, 0xfff00000, 0xe0888000, 0x787af],
        ),
        (float(Mode::accuracy(1e-3)), &[0xe00004f6, 0xca900000]),
        (
            float(Mode::accuracy(0.0)),
            &[0xe00004f6, 0xfff00000, 0xe0888000, 0x787af],
        ),
        (float(expert), &[0xe00004f6, 0xfff00000, 0xe0888000, 0x80ca4]),
        (float(Mode::REVERSIBLE), &[0xe00004f6, 0x88000000]),
        (
            header(Scalar::Int32, &[80, 15], Mode::REVERSIBLE),
            &[0xe00004f4, 0x88000000],
        ),
        (
            header(Scalar::Int64, &[80, 15], Mode::REVERSIBLE),
            &[0xe00004f5, 0x88000000],
        ),
        (double(&[1200]), &[0x4af3, 0xca900000]),
        (double(&[80, 3, 5]), &[0x2004fb, 0xca900040]),
        (double(&[10, 8, 3, 5]), &[0x2007009f, 0xca900400]),
        (
            header(Scalar::Float, &[20, 70000], Mode::REVERSIBLE),
            &[0xf0000136, 0x88001116],
        ),
    ] {
        let words = [&[0x570667a], words].concat();
        assert_eq!(header.words(), words);
        assert_eq!(Header::parse(&words), Some(header));
        for end in 0..words.len() {
            assert_eq!(Header::parse(&words[..end]), None);
        }
    }
    assert_eq!(Header::new(Scalar::Float, &[2, 70000, 3], Mode::REVERSIBLE), None);
    assert_eq!(Header::new(Scalar::Float, &[], Mode::REVERSIBLE), None);
    assert_eq!(Header::new(Scalar::Float, &[2, 0], Mode::REVERSIBLE), None);
    assert_eq!(Header::new(Scalar::Float, &[2; 5], Mode::REVERSIBLE), None);
    assert_eq!(Mode::accuracy(f64::from_bits(1)).min_exponent, -1074);
    assert_eq!(Mode::accuracy(f64::MIN_POSITIVE / 2.0).min_exponent, -1023);
    assert_eq!(Mode::accuracy(1.0).min_exponent, 0);
}

#[test]
fn each_type_and_number_of_dimensions() {
    for scalar in [Scalar::Int32, Scalar::Int64, Scalar::Float, Scalar::Double] {
        for sizes in [&[103][..], &[4], &[1, 5], &[13, 9], &[5, 6, 7], &[3, 5, 4, 6]] {
            let count = sizes.iter().product::<u64>() as usize;
            let data = numbers(scalar, count);
            let exact = header(scalar, sizes, Mode::REVERSIBLE);
            let stored = compressed(&exact, &data);

            assert_eq!(decompressed(&exact, &stored, data.len()).unwrap(), data);
            let short = data.len() - 1;
            assert_eq!(
                decompressed(&exact, &stored, short),
                Err(Error::OutputTooLong(short))
            );
            assert!(matches!(
                compress(&exact, &data[1..], &mut Vec::new()),
                Err(Error::Length { .. })
            ));
            let rate = header(scalar, sizes, Mode::rate(16.0, scalar, sizes.len()));
            let stored = compressed(&rate, &data);
            let blocks = sizes.iter().map(|size| size.div_ceil(4)).product::<u64>() as usize;
            let bytes = blocks * (16 << (2 * sizes.len())) / 8;
            assert_eq!(stored.len(), bytes.next_multiple_of(8));
            assert_eq!(
                decompressed(&rate, &stored, data.len()).unwrap().len(),
                data.len()
            );
        }
    }
}

#[test]
fn the_tolerance_is_kept() {
    let data = waves(1200);
    let bytes: Vec<u8> = data.iter().flat_map(|n| n.to_ne_bytes()).collect();
    let lossy = header(Scalar::Double, &[80, 15], Mode::accuracy(0.01));
    let stored = compressed(&lossy, &bytes);
    assert!(stored.len() < bytes.len() / 2);
    let back = decompressed(&lossy, &stored, bytes.len()).unwrap();
    for (found, wanted) in back.chunks(8).zip(data) {
        let found = f64::from_ne_bytes(found.try_into().unwrap());
        assert!((found - wanted).abs() <= 0.01);
    }
}

#[test]
fn streams_that_end_too_early() {
    let data = numbers(Scalar::Float, 1200);
    let exact = header(Scalar::Float, &[80, 15], Mode::REVERSIBLE);
    let stored = compressed(&exact, &data);
    // The last word is filled up with zeros.
    let bytes = stored.iter().rposition(|byte| *byte != 0).unwrap();
    for end in 0..=bytes {
        assert_eq!(
            decompressed(&exact, &stored[..end], data.len()),
            Err(Error::TooShort),
            "{end}"
        );
    }
    let huge = header(Scalar::Float, &[1 << 24, 1 << 24], Mode::REVERSIBLE);
    assert_eq!(decompressed(&huge, &stored, usize::MAX), Err(Error::TooShort));
}

#[test]
fn limits_that_are_not_encoded_with() {
    let data = numbers(Scalar::Double, 100);
    let odd = |min_bits, max_bits| Mode {
        min_bits,
        max_bits,
        ..Mode::REVERSIBLE
    };
    for mode in [odd(1, 1), odd(11, 11), odd(32768, 32768)] {
        let header = header(Scalar::Double, &[100], mode);
        assert_eq!(compress(&header, &data, &mut Vec::new()), Err(Error::BlockBits));
        let _ = decompressed(&header, &[0xff; 900], data.len());
    }
}

fn any_header() -> impl Strategy<Value = Header> {
    let sizes = proptest::collection::vec(1u64..10, 1..5);
    let mode = (1u32..40, 0u32..40_000, 1u32..=64, -1100i32..100);
    let mode = mode.prop_map(|(min_bits, more, max_precision, min_exponent)| Mode {
        min_bits,
        max_bits: (min_bits + more).min(0x8000),
        max_precision,
        min_exponent,
    });
    (0usize..4, sizes, prop_oneof![Just(Mode::REVERSIBLE), mode]).prop_map(|(scalar, sizes, mode)| {
        let scalars = [Scalar::Int32, Scalar::Int64, Scalar::Float, Scalar::Double];
        header(scalars[scalar], &sizes, mode)
    })
}

proptest! {
    #[test]
    fn words_go_both_ways(header in any_header()) {
        let words = header.words();
        let parsed = Header::parse(&words).unwrap();
        prop_assert_eq!(parsed.words(), words);
        prop_assert_eq!((parsed.scalar(), parsed.sizes()), (header.scalar(), header.sizes()));
    }

    #[test]
    fn any_words_and_stream(words in proptest::collection::vec(any::<u32>(), 2..5), input in proptest::collection::vec(any::<u8>(), 0..3000)) {
        let words = [&[0x570667a], &words[..]].concat();
        if let Some(header) = Header::parse(&words) {
            let _ = decompressed(&header, &input, 1 << 20);
            prop_assert_eq!(Header::parse(&header.words()).map(|h| h.words()), Some(header.words()));
        }
    }

    #[test]
    fn any_stream(header in any_header(), input in proptest::collection::vec(any::<u8>(), 0..3000)) {
        let size = header.byte_count().unwrap();
        if let Ok(out) = decompressed(&header, &input, size) {
            prop_assert_eq!(out.len(), size);
        }
    }

    #[test]
    fn any_numbers(header in any_header(), seed in proptest::collection::vec(any::<u8>(), 1..100)) {
        let size = header.byte_count().unwrap();
        let data: Vec<u8> = seed.into_iter().cycle().take(size).collect();
        let mut stored = Vec::new();
        if compress(&header, &data, &mut stored).is_ok() {
            let back = decompressed(&header, &stored, size).unwrap();
            if header.mode().is_reversible() && header.mode() == Mode::REVERSIBLE {
                prop_assert_eq!(back, data);
            }
        }
    }
}
