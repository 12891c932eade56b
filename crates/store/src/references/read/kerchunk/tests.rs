use super::*;
use crate::ReferenceSet;
use crate::references::{Reference, StoredRange};

fn table(text: &str) -> ReferenceTable {
    read_kerchunk(&mut text.as_bytes()).unwrap()
}

fn at(table: &ReferenceTable, key: &str) -> (String, Option<(u64, u64)>) {
    match table.find(key).unwrap() {
        Some(Reference::Stored(StoredRange { object, range, .. })) => (object.to_string(), range),
        Some(Reference::Inline(bytes)) => (String::from_utf8(bytes).unwrap(), None),
        None => panic!("no {key}"),
    }
}

#[test]
fn the_example_of_the_specification() {
    let table = table(
        r#"{"version": 1,
        "templates": {"u": "server.domain/path", "f": "{{c}}"},
        "gen": [{
            "key": "gen_key{{i}}", "url": "http://{{u}}_{{i}}", "offset": "{{(i + 1) * 1000}}", "length": "1000",
            "dimensions": {"i": {"stop": 5}}
        }],
        "refs": {
            "key0": "data",
            "key1": ["http://target_url", 10000, 100],
            "key2": ["http://{{u}}", 10000, 100],
            "key3": ["http://{{f(c='text')}}", 10000, 100],
            "key4": ["http://target_url"]
        }}"#,
    );
    assert_eq!(table.len(), 10);
    let range = Some((10000, 100));
    for (key, object, range) in [
        ("key0", "data", None),
        ("key1", "http://target_url", range),
        ("key2", "http://server.domain/path", range),
        ("key3", "http://text", range),
        ("key4", "http://target_url", None),
        ("gen_key0", "http://server.domain/path_0", Some((1000, 1000))),
        ("gen_key4", "http://server.domain/path_4", Some((5000, 1000))),
    ] {
        assert_eq!(at(&table, key), (object.to_owned(), range));
    }
}

#[test]
fn the_last_dimension_of_generated_references_changes_fastest() {
    let table = table(
        r#"{"version": 1, "refs": {}, "gen": [{"key": "v/{{i}}.{{j}}", "url": "{{s}}.nc", "dimensions":
        {"s": ["a"], "i": {"start": 4, "stop": 0, "step": -2}, "j": [7, 8]}}]}"#,
    );
    let keys = table.list("").unwrap();
    assert_eq!(keys, ["v/2.7", "v/2.8", "v/4.7", "v/4.8"]);
    assert_eq!(at(&table, "v/2.8"), ("a.nc".to_owned(), None));
}

#[test]
fn values_have_three_forms() {
    let plain = table(r#"{".zgroup": {"zarr_format": 2, "x": NaN}, "a/0": "base64:AQI=", "b": "\u00e9"}"#);
    let value = |key| plain.find(key).unwrap();
    let inline = |bytes: &[u8]| Some(Reference::Inline(bytes.to_vec()));
    assert_eq!(value(".zgroup"), inline(br#"{"zarr_format": 2, "x": NaN}"#));
    assert_eq!(
        (value("a/0"), value("b")),
        (inline(&[1, 2]), inline("é".as_bytes()))
    );
}

#[test]
fn what_is_wrong_is_told() {
    for (text, why) in [
        (
            r#"{"version": 2, "refs": {}}"#,
            "version 2 of kerchunk's references is not supported",
        ),
        (r#"{"a": 1}"#, "references: neither"),
        (r#"{"/a": "x"}"#, "a key is a path"),
        (r#"{"a//b": "x"}"#, "a key is a path"),
        (r#"{"": "x"}"#, "a key is a path"),
        (r#"{"a": ["u", -1, 2]}"#, "key a"),
        (r#"{"a": ["u", 1]}"#, "expected ','"),
        (r#"{"a": ["u", 1, 2, 3]}"#, "expected ']'"),
        (r#"{"a": ["u", 1.5, 2]}"#, "whole number"),
        (r#"{"a": ["u", 18446744073709551615, 2]}"#, "key a"),
        (r#"{"a": [null, 1, 2]}"#, "key a"),
        (r#"{"a": "base64:?"}"#, "base64"),
        (r#"{"a": "x"} x"#, "text follows"),
        (r#"{"version": 1, "refs": {"a": null}}"#, "key a"),
        (
            r#"{"version": 1, "gen": [{"key": "a", "url": "{{ x }}", "dimensions": {}}]}"#,
            "'x' has no value",
        ),
        (
            r#"{"version": 1, "gen": [{"key": "a", "url": "b", "offset": 1, "dimensions": {}}]}"#,
            "without a length",
        ),
        (
            r#"{"version": 1, "gen": [{"key": "a", "url": "b", "dimensions": {"i": {"stop": 99999999}}}]}"#,
            "more than 10000000",
        ),
        (r#"{"version": 1, "templates": {"u": 1}}"#, "expected '\"'"),
        ("{", "expected"),
        ("[]", "expected '{'"),
    ] {
        let told = read_kerchunk(&mut text.as_bytes()).err().map(|e| e.to_string());
        assert!(
            told.as_ref().is_some_and(|told| told.contains(why)),
            "{text}: {told:?}"
        );
    }
    let deep = format!("{{\"a\": {}", "{\"a\":".repeat(100_000));
    assert!(
        read_kerchunk(&mut deep.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("512")
    );
}
