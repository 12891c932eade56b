//! Chunks that libhdf5 encoded, damaged chunks, parameters, and both directions on made-up data. More chunks of libhdf5
//! are in testdata/filters.

use super::*;
use crate::test_codec::{decoded, encoded};
use crate::{AskedCodec, NumberClass, Registry};
use ncutils_model::{Endian, Fill, FillTime, Values};
use proptest::prelude::*;

/// Stored parameters, given those up to the fill value.
fn stored(first: &[u32]) -> Vec<u32> {
    let mut parameters = first.to_vec();
    parameters.resize(20, 0);
    parameters
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

/// Checks that a chunk has libhdf5's bytes, and gives `decoded` again.
fn check(first: &[u32], given: &[u8], text: &str, back: &[u8]) {
    let parameters = stored(first);
    let chunk = hex(text);
    assert_eq!(
        encoded(&ScaleOffset, &parameters, given).unwrap(),
        chunk,
        "{first:?}"
    );
    assert_eq!(
        decoded(&ScaleOffset, &parameters, &chunk, given.len()).unwrap(),
        back
    );
    for end in 0..chunk.len() - 2 {
        let cut = decoded(&ScaleOffset, &parameters, &chunk[..end], given.len());
        assert!(cut.is_err() || cut.unwrap() == back, "{first:?} cut at {end}");
    }
}

#[test]
fn chunks_of_libhdf5() {
    let i16s = |numbers: &[i16]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_be_bytes()).collect() };
    let f32s = |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_be_bytes()).collect() };
    let exact = |first: &[u32], given: &[u8], text: &str| check(first, given, text, given);
    // -1, 5, 3, 9, of which 5 is the fill value.
    exact(
        &[2, 0, 4, 0, 2, 1, 1, 1, 5],
        &i16s(&[-1, 5, 3, 9]),
        "0400000008ffffffffffffffff00000000000000000f4a00",
    );
    // The same number all over, without a fill value, and with it.
    exact(
        &[2, 0, 2, 0, 2, 1, 1, 0],
        &i16s(&[-127, -127]),
        "000000000881ffffffffffffff000000000000000000",
    );
    exact(
        &[2, 0, 3, 0, 2, 1, 1, 1, 7],
        &i16s(&[7, 7, 7]),
        "010000000800000000000000000000000000000000e0",
    );
    // All bits are needed: little-endian numbers after the header.
    exact(
        &[2, 0, 4, 0, 2, 1, 1, 1, 0],
        &i16s(&[-30000, 30000, 3, 32767]),
        "1000000008d08affffffffffff0000000000000000d08a30750300ff7f",
    );
    // libhdf5 sees at once that all are needed, and does not store the minimum. It does for signed bytes.
    exact(
        &[2, 0, 4, 0, 1, 1, 0, 1, 5],
        &[128, 127, 3, 9],
        "080000000800000000000000000000000000000000807f0309",
    );
    exact(
        &[2, 0, 2, 0, 1, 1, 0, 0],
        &[0x81, 0x7f],
        "080000000881ffffffffffffff0000000000000000817f",
    );
    // Two decimals; a fill value; tens.
    check(
        &[0, 2, 4, 1, 4, 0, 1, 1, 0x6243_2809],
        &f32s(&[1.5, 5.25, 3.125, 9e20]),
        "09000000080000c03f000000000000000000000000005dd47ff0",
        &f32s(&[1.5, 5.25, 3.13, 9e20]),
    );
    check(
        &[0, -2i32 as u32, 4, 1, 4, 0, 1, 1, 0x6243_2809],
        &f32s(&[150.0, 525.0, 3120.0, 9e5]),
        "0e00000008000016430000000000000000000000000000004007a32700",
        &f32s(&[150.0, 550.0, 3150.0, 900_050.0]),
    );
    // Too far apart for codes.
    exact(
        &[0, 2, 4, 1, 4, 0, 1, 1, 0],
        &f32s(&[1.5, 5.25, f32::NAN, 9e20]),
        &format!("2000000008{}0000c03f0000a8400000c07f09284362", "00".repeat(16)),
    );
}

#[test]
fn a_number_of_bits_that_the_user_gives() {
    // 300 - 1 and 9 - 1 lose their high bits, as with libhdf5.
    let numbers: Vec<u8> = [1, 5, 300, 9]
        .iter()
        .flat_map(|n: &i32| n.to_le_bytes())
        .collect();
    let parameters = stored(&[2, 3, 4, 0, 4, 1, 0, 1, 0]);
    let chunk = encoded(&ScaleOffset, &parameters, &numbers).unwrap();
    assert_eq!(chunk, hex("0300000008010000000000000000000000000000001180"));
    // With all bits of an element, chunks stay as they are.
    let all = stored(&[2, 32, 4, 0, 4, 1, 0, 1, 0]);
    assert_eq!(encoded(&ScaleOffset, &all, &numbers).unwrap(), numbers);
    assert_eq!(decoded(&ScaleOffset, &all, &numbers, 16).unwrap(), numbers);
    assert!(decoded(&ScaleOffset, &all, &numbers[..15], 16).is_err());
    assert!(decoded(&ScaleOffset, &all, &numbers, 15).is_err());
}

#[test]
fn numbers_without_a_code_are_declined() {
    let encode = |factor: i32, numbers: [f32; 2]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let parameters = stored(&[0, factor as u32, 2, 1, 4, 0, 0, 1, f32::NAN.to_bits()]);
        encoded(&ScaleOffset, &parameters, &bytes)
    };
    assert!(encode(2, [1.0, 2.0]).is_ok());
    for (factor, numbers) in [
        (2, [1.0, f32::NAN]),
        (2, [f32::NAN, f32::NAN]),
        (2, [f32::INFINITY, f32::INFINITY]),
        (50, [1.0, 2.0]),
        (-50, [1.0, 2.0]),
        (i32::MIN, [1.0, 2.0]),
        (i32::MAX, [0.0, 2.0]),
    ] {
        assert!(encode(factor, numbers).is_err(), "{factor} {numbers:?}");
    }
}

#[test]
fn bad_parameters_and_chunks() {
    let good = stored(&[2, 0, 2, 0, 4, 1, 0, 1, 0]);
    for (at, value) in [(0, 0), (0, 1), (1, 33), (3, 1), (4, 3), (5, 2), (6, 2), (7, 2)] {
        let mut bad = good.clone();
        bad[at] = value;
        assert!(encoded(&ScaleOffset, &bad, &[0; 8]).is_err(), "{at} {value}");
    }
    assert!(encoded(&ScaleOffset, &good[..19], &[0; 8]).is_err());
    assert!(encoded(&ScaleOffset, &good, &[0; 7]).is_err());
    let chunk = encoded(&ScaleOffset, &good, &[0, 0, 0, 0, 1, 0, 0, 0]).unwrap();
    assert!(decoded(&ScaleOffset, &good, &chunk, 7).is_err());
    let mut wide = chunk.clone();
    wide[0] = 33;
    assert!(decoded(&ScaleOffset, &good, &wide, 8).is_err());
    let mut many = good;
    many[2] = u32::MAX;
    assert!(decoded(&ScaleOffset, &many, &chunk, 8).is_err());
}

#[test]
fn parameters_tell_type_shape_and_fill_value() {
    let chunk = ChunkType::of_numbers(NumberClass::Signed, 8, Endian::Big, &[3, 5]);
    let filled = chunk.clone().with_fill(&Fill {
        value: Some(Values::from_bytes((-7i64).to_le_bytes().to_vec())),
        explicit: true,
        no_fill: false,
        time: FillTime::IfSet,
        ..Fill::default()
    });
    let expected = stored(&[2, 0, 15, 0, 8, 1, 1, 1, u32::MAX - 6, u32::MAX]);
    assert_eq!(
        ScaleOffset.working_parameters(&[2, 0], &filled).unwrap(),
        expected
    );
    // As stored for other chunks.
    let other = stored(&[2, 0, 99, 0, 8, 1, 0, 1, 3]);
    assert_eq!(ScaleOffset.working_parameters(&other, &filled).unwrap(), expected);
    assert_eq!(ScaleOffset.adapted_parameters(&other, &filled).unwrap(), expected);
    let zero = stored(&[2, 0, 15, 0, 8, 1, 1, 1]);
    assert_eq!(ScaleOffset.working_parameters(&[2, 0], &chunk).unwrap(), zero);
    let byte = ChunkType::of_numbers(NumberClass::Unsigned, 1, Endian::Big, &[4]);
    let narrow = stored(&[2, 0, 4, 0, 1, 0, 0, 1]);
    assert_eq!(
        ScaleOffset.adapted_parameters(&stored(&[2, 12]), &byte).unwrap(),
        narrow
    );
    for (visible, chunk) in [
        (&[2, 65][..], &chunk),
        (&[0, 3], &chunk),
        (&[1, 3], &chunk),
        (&[2], &chunk),
        (&[2, 0, 0], &chunk),
        (&[2, 0], &ChunkType::of_bytes(4)),
    ] {
        assert!(
            ScaleOffset.working_parameters(visible, chunk).is_err(),
            "{visible:?}"
        );
    }
}

#[test]
fn it_comes_before_filters_of_bytes() {
    let chunk = ChunkType::of_numbers(NumberClass::Signed, 4, Endian::Little, &[4]);
    let requested = [(1, vec![5]), (3, Vec::new()), (2, Vec::new()), (ID, vec![2, 0])];
    let pipeline = Registry::builtin()
        .new_pipeline(
            &requested.map(|(id, parameters)| AskedCodec::id(id, parameters)),
            &chunk,
        )
        .unwrap();
    let ids: Vec<_> = pipeline.iter().filter_map(CodecSpec::hdf5_id).collect();
    assert_eq!(ids, [6, 3, 2, 1]);
}

proptest! {
    #[test]
    fn integers_survive(
        numbers in proptest::collection::vec(any::<u64>(), 1..70),
        shift in 0u32..64,
        size in prop::sample::select(&[1u32, 2, 4, 8]),
        (sign, order, filled) in (0u32..2, 0u32..2, 0u32..2),
        fill in 0u32..8,
    ) {
        let size_of = size as usize;
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|n| (n >> shift).to_le_bytes().into_iter().take(size_of))
            .collect();
        let parameters = stored(&[2, 0, numbers.len() as u32, 0, size, sign, order, filled, fill]);
        let chunk = encoded(&ScaleOffset, &parameters, &bytes).unwrap();
        prop_assert!(chunk.len() <= bytes.len() + 22);
        prop_assert_eq!(decoded(&ScaleOffset, &parameters, &chunk, bytes.len()).unwrap(), bytes);
    }

    #[test]
    fn floats_keep_their_decimals(
        numbers in proptest::collection::vec(-5000.0..5000.0, 1..70),
        decimals in 0i32..4,
    ) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n: &f64| n.to_be_bytes()).collect();
        let parameters = stored(&[0, decimals as u32, numbers.len() as u32, 1, 8, 0, 1, 0]);
        let chunk = encoded(&ScaleOffset, &parameters, &bytes).unwrap();
        let back = decoded(&ScaleOffset, &parameters, &chunk, bytes.len()).unwrap();
        for (before, after) in numbers.iter().zip(back.as_chunks::<8>().0) {
            prop_assert!((before - f64::from_be_bytes(*after)).abs() <= 0.5001 * 10f64.powi(-decimals));
        }
    }

    #[test]
    fn garbage_is_decoded_to_its_size(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        bits in 0u32..70,
        float in 0u32..2,
    ) {
        let parameters = stored(&[2 - 2 * float, 0, 20, float, 4, 0, 0, 1, 9]);
        let chunk = [&bits.to_le_bytes()[..], &bytes].concat();
        if let Ok(back) = decoded(&ScaleOffset, &parameters, &chunk, 80) {
            prop_assert_eq!(back.len(), 80);
        }
    }
}
