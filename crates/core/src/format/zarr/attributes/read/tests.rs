use super::*;
use crate::format::zarr::attributes::type_map;
use crate::format::zarr::number::numbers;

/// Reads an object. An attribute becomes a line such as `float valid_range = [0.0,400.0]`.
fn lines(text: &str, variable: Option<Type>) -> (Vec<String>, Vec<String>) {
    let object = Json::parse_spelled(text.as_bytes()).unwrap();
    let members = object.as_object().unwrap();
    let mut warnings = vec![];
    let found = read(members, type_map(members), variable, "variable v", &mut warnings);
    let line = |attribute: &Attribute| {
        let values = &attribute.values;
        let text = match attribute.ty {
            Type::Char => {
                assert_eq!(attribute.length, values.bytes.len());
                Json::String(String::from_utf8(values.bytes.clone()).unwrap())
            }
            Type::String => (0..attribute.length)
                .map(|at| {
                    values
                        .string(16 * at)
                        .map_or("NIL".into(), |s| String::from_utf8_lossy(s).into_owned())
                })
                .collect::<Vec<_>>()
                .into(),
            ty => Json::Array(numbers(&values.bytes, ty)),
        };
        format!("{} {} = {text}", attribute.ty.cdl_name().unwrap(), attribute.name)
    };
    (found.attributes.iter().map(line).collect(), warnings)
}

#[test]
fn types_of_nczarr_are_taken() {
    let text = r#"{"_FillValue": "NaN", "valid_range": [0,400], "units": "K", "note": {"json":[1,2,{"k":null}]},
        "b": -1, "ub": [1,255], "strings": ["one","two"], "one": "alone", "empty": "", "none": [], "list": [1,2],
        "number": 5, "untyped": 7, "nil": ["a",null],
        "_ARRAY_DIMENSIONS": ["y"], "_nczarr_array": {"storage": "chunked"},
        "_nczarr_attr": {"types": {"_FillValue": "<f8", "valid_range": "<f4", "units": ">S1", "note": ">S1",
        "b": "<i1", "ub": "|u1", "strings": "|S128", "one": "|S128", "empty": ">S1", "none": "<i4", "list": ">S1",
        "number": ">S1", "nil": "|S1", "_nczarr_array": "|J0", "_nczarr_attr": "|J0"}}}"#;
    let (attributes, warnings) = lines(text, None);
    assert_eq!(
        attributes,
        [
            "double _FillValue = [NaN]",
            "float valid_range = [0.0,400.0]",
            "char units = \"K\"",
            r#"char note = "{\"json\": [1,2,{\"k\": null}]}""#,
            "byte b = [-1]",
            "ubyte ub = [1,255]",
            r#"string strings = ["one","two"]"#,
            r#"string one = ["alone"]"#,
            "char empty = \"\\u0000\"",
            "int none = []",
            "char list = \"[1,2]\"",
            "char number = \"5\"",
            "int untyped = [7]",
            r#"string nil = ["a","NIL"]"#,
        ]
    );
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn text_that_netcdf_c_takes_for_a_number_keeps_its_spelling() {
    let values =
        r#"{"a": 1.10, "b": 007, "c": True, "d": +1, "e": [1,2.50], "f": {"x": 1.50}, "g": NaN, "n": null"#;
    let types =
        r#""a": ">S1", "b": ">S1", "c": ">S1", "d": ">S1", "e": ">S1", "f": ">S1", "g": ">S1", "n": ">S1""#;
    let typed = format!("{values}, \"_nczarr_attr\": {{\"types\": {{{types}}}}}}}");
    let text = [
        "1.10",
        "007",
        "True",
        "+1",
        "[1,2.50]",
        r#"{\"x\": 1.50}"#,
        "NaN",
        "null",
    ];
    let names = ["a", "b", "c", "d", "e", "f", "g", "n"];
    let lines_of_text: Vec<_> = (names.iter().zip(text))
        .map(|(name, text)| format!("char {name} = \"{text}\""))
        .collect();
    assert_eq!(lines(&typed, None).0, lines_of_text);
    assert_eq!(
        lines(&format!("{values}}}"), None).0,
        [
            "double a = [1.1]",
            "int b = [7]",
            "ubyte c = [1]",
            "int d = [1]",
            "double e = [1.0,2.5]",
            r#"char f = "{\"x\": 1.50}""#,
            "double g = [NaN]",
            "char n = \"null\"",
        ]
    );
}

#[test]
fn types_of_old_nczarr_are_taken() {
    let text = r#"{"_FillValue": NaN, "units": "m", "_NCZARR_ATTR": {"types": {"_FillValue": "<f8", "units": "<U1"}},
        "_NCZARR_ARRAY": {}}"#;
    let (attributes, warnings) = lines(text, None);
    assert_eq!(attributes, ["double _FillValue = [NaN]", "char units = \"m\""]);
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn a_value_that_does_not_fit_its_type_is_inferred() {
    let text = r#"{"a": 300, "b": [1,"x"], "c": "text", "d": ["a",1], "e": 1, "f": 2, "g": 1e39,
        "_nczarr_attr": {"types": {"a": "|u1", "b": "<i4", "c": "<f8", "d": "|S4", "e": "<c8", "f": 7, "g": "<f4"}}}"#;
    let (attributes, warnings) = lines(text, None);
    assert_eq!(
        attributes,
        [
            "int a = [300]",
            r#"char b = "[1,\"x\"]""#,
            "char c = \"text\"",
            r#"char d = "[\"a\",1]""#,
            "int e = [1]",
            "int f = [2]",
            "double g = [1e39]",
        ]
    );
    assert_eq!(warnings.len(), 7);
    assert_eq!(
        warnings[0],
        "variable v: the value of attribute a does not fit the type |u1; it is read as int"
    );
    let (_, warnings) = lines(r#"{"a": 1, "_nczarr_attr": {"types": [1]}}"#, None);
    assert_eq!(
        warnings,
        [
            "variable v: the types of its attributes are an array, not an object; they are taken from the values"
        ]
    );
    let (attributes, _) = lines(r#"{"a": 1, "_nczarr_attr": 5}"#, None);
    assert_eq!(attributes, ["int a = [1]"]);
}

#[test]
fn the_fill_value_has_the_type_of_the_variable() {
    let of = |text: &str, ty| lines(&format!("{{\"_FillValue\": {text}}}"), Some(ty));
    assert_eq!(of("-99", Type::Float).0, ["float _FillValue = [-99.0]"]);
    assert_eq!(of("\"NaN\"", Type::Double).0, ["double _FillValue = [NaN]"]);
    assert_eq!(of("1.0", Type::Short).0, ["short _FillValue = [1]"]);
    // As xarray has it.
    let of_xarray = of("\"AAAAgB2vFUQ=\"", Type::Float);
    assert_eq!(
        of_xarray,
        (vec!["float _FillValue = [1e20]".to_owned()], Vec::new())
    );
    assert_eq!(of("\"x\"", Type::String).0, ["string _FillValue = [\"x\"]"]);
    let (attributes, warnings) = of("\"x\"", Type::Short);
    assert_eq!(attributes, ["char _FillValue = \"x\""]);
    assert_eq!(
        warnings,
        [
            "variable v: the value of attribute _FillValue does not fit the type of the variable; it is read as char"
        ]
    );
    assert_eq!(lines("{\"_FillValue\": 1}", None).0, ["int _FillValue = [1]"]);
}

#[test]
fn keys_of_the_conventions_are_no_attributes() {
    let text = r#"{"_NCProperties": "version=2", "_nczarr_superblock": {}, "_NCZARR_GROUP": {}, "_ARRAY_DIMENSIONS": [],
        "_nczarr_maxstrlen": 12, "_nczarr": 1}"#;
    let (attributes, _) = lines(text, None);
    assert_eq!(attributes, ["int _nczarr_maxstrlen = [12]", "int _nczarr = [1]"]);
    let object = Json::parse(text.as_bytes()).unwrap();
    let found = read(
        object.as_object().unwrap(),
        None,
        None,
        "the root group",
        &mut vec![],
    );
    assert_eq!(found.nc_properties.as_deref(), Some("version=2"));
}

#[test]
fn names_that_netcdf_cannot_hold_are_left_out() {
    let long = "é".repeat(129);
    let (attributes, warnings) = lines(
        &format!("{{\"\": 1, \"{long}\": 2, \"{}\": 3}}", &long[..256]),
        None,
    );
    assert_eq!(attributes.len(), 1);
    assert_eq!(
        warnings[1],
        "an attribute of variable v is left out: its name has 258 bytes, and netCDF takes 1 to 256"
    );
}
