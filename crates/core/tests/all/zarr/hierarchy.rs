//! Hierarchies of other programs, as they lie under their keys.

use super::*;

const ARRAY: &str = r#"{"zarr_format": 2, "shape": [3, 2], "chunks": [2, 2], "dtype": "<i2", "fill_value": 7, "order": "C", "compressor": null, "filters": null}"#;

fn two(numbers: [i16; 4]) -> Vec<u8> {
    numbers.into_iter().flat_map(i16::to_le_bytes).collect()
}

#[test]
fn chunks_are_found_under_both_separators() {
    for (declared, separator) in [("", "."), ("", "/"), (r#""dimension_separator": "/", "#, "/")] {
        let array = ARRAY.replacen('{', &format!("{{{declared}"), 1);
        let chunk = two([1, 2, 3, 4]);
        let key = format!("v/0{separator}0");
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            ("v/.zarray", array.as_bytes()),
            (&key, &chunk),
        ]);
        let text = text(&*open(&keys).unwrap());
        assert!(text.contains("1, 2,\n  3, 4,\n  7, 7 ;"), "{text}");
    }
}

#[test]
fn an_array_at_the_root_is_one_variable() {
    let chunk = two([1, 2, 3, 4]);
    let keys = store([(".zarray", ARRAY.as_bytes()), ("0.0", &chunk), ("1.0", &chunk)]);
    let text = text(&*open(&keys).unwrap());
    assert!(
        text.contains("short data(_Anonymous_Dim_3, _Anonymous_Dim_2) ;"),
        "{text}"
    );
    assert!(text.contains("1, 2,\n  3, 4,\n  1, 2 ;"), "{text}");
}

#[test]
fn order_f_is_transposed() {
    let chunk = two([1, 3, 2, 4]);
    let array = ARRAY.replace("\"C\"", "\"F\"");
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        ("v/.zarray", array.as_bytes()),
        ("v/0.0", &chunk),
    ]);
    let zarr = open(&keys).unwrap();
    let before = text(&*zarr);
    assert!(before.contains("1, 2,\n  3, 4,\n  7, 7 ;"), "{before}");
    // The order of a chunk's elements is no filter: other kinds have another.
    assert_eq!(text(&*to_netcdf4(&*zarr)), before);
    assert_eq!(
        text(&*open(&to_keys(&*zarr, &to(Kind::Zarr2), 1)).unwrap()),
        before
    );
}

#[test]
fn one_name_with_two_lengths_names_no_dimension() {
    let other = ARRAY.replace("[3, 2]", "[3, 4]");
    let dims = br#"{"_ARRAY_DIMENSIONS": ["y", "x"]}"#;
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        ("a/.zarray", ARRAY.as_bytes()),
        ("a/.zattrs", dims),
        ("b/.zarray", other.as_bytes()),
        ("b/.zattrs", dims),
    ]);
    let reader = open(&keys).unwrap();
    assert_eq!(
        reader.schema().warnings.len(),
        2,
        "{:?}",
        reader.schema().warnings
    );
    let text = text(&*reader);
    assert!(
        text.contains("short a(_Anonymous_Dim_3, _Anonymous_Dim_2)"),
        "{text}"
    );
    assert!(
        text.contains("short b(_Anonymous_Dim_3, _Anonymous_Dim_4)"),
        "{text}"
    );
}

#[test]
fn what_netcdf_cannot_hold_is_left_out_with_a_warning() {
    let wide = ARRAY.replace("<i2", "<f16");
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        ("t/.zarray", wide.as_bytes()),
        ("v/.zarray", ARRAY.as_bytes()),
    ]);
    let reader = open(&keys).unwrap();
    assert_eq!(reader.schema().vars.len(), 1);
    assert!(reader.schema().warnings[0].contains("variable t is left out"));
}

/// NCZarr has been written in several ways: its members in upper and lower case, in attributes and in metadata, and in its
/// first version under keys of their own.
#[test]
fn older_forms_of_nczarr_hold_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/zarr");
    let expected = std::fs::read_to_string(folder.join("older.cdl")).unwrap();
    for name in [
        "upper_in_objects",
        "upper_in_attributes",
        "lower_in_objects",
        "version1",
    ] {
        let store = ncutils_core::store::DirectoryKeys::open(&folder.join(name)).unwrap();
        let reader = format::open(Input::keys("", Arc::new(store)), &Registry::builtin()).unwrap();
        assert_eq!(reader.schema().kind, Kind::Nczarr, "{name}");
        assert_eq!(reader.schema().warnings, [""; 0], "{name}");
        let mut out = Vec::new();
        cdl::dump(&*reader, "older", &DumpOptions::default(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{name}");
    }
}

#[test]
fn only_what_differs_from_consolidated_metadata_is_told() {
    let array = ARRAY.replace("<i2", "<f8");
    for (fill, copy, warnings) in [
        ("1e+20", "1e20", 0),
        ("NaN", "NaN", 0),
        ("7", "7.0", 0),
        ("7", "8", 1),
    ] {
        let array = array.replace("\"fill_value\": 7", &format!("\"fill_value\": {fill}"));
        // The same members in another order.
        let other = array
            .replace("\"zarr_format\": 2, ", "")
            .replacen('}', ", \"zarr_format\": 2}", 1);
        let other = other.replace(
            &format!("\"fill_value\": {fill}"),
            &format!("\"fill_value\": {copy}"),
        );
        let all = format!(
            r#"{{"zarr_consolidated_format": 1, "metadata": {{".zgroup": {{"zarr_format": 2}}, "v/.zarray": {other}}}}}"#
        );
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            (".zmetadata", all.as_bytes()),
            ("v/.zarray", array.as_bytes()),
        ]);
        let reader = open(&keys).unwrap();
        let found = &reader.schema().warnings;
        assert_eq!(found.len(), warnings, "{fill} {copy}: {found:?}");
    }
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        (".zmetadata", b"{"),
        ("v/.zarray", ARRAY.as_bytes()),
    ]);
    let reader = open(&keys).unwrap();
    assert!(reader.schema().warnings[0].contains(".zmetadata is not used"));
}

#[test]
fn a_dataset_that_was_never_finished_is_refused() {
    let group = (".zgroup", &b"{\"zarr_format\": 2}"[..]);
    let version3 = (
        "zarr.json",
        &b"{\"zarr_format\": 3, \"node_type\": \"group\"}"[..],
    );
    let array = ("v/.zarray", ARRAY.as_bytes());
    let mark = (".ncutils-partial", &b""[..]);
    for keys in [vec![array, mark], vec![group, array, mark], vec![version3, mark]] {
        let error = open(&store(keys)).err().unwrap().to_string();
        assert!(error.contains("never finished"), "{error}");
    }
}

/// Objects of numcodecs' `vlen-utf8`, in order F: `[["a", "b"], ["c", ""]]`.
#[test]
fn strings_of_different_lengths_in_order_f() {
    let mut chunk = 4u32.to_le_bytes().to_vec();
    for text in ["a", "c", "b", ""] {
        chunk.extend((text.len() as u32).to_le_bytes());
        chunk.extend(text.as_bytes());
    }
    let array = ARRAY
        .replace("[3, 2]", "[2, 2]")
        .replace("<i2", "|O")
        .replace("\"fill_value\": 7", "\"fill_value\": null")
        .replace("\"C\"", "\"F\"")
        .replace("\"filters\": null", "\"filters\": [{\"id\": \"vlen-utf8\"}]");
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        ("v/.zarray", array.as_bytes()),
        ("v/0.0", &chunk),
    ]);
    let reader = open(&keys).unwrap();
    let before = text(&*reader);
    assert!(before.contains("\"a\", \"b\",\n  \"c\", _ ;"), "{before}");
    let special = special(&*reader);
    assert!(
        special.contains(r#"v:_Codecs = "[{\"id\": \"vlen-utf8\"}]" ;"#),
        "{special}"
    );
    // The strings themselves are compressed in Zarr; in HDF5 a filter would see their addresses.
    assert!(text(&*to_netcdf4(&*reader)).contains("\"a\", \"b\",\n  \"c\", "));
}

#[test]
fn an_array_that_is_also_a_group_is_told() {
    let group = &b"{\"zarr_format\": 2}"[..];
    let keys = store([
        (".zgroup", group),
        ("v/.zgroup", group),
        ("v/.zarray", ARRAY.as_bytes()),
        ("v/hidden/.zarray", ARRAY.as_bytes()),
        ("w/.zarray", ARRAY.as_bytes()),
    ]);
    let reader = open(&keys).unwrap();
    let names: Vec<_> = reader.schema().vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["v", "w"]);
    let warnings = &reader.schema().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].starts_with("v/.zarray and v/.zgroup are both there"),
        "{warnings:?}"
    );
    // At the root as well.
    let keys = store([(".zgroup", group), (".zarray", ARRAY.as_bytes())]);
    let warnings = open(&keys).unwrap().schema().warnings.clone();
    assert!(
        warnings[0].starts_with(".zarray and .zgroup are both there"),
        "{warnings:?}"
    );
}

#[test]
fn names_that_netcdf_cannot_hold_are_told() {
    let long = "x".repeat(257);
    for bad in ["a\\u0000b", long.as_str()] {
        let attributes = format!(r#"{{"{bad}": 1, "good": 2, "_ARRAY_DIMENSIONS": ["{bad}", "y"]}}"#);
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            ("v/.zarray", ARRAY.as_bytes()),
            ("v/.zattrs", attributes.as_bytes()),
        ]);
        let reader = open(&keys).unwrap();
        let schema = reader.schema();
        let names: Vec<_> = schema.vars[0]
            .attributes
            .iter()
            .map(|a| a.name.as_str())
            .collect();
        assert_eq!(names, ["_FillValue", "good"]);
        let dims: Vec<_> = schema.dims.iter().map(|dim| dim.name.as_str()).collect();
        assert_eq!(dims, ["_Anonymous_Dim_3", "_Anonymous_Dim_2"]);
        let warnings = &schema.warnings;
        assert!(
            warnings
                .iter()
                .any(|w| w.starts_with("an attribute of variable v is left out")),
            "{warnings:?}"
        );
        assert!(
            warnings
                .iter()
                .any(|w| w.contains("which is no name of netCDF's")),
            "{warnings:?}"
        );
        // So does a dimension of NCZarr's own list.
        let attributes = format!(
            r#"{{"_nczarr_group": {{"dimensions": {{"{bad}": 3, "y": 2}}, "arrays": [], "groups": []}}}}"#
        );
        let keys = store([
            (".zgroup", &b"{\"zarr_format\": 2}"[..]),
            (".zattrs", attributes.as_bytes()),
        ]);
        let reader = open(&keys).unwrap();
        assert_eq!(reader.schema().dims.len(), 1);
        assert!(reader.schema().warnings[0].starts_with("a dimension of group / is left out"));
    }
}

#[test]
fn groups_without_zgroup_are_read_and_told() {
    let keys = store([
        (".zgroup", &b"{\"zarr_format\": 2}"[..]),
        ("foo/.zattrs", b"{\"title\": \"kept\"}"),
        ("foo/bar/v/.zarray", ARRAY.as_bytes()),
        ("new/v/zarr.json", b"{}"),
    ]);
    let reader = open(&keys).unwrap();
    let schema = reader.schema();
    let groups: Vec<&str> = schema.groups.iter().map(|group| &*group.name).collect();
    assert_eq!((groups, schema.vars.len()), (vec!["", "foo", "bar"], 1));
    assert_eq!(schema.groups[1].attributes.len(), 1);
    let told = schema.warnings.join("\n");
    assert!(
        told.contains("groups without .zgroup are read") && told.contains(": /foo, /foo/bar"),
        "{told}"
    );
    assert!(
        told.contains("folder new/v is left out: it is Zarr of another version"),
        "{told}"
    );
}

const GROUP: (&str, &[u8]) = (".zgroup", b"{\"zarr_format\": 2}");

#[test]
fn consolidated_metadata_alone_is_read() {
    let all = format!(
        r#"{{"zarr_consolidated_format": 1, "metadata": {{".zgroup": {{"zarr_format": 2}}, "v/.zarray": {ARRAY}}}}}"#
    );
    let chunk = two([1, 2, 3, 4]);
    let keys = store([(".zmetadata", all.as_bytes()), ("v/0.0", &chunk)]);
    let text = text(&*open(&keys).unwrap());
    assert!(text.contains("1, 2,\n  3, 4,\n  7, 7 ;"), "{text}");
    // Beside a root, what only the copy has is told.
    let keys = store([GROUP, (".zmetadata", all.as_bytes())]);
    let reader = open(&keys).unwrap();
    let told = &reader.schema().warnings[0];
    assert!(
        told.starts_with("v/.zarray is left out: it is only in .zmetadata"),
        "{told}"
    );
}

#[test]
fn bytes_that_are_no_utf_8_hide_nothing_else() {
    let attributes = b"{\"title\": \"t\xe9mp\", \"n\": 3, \"s\": \"\xc3\xa9\xef\"}";
    let keys = store([
        GROUP,
        (".zattrs", attributes),
        ("v/.zarray", ARRAY.as_bytes()),
        ("v/.zattrs", b"{\"units\": \"\xb0C\"}"),
    ]);
    let reader = open(&keys).unwrap();
    let schema = reader.schema();
    let values = |of: &[ncutils_core::model::Attribute]| -> Vec<Vec<u8>> {
        of.iter()
            .map(|attribute| attribute.values.bytes.clone())
            .collect()
    };
    let root = values(&schema.groups[0].attributes);
    assert_eq!(root, [&b"t\xe9mp"[..], &[3, 0, 0, 0], b"\xc3\xa9\xef"]);
    assert_eq!(values(&schema.vars[0].attributes)[0], b"\xb0C");
    let told = &schema.warnings;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].starts_with(".zattrs has bytes that are no UTF-8"),
        "{told:?}"
    );
}
