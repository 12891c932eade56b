use super::*;
use crate::chunk::Region;
use crate::copy::plan::StringLength;
use crate::error::Error;
use crate::format::in_memory::InMemoryReader;
use crate::format::{Reader, Written};
use crate::model::{Attribute, DimId, Dimension, GroupId, Kind, Schema, Type, Values, VarId, Variable};

fn text(name: &str, text: &str) -> Attribute {
    Attribute {
        name: name.into(),
        ty: Type::Char,
        length: text.len(),
        values: Values::from_text(text),
    }
}

fn strings(name: &str, all: &[&str]) -> Attribute {
    Attribute {
        name: name.into(),
        ty: Type::String,
        length: all.len(),
        values: Values::from_strings(all.iter().map(|s| Some(s.as_bytes()))),
    }
}

fn var(name: &str, group: GroupId, ty: Type, dims: &[DimId], attributes: Vec<Attribute>) -> Variable {
    Variable {
        name: name.into(),
        group,
        ty,
        dims: dims.to_vec(),
        attributes: attributes.into(),
    }
}

fn dim(name: &str, group: GroupId, length: u64) -> Dimension {
    Dimension {
        name: name.into(),
        group,
        length,
        unlimited: false,
    }
}

/// `/time`, `/a/b/v(time, x)` with its coordinates, and the group's attributes.
fn grouped() -> InMemoryReader {
    let mut schema = Schema::new(Kind::Netcdf4);
    let a = schema.add_group(Schema::ROOT, "a");
    let b = schema.add_group(a, "b");
    let time = schema.add_dim(dim("time", Schema::ROOT, 1));
    let x = schema.add_dim(dim("x", b, 2));
    schema.add_var(var("time", Schema::ROOT, Type::Byte, &[time], vec![]));
    schema.add_var(var("x", b, Type::Byte, &[x], vec![]));
    let refers = vec![
        text("coordinates", "x time /a/b/x lost"),
        text("cell_methods", "x: mean time: max (interval: 1 x)"),
        strings("ancillary_variables", &["v"]),
        text("long_name", "x"),
    ];
    schema.add_var(var("v", b, Type::Byte, &[time, x], refers));
    schema.groups[b.0].attributes = vec![text("title", "of b")].into();
    schema.groups[0].attributes = vec![text("title", "of all")].into();
    let values = [&[9][..], &[1, 2], &[3, 4]];
    InMemoryReader::new(schema, values.map(|v| Values::from_bytes(v.to_vec())).to_vec())
}

fn flat(separator: &str) -> ViewRequest {
    ViewRequest {
        flatten: Some(separator.into()),
        ..ViewRequest::default()
    }
}

#[test]
fn items_of_groups_take_their_path_into_their_names() {
    let input = grouped();
    let view = View::new(&input, &flat("_")).unwrap();
    let schema = view.schema();
    assert_eq!(schema.groups.len(), 1);
    let names: Vec<_> = schema.vars.iter().map(|var| &var.name).collect();
    assert_eq!(names, ["time", "a_b_x", "a_b_v"]);
    let names: Vec<_> = schema.dims.iter().map(|dim| &dim.name).collect();
    assert_eq!(names, ["time", "a_b_x"]);
    let names: Vec<_> = schema.groups[0].attributes.iter().map(|a| &a.name).collect();
    assert_eq!(names, ["title", "a_b_title"]);
    let values = view.read_region(VarId(2), &Region::whole(&[1, 2])).unwrap();
    assert_eq!(values.bytes, [3, 4]);
    assert_eq!(
        view.warnings(),
        [
            "the groups became one, which changed 3 names: /a/b/x is a_b_x, /a/b/v is a_b_v, /a/b/title is a_b_title"
        ]
    );
}

#[test]
fn attributes_that_name_variables_follow() {
    let input = grouped();
    let view = View::new(&input, &flat(".")).unwrap();
    let attributes = &view.schema().vars[2].attributes;
    assert_eq!(attributes[0], text("coordinates", "a.b.x time a.b.x lost"));
    assert_eq!(
        attributes[1],
        text("cell_methods", "a.b.x: mean time: max (interval: 1 x)")
    );
    assert_eq!(attributes[2], strings("ancillary_variables", &["a.b.v"]));
    assert_eq!(attributes[3], text("long_name", "x"));
}

#[test]
fn clashes_and_separators_that_no_name_has_are_refused() {
    let mut schema = grouped().schema().clone();
    schema.add_var(var("a_b_v", Schema::ROOT, Type::Byte, &[], vec![]));
    let values = vec![Values::from_bytes(vec![0, 0]); 4];
    let input = InMemoryReader::new(schema, values);
    let refused = |separator: &str| match View::new(&input, &flat(separator)) {
        Err(Error::Request { why, .. }) => why,
        _ => panic!("taken"),
    };
    assert_eq!(
        refused("_"),
        "/a/b/v and /a_b_v would both be called a_b_v; give another separator"
    );
    assert_eq!(refused("/"), "a name cannot contain / or control characters");
    assert!(refused(&"x".repeat(250)).contains("more than 256"));
    assert!(View::new(&input, &flat("__")).is_ok());
}

/// `s(x)` = "é", "longer", "" with an attribute of two strings.
fn texts() -> InMemoryReader {
    let mut schema = Schema::new(Kind::Netcdf4);
    let x = schema.add_dim(dim("string6", Schema::ROOT, 3));
    let attributes = vec![strings("flags", &["a", "b"]), strings("_FillValue", &[""])];
    schema.add_var(var("s", Schema::ROOT, Type::String, &[x], attributes));
    let all = ["é", "longer", ""].map(|s| Some(s.as_bytes()));
    InMemoryReader::new(schema, vec![Values::from_strings(all)])
}

fn chars(string_length: Option<(u64, bool)>) -> ViewRequest {
    ViewRequest {
        char_strings: true,
        string_length: string_length.map(|(bytes, cut)| StringLength { bytes, cut }),
        ..ViewRequest::default()
    }
}

#[test]
fn strings_become_characters() {
    let input = texts();
    let view = View::new(&input, &chars(None)).unwrap();
    let (schema, s) = (view.schema(), VarId(0));
    assert_eq!((schema.var(s).ty, schema.shape(s)), (Type::Char, vec![3, 6]));
    assert_eq!(schema.dims[1].name, "string6_");
    let attributes = &schema.var(s).attributes;
    assert_eq!(**attributes, [text("flags", "a\nb"), text("_Encoding", "utf-8")]);
    assert_eq!(
        view.warnings(),
        ["attributes of several strings became text with a line for each: s:flags"]
    );
    assert_eq!(view.layout(s).extent, [3, 6]);
    assert_eq!(view.written(s).unwrap(), Written::All);
    let region = |start: &[u64], count: &[u64]| Region {
        start: start.to_vec(),
        count: count.to_vec(),
    };
    let read = |region: &Region| view.read_region(s, region).unwrap().bytes;
    assert_eq!(
        read(&Region::whole(&[3, 6])),
        b"\xc3\xa9\0\0\0\0longer\0\0\0\0\0\0"
    );
    assert_eq!(read(&region(&[0, 1], &[2, 3])), b"\xa9\0\0ong");
    assert_eq!(read(&region(&[1, 5], &[2, 1])), b"r\0");
    assert_eq!(read(&region(&[1, 5], &[0, 1])), b"");
}

#[test]
fn strings_are_cut_only_if_that_is_asked_for() {
    let input = texts();
    let view = View::new(&input, &chars(Some((1, true)))).unwrap();
    let all = view.read_region(VarId(0), &Region::whole(&[3, 1])).unwrap();
    // A character of two bytes does not fit one.
    assert_eq!(all.bytes, b"\0l\0");
    let refused = View::new(&input, &chars(Some((5, false)))).err().unwrap();
    assert!(
        refused.to_string().contains("the value at [1] takes 6 bytes"),
        "{refused}"
    );
}
