//! Documents at the root, beside those of version 2, consolidated, and damaged ones among good ones.

use std::io;
use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::error::Result;
use ncutils_core::filter::Registry;
use ncutils_core::format::zarr::ZarrOptions;
use ncutils_core::format::{self, ReadOptions, Reader};
use ncutils_core::integrity::{CheckOptions, check};
use ncutils_core::model::{Kind, ZarrVersion};
use ncutils_core::store::{GetRange, Input, KeyOutput, KeyStore, MemoryKeys};

const GROUP: &str = r#"{"zarr_format": 3, "node_type": "group"}"#;

const ARRAY: &str = r#"{"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "int16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default"}, "fill_value": 7,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "dimension_names": ["x"]}"#;

const ARRAY_OF_VERSION_2: &str = r#"{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<i2", "fill_value": 0,
    "order": "C", "compressor": null, "filters": null}"#;

fn store(keys: &[(&str, &str)]) -> MemoryKeys {
    let store = MemoryKeys::new();
    let output = store.output();
    for (key, value) in keys {
        output.put(key, value.as_bytes()).unwrap();
    }
    output.publish().unwrap();
    store
}

fn open(store: impl KeyStore + 'static, version: Option<ZarrVersion>) -> Result<Box<dyn Reader>> {
    let options = ZarrOptions {
        version,
        ..ZarrOptions::READ
    };
    format::open_with(
        Input::keys("", Arc::new(store)),
        &Registry::builtin(),
        &ReadOptions {
            zarr: options,
            ..ReadOptions::DEFAULT
        },
    )
}

fn names(reader: &dyn Reader) -> Vec<&str> {
    reader.schema().vars.iter().map(|var| &*var.name).collect()
}

#[test]
fn a_root_without_a_document_is_a_group() {
    let reader = open(store(&[("v/zarr.json", ARRAY)]), None).unwrap();
    assert_eq!((reader.schema().kind, names(&*reader)), (Kind::Zarr3, vec!["v"]));
}

#[test]
fn version_3_counts_unless_version_2_is_asked_for() {
    let both = store(&[
        ("zarr.json", GROUP),
        ("v/zarr.json", ARRAY),
        (".zgroup", r#"{"zarr_format": 2}"#),
        ("v/.zarray", ARRAY_OF_VERSION_2),
    ]);
    for (version, kind, length) in [
        (None, Kind::Zarr3, 2),
        (Some(ZarrVersion::V3), Kind::Zarr3, 2),
        (Some(ZarrVersion::V2), Kind::Zarr2, 3),
    ] {
        let reader = open(both.clone(), version).unwrap();
        assert_eq!(reader.schema().kind, kind);
        assert_eq!(reader.schema().dims[0].length, length);
    }
}

#[test]
fn a_damaged_array_hides_no_other() {
    let short = ARRAY.replace("\"fill_value\": 7,", "");
    let reader = open(
        store(&[
            ("zarr.json", GROUP),
            ("a/zarr.json", "{"),
            ("b/zarr.json", &short),
            ("c/zarr.json", &ARRAY.replace("int16", "float8_e4m3")),
            ("v/zarr.json", ARRAY),
        ]),
        None,
    )
    .unwrap();
    let schema = reader.schema();
    assert_eq!(names(&*reader), ["v"]);
    let faults = schema.faults.join("\n");
    assert!(faults.contains("a/zarr.json is damaged"), "{faults}");
    assert_eq!(faults.matches("a/zarr.json").count(), 1, "{faults}");
    assert!(
        faults.contains("b/zarr.json lacks the member fill_value"),
        "{faults}"
    );
    assert!(
        schema.warnings[0].starts_with("variable c is left out"),
        "{:?}",
        schema.warnings
    );
    // A copy of everything would lose them.
    let refused = plan(&*reader, &CopyOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("/zarr.json"), "{refused}");
}

/// A store whose keys cannot be listed.
struct Unlisted(MemoryKeys);

impl KeyStore for Unlisted {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        self.0.get(key, part)
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        self.0.size(key)
    }

    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[test]
fn a_store_that_cannot_list_needs_consolidated_metadata() {
    let all = format!(
        r#"{{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {{"kind": "inline",
            "must_understand": false, "metadata": {{"v": {ARRAY}}}}}}}"#
    );
    let consolidated = store(&[("zarr.json", &all)]);
    let reader = open(Unlisted(consolidated), None).unwrap();
    assert_eq!(names(&*reader), ["v"]);
    let error = open(
        Unlisted(store(&[("zarr.json", GROUP), ("v/zarr.json", ARRAY)])),
        None,
    )
    .err()
    .unwrap()
    .to_string();
    assert!(
        error.contains("zarr.json has no consolidated_metadata"),
        "{error}"
    );
}

#[test]
fn metadata_that_differs_from_its_copy_is_told() {
    let all = |copy: &str| {
        format!(
            r#"{{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {{"kind": "inline",
                "must_understand": false, "metadata": {{"v": {copy}}}}}}}"#
        )
    };
    let told = |copy: &str| {
        let reader = open(store(&[("zarr.json", &all(copy)), ("v/zarr.json", ARRAY)]), None).unwrap();
        reader.schema().warnings.clone()
    };
    assert_eq!(told(ARRAY), [""; 0]);
    let warnings = told(&ARRAY.replace("7", "8"));
    assert!(
        warnings[0].starts_with("v/zarr.json and its copy in zarr.json differ"),
        "{warnings:?}"
    );
}

/// A store that counts its lists.
struct Listed(MemoryKeys, std::sync::atomic::AtomicUsize);

impl KeyStore for Listed {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        self.0.get(key, part)
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        self.0.size(key)
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.0.list(prefix)
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.0.list_children(folder)
    }
}

#[test]
fn groups_without_a_document_are_read_and_told() {
    let implicit = [
        ("zarr.json", GROUP),
        ("foo/bar/v/zarr.json", ARRAY),
        (".hidden/v/zarr.json", ARRAY),
        ("notes/2024/readme", "no array"),
        ("old/.zarray", ARRAY_OF_VERSION_2),
    ];
    let reader = open(store(&implicit), None).unwrap();
    let schema = reader.schema();
    let groups: Vec<&str> = schema.groups.iter().map(|group| &*group.name).collect();
    assert_eq!((groups, names(&*reader)), (vec!["", "foo", "bar"], vec!["v"]));
    let told = schema.warnings.join("\n");
    assert!(
        told.contains("groups without zarr.json are read") && told.contains(": /foo, /foo/bar"),
        "{told}"
    );
    assert!(
        told.contains("folder old is left out: it is Zarr of another version"),
        "{told}"
    );
    let checked = check(&*reader, &Registry::builtin(), &CheckOptions::default()).unwrap();
    assert!(
        checked.faults.is_empty() && checked.notes.ends_with(&schema.warnings),
        "{:?}",
        checked.notes
    );
    // Consolidated metadata has no document of theirs either.
    let all = format!(
        r#"{{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {{"kind": "inline",
            "must_understand": false, "metadata": {{"foo/bar/v": {ARRAY}}}}}}}"#
    );
    let reader = open(Unlisted(store(&[("zarr.json", &all)])), None).unwrap();
    assert_eq!((reader.schema().groups.len(), names(&*reader)), (3, vec!["v"]));
}

#[test]
fn only_folders_without_a_document_are_listed_further() {
    let lists = |keys: &[(&str, &str)]| {
        let store = Arc::new(Listed(store(keys), Default::default()));
        let input = Input::keys("", Arc::clone(&store) as Arc<dyn KeyStore>);
        format::open(input, &Registry::builtin()).unwrap();
        store.1.load(std::sync::atomic::Ordering::Relaxed)
    };
    let groups = [
        ("zarr.json", GROUP),
        ("g/zarr.json", GROUP),
        ("g/v/zarr.json", ARRAY),
        ("g/v/c/0", ""),
    ];
    let sound = lists(&groups);
    assert_eq!(
        lists(&[&groups[..], &[("g/notes/readme", "")]].concat()),
        sound + 1
    );
    // Of folders of something else, no more than some are searched.
    let keys: Vec<String> = (0..1_100).map(|n| format!("g/notes/{n}/readme")).collect();
    let notes: Vec<(&str, &str)> = keys.iter().map(|key| (&**key, "")).collect();
    assert_eq!(lists(&[&groups[..], &notes].concat()), sound + 1_000);
}

#[test]
fn bytes_that_are_no_utf_8_hide_nothing_else() {
    let array = ARRAY.replace(
        "\"fill_value\"",
        "\"attributes\": {\"units\": \"?C\"}, \"fill_value\"",
    );
    let array: Vec<u8> = array
        .bytes()
        .map(|byte| if byte == b'?' { 0xb0 } else { byte })
        .collect();
    let keys = MemoryKeys::new();
    let output = keys.output();
    output.put("zarr.json", GROUP.as_bytes()).unwrap();
    output.put("v/zarr.json", &array).unwrap();
    output.publish().unwrap();
    let reader = open(keys, None).unwrap();
    let schema = reader.schema();
    assert_eq!(schema.vars[0].attributes[0].values.bytes, b"\xb0C");
    assert_eq!(schema.warnings.len(), 1, "{:?}", schema.warnings);
}

#[test]
fn unknown_codecs_that_make_bytes_are_named_and_hide_no_other_array() {
    let bytes = r#"[{"name": "bytes", "configuration": {"endian": "little"}}]"#;
    let shards = |codecs: &str, index: &str| {
        format!(
            r#"[{{"name": "sharding_indexed", "configuration": {{"chunk_shape": [1], "codecs": {codecs}, "index_codecs": {index}}}}}]"#
        )
    };
    let pcodec = r#"[{"name": "numcodecs.pcodec", "configuration": {"level": 8}}]"#;
    for (codecs, name) in [
        (pcodec.to_owned(), "the codec numcodecs.pcodec"),
        (shards(pcodec, bytes), "the codec numcodecs.pcodec"),
        (shards(bytes, r#"["bytes", "odd"]"#), "index codecs of which odd"),
    ] {
        let array = ARRAY.replace(bytes, &codecs);
        let reader = open(
            store(&[
                ("zarr.json", GROUP),
                ("p/zarr.json", &array),
                ("v/zarr.json", ARRAY),
            ]),
            None,
        );
        let reader = reader.unwrap();
        assert_eq!(names(&*reader), ["v"]);
        let told = &reader.schema().warnings[0];
        assert!(
            told.starts_with("variable p is left out") && told.contains(name),
            "{told}"
        );
        assert!(reader.schema().faults.is_empty());
    }
}
