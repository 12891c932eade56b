//! Examples worked out by hand, damaged parameters and input, and both directions on made-up types. What libhdf5 encoded
//! is in testdata/filters.

use super::*;
use crate::NumberClass;
use crate::numbers::nbit::type_tree::{Class, Type};
use ncutils_model::Endian;
use proptest::prelude::*;

fn encode(parameters: &[u32], input: &[u8]) -> Outcome<Vec<u8>> {
    crate::test_codec::encoded(&Nbit, parameters, input)
}

fn decode(parameters: &[u32], input: &[u8], limit: usize) -> Outcome<Vec<u8>> {
    crate::test_codec::decoded(&Nbit, parameters, input, limit)
}

#[test]
fn twelve_bits_of_sixteen() {
    // Two numbers 0x0ABC and 0x0123, shifted by two bits.
    let little = [8, 0, 2, 1, 2, 0, 12, 2];
    let input = [0xF0, 0x2A, 0x8C, 0x04];
    assert_eq!(encode(&little, &input).unwrap(), [0xAB, 0xC1, 0x23, 0]);
    assert_eq!(decode(&little, &[0xAB, 0xC1, 0x23], 4).unwrap(), input);
    let big = [8, 0, 2, 1, 2, 1, 12, 2];
    let input = [0x2A, 0xF0, 0x04, 0x8C];
    assert_eq!(encode(&big, &input).unwrap(), [0xAB, 0xC1, 0x23, 0]);
    assert_eq!(decode(&big, &[0xAB, 0xC1, 0x23, 0], 4).unwrap(), input);
    // Bits that are not significant are lost.
    let dirty = [0xEA, 0xF3, 0xC4, 0x8D];
    assert_eq!(encode(&big, &dirty).unwrap(), [0xAB, 0xC1, 0x23, 0]);
}

#[test]
fn array_and_no_op_in_a_compound() {
    // Members: 4 bits in a byte, twice; two bytes that stay, at offset 3.
    let parameters = [16, 0, 1, 3, 6, 2, 0, 2, 2, 1, 1, 0, 4, 0, 3, 4];
    let whole = [&parameters[..], &[2]].concat();
    assert!(
        decode(&whole, &[0; 9], 6)
            .unwrap_err()
            .contains("first counts 16")
    );
    let mut parameters = whole;
    parameters[0] = 17;
    assert_eq!(
        decode(&parameters, &[0xAB, 0x12, 0x34], 6).unwrap(),
        [0x0A, 0x0B, 0, 0x12, 0x34, 0]
    );
    assert_eq!(
        encode(&parameters, &[0x0A, 0x0B, 0, 0x12, 0x34, 0]).unwrap(),
        [0xAB, 0x12, 0x34, 0]
    );
}

#[test]
fn what_needs_nothing_stays() {
    for parameters in [&[3, 1, 4][..], &[8, 1, 4, 1, 1, 0, 8, 0], &[4, 1, 4, 77]] {
        assert_eq!(encode(parameters, b"abcd").unwrap(), b"abcd");
        assert_eq!(decode(parameters, b"abcd", 4).unwrap(), b"abcd");
        assert!(decode(parameters, b"abcd", 3).is_err());
    }
}

#[test]
fn damage_is_named() {
    let deep: Vec<u32> = [2, 4].repeat(1000).into_iter().chain([4, 4]).collect();
    for (description, says) in [
        (&[][..], "cut off"),
        (&[1, 4, 0, 17], "cut off"),
        (&[1, 4, 0, 17, 16], "17 significant bits from bit 16"),
        (&[1, 4, 0, 0, 3], "0 significant bits"),
        (&[1, 4, 0, u32::MAX, u32::MAX], "significant bits"),
        (&[1, 4, 2, 17, 3], "byte order 2"),
        (&[1, 0, 0, 0, 0], "0 bytes"),
        (&[2, 7, 4, 2], "an array of 7 bytes"),
        (&[3, 8, 0], "without members"),
        (&[3, 8, 1, 5, 4, 4], "a member of 4 bytes at 5"),
        (&[3, 8, 1, u32::MAX, 4, 4], "a member of 4 bytes"),
        (&[3, 8, u32::MAX, 0, 4, 4], "cut off"),
        (&[3, 5, 3, 0, 4, 2, 1, 4, 2, 0, 4, 2], "overlap"),
        (&[3, 8, 2, 0, 2, 4, 2, 2, 4, 1, 5, 4, 1], "loses"),
        (&[3, 8, 2, 0, 2, 4, 3, 2, 1, 0, 4, 1, 5, 4, 1], "loses"),
        (&[5, 8], "class 5"),
        (&[4, u32::MAX], "4294967295 bytes"),
        (&[4, 8, 8], "1 parameters after"),
        (&deep, "nested"),
    ] {
        let parameters = [&[description.len() as u32 + 3, 0, 2], description].concat();
        let error = decode(&parameters, &[0; 100], 100).unwrap_err();
        assert!(error.contains(says), "{error}, not {says}");
        assert!(encode(&parameters, &[0; 100]).is_err());
    }
    assert!(decode(&[2, 1], &[0], 1).is_err());
    let seventeen = |elements| [8, 0, elements, 1, 4, 0, 17, 3];
    assert!(decode(&seventeen(8), &[0; 17], 32).is_ok());
    assert!(decode(&seventeen(8), &[0; 16], 32).is_err());
    assert!(decode(&seventeen(8), &[0; 17], 31).is_err());
    assert!(decode(&seventeen(u32::MAX), &[0; 17], usize::MAX).is_err());
    assert!(encode(&seventeen(8), &[0; 31]).is_err());
}

#[test]
fn parameters_as_libhdf5_stores_them() {
    let number = |size, order| ChunkType::of_numbers(NumberClass::Signed, size, order, &[7, 3]);
    let working = |visible: &[u32], chunk: &ChunkType| Nbit.working_parameters(visible, chunk);
    let int = [8, 1, 21, 1, 4, 0, 32, 0];
    assert_eq!(working(&[], &number(4, Endian::Little)).unwrap(), int);
    assert_eq!(working(&int, &number(4, Endian::Little)).unwrap(), int);
    let stored = [8, 0, 5, 1, 2, 1, 9, 4];
    let of_longs = [8, 1, 21, 1, 8, 1, 64, 0];
    assert_eq!(working(&stored, &number(8, Endian::Big)).unwrap(), of_longs);
    let mut text = ChunkType::of_bytes(0);
    (text.element_size, text.shape) = (5, vec![7, 3]);
    assert_eq!(working(&[], &text).unwrap(), [3, 1, 21]);
    assert!(working(&[7], &text).is_err());
    assert_eq!(Nbit.adapted_parameters(&[7], &text).unwrap(), [3, 1, 21]);
    text.shape = vec![1 << 20, 1 << 20];
    assert!(working(&[], &text).is_err());
}

/// Descriptions of types whose parts do not overlap, of those that [`Type::parse`] takes.
fn description() -> impl Strategy<Value = Vec<u32>> {
    let number = (1u32..10, 0u32..2, any::<[u32; 2]>()).prop_map(|(size, order, [a, b])| {
        let precision = a % (size * 8) + 1;
        vec![1, size, order, precision, b % (size * 8 - precision + 1)]
    });
    let leaf = prop_oneof![number, (1u32..6).prop_map(|size| vec![4, size])];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let array = (inner.clone(), 1u32..4).prop_map(|(base, count)| {
            let mut description = vec![2, base[1] * count];
            description.extend(base);
            description
        });
        let members = proptest::collection::vec((0u32..3, inner), 1..4);
        let compound = members.prop_map(|members| {
            let mut description = vec![3, 0, members.len() as u32];
            let mut end = 0;
            for (gap, member) in members {
                description.push(end + gap);
                end += gap + member[1];
                description.extend(member);
            }
            description[1] = end + 1;
            description
        });
        prop_oneof![array, compound]
    })
    .prop_filter("libhdf5 loses members", |description| {
        Type::parse(description).is_ok() || {
            let error = Type::parse(description).unwrap_err();
            assert!(error.contains("loses"), "{error}: {description:?}");
            false
        }
    })
}

/// The significant bits of an element, by the definition: their places, counted from the lowest bit of the first byte.
fn places(ty: &Type, start: u64, to: &mut Vec<u64>) {
    match &ty.class {
        Class::Number {
            big_endian,
            offset,
            precision,
        } => {
            for bit in (*offset..offset + precision).rev() {
                let byte = if *big_endian {
                    ty.size - 1 - bit / 8
                } else {
                    bit / 8
                };
                to.push((start + u64::from(byte)) * 8 + u64::from(bit % 8));
            }
        }
        Class::Array(base) => {
            for at in 0..ty.size / base.size {
                places(base, start + u64::from(at * base.size), to);
            }
        }
        Class::Compound(members) => {
            for (offset, member) in members {
                places(member, start + u64::from(*offset), to);
            }
        }
    }
}

proptest! {
    #[test]
    fn equals_the_definition(description in description(), elements in 0u32..9, seed in any::<u64>()) {
        let ty = Type::parse(&description).unwrap();
        let parameters = [&[description.len() as u32 + 3, 0, elements], description.as_slice()].concat();
        let mut state = seed;
        let input: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        }).take((ty.size * elements) as usize).collect();
        let mut bits = Vec::new();
        for element in 0..u64::from(elements) {
            places(&ty, element * u64::from(ty.size), &mut bits);
        }
        prop_assert_eq!(bits.len() as u64, ty.bits * u64::from(elements));
        let (mut stream, mut kept) = (vec![0u8; bits.len() / 8 + 1], vec![0u8; input.len()]);
        for (at, place) in bits.iter().enumerate() {
            let byte = (place / 8) as usize;
            let bit = input[byte] >> (place % 8) & 1;
            stream[at / 8] |= bit << (7 - at % 8);
            kept[byte] |= bit << (place % 8);
        }
        prop_assert_eq!(&encode(&parameters, &input).unwrap(), &stream);
        prop_assert_eq!(&decode(&parameters, &stream, input.len()).unwrap(), &kept);
    }

    #[test]
    fn garbage_is_an_error_or_as_long_as_it_says(
        description in proptest::collection::vec(prop_oneof![0u32..9, any::<u32>()], 0..40),
        real in prop::option::of(description()),
        damage in (0usize..40, 0u32..40),
        elements in prop_oneof![0u32..40, any::<u32>()],
        input in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut description = description;
        if let Some(real) = real {
            description = real;
            if let Some(value) = description.get_mut(damage.0) {
                *value = damage.1;
            }
        }
        let parameters = [&[description.len() as u32 + 3, 0, elements], description.as_slice()].concat();
        if let Ok(out) = decode(&parameters, &input, 4000) {
            prop_assert_eq!(out.len() as u64, u64::from(description[1]) * u64::from(elements));
            prop_assert!(out.len() <= 4000);
        }
        let _ = encode(&parameters, &input);
    }
}
