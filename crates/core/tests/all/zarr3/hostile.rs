//! Documents and shards that no program writes.

use ncutils_core::print::cdl;

use super::*;

const GROUP: &str = r#"{"zarr_format": 3, "node_type": "group"}"#;

/// The document of an array.
fn array(shape: &str, chunk: &str, data_type: &str, fill: &str, codecs: &str) -> String {
    format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": {shape}, "data_type": {data_type},
        "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": {chunk}}}}},
        "chunk_key_encoding": {{"name": "default"}}, "fill_value": {fill}, "codecs": {codecs}}}"#
    )
}

/// Shards of inner chunks of this shape, whose index has no checksum.
fn sharding(inner: &str, codecs: &str) -> String {
    format!(
        r#"[{{"name": "sharding_indexed", "configuration": {{"chunk_shape": {inner}, "codecs": {codecs},
        "index_codecs": [{{"name": "bytes", "configuration": {{"endian": "little"}}}}]}}}}]"#
    )
}

const BYTES: &str = r#"[{"name": "bytes"}]"#;

fn open(values: &[(&str, &[u8])]) -> Box<dyn Reader> {
    let keys = MemoryKeys::new();
    let output = keys.output();
    for (key, value) in values {
        output.put(key, value).unwrap();
    }
    output.publish().unwrap();
    Stored::Keys(keys).open(&Registry::builtin())
}

fn header(reader: &dyn Reader) -> String {
    let mut out = Vec::new();
    let options = DumpOptions {
        data: DataOf::None,
        special: true,
        ..DumpOptions::default()
    };
    cdl::dump(reader, "x", &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// An index of these entries.
fn index(entries: impl IntoIterator<Item = (u64, u64)>) -> Vec<u8> {
    let entries = entries.into_iter();
    entries
        .flat_map(|(offset, size)| [offset.to_le_bytes(), size.to_le_bytes()])
        .flatten()
        .collect()
}

#[test]
fn shards_that_cannot_be_counted_hide_nothing() {
    let huge = "[4611686018427387904, 4611686018427387904]";
    let huge = array(huge, "[4, 4]", r#""int8""#, "0", &sharding("[1, 1]", BYTES));
    let small = array("[2]", "[2]", r#""int8""#, "5", BYTES);
    let reader = open(&[
        ("zarr.json", GROUP.as_bytes()),
        ("huge/zarr.json", huge.as_bytes()),
        ("small/zarr.json", small.as_bytes()),
    ]);
    let header = header(&*reader);
    assert!(
        header.contains("byte huge(") && header.contains("byte small("),
        "{header}"
    );
    let error = reader.written(VarId(0)).unwrap_err().to_string();
    assert!(error.contains("huge") && error.contains("more chunks"), "{error}");
    assert!(reader.read_encoded_chunk(VarId(0), 0).is_err());
    assert_eq!(
        reader
            .read_region(VarId(1), &format::Region::whole(&[2]))
            .unwrap()
            .bytes,
        [5, 5]
    );
}

#[test]
fn chunks_past_the_last_number_are_past_the_edge() {
    // Three shards of 7 chunks, of which the last begins at 2^64 - 2.
    let shard = (1u64 << 63) - 1;
    let codecs = sharding(&format!("[{}]", shard / 7), BYTES);
    let document = array(
        "[18446744073709551615]",
        &format!("[{shard}]"),
        r#""int8""#,
        "0",
        &codecs,
    );
    let shard = index((0..7).map(|_| (0, 1)));
    let reader = open(&[
        ("zarr.json", GROUP.as_bytes()),
        ("v/zarr.json", document.as_bytes()),
        ("v/c/2", &[&[9][..], &shard].concat()),
    ]);
    let layout = reader.layout(VarId(0));
    let grid = ncutils_core::chunk::ChunkGrid::new(&layout.extent, layout.chunk_shape()).unwrap();
    let chunks = reader.written(VarId(0)).unwrap().chunks(&grid);
    assert!(chunks.into_iter().eq([14]));
}

#[test]
fn shards_that_share_their_bytes_are_not_followed_for_ever() {
    const DEPTH: u32 = 8;
    let (mut codecs, mut value) = (BYTES.to_owned(), vec![1]);
    for level in 0..DEPTH {
        let inner = 64u64.pow(level);
        codecs = sharding(&format!("[{inner}]"), &codecs);
        let own = index((0..64).map(|_| (0, value.len() as u64)));
        value.extend(own);
    }
    let length = format!("[{}]", 64u64.pow(DEPTH));
    let document = array(&length, &length, r#""int8""#, "0", &codecs);
    let values = [
        ("zarr.json", GROUP.as_bytes()),
        ("v/zarr.json", document.as_bytes()),
        ("v/c/0", &value),
    ];
    let reader = open(&values);
    let error = reader.written(VarId(0)).unwrap_err().to_string();
    assert!(error.contains("v/c/0") && error.contains("room"), "{error}");
    let region = format::Region {
        start: vec![1 << 40],
        count: vec![3],
    };
    assert_eq!(reader.read_region(VarId(0), &region).unwrap().bytes, [1, 1, 1]);
}

#[test]
fn a_shard_in_a_shard_has_room_for_its_index() {
    let codecs = sharding(
        "[4]",
        &sharding("[1]", BYTES).replace(
            "\"index_codecs\"",
            "\"index_location\": \"start\", \"index_codecs\"",
        ),
    );
    let document = array("[8]", "[8]", r#""int8""#, "0", &codecs);
    // The first inner shard is one byte short, though the object goes on behind it.
    let inner = index([(64, 1), (65, 1), (66, 1), (u64::MAX, u64::MAX)]);
    let mut value = [&inner[..], b"abc"].concat();
    value.extend(index([(0, 63), (0, 67)]));
    let reader = open(&[
        ("zarr.json", GROUP.as_bytes()),
        ("v/zarr.json", document.as_bytes()),
        ("v/c/0", &value),
    ]);
    let error = reader.read_encoded_chunk(VarId(0), 0).unwrap_err().to_string();
    assert!(error.contains("shorter than its index"), "{error}");
    let values = reader.read_region(
        VarId(0),
        &format::Region {
            start: vec![4],
            count: vec![4],
        },
    );
    assert_eq!(values.unwrap().bytes, *b"abc\0");
}

#[test]
fn types_of_many_bytes_are_told_in_a_few() {
    let text = r#"{"name": "null_terminated_bytes", "configuration": {"length_bytes": 2147483647}}"#;
    let raw = text.replace("null_terminated_bytes", "raw_bytes");
    let fields =
        format!(r#"{{"name": "struct", "configuration": {{"fields": [["a", {text}], ["b", "int16"]]}}}}"#);
    let big = r#"[{"name": "bytes", "configuration": {"endian": "big"}}]"#;
    let documents: Vec<(&str, String)> = vec![
        ("zarr.json", GROUP.to_owned()),
        ("text/zarr.json", array("[1]", "[1]", text, "\"\"", BYTES)),
        ("raw/zarr.json", array("[1]", "[1]", &raw, "\"\"", BYTES)),
        (
            "fields/zarr.json",
            array("[1]", "[1]", &fields, r#"{"a": "", "b": 0}"#, big),
        ),
    ];
    let values: Vec<_> = documents
        .iter()
        .map(|(key, text)| (*key, text.as_bytes()))
        .collect();
    let reader = open(&values);
    assert_eq!(reader.schema().vars.len(), 1);
    assert_eq!(reader.schema().faults.len(), 2, "{:?}", reader.schema().faults);
}

#[test]
fn structures_share_their_types() {
    let documents = (0..3000).map(|n| {
        let ty = format!(
            r#"{{"name": "raw_bytes", "configuration": {{"length_bytes": {}}}}}"#,
            n % 1000 + 1
        );
        let fields = format!(
            r#"{{"name": "struct", "configuration": {{"fields": [["a{n}", "int8"], ["b", {ty}]]}}}}"#
        );
        let size = n % 1000 + 2;
        let bytes = "AAAA".repeat(size / 3);
        let pad = match size % 3 {
            0 => bytes,
            1 => format!("{bytes}AA=="),
            _ => format!("{bytes}AAA="),
        };
        (
            format!("v{n}/zarr.json"),
            array("[1]", "[1]", &fields, &format!("\"{pad}\""), BYTES),
        )
    });
    let documents: Vec<(String, String)> = documents
        .chain([("zarr.json".to_owned(), GROUP.to_owned())])
        .collect();
    let values: Vec<_> = documents
        .iter()
        .map(|(key, text)| (&**key, text.as_bytes()))
        .collect();
    let reader = open(&values);
    assert_eq!(
        reader.schema().vars.len(),
        3000,
        "{:?}",
        reader.schema().faults.first()
    );
    // A structure for each array, and the opaque types that they share.
    assert_eq!(reader.schema().types.len(), 3000 + 1000);
}

#[test]
fn consolidated_metadata_may_be_longer_than_one_document() {
    let document = |name: &str| {
        let attributes = format!(
            r#""attributes": {{"{name}": "{}"}}, "fill_value""#,
            "x".repeat(9 << 20)
        );
        array("[2]", "[2]", r#""int8""#, "5", BYTES).replace(r#""fill_value""#, &attributes)
    };
    let (a, b) = (document("a"), document("b"));
    let members =
        format!(r#"{{"kind": "inline", "must_understand": false, "metadata": {{"a": {a}, "b": {b}}}}}"#);
    let root = GROUP.replacen('{', &format!(r#"{{"consolidated_metadata": {members}, "#), 1);
    let keys = MemoryKeys::new();
    let output = keys.output();
    for (key, value) in [("zarr.json", &root), ("a/zarr.json", &a), ("b/zarr.json", &b)] {
        output.put(key, value.as_bytes()).unwrap();
    }
    output.publish().unwrap();
    for consolidated in [false, true] {
        let options = format::zarr::ZarrOptions {
            consolidated,
            ..format::zarr::ZarrOptions::READ
        };
        let place = Input::keys("", Arc::new(keys.clone()));
        let reader = format::open_with(
            place,
            &Registry::builtin(),
            &format::ReadOptions {
                zarr: options,
                ..format::ReadOptions::DEFAULT
            },
        )
        .unwrap();
        assert_eq!(reader.schema().vars.len(), 2);
        assert!(
            reader.schema().warnings.is_empty(),
            "{:.300}",
            reader.schema().warnings[0]
        );
    }
}
