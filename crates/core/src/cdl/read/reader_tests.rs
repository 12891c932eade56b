//! Elements out of text: by type, by place, and by chance.

use std::sync::Arc;

use proptest::prelude::*;

use super::declaration::declared::Declared;
use super::declaration::positions::Positions;
use super::reader::CdlReader;
use super::storage::attributes::StorageAttributes;
use super::syntax::text::Text;
use super::values::data_list::DataList;
use crate::chunk::Region;
use crate::error::Result;
use crate::format::Reader;
use crate::format::Written;
use crate::model::{
    Attribute, DimId, Dimension, FILL_FLOAT, FILL_VALUE_ATTRIBUTE, Field, Kind, Schema, Slot, Type,
    TypeClass, UserType, Values, VarId, Variable,
};

const VAR: VarId = VarId(0);

/// A dataset with one variable `v` whose dimensions have these lengths (0: unlimited), without the list.
fn schema(ty: Type, lengths: &[u64], fill: Option<Values>) -> Schema {
    let mut schema = Schema::new(Kind::Netcdf4);
    for (n, length) in lengths.iter().enumerate() {
        schema.add_dim(Dimension {
            name: format!("d{n}"),
            group: Schema::ROOT,
            length: *length,
            unlimited: *length == 0,
        });
    }
    let attributes = fill.map(|values| Attribute {
        name: FILL_VALUE_ATTRIBUTE.into(),
        ty,
        length: 1,
        values,
    });
    schema.add_var(Variable {
        name: "v".into(),
        group: Schema::ROOT,
        ty,
        dims: (0..lengths.len()).map(DimId).collect(),
        attributes: attributes.into_iter().collect(),
    });
    schema
}

fn open(mut schema: Schema, list: &[u8]) -> Result<CdlReader> {
    let text = Text::new(Arc::new([list, b";"].concat()), "a.cdl")?;
    let mut cursor = text.cursor(0);
    let list = DataList::measure(&mut cursor, &schema, VAR)?;
    for (dim, length) in list.lengths() {
        schema.dims[dim.0].length = *length;
    }
    let declared = Declared {
        schema,
        storage: vec![StorageAttributes::default()],
        format: None,
        places: Positions::default(),
        lists: vec![Some(list)],
        warnings: Vec::new(),
        name: "a".into(),
    };
    CdlReader::new(text, declared)
}

fn whole(reader: &CdlReader) -> Result<Values> {
    reader.read_region(VAR, &Region::whole(&reader.layout(VAR).extent))
}

fn bytes(ty: Type, lengths: &[u64], list: &str) -> Result<Vec<u8>, String> {
    open(schema(ty, lengths, None), list.as_bytes())
        .and_then(|reader| reader.check().and_then(|()| whole(&reader)))
        .map(|values| values.bytes)
        .map_err(|e| e.to_string())
}

fn ints(lengths: &[u64], list: &str) -> Vec<i32> {
    let bytes = bytes(Type::Int, lengths, list).unwrap();
    bytes
        .chunks_exact(4)
        .map(|b| i32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

const FILL: i32 = -2_147_483_647;

#[test]
fn integers_and_what_is_missing() {
    assert_eq!(ints(&[4], " 1, -2,0x10l ,\n 'a' "), [1, -2, 16, 97]);
    assert_eq!(ints(&[4], "1, _"), [1, FILL, FILL, FILL]);
    assert_eq!(ints(&[0, 2], "1, 2, 3"), [1, 2, 3, FILL]);
    assert_eq!(ints(&[], "7"), [7]);
    assert_eq!(ints(&[2, 0], "{1, 2}, {3}"), [1, 2, 3, FILL]);
    assert_eq!(ints(&[2, 0], "{1}, _"), [1, FILL]);
    assert_eq!(
        ints(&[0, 0, 2], "{1, 2, 3}, {4}"),
        [1, 2, 3, FILL, 4, FILL, FILL, FILL]
    );
    assert_eq!(
        ints(&[0, 2, 0], "{1, 2}, {3}, {}, {4}, {5}"),
        [1, 2, 3, FILL, FILL, FILL, 4, FILL, 5, FILL, FILL, FILL]
    );
}

#[test]
fn wrong_values_are_told_by_check() {
    for (list, place) in [
        ("1, x", "a.cdl:1:4: expected a value"),
        ("1, 5000000000", "a.cdl:1:4: 5000000000 does not fit"),
        ("1 2", "a.cdl:1:3: expected ','"),
        ("1, , 2", "a.cdl:1:4: expected a value"),
        ("1, 2,", "a.cdl:1:6: expected a value"),
        (", 2", "a.cdl:1:1: expected a value"),
        ("1, 09", "a.cdl:1:4: 09 is not a number"),
        ("1, 1.5.5", "a.cdl:1:4:"),
    ] {
        let error = bytes(Type::Int, &[0], list).unwrap_err();
        assert!(error.starts_with(place), "{error}");
    }
    for list in ["{1, 2} {3}", "1, 2", "{1, 2,}", "{1}, {2 3}"] {
        assert!(bytes(Type::Int, &[0, 0], list).is_err(), "{list}");
    }
    for list in ["1", "\"a\" \"b\"", "\"a\",", "{\"a\"", "{\"a\"}{\"b\"}", "NIL"] {
        assert!(bytes(Type::Char, &[0], list).is_err(), "{list}");
    }
}

#[test]
fn characters_fill_rows() {
    let chars = |lengths: &[u64], list: &str| bytes(Type::Char, lengths, list).unwrap();
    assert_eq!(chars(&[2, 3], "\"abc\", \"def\""), b"abcdef");
    assert_eq!(chars(&[2, 3], "\"abcdef\""), b"abcdef");
    assert_eq!(chars(&[2, 3], "\"a\", \"b\""), b"a\0\0b\0\0");
    assert_eq!(chars(&[2, 3], "'a', 'b', 'c', 'd', 'e', 'f'"), b"abcdef");
    assert_eq!(chars(&[3, 2], "'a', \"x\", 'b', 'c'"), b"a\0x\0bc");
    assert_eq!(chars(&[4], "\"ab\", \"\", \"c\""), b"ab\0c");
    assert_eq!(chars(&[3, 2], "{\"ab\"}, {\"c\", 'e'}"), b"abc\0e\0");
    assert_eq!(chars(&[0, 2, 0], "{\"a\",\"def\"},{\"xy\"}"), b"adefxy\0\0");
    assert_eq!(
        chars(&[0, 0, 0], "{{\"1\", \"two\"}}, {{\"three\"},{\"four\",\"xy\"}}"),
        b"1two\0\0\0\0\0\0\0\0three\0fourxy"
    );
    assert_eq!(chars(&[8], "\"abc\\000def\""), b"abc\0def\0");
    assert_eq!(chars(&[3], "'\\0', '\\x41', '\\377'"), b"\0A\xff");
    let reader = open(
        schema(Type::Char, &[2, 3], Some(Values::from_text("*"))),
        b"\"a\", _",
    )
    .unwrap();
    assert_eq!(whole(&reader).unwrap().bytes, b"a*****");
}

#[test]
fn a_long_string_is_read_from_its_middle() {
    let long: Vec<u8> = (0..40_000u32)
        .map(|n| b"abcdefghijklm\\no\"p"[(n % 17) as usize])
        .collect();
    let mut spelled = vec![b'"'];
    for (n, byte) in long.iter().enumerate() {
        match byte {
            b'\\' | b'"' => spelled.extend([b'\\', *byte]),
            b'c' if n % 3 == 0 => spelled.extend(b"\\143"),
            other => spelled.push(*other),
        }
    }
    spelled.extend(b"\", \"end\"");
    let reader = open(schema(Type::Char, &[0], None), &spelled).unwrap();
    let expected = [&long[..], b"end"].concat();
    assert_eq!(whole(&reader).unwrap().bytes, expected);
    for at in (0..40_000).step_by(997) {
        let mut part = vec![0; 100.min(expected.len() - at)];
        reader.read_range(VAR, at as u64, &mut part).unwrap();
        assert_eq!(part, expected[at..at + part.len()]);
    }
    reader.check().unwrap();
}

#[test]
fn strings_enums_and_records() {
    let reader = open(schema(Type::String, &[5], None), b"\"a\", NIL, \"b\\n\\xe9\", _").unwrap();
    let strings = whole(&reader).unwrap();
    let read: Vec<_> = (0..5)
        .map(|n| strings.string(16 * n).map(<[u8]>::to_vec))
        .collect();
    assert_eq!(
        read,
        [
            Some(b"a".to_vec()),
            None,
            Some(b"b\n\xe9".to_vec()),
            Some(vec![]),
            Some(vec![])
        ]
    );
    let beyond = Region {
        start: vec![2],
        count: vec![3],
    };
    let part = reader.read_region(VAR, &beyond).unwrap();
    assert_eq!(part.string(0), Some(&b"b\n\xe9"[..]));

    let mut model = schema(Type::User(crate::model::TypeId(2)), &[0], None);
    let mut add = |name: &str, class| {
        Type::User(model.add_type(UserType {
            name: name.into(),
            group: Schema::ROOT,
            class,
        }))
    };
    let cloud = add(
        "cloud",
        TypeClass::Enum {
            base: Type::UByte,
            members: vec![("Clear".into(), 0), ("Rain, heavy".into(), 200)],
        },
    );
    let sequence = add("sequence", TypeClass::Vlen { base: cloud });
    let field = |name: &str, offset, ty, dims: &[usize]| Field {
        name: name.into(),
        offset,
        ty,
        dims: dims.to_vec(),
    };
    add(
        "record",
        TypeClass::Compound {
            size: 48,
            fields: vec![
                field("c", 0, cloud, &[]),
                field("f", 4, Type::Float, &[2]),
                field("s", 16, sequence, &[]),
                field("n", 32, Type::String, &[]),
            ],
        },
    );
    let list = b"{Rain\\,\\ heavy, {1, _}, {Clear, /cloud.Rain\\,\\ heavy}, \"x;}\"}, _, /* { */ {Clear}";
    let reader = open(model, list).unwrap();
    reader.check().unwrap();
    assert_eq!(reader.layout(VAR).extent, [3]);
    let read = whole(&reader).unwrap();
    assert_eq!(read.bytes[0], 200);
    assert_eq!(read.bytes[4..8], 1f32.to_le_bytes());
    assert_eq!(read.bytes[8..12], FILL_FLOAT.to_le_bytes());
    assert_eq!(
        read.slot_content(Slot::read(&read.bytes[16..]), 1),
        Some(&[0, 200][..])
    );
    assert_eq!(read.string(32), Some(&b"x;}"[..]));
    assert_eq!(read.string(48 + 32), Some(&b""[..]));
    assert_eq!(read.bytes[52..56], FILL_FLOAT.to_le_bytes());
    // One record alone is what it is among the others, and past the extent is fill.
    let last = Region {
        start: vec![2],
        count: vec![2],
    };
    let read = reader.read_region(VAR, &last).unwrap();
    assert_eq!((read.bytes.len(), read.bytes[0]), (96, 0));
}

#[test]
fn a_range_may_cut_elements() {
    let mut model = schema(Type::User(crate::model::TypeId(0)), &[3], None);
    model.add_type(UserType {
        name: "o".into(),
        group: Schema::ROOT,
        class: TypeClass::Opaque { size: 3 },
    });
    let reader = open(model, b"0x010203, 0X040506, 0x070809").unwrap();
    for from in 0..9usize {
        for to in from..=9 {
            let mut part = vec![0; to - from];
            reader.read_range(VAR, from as u64, &mut part).unwrap();
            assert_eq!(part, (from as u8 + 1..=to as u8).collect::<Vec<_>>());
        }
    }
}

#[test]
fn nothing_is_allocated_for_what_is_not_there() {
    let reader = open(schema(Type::Double, &[1 << 40, 1 << 20], None), b" ").unwrap();
    assert_eq!(reader.written(VAR).unwrap(), Written::Nothing);
    let part = Region {
        start: vec![1 << 39, 7],
        count: vec![1, 2],
    };
    assert_eq!(reader.read_region(VAR, &part).unwrap().bytes.len(), 16);
    reader.check().unwrap();
    assert!(open(schema(Type::Int, &[0], None), &vec![b'{'; 1 << 20]).is_err());
    // Few bytes that ask for many elements.
    let mut list = b"{".to_vec();
    list.extend(b"1,".repeat(100_000));
    list.extend(b"1}");
    list.extend(b",{}".repeat(100_000));
    let reader = open(schema(Type::Int, &[0, 0], None), &list).unwrap();
    assert_eq!(reader.layout(VAR).extent, [100_001, 100_001]);
    reader.check().unwrap();
}

/// Any element at any split is what the whole has there.
fn splits(reader: &CdlReader, expected: &[u8], cuts: &[usize]) -> Result<(), TestCaseError> {
    let size = reader.layout(VAR).element_size;
    for cut in cuts {
        let from = cut % (expected.len() / size + 1) * size;
        let to = (from + cut / 7 % 900 * size).min(expected.len());
        let mut part = vec![0xEE; to - from];
        reader.read_range(VAR, from as u64, &mut part).unwrap();
        prop_assert_eq!(&part[..], &expected[from..to]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn floats_come_back_from_anywhere(
        values in proptest::collection::vec((any::<u32>(), 0u8..8), 1..4000),
        cuts in proptest::collection::vec(any::<u16>().prop_map(usize::from), 8),
    ) {
        let mut list = String::new();
        let mut expected = Vec::new();
        for (n, (bits, form)) in values.iter().enumerate() {
            let value = f32::from_bits(*bits);
            let (spelled, value) = match form {
                _ if value.is_nan() => ("NaNf".to_owned(), f32::NAN),
                _ if value.is_infinite() => (if value > 0.0 { "Infinityf" } else { "-Infinity" }.to_owned(), value),
                0 => (format!("{value:e}f"), value),
                1 => (format!("{value:?}"), value),
                2 => (format!("{value:e} // , ;\n"), value),
                3 => (format!("/* , */ {value:e}"), value),
                4 => ("_".to_owned(), FILL_FLOAT),
                5 => (((*bits as i32) >> 8).to_string(), ((*bits as i32) >> 8) as f32),
                _ => (format!("\n{value:e}"), value),
            };
            list += &spelled;
            list += if n + 1 < values.len() { ", " } else { " " };
            expected.extend(value.to_le_bytes());
        }
        let reader = open(schema(Type::Float, &[0], None), list.as_bytes()).unwrap();
        reader.check().unwrap();
        prop_assert_eq!(&whole(&reader).unwrap().bytes, &expected);
        splits(&reader, &expected, &cuts)?;
    }

    #[test]
    fn ragged_lists_come_back_from_anywhere(
        lists in proptest::collection::vec(proptest::collection::vec(any::<i32>(), 0..300), 1..60),
        cuts in proptest::collection::vec(any::<u16>().prop_map(usize::from), 8),
    ) {
        let list = lists.iter().map(|l| {
            format!("{{{}}}", l.iter().map(i32::to_string).collect::<Vec<_>>().join(", "))
        }).collect::<Vec<_>>().join(", ");
        let longest = lists.iter().map(Vec::len).max().unwrap();
        let expected: Vec<u8> = lists.iter().flat_map(|l| {
            (0..longest).flat_map(|n| l.get(n).copied().unwrap_or(FILL).to_le_bytes())
        }).collect();
        let reader = open(schema(Type::Int, &[0, 0], None), list.as_bytes()).unwrap();
        reader.check().unwrap();
        prop_assert_eq!(&reader.layout(VAR).extent, &[lists.len() as u64, longest as u64]);
        if longest > 0 {
            prop_assert_eq!(&whole(&reader).unwrap().bytes, &expected);
            splits(&reader, &expected, &cuts)?;
        }
    }

    #[test]
    fn characters_come_back_from_anywhere(
        strings in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..400), 1..60),
        row in 1u64..9,
        cuts in proptest::collection::vec(any::<u16>().prop_map(usize::from), 8),
    ) {
        let mut list = Vec::new();
        let mut expected = Vec::new();
        for (n, string) in strings.iter().enumerate() {
            if n > 0 {
                list.extend(b", ");
            }
            list.push(b'"');
            for byte in string {
                match byte {
                    b'"' | b'\\' => list.extend([b'\\', *byte]),
                    0..32 => list.extend(format!("\\{byte:03o}").bytes()),
                    127 => list.extend(b"\\x7F"),
                    other => list.push(*other),
                }
            }
            list.push(b'"');
            expected.extend(string);
            let rows = string.len().div_ceil(row as usize).max(1);
            expected.resize(expected.len() - string.len() + rows * row as usize, 0);
        }
        let reader = open(schema(Type::Char, &[0, row], None), &list).unwrap();
        reader.check().unwrap();
        prop_assert_eq!(&whole(&reader).unwrap().bytes, &expected);
        splits(&reader, &expected, &cuts)?;
    }

    #[test]
    fn any_bytes_are_values_or_an_error(
        list in proptest::collection::vec(
            prop_oneof![
                Just(b"{".to_vec()), Just(b"}".to_vec()), Just(b",".to_vec()), Just(b"\"".to_vec()), Just(b"'".to_vec()),
                Just(b"\\".to_vec()), Just(b"/*".to_vec()), Just(b"*/".to_vec()), Just(b"//".to_vec()), Just(b"\n".to_vec()),
                Just(b"1".to_vec()), Just(b"_".to_vec()), Just(b"0x".to_vec()), Just(b"\"a\"".to_vec()), Just(b"NIL".to_vec()),
                Just(b" ".to_vec()), proptest::collection::vec(any::<u8>(), 1..4),
            ],
            0..40,
        ),
        ty in 0usize..6,
        lengths in proptest::collection::vec(0u64..4, 0..4),
    ) {
        let ty = [Type::Int, Type::Char, Type::String, Type::Double, Type::User(crate::model::TypeId(0)), Type::User(crate::model::TypeId(1))][ty];
        let mut model = schema(ty, &lengths, None);
        model.add_type(UserType { name: "s".into(), group: Schema::ROOT, class: TypeClass::Vlen { base: Type::Char } });
        model.add_type(UserType {
            name: "c".into(),
            group: Schema::ROOT,
            class: TypeClass::Compound {
                size: 24,
                fields: vec![
                    Field { name: "a".into(), offset: 0, ty: Type::Char, dims: vec![2, 3] },
                    Field { name: "b".into(), offset: 8, ty: Type::User(crate::model::TypeId(0)), dims: vec![] },
                ],
            },
        });
        if let Ok(reader) = open(model, &list.concat()) {
            let checked = reader.check().is_ok();
            let read = whole(&reader);
            // An empty extent reads nothing, so no error is found.
            prop_assert!(!checked || read.is_ok());
        }
    }
}
