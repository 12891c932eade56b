use super::*;
use crate::NumberClass::{Float, Signed, Unsigned};
use ncutils_model::Endian;
use serde_json::json;

fn bound(configuration: Value, class: NumberClass, size: usize) -> Outcome<Bound> {
    let configuration = configuration.as_object().unwrap().clone();
    let spec = CodecSpec::zarr(ZarrVersion::V3, "cast_value", configuration);
    Bound::parse(&spec, &ChunkType::of_numbers(class, size, Endian::Big, &[4]))
}

/// The numbers that are stored for doubles.
fn stored(configuration: Value, doubles: &[f64]) -> Outcome<Vec<Scalar>> {
    let bound = bound(configuration, Float, 8).unwrap();
    let input: Vec<u8> = doubles.iter().flat_map(|x| x.to_be_bytes()).collect();
    let mut out = Vec::new();
    bound.encode(&input, ChunkShape::Full, &mut out)?;
    let numbers = out.chunks(bound.encoded.size);
    Ok(numbers
        .map(|bytes| Scalar::from_bytes(bytes, bound.encoded))
        .collect())
}

fn integers(numbers: &[i128]) -> Vec<Scalar> {
    numbers.iter().map(|number| Scalar::Integer(*number)).collect()
}

#[test]
fn floats_are_rounded_to_integers() {
    let doubles = [2.5, 3.5, -2.5, 2.4, -2.6];
    for (rounding, expected) in [
        ("nearest-even", [2, 4, -2, 2, -3]),
        ("towards-zero", [2, 3, -2, 2, -2]),
        ("towards-positive", [3, 4, -2, 3, -2]),
        ("towards-negative", [2, 3, -3, 2, -3]),
        ("nearest-away", [3, 4, -3, 2, -3]),
    ] {
        let found = stored(json!({"data_type": "int16", "rounding": rounding}), &doubles);
        assert_eq!(found.unwrap(), integers(&expected), "{rounding}");
    }
    let found = stored(json!({"data_type": "int16"}), &doubles);
    assert_eq!(found.unwrap(), integers(&[2, 4, -2, 2, -3]));
}

#[test]
fn what_is_out_of_range_is_an_error_clamped_or_wrapped() {
    let to = |out_of_range: &str| json!({"data_type": "int8", "out_of_range": out_of_range});
    for out_of_range in ["error", "clamp", "wrap"] {
        assert_eq!(
            stored(to(out_of_range), &[127.4, -128.4]).unwrap(),
            integers(&[127, -128])
        );
        assert!(stored(to(out_of_range), &[f64::NAN]).is_err());
    }
    for x in [128.0, -129.0, 1e300, f64::INFINITY] {
        assert!(stored(to("error"), &[x]).is_err(), "{x}");
        assert!(stored(json!({"data_type": "int8"}), &[x]).is_err(), "{x}");
    }
    let far = [128.0, -129.0, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY];
    let found = stored(to("clamp"), &far).unwrap();
    assert_eq!(found, integers(&[127, -128, 127, -128, 127, -128]));
    let found = stored(to("wrap"), &[128.0, -129.0, 513.0, 1e300]).unwrap();
    assert_eq!(found, integers(&[-128, 127, 1, 0]));
    assert!(stored(to("wrap"), &[f64::INFINITY]).is_err());
}

#[test]
fn floats_become_smaller_floats() {
    let float = |x: f32| Scalar::Float(x.into());
    // A third lies between two floats, and so does the tie.
    let third = 1.0f64 / 3.0;
    let tie = 1.0 + f64::from(f32::EPSILON) / 2.0;
    let after = 1.0f32.next_up();
    let (below, above) = ((third as f32).next_down(), third as f32);
    for (rounding, expected) in [
        ("nearest-even", [above, -above, 1.0, -1.0]),
        ("towards-zero", [below, -below, 1.0, -1.0]),
        ("towards-positive", [above, -below, after, -1.0]),
        ("towards-negative", [below, -above, 1.0, -after]),
        ("nearest-away", [above, -above, after, -after]),
    ] {
        let to = json!({"data_type": "float32", "rounding": rounding});
        let found = stored(to, &[third, -third, tie, -tie]).unwrap();
        assert_eq!(found, expected.map(float), "{rounding}");
    }
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let to = json!({"data_type": "float32"});
    assert_eq!(stored(to.clone(), &odd).unwrap(), odd.map(Scalar::Float));
    assert!(stored(to, &[1e300]).is_err());
    let to = json!({"data_type": "float32", "out_of_range": "clamp"});
    assert_eq!(
        stored(to, &[1e300, -1e300]).unwrap(),
        [float(f32::INFINITY), float(f32::NEG_INFINITY)]
    );
}

#[test]
fn what_is_near_zero_keeps_its_direction() {
    // A float has no number between zero and `least`.
    let least = f64::from(f32::from_bits(1));
    let tie = least / 2.0;
    for (rounding, expected) in [
        ("nearest-even", [0.0, -0.0, 0.0, -0.0]),
        ("towards-zero", [0.0, -0.0, 0.0, -0.0]),
        ("towards-positive", [least, -0.0, least, -0.0]),
        ("towards-negative", [0.0, -least, 0.0, -least]),
        ("nearest-away", [0.0, -0.0, least, -least]),
    ] {
        let to = json!({"data_type": "float32", "rounding": rounding});
        let found = stored(to, &[1e-50, -1e-50, tie, -tie]).unwrap();
        assert_eq!(found, expected.map(Scalar::Float), "{rounding}");
    }
}

#[test]
fn the_map_comes_first() {
    let map = json!({
        "data_type": "uint8",
        "scalar_map": {"encode": [["NaN", 255], [300, 7]], "decode": [[255, "NaN"]]}
    });
    assert_eq!(
        stored(map.clone(), &[f64::NAN, 300.0, 5.0]).unwrap(),
        integers(&[255, 7, 5])
    );
    let bound = bound(map, Float, 4).unwrap();
    let mut out = Vec::new();
    bound.decode(&[255, 1], ChunkShape::Full, 8, &mut out).unwrap();
    assert!(f32::from_be_bytes(out[..4].try_into().unwrap()).is_nan());
    assert_eq!(out[4..], 1f32.to_be_bytes());
}

#[test]
fn large_integers_and_limits() {
    let wide = bound(json!({"data_type": "float64"}), Signed, 8).unwrap();
    let mut out = Vec::new();
    let number = (1i64 << 53) + 1;
    wide.encode(&number.to_be_bytes(), ChunkShape::Full, &mut out)
        .unwrap();
    assert_eq!(out, (number as f64).to_be_bytes());
    // A double that is no integer, decoded to integers, follows the same rules.
    wide.decode(&2.5f64.to_be_bytes(), ChunkShape::Full, 8, &mut out)
        .unwrap();
    assert_eq!(out, 2i64.to_be_bytes());
    assert!(
        wide.decode(&2.5f64.to_be_bytes(), ChunkShape::Full, 7, &mut out)
            .is_err()
    );
    assert!(wide.decode(&[0; 7], ChunkShape::Full, 8, &mut out).is_err());
    // What every value fits in needs no check.
    let exact = bound(json!({"data_type": {"name": "uint32"}}), Unsigned, 1).unwrap();
    exact.encode(&[200], ChunkShape::Full, &mut out).unwrap();
    assert_eq!(out, [0, 0, 0, 200]);
    assert!(
        exact
            .decode(&[0, 0, 1, 0], ChunkShape::Full, 1, &mut out)
            .is_err()
    );
}

#[test]
fn configurations_are_strict() {
    for configuration in [
        json!({}),
        json!({"data_type": "int9"}),
        json!({"data_type": "<i2"}),
        json!({"data_type": {"name": "int8", "configuration": {}}}),
        json!({"data_type": "int8", "rounding": "up"}),
        json!({"data_type": "int8", "rounding": null}),
        json!({"data_type": "int8", "out_of_range": "saturate"}),
        json!({"data_type": "float32", "out_of_range": "wrap"}),
        json!({"data_type": "int8", "scalar_map": {"other": []}}),
        json!({"data_type": "int8", "scalar_map": {"encode": [[1, 200]]}}),
        json!({"data_type": "int8", "scalar_map": {"encode": [[1]]}}),
        json!({"data_type": "int8", "scalar_map": {"encode": 1}}),
        json!({"data_type": "int8", "more": 1}),
    ] {
        assert!(bound(configuration.clone(), Float, 8).is_err(), "{configuration}");
    }
}
