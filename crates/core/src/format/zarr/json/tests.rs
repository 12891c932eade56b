use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn parse(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn error(text: &str) -> String {
    Json::parse_strict(text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn values_of_each_sort() {
    let value = parse(" {\"a\": [1, -2.5e1, \"x\\n\", true, false, null], \"b\": {}, \"c\": []}\r\n\t");
    let a = [
        Json::Integer(1),
        Json::Float(-25.0),
        "x\n".into(),
        true.into(),
        false.into(),
        Json::Null,
    ];
    assert_eq!(value.get("a").unwrap().as_array(), Some(&a[..]));
    assert_eq!(value.get("b"), Some(&Json::Object(vec![])));
    assert_eq!(value.get("c"), Some(&Json::Array(vec![])));
    assert_eq!(value.get("d"), None);
    assert_eq!(parse("\u{feff}1"), Json::Integer(1));
}

#[test]
fn numbers() {
    let max = i128::from(u64::MAX);
    let min = i128::from(i64::MIN);
    for (text, value) in [
        ("0", Json::Integer(0)),
        ("-0", Json::Integer(0)),
        ("1", Json::Integer(1)),
        ("1.0", Json::Float(1.0)),
        ("1e0", Json::Float(1.0)),
        ("18446744073709551615", Json::Integer(max)),
        ("-9223372036854775808", Json::Integer(min)),
        ("1E+2", Json::Float(100.0)),
        ("1e999999", Json::Float(f64::INFINITY)),
        ("-1e-999999", Json::Float(-0.0)),
        ("Infinity", Json::Float(f64::INFINITY)),
        ("-Infinity", Json::Float(f64::NEG_INFINITY)),
    ] {
        assert_eq!(parse(text), value, "{text}");
    }
    for (text, value) in [
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775809", -9223372036854775808.0),
        (&"7".repeat(1_000_000), f64::INFINITY),
    ] {
        let json = parse(text);
        assert!(json.is_wide());
        assert_eq!((json.as_f64(), json.to_string()), (Some(value), text.to_owned()));
    }
    assert!(parse("NaN").as_f64().unwrap().is_nan());
    let digits = "7".repeat(1_000_000);
    assert_eq!(parse(&format!("0.{digits}")), Json::Float(7.0 / 9.0));
    assert_eq!(parse(&format!("1e-{digits}")), Json::Float(0.0));
}

#[test]
fn accessors_take_whole_floats_for_integers() {
    assert_eq!(parse("3.0").as_u64(), Some(3));
    assert_eq!(parse("-3.0").as_i64(), Some(-3));
    assert_eq!(parse("-3").as_u64(), None);
    assert_eq!(parse("3.5").as_u64(), None);
    assert_eq!(parse("1e300").as_u64(), None);
    assert_eq!(parse("NaN").as_i64(), None);
    assert_eq!(parse("9007199254740994.0").as_u64(), None);
    assert_eq!(parse("\"3\"").as_u64(), None);
    assert_eq!(parse("3").as_f64(), Some(3.0));
}

#[test]
fn words_as_netcdf_c_writes_them() {
    for (text, value) in [
        ("007", Json::Integer(7)),
        ("+1", Json::Integer(1)),
        ("1.", Json::Float(1.0)),
        (".5", Json::Float(0.5)),
        ("1.50", Json::Float(1.5)),
        ("1e+5", Json::Float(1e5)),
        ("0x1F", Json::Integer(31)),
        ("-0X10", Json::Integer(-16)),
        ("0x1p3", "0x1p3".into()),
        ("True", true.into()),
        ("FALSE", false.into()),
        ("Null", Json::Null),
        ("inf", Json::Float(f64::INFINITY)),
        ("-infinityf", Json::Float(f64::NEG_INFINITY)),
    ] {
        let list = format!("[{text}, {{\"k\": {text}}}]");
        let parsed = parse(&list);
        assert_eq!(parsed.as_array().unwrap()[0], value, "{text}");
        let spelled = Json::parse_spelled(list.as_bytes()).unwrap();
        assert_eq!(spelled.to_string(), format!("[{text},{{\"k\": {text}}}]"));
        let word = &spelled.as_array().unwrap()[0];
        assert_eq!(*word, Json::Word(text.to_owned()));
        assert_eq!(*word.plain(), value);
        assert_eq!((word.as_f64(), word.as_u64()), (value.as_f64(), value.as_u64()));
        assert_eq!((word.sort(), word.is_null()), (value.sort(), value.is_null()));
    }
    assert_eq!(
        Json::parse_spelled(b"[1,1.5,NaN,true]").unwrap().to_string(),
        parse("[1,1.5,NaN,true]").to_string()
    );
    assert_eq!(parse("\"a\u{1}b\n\"").as_str(), Some("a\u{1}b\n"));
    for text in ["1-2", "foo", "nulll", "1.5.2", "_", "-", "+", "e5", "Nope"] {
        assert!(Json::parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn strings() {
    for (text, string) in [
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u00e9\u20AC""#, "é€"),
        (r#""\ud83d\ude00""#, "😀"),
        (r#""a\ud83d""#, "a\u{fffd}"),
        (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\u0000""#, "\0"),
        ("\"é\u{7f}\"", "é\u{7f}"),
    ] {
        assert_eq!(parse(text).as_str(), Some(string), "{text}");
    }
}

#[test]
fn the_last_of_equal_keys_counts() {
    assert_eq!(
        parse(r#"{"a": 1, "b": 2, "a": 3, "a": 4}"#),
        parse(r#"{"a": 4, "b": 2}"#)
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, what) in [
        ("", "the text ends at byte 0"),
        ("{\"a\" 1}", "no colon after a key at byte 5"),
        ("{\"a\": 1,}", "no key at byte 8"),
        ("{a: 1}", "no key at byte 1"),
        ("[1 2]", "no comma or ] after an element at byte 3"),
        ("[1,]", "no value at byte 3"),
        ("{\"a\": 1 \"b\"}", "no comma or } after a member at byte 8"),
        ("1 2", "more text after the end of the value at byte 2"),
        ("01", "a number with a leading zero at byte 0"),
        ("1.", "the text ends at byte 2"),
        (".5", "no value at byte 0"),
        ("+1", "no value at byte 0"),
        ("1.e5", "no digit at byte 2"),
        ("nan", "no value at byte 0"),
        ("nulll", "more text after the end of the value at byte 4"),
        ("'a'", "no value at byte 0"),
        ("\"a\nb\"", "a control character in a string at byte 2"),
        (r#""\x""#, "an unknown escape at byte 2"),
        (r#""\u12g4""#, "no hexadecimal digit at byte 5"),
        ("\"a", "the text ends at byte 2"),
    ] {
        assert_eq!(error(text), what, "{text}");
    }
    let latin = Json::parse(b"\"\xe9\"").unwrap_err();
    assert_eq!(latin.to_string(), "text that is not UTF-8 at byte 1");
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Json::parse(nested(64).as_bytes()).is_ok());
    assert_eq!(
        error(&nested(65)),
        "values nested more than 64 levels deep at byte 64"
    );
    assert!(Json::parse("[{\"a\":".repeat(1_000_000).as_bytes()).is_err());
}

#[test]
fn many_keys_are_quick() {
    // A comparison of each key with each other would take an hour.
    let members: Vec<_> = (0..400_000)
        .map(|n| format!("\"{}\": {n}", n % 300_000))
        .collect();
    let value = parse(&format!("{{{}}}", members.join(",")));
    assert_eq!(value.as_object().unwrap().len(), 300_000);
    assert_eq!(value.get("0"), Some(&Json::Integer(300_000)));
}

#[test]
fn text_that_ends_too_early_is_an_error() {
    let text = r#"{"a": [1.5e-3,"\ud83d\ude00é",NaN], "b": {"c": -Infinity, "d": null, "e": true}}"#;
    for end in 0..text.len() {
        assert!(Json::parse(&text.as_bytes()[..end]).is_err(), "{end}");
    }
    assert_eq!(
        parse(text).to_string(),
        text.replace(r"\ud83d\ude00", "😀").replace("1.5e-3", "0.0015")
    );
}

#[test]
fn printed_as_netcdf_c_does() {
    for text in [
        r#"{"a": 1, "b": [1,2,{"k": null}]}"#,
        r#"[]"#,
        r#"{}"#,
        r#"[{},[],true,false]"#,
        r#"[0.5,400.0,-0.0,1e300,1e-7,NaN,Infinity,-Infinity]"#,
        r#""é\"\\/\b\f\n\r\t\u0001""#,
        "\"\u{7f}\u{2028}\"",
        "18446744073709551615",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
}

#[test]
fn serde_values() {
    let value = json!({"id": "x", "level": -1, "max": u64::MAX, "f": 1.0, "l": [null, true, {"k": 1e300}]});
    let converted = Json::from(&value);
    assert_eq!(
        converted.to_string(),
        r#"{"id": "x", "level": -1, "max": 18446744073709551615, "f": 1.0, "l": [null,true,{"k": 1e300}]}"#
    );
    assert_eq!(Value::try_from(&converted), Ok(value));
    assert_eq!(Value::try_from(&parse("[1,{\"a\": NaN}]")), Err(NotFinite));
}

/// Any value.
pub fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::Float),
        any::<String>().prop_map(Json::String),
        "[\\x00-\\x7f]{0,8}".prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::Array),
            prop::collection::btree_map("\\PC{0,4}", inner, 0..5)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_prints_and_parses_to_itself(value in any_json()) {
        let text = value.to_string();
        let again = Json::parse(text.as_bytes()).unwrap();
        // As text, because NaN differs from itself.
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(format!("{again:?}"), format!("{value:?}"));
    }

    #[test]
    fn any_bytes_are_a_value_or_an_error(bytes: Vec<u8>, text in "[-+\\[\\]{}\",:.eE0-9\\\\u \\x00nultrfaseNIy]{0,40}") {
        let _ = Json::parse(&bytes);
        if let Ok(value) = Json::parse(text.as_bytes()) {
            let printed = value.to_string();
            prop_assert_eq!(Json::parse(printed.as_bytes()).unwrap().to_string(), printed);
        }
    }

    #[test]
    fn serde_values_convert_back(value in any_json()) {
        if let Ok(converted) = Value::try_from(&value) {
            prop_assert_eq!(Json::from(&converted), value);
        }
    }
}
