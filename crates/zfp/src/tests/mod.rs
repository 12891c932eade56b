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

/// Floats within one power of ten, as the precision of a block is that of its largest number.
fn any_floats() -> impl Strategy<Value = (Vec<u64>, Vec<f64>)> {
    let sizes = proptest::collection::vec(1u64..8, 1..5);
    sizes.prop_flat_map(|sizes| {
        let count = sizes.iter().product::<u64>() as usize;
        (Just(sizes), proptest::collection::vec(-10.0..10.0f64, count))
    })
}

proptest! {
    #[test]
    fn any_tolerance_is_kept((sizes, values) in any_floats(), exponent in -14i32..2) {
        let tolerance = 10f64.powi(exponent);
        let doubles: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let lossy = header(Scalar::Double, &sizes, Mode::accuracy(tolerance));
        let back = decompressed(&lossy, &compressed(&lossy, &doubles), doubles.len()).unwrap();
        for (found, value) in back.chunks(8).zip(&values) {
            let found = f64::from_le_bytes(found.try_into().unwrap());
            prop_assert!((found - value).abs() <= tolerance);
        }
        let floats: Vec<u8> = values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
        let tolerance = tolerance.max(1e-5);
        let lossy = header(Scalar::Float, &sizes, Mode::accuracy(tolerance));
        let back = decompressed(&lossy, &compressed(&lossy, &floats), floats.len()).unwrap();
        for (found, value) in back.chunks(4).zip(&values) {
            let found = f32::from_le_bytes(found.try_into().unwrap());
            prop_assert!(f64::from(found - *value as f32).abs() <= tolerance);
        }
    }

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
            if header.mode() == Mode::REVERSIBLE {
                prop_assert_eq!(back, data);
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite() {
    for (scalar, numbers) in [
        (
            Scalar::Float,
            [1f32, f32::NAN, 2.0, f32::NEG_INFINITY, 4.0]
                .map(f32::to_le_bytes)
                .concat(),
        ),
        (
            Scalar::Double,
            [1f64, f64::INFINITY, 2.0, -0.0, f64::NAN]
                .map(f64::to_le_bytes)
                .concat(),
        ),
    ] {
        let of = |mode| header(scalar, &[5], mode);
        for mode in [
            Mode::rate(16.0, scalar, 1),
            Mode::precision(0),
            Mode::accuracy(0.1),
        ] {
            assert_eq!(
                compress(&of(mode), &numbers, &mut Vec::new()),
                Err(Error::NotFinite)
            );
        }
        let stored = compressed(&of(Mode::REVERSIBLE), &numbers);
        assert_eq!(
            decompressed(&of(Mode::REVERSIBLE), &stored, numbers.len()).unwrap(),
            numbers
        );
    }
}

/// The C library stores other numbers, as it multiplies these by infinity.
#[test]
fn very_small_numbers() {
    let small = |n: usize| (n as f32 + 1.0) * 1e-35;
    let data: Vec<u8> = (0..64).flat_map(|n| small(n).to_le_bytes()).collect();
    for sizes in [&[64][..], &[8, 8], &[4, 4, 4]] {
        let lossy = header(Scalar::Float, sizes, Mode::precision(28));
        let back = decompressed(&lossy, &compressed(&lossy, &data), data.len()).unwrap();
        for (n, found) in back.chunks(4).enumerate() {
            let found = f32::from_le_bytes(found.try_into().unwrap());
            assert!((found - small(n)).abs() <= 1e-40, "{found}");
        }
    }
    let tiny: Vec<u8> = (0..64u32)
        .flat_map(|n| f32::from_bits(n * 1000).to_le_bytes())
        .collect();
    let lossy = header(Scalar::Float, &[64], Mode::precision(28));
    let back = decompressed(&lossy, &compressed(&lossy, &tiny), tiny.len()).unwrap();
    assert!(
        back.chunks(4)
            .all(|found| f32::from_le_bytes(found.try_into().unwrap()).abs() <= 1e-40)
    );
}

/// Numbers that nothing is written for: the bits that a block has at least are there.
#[test]
fn zeros_take_the_least_bits_in_all_modes() {
    for mode in [Mode::REVERSIBLE, Mode::precision(9)] {
        let mode = Mode {
            min_bits: 100,
            ..mode
        };
        for scalar in [Scalar::Float, Scalar::Double, Scalar::Int32] {
            let header = header(scalar, &[9], mode);
            let data = vec![0; 9 * scalar.size()];
            let stored = compressed(&header, &data);
            assert_eq!(stored.len(), 300usize.div_ceil(8));
            assert_eq!(decompressed(&header, &stored, data.len()).unwrap(), data);
        }
    }
}

#[test]
fn streams_with_headers() {
    let data = numbers(Scalar::Float, 1200);
    for (mode, bits) in [
        (Mode::accuracy(0.1), 96),
        (Mode::precision(0), 148),
        (Mode::REVERSIBLE, 96),
    ] {
        let header = header(Scalar::Float, &[80, 15], mode);
        let (mut stored, mut out) = (Vec::new(), Vec::new());
        compress_with_header(&header, &data, &mut stored).unwrap();
        assert_eq!(stored.len() % 8, 0);
        assert_eq!(Header::at_start(&stored), Some((header, bits)));
        assert_eq!(Header::at_start(&stored[..11]), None);
        decompress_with_header(&stored, data.len(), &mut out).unwrap();
        let alone = compressed(&header, &data);
        assert_eq!(out, decompressed(&header, &alone, data.len()).unwrap());
        assert_eq!(
            decompress_with_header(&data, data.len(), &mut out),
            Err(Error::TooShort)
        );
    }
}

/// Padded blocks of other writers are read, though none are written.
#[test]
fn the_bound_of_streams_has_the_least_bits() {
    let mode = Mode {
        min_bits: 32768,
        ..Mode::REVERSIBLE
    };
    let header = header(Scalar::Float, &[8], mode);
    assert_eq!(header.max_stream(), 2 * 4096 + 8);
    assert_eq!(
        compress(&header, &[0; 32], &mut Vec::new()),
        Err(Error::BlockBits)
    );
    assert_eq!(decompressed(&header, &[0; 8192], 32).unwrap(), [0; 32]);
}
