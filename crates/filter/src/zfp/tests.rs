//! Parameters, and what is refused.

use super::*;
use crate::NumberClass;
use crate::test_codec::{decoded, encoded};
use ncutils_model::Endian;

fn numbers(number: NumberClass, size: usize, shape: &[u64]) -> ChunkType {
    ChunkType::of_numbers(number, size, Endian::Little, shape)
}

fn floats(shape: &[u64]) -> ChunkType {
    numbers(NumberClass::Float, 4, shape)
}

fn double(value: f64) -> [u32; 2] {
    [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
}

/// The words that the plugin stores for the mode without loss.
const REVERSIBLE: [u32; 4] = [0x10105111, 0x570667a, 0xe00004f6, 0x88000000];

#[test]
fn parameters_that_a_user_gives() {
    let chunk = floats(&[1, 15, 80]);
    let [low, high] = double(8.0);
    let [few, many] = double(1e-3);
    let exponent = -10i32 as u32;
    // What the plugin stores for the same.
    for (given, stored) in [
        (&[1, 0, low, high][..], &[0xe00004f6, 0x07f00000][..]),
        (&[1, 0, low, high, 0, 0], &[0xe00004f6, 0x07f00000]),
        (&[2, 0, 11], &[0xe00004f6, 0x80a00000]),
        (&[3, 0, few, many], &[0xe00004f6, 0xca900000]),
        (&[3, 0, 0, 0], &[0xe00004f6, 0xfff00000, 0xe0888000, 0x787af]),
        (
            &[4, 0, 1, 16658, 20, exponent],
            &[0xe00004f6, 0xfff00000, 0xe0888000, 0x80ca4],
        ),
        (&[5], &REVERSIBLE[2..]),
        (&[5, 0, 0, 0, 0, 0], &REVERSIBLE[2..]),
    ] {
        let stored = [&REVERSIBLE[..2], stored].concat();
        assert_eq!(Zfp.working_parameters(given, &chunk).unwrap(), stored);
        assert_eq!(Zfp.working_parameters(&stored, &chunk).unwrap(), stored);
    }
    let [huge, rate] = double(64.5);
    for wrong in [
        &[][..],
        &[0],
        &[1, 0],
        &[1, 0, huge, rate],
        &[1, 0, 0, 0],
        &[1, 0, 0, 0x7ff80000],
        &[2, 0],
        &[2, 0, 0],
        &[2, 0, 65],
        &[2, 0, 11, 1],
        &[3, 0, 0, 0xbff00000],
        &[3, 0, 0, 0x7ff00000],
        &[4, 0, 1, 16658, 64],
        &[4, 0, 9, 8, 64, 0],
        &[4, 0, 1, 8, 0, 0],
        &[5, 0, 0, 0, 0, 0, 0],
        &[6],
    ] {
        let error = Zfp.working_parameters(wrong, &chunk).unwrap_err();
        assert!(error.starts_with("takes a mode"), "{wrong:?}: {error}");
    }
}

#[test]
fn named_parameters() {
    let visible = |text: &str| {
        let members = serde_json::from_str(text).unwrap();
        Zfp.facts().visible_parameters.unwrap()(&members)
    };
    let [low, high] = double(0.01);
    assert_eq!(visible(r#"{"accuracy": 0.01}"#).unwrap(), [3, 0, low, high]);
    let [low, high] = double(8.0);
    assert_eq!(visible(r#"{"rate": 8}"#).unwrap(), [1, 0, low, high]);
    assert_eq!(visible(r#"{"precision": 16}"#).unwrap(), [2, 0, 16]);
    assert_eq!(visible(r#"{"reversible": true}"#).unwrap(), [5]);
    let expert = r#"{"minbits": 1, "maxbits": 16658, "maxprec": 20, "minexp": -10}"#;
    assert_eq!(visible(expert).unwrap(), [4, 0, 1, 16658, 20, -10i32 as u32]);
    for wrong in [
        "{}",
        r#"{"reversible": false}"#,
        r#"{"rate": "8"}"#,
        r#"{"rate": 8, "precision": 3}"#,
        r#"{"minbits": 1}"#,
    ] {
        assert!(visible(wrong).unwrap_err().contains("one of rate"), "{wrong}");
    }
}

#[test]
fn an_error_is_kept_to_with_floats_only() {
    let [low, high] = double(0.5);
    let given = [3, 0, low, high];
    let ints = numbers(NumberClass::Signed, 4, &[9]);
    let error = Zfp.working_parameters(&given, &ints).unwrap_err();
    assert!(error.contains("largest error of floats"), "{error}");
    let doubles = numbers(NumberClass::Float, 8, &[9]);
    assert!(Zfp.working_parameters(&given, &doubles).is_ok());
}

#[test]
fn chunks_that_are_refused() {
    let big = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Big, &[9]);
    for (chunk, says) in [
        (
            numbers(NumberClass::Signed, 2, &[9]),
            "int, int64, float and double",
        ),
        (
            numbers(NumberClass::Unsigned, 4, &[9]),
            "int, int64, float and double",
        ),
        (big, "big-endian"),
        (floats(&[1, 1]), "1 to 4 dimensions"),
        (floats(&[2; 5]), "1 to 4 dimensions"),
        (floats(&[3, 70000, 2]), "such length"),
    ] {
        let error = Zfp.working_parameters(&[5], &chunk).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn stored_parameters_for_other_chunks() {
    let adapted = |stored: &[u32], chunk: &ChunkType| Zfp.adapted_parameters(stored, chunk);
    let kept = [&[1], &REVERSIBLE[1..]].concat();
    assert_eq!(adapted(&kept, &floats(&[15, 80])).unwrap(), kept);
    let doubles = numbers(NumberClass::Float, 8, &[1200]);
    let moved = [0x10105111, 0x570667a, 0x4af3, 0x88000000];
    assert_eq!(adapted(&kept, &doubles).unwrap(), moved);
    let unsigned = numbers(NumberClass::Unsigned, 4, &[15, 80]);
    assert_eq!(adapted(&kept, &unsigned).unwrap()[2], 0xe00004f4);
    assert!(adapted(&[5], &doubles).is_err());
    assert!(adapted(&kept, &floats(&[2; 5])).is_err());
    assert!(adapted(&kept, &numbers(NumberClass::Signed, 2, &[9])).is_err());
}

#[test]
fn lengths_and_headers_are_checked() {
    let data: Vec<u8> = (0..1200).flat_map(|i| (i as f32 / 7.0).to_le_bytes()).collect();
    let stored = encoded(&Zfp, &REVERSIBLE, &data).unwrap();
    assert_eq!(decoded(&Zfp, &REVERSIBLE, &stored, 4800).unwrap(), data);
    let error = decoded(&Zfp, &REVERSIBLE, &stored, 4799).unwrap_err();
    assert_eq!(error, "more than the 4799 bytes expected");
    assert!(
        encoded(&Zfp, &REVERSIBLE, &data[4..])
            .unwrap_err()
            .contains("4796 bytes instead of the 4800")
    );
    assert!(decoded(&Zfp, &REVERSIBLE, &stored[..stored.len() - 8], 4800).is_err());
    assert!(encoded(&Zfp, &[5], &data).unwrap_err().contains("not a header"));
}
