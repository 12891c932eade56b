use super::*;
use crate::filter::{ChunkShape, Scratch};
use crate::format::Reader;
use crate::integrity::in_keys::{BYTES, DEFLATED, NO_FILL, STRINGS, array, keys, open_keys, strings};

fn promise(lossy: bool) -> Promise {
    Promise {
        variables: vec![Promised {
            path: "v".to_owned(),
            lossy,
        }],
        registry: Registry::builtin(),
    }
}

/// The error of a comparison, or the lines about lossy filters.
fn verified(promise: &Promise, asked: &dyn Reader, output: &dyn Reader) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    let asked = Named {
        reader: asked,
        name: "in.nc",
    };
    let output = Named {
        reader: output,
        name: "out.nc",
    };
    let done = promise.verify(asked, output, CheckOptions::default(), &mut |line| {
        lines.push(line)
    });
    done.map(|_| lines).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(asked: &dyn Reader, output: &dyn Reader, why: &str) {
    let told = verified(&promise(false), asked, output).unwrap_err();
    let inner = told.strip_prefix("in.nc: ").unwrap_or(&told);
    assert!(inner.starts_with("variable v: ") && told.contains(why), "{told}");
}

#[test]
fn codecs_tell_whether_they_are_lossy() {
    let registry = Registry::builtin();
    let is_lossy = |name: &str| {
        registry
            .by_name(name)
            .unwrap_or_else(|| panic!("{name}"))
            .facts()
            .is_lossy
    };
    for name in ["scaleoffset", "bitround", "astype", "quantize", "cast_value"] {
        assert!(is_lossy(name), "{name}");
    }
    // A chunk with granularbr was rounded before, and passes as it is.
    for name in ["deflate", "zstd", "nbit", "delta", "granularbr"] {
        assert!(!is_lossy(name), "{name}");
    }
}

#[test]
fn a_wrong_value_is_found() {
    let asked = array(&[6], &[2], BYTES, &[("0", vec![1, 2]), ("2", vec![5, 6])]);
    let whole = |bytes: Vec<u8>| array(&[6], &[6], BYTES, &[("0", bytes)]);
    let right = whole(vec![1, 2, 9, 9, 5, 6]);
    assert_eq!(verified(&promise(false), &*asked, &*right), Ok(vec![]));
    refused(
        &*asked,
        &*whole(vec![1, 2, 9, 8, 5, 7]),
        "2 of 6 elements differ; first [3]: 9 and 8; largest difference 1",
    );
    // A chunk that is not there.
    refused(
        &*asked,
        &*array(&[6], &[2], BYTES, &[("0", vec![1, 2])]),
        "2 of 6 elements differ; first [4]: 5 and 9",
    );
}

#[test]
fn another_shape_and_a_missing_variable_are_found() {
    let asked = array(&[2], &[2], BYTES, &[("0", vec![1, 2])]);
    refused(
        &*asked,
        &*array(&[3], &[3], BYTES, &[("0", vec![1, 2, 3])]),
        "its shape is another",
    );
    let other = open_keys(keys(&[]));
    refused(&*asked, &*other, "it is missing");
    refused(&*other, &*asked, "the input has no such variable");
}

#[test]
fn differences_of_lossy_filters_are_told() {
    let asked = array(&[3], &[3], BYTES, &[("0", vec![1, 2, 3])]);
    let output = array(&[3], &[3], BYTES, &[("0", vec![1, 5, 2])]);
    let told = verified(&promise(true), &*asked, &*output).unwrap();
    assert_eq!(told, ["variable v: the largest difference of lossy filters is 3"]);
}

#[test]
fn what_was_written_without_a_fill_value_is_compared() {
    let asked = array(
        &[2, 4],
        &[1, 2],
        NO_FILL,
        &[("0.1", vec![3, 4]), ("1.0", vec![5, 6])],
    );
    let whole = |bytes: Vec<u8>| array(&[2, 4], &[2, 4], NO_FILL, &[("0.0", bytes)]);
    let right = whole(vec![77, 77, 3, 4, 5, 6, 77, 77]);
    assert_eq!(verified(&promise(false), &*asked, &*right), Ok(vec![]));
    refused(
        &*asked,
        &*whole(vec![77, 77, 3, 4, 5, 7, 77, 77]),
        "1 of 8 elements differ; first [1, 1]: 6 and 7",
    );
    // The same chunks in the output, and one that is lost.
    let chunks = |second: &str| {
        array(
            &[2, 4],
            &[1, 2],
            NO_FILL,
            &[("0.1", vec![3, 4]), (second, vec![5, 6])],
        )
    };
    assert_eq!(verified(&promise(false), &*asked, &*chunks("1.0")), Ok(vec![]));
    refused(
        &*asked,
        &*chunks("1.1"),
        "2 of 8 elements differ; first [1, 0]: 5 and 0",
    );
}

#[test]
fn a_damaged_chunk_that_passed_is_found_where_others_were_never_written() {
    let empty = array(&[6], &[2], DEFLATED, &[]);
    let pipeline = empty.pipeline(VarId(0)).unwrap();
    let encode = |bytes: &[u8]| {
        pipeline
            .encode(bytes, ChunkShape::Full, &mut Scratch::new())
            .unwrap()
            .bytes
    };
    let open = |last: Vec<u8>| array(&[6], &[2], DEFLATED, &[("0", encode(&[1, 2])), ("2", last)]);
    let sound = open(encode(&[5, 6]));
    assert_eq!(verified(&promise(false), &*sound, &*sound), Ok(vec![]));
    let mut bytes = encode(&[5, 6]);
    *bytes.last_mut().unwrap() ^= 1;
    let damaged = open(bytes);
    refused(&*damaged, &*damaged, "in.nc: variable v: chunk [2]");
}

#[test]
fn strings_are_compared() {
    let asked = array(&[4], &[2], STRINGS, &[("1", strings(&["Oslo", ""]))]);
    let whole = |texts: &[&str]| array(&[4], &[4], STRINGS, &[("0", strings(texts))]);
    assert_eq!(
        verified(&promise(false), &*asked, &*whole(&["x", "y", "Oslo", ""])),
        Ok(vec![])
    );
    refused(
        &*asked,
        &*whole(&["x", "y", "Rome", ""]),
        "1 of 4 elements differ; first [2]: \"Oslo\" and \"Rome\"",
    );
}
