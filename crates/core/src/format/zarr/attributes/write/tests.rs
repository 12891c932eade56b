use super::*;
use crate::model::{TypeId, Values};

fn attribute(name: &str, ty: Type, values: Values) -> Attribute {
    let length = values.bytes.len() / ty.atomic_size();
    Attribute {
        name: name.to_owned(),
        ty,
        length,
        values,
    }
}

fn text(text: &[u8]) -> Attribute {
    attribute("a", Type::Char, Values::from_bytes(text.to_vec()))
}

/// The value and the type of one attribute as text.
fn one(attribute: Attribute, flavor: Flavor) -> (String, String) {
    let written = write(&[attribute], flavor, "variable v", &mut vec![]).unwrap();
    let ty = written.types.first().map_or("", |(_, ty)| ty);
    (written.members[0].1.to_string(), ty.to_owned())
}

fn pair(value: &str, ty: &str) -> (String, String) {
    (value.to_owned(), ty.to_owned())
}

#[test]
fn numbers_have_the_digits_of_their_type() {
    let bytes = |values: &[f32]| Values::from_bytes(values.iter().flat_map(|v| v.to_le_bytes()).collect());
    let floats = |values: &[f32]| attribute("a", Type::Float, bytes(values));
    assert_eq!(one(floats(&[0.1]), Flavor::Nczarr), pair("0.1", "<f4"));
    assert_eq!(
        one(floats(&[0.0, 400.0]), Flavor::Nczarr),
        pair("[0.0,400.0]", "<f4")
    );
    assert_eq!(one(floats(&[0.0, 400.0]), Flavor::Zarr), pair("[0.0,400.0]", ""));
    assert_eq!(
        one(floats(&[f32::NAN, f32::INFINITY]), Flavor::Zarr).0,
        "[NaN,Infinity]"
    );
    assert_eq!(one(floats(&[9.969_21e36]), Flavor::Zarr).0, "9.96921e36");
    assert_eq!(one(floats(&[]), Flavor::Nczarr), pair("[]", "<f4"));
    assert_eq!(one(floats(&[]), Flavor::Zarr), pair("\"\"", ""));
    for (ty, name) in [
        (Type::Byte, "|i1"),
        (Type::UByte, "|u1"),
        (Type::Short, "<i2"),
        (Type::UShort, "<u2"),
        (Type::Int, "<i4"),
        (Type::UInt, "<u4"),
        (Type::Int64, "<i8"),
        (Type::UInt64, "<u8"),
    ] {
        let mut values = vec![0; ty.atomic_size()];
        values[0] = 7;
        let attribute = attribute("a", ty, Values::from_bytes(values));
        assert_eq!(one(attribute, Flavor::Nczarr), pair("7", name));
    }
}

/// No text and one NUL, which programs write for an empty text, are one. NULs behind text are lost.
#[test]
fn empty_text_is_none_or_one_nul() {
    for (given, nczarr, pure) in [
        (&b""[..], "\"\"", "\"\""),
        (b"\0", "\"\"", "\"\""),
        (b"a\0\0", "\"a\"", "\"a\""),
    ] {
        assert_eq!(one(text(given), Flavor::Nczarr).0, nczarr);
        assert_eq!(one(text(given), Flavor::Zarr).0, pure);
    }
}

#[test]
fn text_is_a_string_unless_it_reads_back_from_its_json_in_nczarr() {
    // Text, and true if NCZarr has it as JSON. In pure Zarr it is a string always.
    for (given, is_json) in [
        (r#"K"#, false),
        (r#"5"#, false),
        (r#"true"#, false),
        (r#"NaN"#, false),
        (r#""quoted""#, false),
        (r#"[1,2]"#, false),
        (r#"[]"#, false),
        (r#"null"#, false),
        (r#"["one","two"]"#, false),
        (r#"[1,"two"]"#, false),
        (r#"{"json": [1,2,{"k": null}]}"#, true),
        (r#"[[1],{}]"#, true),
        (r#"{}"#, true),
        (r#"{"x": 1.5}"#, true),
        (r#"{"x": 1.50, "y": 1e+36}"#, true),
        // Not as it would be printed, or no JSON.
        (r#"{"json":1}"#, false),
        (r#"{"a": 1, "a": 1}"#, false),
        (r#" {}"#, false),
        (r#"{"x": 007}"#, false),
        (r#"{"x": True}"#, false),
        (r#"{"x": "\u0001"}"#, false),
        (r#"{"x": "#, false),
    ] {
        let string = Json::from(given).to_string();
        let (value, ty) = one(text(given.as_bytes()), Flavor::Nczarr);
        assert_eq!(value, if is_json { given } else { &string }, "{given}");
        assert_eq!(ty, ">S1");
        assert_eq!(one(text(given.as_bytes()), Flavor::Zarr), pair(&string, ""));
    }
}

#[test]
fn text_that_is_not_utf8_is_latin() {
    let mut warnings = vec![];
    let given = [
        text(b"20 \xb0C \xc3\xa9"),
        text("é".as_bytes()),
        attribute(
            "s",
            Type::String,
            Values::from_strings([Some(&b"\xe9"[..]), Some("é".as_bytes())]),
        ),
    ];
    let written = write(&given, Flavor::Zarr, "variable v", &mut warnings).unwrap();
    let values: Vec<_> = written
        .members
        .iter()
        .map(|(_, value)| value.to_string())
        .collect();
    assert_eq!(values, ["\"20 °C Ã©\"", "\"é\"", "[\"é\",\"é\"]"]);
    assert_eq!(
        warnings,
        [
            "variable v: the text of attribute a is not UTF-8; it is taken as Latin-1",
            "variable v: the text of attribute s is not UTF-8; it is taken as Latin-1",
        ]
    );
}

#[test]
fn strings_have_the_length_of_the_longest() {
    let strings = |list: &[Option<&str>]| {
        let values = Values::from_strings(list.iter().map(|s| s.map(str::as_bytes)));
        attribute("a", Type::String, values)
    };
    assert_eq!(
        one(strings(&[Some("one"), Some("two")]), Flavor::Nczarr),
        pair(r#"["one","two"]"#, "|S128")
    );
    assert_eq!(
        one(strings(&[Some("{}")]), Flavor::Nczarr),
        pair(r#""{}""#, "|S128")
    );
    assert_eq!(one(strings(&[None]), Flavor::Nczarr), pair("\"\"", "|S128"));
    assert_eq!(one(strings(&[]), Flavor::Nczarr), pair("[]", "|S128"));
    assert_eq!(one(strings(&[]), Flavor::Zarr), pair("\"\"", ""));
    assert_eq!(one(strings(&[Some(&"é".repeat(100))]), Flavor::Nczarr).1, "|S200");
}

#[test]
fn what_zarr_cannot_hold() {
    let user = Attribute {
        ty: Type::User(TypeId(0)),
        ..text(b"")
    };
    assert_eq!(
        write(&[user], Flavor::Zarr, "variable v", &mut vec![]),
        Err("attribute a of variable v has a user-defined type, which Zarr cannot hold".to_owned())
    );
    let reserved = ["_ARRAY_DIMENSIONS", "_nczarr_attr", "_NCProperties"].map(|name| Attribute {
        name: name.to_owned(),
        ..text(b"x")
    });
    let written = write(&reserved, Flavor::Nczarr, "variable v", &mut vec![]).unwrap();
    assert_eq!(written, WrittenAttributes::default());
}
