//! Metadata that is wrong: each gives a fault or an error that names the key.

use super::*;

const GOOD: &str = r#"{"zarr_format": 2, "shape": [3, 2], "chunks": [2, 2], "dtype": "<i2", "fill_value": 7, "order": "C", "compressor": null, "filters": null}"#;

#[test]
fn wrong_metadata_of_an_array_is_named() {
    for (from, to) in [
        ("{", ""),
        ("[3, 2]", "[3]"),
        ("[3, 2]", "[3, -2]"),
        ("[3, 2]", "[3, 2.5]"),
        ("[3, 2]", "\"3, 2\""),
        ("[3, 2]", "[18446744073709551615, 18446744073709551615]"),
        ("[2, 2]", "[2, 0]"),
        ("[2, 2]", "[2, 2, 2]"),
        ("\"zarr_format\": 2", "\"zarr_format\": 3"),
        ("\"zarr_format\": 2, ", ""),
        ("\"<i2\"", "\"<i3\""),
        ("\"<i2\"", "2"),
        ("\"dtype\": \"<i2\", ", ""),
        ("\"order\": \"C\"", "\"order\": \"X\""),
        ("\"fill_value\": 7", "\"fill_value\": \"x\""),
        ("\"fill_value\": 7", "\"fill_value\": 99999"),
        ("\"compressor\": null", "\"compressor\": {}"),
        ("\"compressor\": null", "\"compressor\": \"zlib\""),
        ("\"filters\": null", "\"filters\": {\"id\": 1}"),
        ("\"filters\": null", "\"filters\": [{\"id\": \"vlen-utf8\"}]"),
    ] {
        let array = GOOD.replacen(from, to, 1);
        assert_ne!(array, GOOD, "{from}");
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            ("good/.zarray", GOOD.as_bytes()),
            ("v/.zarray", array.as_bytes()),
        ]);
        // The others are there.
        let reader = open(&keys).unwrap();
        assert_eq!(reader.schema().vars[0].name, "good", "{from} -> {to}");
        let mut out = Vec::new();
        let read = cdl::dump(&*reader, "x", &DumpOptions::default(), &mut out);
        let error = match read {
            Ok(()) => reader.schema().faults.join(" "),
            Err(error) => error.to_string(),
        };
        assert!(
            error.contains("v/.zarray") || error.contains("variable v"),
            "{from} -> {to}: {error}"
        );
    }
}

#[test]
fn what_nczarr_lists_must_exist() {
    let attributes = br#"{"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": {"dimensions": {}, "arrays": ["v"], "groups": []}}"#;
    let keys = store([(".zgroup", &b"{\"zarr_format\": 2}"[..]), (".zattrs", attributes)]);
    assert_eq!(open(&keys).unwrap().schema().faults, ["v/.zarray is missing"]);
    for name in ["../v", "", ".zarray", "a/b"] {
        let attributes = format!(r#"{{"_nczarr_group": {{"arrays": [{name:?}]}}}}"#);
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            (".zattrs", attributes.as_bytes()),
        ]);
        let faults = open(&keys).unwrap().schema().faults.join(" ");
        assert!(faults.contains(".zattrs"), "{faults}");
    }
}

#[test]
fn a_damaged_document_of_the_root_is_an_error() {
    for key in [".zgroup", ".zattrs"] {
        let mut documents = vec![
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            ("v/.zarray", GOOD.as_bytes()),
        ];
        documents.retain(|(other, _)| *other != key);
        documents.push((key, b"{\"zarr_format\": 2"));
        let error = open(&store(documents)).err().unwrap().to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_copy_of_a_damaged_document_stands_for_it_only_where_asked() {
    let all = format!(r#"{{"metadata": {{".zgroup": {{"zarr_format": 2}}, "v/.zarray": {GOOD}}}}}"#);
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        (".zmetadata", all.as_bytes()),
        ("v/.zarray", b"{"),
    ]);
    let reader = open(&keys).unwrap();
    assert!(reader.schema().vars.is_empty());
    assert!(
        reader.schema().faults[0].contains("v/.zarray"),
        "{:?}",
        reader.schema().faults
    );
    let reader = format::open_damaged(
        Input::keys("", Arc::new(keys)),
        &Registry::builtin(),
        &ReadOptions::DEFAULT,
    )
    .unwrap();
    assert_eq!((reader.schema().vars.len(), reader.schema().faults.len()), (1, 0));
    assert!(reader.schema().replaced[0].contains("v/.zarray"));
}

#[test]
fn a_chunk_of_another_size_is_an_error() {
    for length in [0, 7, 9, 100_000] {
        let chunk = vec![0; length];
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            ("v/.zarray", GOOD.as_bytes()),
            ("v/0.0", &chunk),
        ]);
        let reader = open(&keys).unwrap();
        let mut out = Vec::new();
        let error = cdl::dump(&*reader, "x", &DumpOptions::default(), &mut out)
            .unwrap_err()
            .to_string();
        assert!(error.contains("variable v: chunk [0, 0]"), "{length}: {error}");
    }
}

#[test]
fn a_store_without_zarr_is_none() {
    for keys in [store([]), store([("README", &b"hello"[..]), ("a/b", b"c")])] {
        assert_eq!(open(&keys).err().unwrap().to_string(), "not a netCDF file");
    }
}

/// A chunk of 2 GiB, of which the array uses 24 bytes, and whose deflated bytes are few.
#[test]
fn a_chunk_far_larger_than_its_array_takes_no_memory() {
    let array = GOOD
        .replace("[3, 2]", "[3]")
        .replace("[2, 2]", "[268435456]")
        .replace("<i2", "<f8")
        .replace(
            "\"compressor\": null",
            "\"compressor\": {\"id\": \"zlib\", \"level\": 1}",
        );
    let keys = |chunk: Option<&[u8]>| {
        let metadata = [
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            ("v/.zarray", array.as_bytes()),
        ];
        store(metadata.into_iter().chain(chunk.map(|bytes| ("v/0", bytes))))
    };
    // Without the chunk, its size does not matter.
    let text = text(&*open(&keys(None)).unwrap());
    assert!(text.contains("v = 7, 7, 7 ;"), "{text}");
    // A stream of zlib that need not be complete.
    let reader = open(&keys(Some(&[0x78, 0x01, 0xed]))).unwrap();
    let mut out = Vec::new();
    let error = cdl::dump(&*reader, "x", &DumpOptions::default(), &mut out).unwrap_err();
    let says = "it takes 2147483648 bytes when it is decoded, and 1073741824 bytes are allowed";
    let error = error.to_string();
    assert!(
        error.starts_with("variable v: chunk [0]: ") && error.contains(says),
        "{error}"
    );
    // A copy that decodes is held to its own budget and to the registry's limit, and one that passes chunks is not.
    for (kind, memory, says) in [
        (Kind::Netcdf4, 64 << 20, Some("67108864 bytes are allowed")),
        (Kind::Netcdf4, 1 << 20, Some("67108864 bytes are allowed")),
        (Kind::Netcdf4, 4 << 30, Some("1073741824 bytes are allowed")),
        (Kind::Nczarr, 64 << 20, None),
    ] {
        let plan = plan(&*reader, &to(kind)).unwrap();
        let prepared = prepare(&*reader, &plan).unwrap();
        let options = RunOptions {
            memory: Some(memory),
            ..RunOptions::default()
        };
        let writer: Box<dyn format::Writer> = match kind {
            Kind::Netcdf4 => {
                format::create(Arc::new(MemoryOutput::new()), &plan.schema, &prepared.plans).unwrap()
            }
            _ => {
                let output: Arc<dyn KeyOutput> = Arc::new(MemoryKeys::new().output());
                let destination = ncutils_core::store::Destination::keys("", output);
                format::create(destination, &plan.schema, &prepared.plans).unwrap()
            }
        };
        let done = copy::run(&*reader, &prepared, writer, &options).map(|_| ());
        match says {
            Some(says) => {
                let error = done.unwrap_err().to_string();
                assert!(
                    error.starts_with("variable v: ") && error.contains(says),
                    "{kind:?} {memory}: {error}"
                );
            }
            None => done.unwrap(),
        }
    }
}
