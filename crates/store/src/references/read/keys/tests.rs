use std::ffi::OsStr;

use ncutils_gate::Gate;

use super::*;
use crate::references::read::read_kerchunk;
use crate::{ExternalFile, Input, NamedAs, NoExternalFile, awaited};

/// Two objects, and a file of references.
struct Places;

impl ExternalFiles for Places {
    fn identity(&self) -> &OsStr {
        OsStr::new("refs.json")
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        assert_eq!(named_as, NamedAs::Reference);
        let bytes: &'static [u8] = match name {
            "a" => b"0123456789",
            "b" => b"xyz",
            "refs.json" => b"{}",
            _ => return Err(NoExternalFile::Missing),
        };
        let open = move || Ok(Some(Input::from(Arc::new(bytes.to_vec()))));
        Ok(ExternalFile::new(name, open))
    }
}

/// Places of slow objects.
struct Slow {
    gate: Gate,
}

impl ExternalFiles for Slow {
    fn identity(&self) -> &OsStr {
        OsStr::new("refs.json")
    }

    fn find(&self, name: &str, _: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        Ok(ExternalFile::new(name, || Ok(None)))
    }

    fn exists(&self, found: &ExternalFile) -> ncutils_model::error::Result<bool> {
        self.gate.pass(|| ());
        Ok(found.identity() != "o3")
    }

    fn requests_of(&self, name: &str) -> Requests {
        Requests::slow(if name == "o1" { 5 } else { 2 }, 0)
    }
}

#[test]
fn objects_are_looked_up_at_once() {
    let references: Vec<String> = (0..9).map(|n| format!(r#""k{n}": ["o{n}", 0, 1]"#)).collect();
    let text = format!("{{{}}}", references.join(","));
    let slow = Arc::new(Slow {
        gate: Gate::default(),
    });
    slow.gate.hold_until(5);
    let set = Box::new(read_kerchunk(&mut text.as_bytes()).unwrap());
    let found = ReferenceKeys::new(set, Some(slow), None)
        .referenced_objects()
        .unwrap();
    let is_there = found
        .iter()
        .map(|object| (object.name.as_str(), object.found.is_ok()));
    let expected = (0..9).map(|n| (format!("o{n}"), n != 3));
    assert!(
        is_there.eq(expected
            .collect::<Vec<_>>()
            .iter()
            .map(|(name, is_there)| (name.as_str(), *is_there)))
    );
}

fn keys() -> Arc<ReferenceKeys> {
    let text = r#"{
        "i": "inline", "r/1": ["a", 2, 3], "r/2": ["a", 5, 5], "w": ["b"],
        "long": ["a", 8, 3], "far": ["a", 18446744073709551000, 10], "none": ["c", 0, 1], "loop": ["refs.json", 0, 1]
    }"#;
    let table = read_kerchunk(&mut text.as_bytes()).unwrap();
    Arc::new(ReferenceKeys::new(
        Box::new(table),
        Some(Arc::new(Places)),
        Some("a"),
    ))
}

fn range(offset: u64, length: usize) -> GetRange {
    GetRange::Range(ByteRange { offset, length })
}

#[test]
fn values_are_those_that_references_lead_to() {
    let keys = keys();
    for (key, part, value) in [
        ("i", GetRange::Whole, "inline"),
        ("i", range(2, 99), "line"),
        ("r/1", GetRange::Whole, "234"),
        ("r/1", range(1, 99), "34"),
        ("r/2", GetRange::Suffix(2), "89"),
        ("w", GetRange::Whole, "xyz"),
        ("w", range(3, 1), ""),
    ] {
        assert_eq!(keys.get(key, part).unwrap().unwrap(), value.as_bytes(), "{key}");
        let gets = vec![
            Get::whole("x"),
            Get {
                key: key.to_owned(),
                part,
            },
            Get::whole("r/1"),
        ];
        let found = awaited(|done| Arc::clone(&keys).fetch(gets, done))
            .unwrap()
            .unwrap();
        assert_eq!(found, [None, Some(value.into()), Some(b"234".to_vec())]);
    }
    assert_eq!(keys.get("x", GetRange::Whole).unwrap(), None);
    let size = |key| keys.size(key).unwrap();
    assert_eq!(
        (size("i"), size("r/2"), size("w"), size("x")),
        (Some(6), Some(5), Some(3), None)
    );
    assert_eq!(keys.list("r/").unwrap(), ["r/1", "r/2"]);
    let none = awaited(|done| Arc::clone(&keys).fetch(Vec::new(), done))
        .unwrap()
        .unwrap();
    assert!(none.is_empty());
}

#[test]
fn places_past_the_end_are_none() {
    let keys = keys();
    for key in ["long", "far"] {
        let error = keys.value_place(key).unwrap_err().to_string();
        assert!(error.ends_with("the object has 10 bytes"), "{error}");
    }
    // An object that is not there may be where the references are read.
    for key in ["r/2", "none"] {
        assert!(matches!(keys.value_place(key).unwrap(), ValuePlace::Elsewhere(_)));
    }
}

#[test]
fn what_cannot_be_read_names_key_and_object() {
    let keys = keys();
    for (key, told) in [
        (
            "long",
            "the reference to a, bytes 8 to 11: the object has 10 bytes",
        ),
        (
            "far",
            "the reference to a, bytes 18446744073709551000 to 18446744073709551010: the object has 10 bytes",
        ),
        ("none", "the reference to c, bytes 0 to 1: does not exist"),
        (
            "loop",
            "the reference to refs.json, bytes 0 to 1: is the file of references itself",
        ),
    ] {
        assert_eq!(keys.get(key, GetRange::Whole).unwrap_err().to_string(), told);
        let gets = vec![Get::whole("i"), Get::whole(key)];
        let error = awaited(|done| Arc::clone(&keys).fetch(gets, done))
            .unwrap()
            .unwrap_err();
        let (at, cause) = FailedRequest::split(error);
        assert_eq!((at, cause.to_string().as_str()), (Some(1), told));
    }
    let nowhere = ReferenceKeys::new(
        Box::new(read_kerchunk(&mut &br#"{"a": ["a"]}"#[..]).unwrap()),
        None,
        None,
    );
    assert!(nowhere.get("a", GetRange::Whole).is_err());
}
