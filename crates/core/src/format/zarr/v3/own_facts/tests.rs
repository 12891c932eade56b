use super::*;
use crate::filter::Registry;
use crate::format::zarr::{ZarrOptions, create, open};
use crate::format::{Promised, Reader, VariablePlan};
use crate::model::{
    Attribute, Dimension, Field, Fill, GroupId, Kind, Schema, TypeClass, UserType, Values, VarId, Variable,
    VariableLayout,
};
use crate::store::{KeyOutput, KeyStore, MemoryKeys};
use std::sync::Arc;

fn dim(schema: &mut Schema, group: GroupId, name: &str, length: u64, unlimited: bool) -> crate::model::DimId {
    schema.add_dim(Dimension {
        name: name.to_owned(),
        group,
        length,
        unlimited,
    })
}

fn attribute(name: &str, ty: Type, bytes: &[u8]) -> Attribute {
    let size = if let Type::User(_) = ty {
        1
    } else {
        ty.atomic_size()
    };
    Attribute {
        name: name.to_owned(),
        ty,
        length: bytes.len() / size,
        values: Values::from_bytes(bytes.to_vec()),
    }
}

fn strings(name: &str, texts: &[&str]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        ty: Type::String,
        length: texts.len(),
        values: Values::from_strings(texts.iter().map(|text| Some(text.as_bytes()))),
    }
}

/// A dataset of which Zarr alone would keep little.
fn dataset() -> Schema {
    let mut schema = Schema::new(Kind::Zarr3);
    let group = schema.add_group(Schema::ROOT, "z");
    schema.add_group(Schema::ROOT, "a");
    let unused = dim(&mut schema, Schema::ROOT, "unused", 7, false);
    let time = dim(&mut schema, Schema::ROOT, "time", 4, true);
    let x = dim(&mut schema, group, "x", 3, false);
    assert_eq!(unused.0, 0);
    let color = Type::User(schema.add_type(UserType {
        name: "color".to_owned(),
        group: Schema::ROOT,
        class: TypeClass::Enum {
            base: Type::Byte,
            members: vec![("red".to_owned(), 0), ("blue".to_owned(), -5)],
        },
    }));
    let opaque = Type::User(schema.add_type(UserType {
        name: "id".to_owned(),
        group,
        class: TypeClass::Opaque { size: 3 },
    }));
    let field = |name: &str, offset, ty, dims: &[usize]| Field {
        name: name.to_owned(),
        offset,
        ty,
        dims: dims.to_vec(),
    };
    let compound = Type::User(schema.add_type(UserType {
        name: "pair".to_owned(),
        group: Schema::ROOT,
        class: TypeClass::Compound {
            size: 14,
            fields: vec![
                field("c", 0, color, &[]),
                field("t", 1, Type::Char, &[8]),
                field("i", 9, opaque, &[]),
                field("s", 12, Type::Short, &[]),
            ],
        },
    }));
    let mut var = |name: &str, group, ty, dims: &[crate::model::DimId], attributes: Vec<Attribute>| {
        schema.add_var(Variable {
            name: name.to_owned(),
            group,
            ty,
            dims: dims.to_vec(),
            attributes: attributes.into(),
        });
    };
    let fill = attribute("_FillValue", Type::Float, &f32::NAN.to_le_bytes());
    let scale = attribute("scale", Type::Float, &0.1f32.to_le_bytes());
    let bad = attribute("bad", Type::Double, &f64::NEG_INFINITY.to_le_bytes());
    var("t", Schema::ROOT, Type::Float, &[time], vec![scale, fill, bad]);
    let mut best = attribute("best", color, &[0xfb]);
    best.length = 1;
    let mut color_fill = attribute("_FillValue", color, &[0xfb]);
    color_fill.length = 1;
    var("b", Schema::ROOT, color, &[time], vec![best, color_fill]);
    let text_fill = attribute("_FillValue", Type::Char, b"*");
    var(
        "s",
        Schema::ROOT,
        Type::Char,
        &[time],
        vec![strings("who", &["I"]), text_fill],
    );
    var(
        "p",
        group,
        compound,
        &[time, x],
        vec![strings("list", &["a", "b"])],
    );
    var(
        "o",
        group,
        opaque,
        &[x],
        vec![attribute("none", Type::Short, &[])],
    );
    var(
        "n",
        group,
        Type::String,
        &[],
        vec![attribute("text", Type::Char, b"{\"a\": 1}")],
    );
    schema.groups[0].attributes =
        vec![attribute("level", Type::UByte, &[7]), strings("single", &["x"])].into();
    schema
}

fn plans(schema: &Schema) -> Vec<VariablePlan> {
    let plan = |n| {
        let id = VarId(n);
        let var = schema.var(id);
        let (size, encoding) = schema.storage_encoding(var.ty);
        let shape = schema.shape(id);
        let fill = var.attributes.iter().find(|a| a.name == "_FillValue");
        let layout = VariableLayout::contiguous(shape.clone(), size, encoding)
            .in_chunks(shape)
            .with_fill(Fill {
                value: fill.map(|fill| fill.values.clone()),
                explicit: fill.is_some(),
                no_fill: var.name == "o",
                ..Fill::default()
            });
        VariablePlan::new(schema, id, layout, Promised::Nothing, &Registry::builtin()).unwrap()
    };
    (0..schema.vars.len()).map(plan).collect()
}

fn written(schema: &Schema) -> MemoryKeys {
    let keys = MemoryKeys::new();
    let output: Arc<dyn KeyOutput> = Arc::new(keys.output());
    let options = ZarrOptions::write(Kind::Zarr3);
    create(output, schema, &plans(schema), options)
        .unwrap()
        .finish()
        .unwrap();
    keys
}

fn read(keys: &MemoryKeys) -> Box<dyn Reader> {
    let store: Arc<dyn KeyStore> = Arc::new(keys.clone());
    open(&store, ZarrOptions::READ, &Registry::builtin()).unwrap()
}

/// What two schemas must have in common: one line for each item, group by group, in order.
fn told(schema: &Schema) -> Vec<String> {
    let mut lines = Vec::new();
    let ty = |ty: Type| types::path(schema, ty);
    let attributes = |all: &[Attribute], lines: &mut Vec<String>| {
        for a in all {
            lines.push(format!("  :{} {} {} {:?}", ty(a.ty), a.name, a.length, a.values));
        }
    };
    lines.push(types::json(schema).to_string());
    for (n, group) in schema.groups.iter().enumerate() {
        let path = schema.group_path(GroupId(n));
        let children: Vec<_> = group.children.iter().map(|id| &schema.group(*id).name).collect();
        lines.push(format!(
            "group {path} {children:?} {}",
            dimensions::json(schema, GroupId(n))
        ));
        attributes(&group.attributes, &mut lines);
        for id in &group.vars {
            let var = schema.var(*id);
            let dims: Vec<_> = var
                .dims
                .iter()
                .map(|dim| schema.path_in(schema.dim(*dim).group, &schema.dim(*dim).name))
                .collect();
            lines.push(format!(" {} {}/{} {dims:?}", ty(var.ty), path, var.name));
            attributes(&var.attributes, &mut lines);
        }
    }
    lines.sort();
    lines
}

#[test]
fn nothing_is_lost() {
    let schema = dataset();
    let keys = written(&schema);
    let reader = read(&keys);
    let (expected, found) = (told(&schema), told(reader.schema()));
    assert_eq!(reader.schema().warnings, [""; 0]);
    for (a, b) in expected.iter().zip(&found) {
        assert_eq!(a, b);
    }
    assert_eq!(expected, found);
    let names = |schema: &Schema| -> Vec<String> {
        schema.groups[0]
            .vars
            .iter()
            .map(|id| schema.var(*id).name.clone())
            .collect()
    };
    assert_eq!(names(reader.schema()), ["t", "b", "s"]);
    let o = reader.schema().var_at("z/o").unwrap();
    assert!(reader.layout(o).fill.no_fill);
}

#[test]
fn what_every_reader_finds_needs_no_facts() {
    let mut schema = Schema::new(Kind::Zarr3);
    let x = dim(&mut schema, Schema::ROOT, "x", 3, false);
    for name in ["a", "b"] {
        schema.add_var(Variable {
            name: name.to_owned(),
            group: Schema::ROOT,
            ty: Type::Int,
            dims: vec![x],
            attributes: vec![
                attribute("units", Type::Char, b"K"),
                attribute("n", Type::Int, &[1, 0, 0, 0]),
                attribute("d", Type::Double, &1.0f64.to_le_bytes()),
                attribute("_FillValue", Type::Int, &[9, 0, 0, 0]),
            ]
            .into(),
        });
    }
    assert_eq!(of(&schema, &plans(&schema)), None);
    assert_eq!(told(read(&written(&schema)).schema()), told(&schema));
}

#[test]
fn a_fill_value_of_text_may_differ_from_that_of_the_array() {
    let schema = dataset();
    let mut plans = plans(&schema);
    let at = schema.var_at("s").unwrap().0;
    let mut layout = VariableLayout::clone(&plans[at].layout);
    layout.fill.value = Some(Values::from_bytes(vec![0]));
    plans[at].layout = layout.into();
    let facts = of(&schema, &plans).unwrap();
    let fact = |facts: &Json| {
        let s = facts.get("variables")?.get("/s")?;
        Some(s.get("_FillValue")?.to_string())
    };
    assert_eq!(fact(&facts).as_deref(), Some("[1,42]"));
    for (fact, value) in [("[1, 42]", "*"), ("[0, 43]", "+")] {
        let facts = format!(r#"{{"version": 1, "variables": {{"/s": {{"_FillValue": {fact}}}}}}}"#);
        let reader = with_facts(&schema, &facts);
        let found = reader.schema();
        let var = found.var(found.var_at("s").unwrap());
        let fill = var.attributes.iter().find(|a| a.name == "_FillValue").unwrap();
        assert_eq!(fill.values.bytes, value.as_bytes());
    }
    for wrong in ["[1, 256]", "[1]", "[1, \"*\"]", "[]", "\"*\""] {
        let facts = format!(r#"{{"version": 1, "variables": {{"/s": {{"_FillValue": {wrong}}}}}}}"#);
        let reader = with_facts(&schema, &facts);
        let var = reader.schema().var(reader.schema().var_at("s").unwrap());
        assert!(var.attributes.iter().all(|a| a.name != "_FillValue"), "{wrong}");
    }
}

/// Puts other facts in place of those of a dataset.
fn with_facts(schema: &Schema, facts: &str) -> Box<dyn Reader> {
    let keys = written(schema);
    let text = keys
        .get("zarr.json", crate::store::GetRange::Whole)
        .unwrap()
        .unwrap();
    let mut root = Json::parse(&text).unwrap();
    if let Json::Object(members) = &mut root {
        members.retain(|(name, _)| name != "attributes");
        let facts = Json::parse(facts.as_bytes()).unwrap();
        members.push(("attributes".to_owned(), Json::from_iter([(NAME, facts)])));
    }
    let out = keys.output();
    for key in keys.list("").unwrap() {
        out.put(
            &key,
            &keys.get(&key, crate::store::GetRange::Whole).unwrap().unwrap(),
        )
        .unwrap();
    }
    out.put("zarr.json", root.to_string().as_bytes()).unwrap();
    out.publish().unwrap();
    read(&keys)
}

#[test]
fn arrays_count_where_facts_contradict_them() {
    let schema = dataset();
    let facts = r#"{"version": 1,
        "types": [{"name": "color", "group": "/", "enum": "int", "members": [["red", 0]]},
                  {"name": "id", "group": "/z", "opaque": 4}],
        "groups": {"/": {"dimensions": [["time", 99, "unlimited"], ["x", 8], ["x", 9]], "variables": ["gone", "t"],
                         "attributes": {"gone": "int"}},
                   "/gone": {"dimensions": [["q", 1]]}},
        "variables": {"/b": {"type": "/color"}, "/z/o": {"type": "/z/id"}, "/gone": {"no_fill": true},
                      "/t": {"attributes": {"scale": "string"}, "type": "/color"}}}"#;
    let reader = with_facts(&schema, facts);
    let found = reader.schema();
    let lengths: Vec<_> = found
        .dims
        .iter()
        .map(|dim| (&*dim.name, dim.group.0, dim.length, dim.unlimited))
        .collect();
    assert_eq!(lengths, [("time", 0, 4, true), ("x", 0, 3, false)]);
    let ty = |path: &str| found.var(found.var_at(path).unwrap()).ty;
    assert_eq!((ty("b"), ty("t")), (Type::Byte, Type::Float));
    assert_eq!(types::path(found, ty("z/o")), "/raw_bytes_3");
    assert!(
        found.warnings.iter().any(|line| line.contains("scale")),
        "{:?}",
        found.warnings
    );
}

#[test]
fn hostile_facts_do_no_harm() {
    let schema = dataset();
    let nested: String = (0..200)
        .map(|n| {
            format!(
                r#"{{"name": "n{n}", "group": "/", "compound": [["f", "{}"]]}},"#,
                if n == 0 {
                    "int".into()
                } else {
                    format!("/n{}", n - 1)
                }
            )
        })
        .collect();
    for facts in [
        "3".to_owned(),
        r#"{"version": 2, "groups": {"/": {"dimensions": [["q", 5]]}}}"#.to_owned(),
        r#"{"version": 1, "groups": [], "variables": "x", "types": {}}"#.to_owned(),
        r#"{"version": 1, "groups": {"/": {"dimensions": [["", 1], ["a/b", 1], ["n", -1], ["h", 1e300], [], 5, ["m"]],
            "variables": [1, null], "groups": {}, "attributes": [1]}}, "variables": {"/t": {"_FillValue": 1e9, "no_fill": 3}}}"#.to_owned(),
        format!(r#"{{"version": 1, "types": [{nested} 5]}}"#),
        r#"{"version": 1, "types": [
            {"name": "a", "group": "/", "compound": [["f", "char", [4294967296, 4294967296]]]},
            {"name": "b", "group": "/", "compound": [["f", "char", [4294967296]]]},
            {"name": "c", "group": "/", "compound": []}, {"name": "d", "group": "/", "compound": [["f", "/d"]]},
            {"name": "e", "group": "/", "enum": "float", "members": []},
            {"name": "f", "group": "/", "enum": "byte", "members": [["a", 300]]},
            {"name": "g", "group": "/", "enum": "byte", "members": [["a", 3], ["a", 4]]},
            {"name": "h", "group": "/", "opaque": 0}, {"name": "", "group": "/", "opaque": 1},
            {"name": "i", "group": "/none", "opaque": 1}, {"name": "j"}]}"#.to_owned(),
    ] {
        let reader = with_facts(&schema, &facts);
        let found = reader.schema();
        assert_eq!(found.vars.len(), 6);
        assert!(found.types.len() <= 2 + 33, "{}", found.types.len());
        assert_eq!(found.shape(found.var_at("t").unwrap()), [4]);
    }
}

#[test]
fn types_that_expand_to_many_fields_are_compared_by_size_first() {
    let schema = dataset();
    let hundred = |n: u32| {
        let field = |at| format!(r#"["f{at}", "/a{}"]"#, n - 1);
        let fields: Vec<String> = (0..100).map(field).collect();
        format!(
            r#"{{"name": "a{n}", "group": "/", "compound": [{}]}}"#,
            fields.join(",")
        )
    };
    let types = format!(
        r#"{{"name": "a0", "group": "/", "compound": [["f", "byte"]]}}, {}, {}, {}, {}"#,
        hundred(1),
        hundred(2),
        hundred(3),
        hundred(4)
    );
    let facts = |ty: &str| {
        format!(
            r#"{{"version": 1, "types": [{types}], "variables": {{"/z/o": {{"type": "{ty}"}}, "/z/p": {{"type": "{ty}"}}}}}}"#
        )
    };
    for ty in ["/a3", "/a4"] {
        let reader = with_facts(&schema, &facts(ty));
        let found = reader.schema();
        let path = |var: &str| types::path(found, found.var(found.var_at(var).unwrap()).ty);
        assert_eq!(path("z/o"), "/raw_bytes_3");
        assert_ne!(path("z/p"), ty);
        // What takes more than a structure may is left out.
        assert!(found.types.iter().all(|ty| ty.name != "a4"));
    }
}

#[test]
fn a_fill_value_of_another_type_or_length_comes_back() {
    let fill = |ty, bytes: &[u8]| attribute("_FillValue", ty, bytes);
    let mut nothing = fill(Type::String, &[]);
    nothing.values = Values::default();
    for (ty, attribute) in [
        (Type::Int, fill(Type::Float, &1.5f32.to_le_bytes())),
        (Type::Int, fill(Type::Double, &f64::NAN.to_le_bytes())),
        (Type::Int, fill(Type::Short, &7i16.to_le_bytes())),
        (Type::Int, fill(Type::Int, &[1, 0, 0, 0, 2, 0, 0, 0])),
        (Type::Int, fill(Type::Int, &[])),
        (Type::Int, fill(Type::Char, b"none")),
        (Type::Float, fill(Type::Int, &[9, 0, 0, 0])),
        (Type::Char, fill(Type::Char, b"none")),
        (Type::Char, fill(Type::Byte, &[3])),
        (Type::String, strings("_FillValue", &["a", "b"])),
        (Type::String, fill(Type::Char, b"none")),
        (Type::Int, nothing),
    ] {
        let mut schema = Schema::new(Kind::Zarr3);
        let x = dim(&mut schema, Schema::ROOT, "x", 3, false);
        let before = super::tests::attribute("units", Type::Char, b"K");
        let after = super::tests::attribute("n", Type::Int, &[1, 0, 0, 0]);
        schema.add_var(Variable {
            name: "v".to_owned(),
            group: Schema::ROOT,
            ty,
            dims: vec![x],
            attributes: vec![before, attribute, after].into(),
        });
        // A fill value in the attributes of a group is an attribute like any other.
        schema.groups[0].attributes = vec![fill(Type::Float, &2.5f32.to_le_bytes())].into();
        let keys = MemoryKeys::new();
        let output: Arc<dyn KeyOutput> = Arc::new(keys.output());
        let (size, encoding) = schema.storage_encoding(ty);
        let layout = VariableLayout::contiguous(vec![3], size, encoding).in_chunks(vec![3]);
        let plan =
            VariablePlan::new(&schema, VarId(0), layout, Promised::Nothing, &Registry::builtin()).unwrap();
        let writer = create(output, &schema, &[plan], ZarrOptions::write(Kind::Zarr3)).unwrap();
        writer.finish().unwrap();
        let reader = read(&keys);
        assert_eq!(reader.schema().warnings, [""; 0]);
        assert_eq!(told(reader.schema()), told(&schema));
    }
}
