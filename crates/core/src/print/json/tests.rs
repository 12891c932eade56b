//! Tests that print datasets and read them back with a JSON parser.

use serde_json::{Value, json};

use crate::format::in_memory::InMemoryReader;
use crate::model::{
    Attribute, Dimension, Field, Kind, Schema, Slot, Type, TypeClass, UserType, Values, Variable,
};
use crate::print::{DataOf, DumpOptions};

fn printed(reader: &InMemoryReader, options: &DumpOptions) -> Value {
    let mut out = Vec::new();
    super::dump(reader, options, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// A dataset under construction: dimensions `t` (unlimited, 2), `x` (3), `none` (0).
struct Made {
    schema: Schema,
    values: Vec<Values>,
}

impl Made {
    fn new() -> Self {
        let mut schema = Schema::new(Kind::Netcdf4);
        for (name, length) in [("t", 2), ("x", 3), ("none", 0)] {
            schema.add_dim(Dimension {
                name: name.into(),
                group: Schema::ROOT,
                length,
                unlimited: name == "t",
            });
        }
        Self {
            schema,
            values: Vec::new(),
        }
    }

    fn user(&mut self, name: &str, class: TypeClass) -> Type {
        Type::User(self.schema.add_type(UserType {
            name: name.into(),
            group: Schema::ROOT,
            class,
        }))
    }

    fn var(&mut self, name: &str, ty: Type, dims: &[&str], values: Values) {
        let dims = dims.iter().map(|name| {
            let found = self.schema.dims.iter().position(|dim| dim.name == *name);
            crate::model::DimId(found.unwrap())
        });
        let dims = dims.collect();
        self.schema.add_var(Variable {
            name: name.into(),
            group: Schema::ROOT,
            ty,
            dims,
            attributes: Vec::new().into(),
        });
        self.values.push(values);
    }

    fn printed(self) -> Value {
        printed(
            &InMemoryReader::new(self.schema, self.values),
            &DumpOptions::default(),
        )
    }

    /// The data of the last variable.
    fn data(self) -> Value {
        let name = self.schema.vars.last().unwrap().name.clone();
        self.printed()["variables"][name]["data"].clone()
    }
}

fn doubles(values: &[f64]) -> Values {
    Values::from_bytes(values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

fn ints(values: &[i32]) -> Values {
    Values::from_bytes(values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

#[test]
fn dimensions_that_their_names_do_not_find_have_paths() {
    let mut schema = Schema::new(Kind::Netcdf4);
    let (a, b) = (
        schema.add_group(Schema::ROOT, "a"),
        schema.add_group(Schema::ROOT, "b"),
    );
    let dims = [(Schema::ROOT, "x"), (a, "x"), (b, "y")].map(|(group, name)| {
        schema.add_dim(Dimension {
            name: name.into(),
            group,
            length: 1,
            unlimited: false,
        })
    });
    schema.add_var(Variable {
        name: "v".into(),
        group: a,
        ty: Type::Int,
        dims: dims.to_vec(),
        attributes: Vec::new().into(),
    });
    let made = printed(
        &InMemoryReader::new(schema, vec![ints(&[1])]),
        &DumpOptions::default(),
    );
    assert_eq!(
        made["groups"]["a"]["variables"]["v"]["shape"],
        json!(["/x", "x", "/b/y"])
    );
}

#[test]
fn arrays_nest_as_shapes_do() {
    let mut made = Made::new();
    made.var(
        "a",
        Type::Int,
        &["t", "t", "x"],
        ints(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    );
    assert_eq!(
        made.printed(),
        json!({
            "dimensions": {"t": 2, "x": 3, "none": 0},
            "variables": {"a": {
                "shape": ["t", "t", "x"],
                "type": "int",
                "data": [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]],
            }},
        })
    );
    let mut made = Made::new();
    made.var("a", Type::Int, &[], ints(&[7]));
    assert_eq!(
        made.printed()["variables"]["a"],
        json!({"type": "int", "data": 7})
    );
    let mut made = Made::new();
    made.var("a", Type::Int, &["x", "none"], ints(&[]));
    assert_eq!(made.data(), json!([]));
}

#[test]
fn numbers_are_exact_and_those_that_json_lacks_null() {
    let mut made = Made::new();
    made.var(
        "a",
        Type::Double,
        &["t", "x"],
        doubles(&[0.1, -0.0, f64::NAN, f64::INFINITY, f64::MAX, 1e15]),
    );
    let data = made.data();
    assert_eq!(data, json!([[0.1, -0.0, null], [null, f64::MAX, 1e15]]));
    assert!(data[0][1].as_f64().unwrap().is_sign_negative());
    let mut made = Made::new();
    made.var(
        "a",
        Type::UInt64,
        &[],
        Values::from_bytes(u64::MAX.to_le_bytes().to_vec()),
    );
    assert_eq!(made.data(), json!(u64::MAX));
}

#[test]
fn rows_of_char_are_strings() {
    let mut made = Made::new();
    made.var("a", Type::Char, &["t", "x"], Values::from_text("ab\0\0c\0"));
    assert_eq!(made.data(), json!(["ab", "\0c"]));
    let mut made = Made::new();
    made.var("a", Type::Char, &[], Values::from_text("q"));
    assert_eq!(made.data(), json!("q"));
    let mut made = Made::new();
    made.var("a", Type::Char, &["none"], Values::default());
    assert_eq!(made.data(), json!([]));
}

#[test]
fn a_row_longer_than_a_slab_is_one_string() {
    let mut made = Made::new();
    let text = "é".repeat(3 << 20) + "\0";
    made.schema.dims[1].length = text.len() as u64;
    made.var("a", Type::Char, &["x"], Values::from_text(&text));
    assert_eq!(made.data(), json!("é".repeat(3 << 20)));
}

#[test]
fn an_array_longer_than_a_slab_is_one_array() {
    let mut made = Made::new();
    made.schema.dims[1].length = 1 << 20;
    let all: Vec<i32> = (0..2 << 20).collect();
    made.var("a", Type::Int, &["t", "x"], ints(&all));
    let (first, second) = all.split_at(1 << 20);
    assert_eq!(made.data(), json!([first, second]));
}

#[test]
fn user_types() {
    let mut made = Made::new();
    let color = made.user(
        "color",
        TypeClass::Enum {
            base: Type::UInt64,
            members: vec![("red".into(), 0), ("most".into(), -1)],
        },
    );
    let blob = made.user("blob", TypeClass::Opaque { size: 2 });
    let list = made.user("list", TypeClass::Vlen { base: Type::Int });
    let field = |name: &str, offset, ty, dims: &[usize]| Field {
        name: name.into(),
        offset,
        ty,
        dims: dims.to_vec(),
    };
    let record = made.user(
        "record",
        TypeClass::Compound {
            size: 40,
            fields: vec![
                field("c", 0, color, &[]),
                field("b", 8, blob, &[]),
                field("t", 10, Type::Char, &[2, 3]),
                field("l", 16, list, &[]),
                field("n", 32, Type::Int, &[1, 2]),
            ],
        },
    );
    let mut values = Values::default();
    let slot = values.push_heap(2, &ints(&[5, 6]).bytes);
    for (color, slot) in [(0u64, slot), (u64::MAX, Slot::NIL), (3, Slot::NIL)] {
        values.bytes.extend_from_slice(&color.to_le_bytes());
        values.bytes.extend_from_slice(b"\x0a\xffab\0xyz");
        values.bytes.extend_from_slice(&slot.to_bytes());
        values.bytes.extend_from_slice(&ints(&[1, 2]).bytes);
    }
    made.var("a", record, &["x"], values);
    let all = made.printed();
    let element = |color: Value, list: Value| json!({"c": color, "b": "0X0AFF", "t": ["ab", "xyz"], "l": list, "n": [[1, 2]]});
    assert_eq!(
        all["variables"]["a"]["data"],
        json!([
            element(json!("red"), json!([5, 6])),
            element(json!("most"), json!([])),
            element(json!(3), json!([])),
        ])
    );
    assert_eq!(
        all["types"],
        json!({
            "color": {"class": "enum", "type": "uint64", "members": {"red": 0, "most": u64::MAX}},
            "blob": {"class": "opaque", "size": 2},
            "list": {"class": "vlen", "type": "int"},
            "record": {"class": "compound", "fields": {
                "c": {"type": "color"},
                "b": {"type": "blob"},
                "t": {"shape": [2, 3], "type": "char"},
                "l": {"type": "list"},
                "n": {"shape": [1, 2], "type": "int"},
            }},
        })
    );
}

#[test]
fn attributes_stand_by_themselves_where_they_are_one() {
    let mut made = Made::new();
    let attributes = [
        ("text", Type::Char, 3, Values::from_text("ab\0")),
        ("none", Type::Int, 0, Values::default()),
        ("one", Type::Int, 1, ints(&[1])),
        ("two", Type::Int, 2, ints(&[1, 2])),
        (
            "nil",
            Type::String,
            2,
            Values::from_strings([None, Some(&b"s"[..])]),
        ),
    ];
    for (name, ty, length, values) in attributes {
        made.schema.groups[0].attributes.push(Attribute {
            name: name.into(),
            ty,
            length,
            values,
        });
    }
    assert_eq!(
        made.printed()["attributes"],
        json!({"text": "ab", "none": [], "one": 1, "two": [1, 2], "nil": [null, "s"]})
    );
}

#[test]
fn data_and_special_attributes_are_options() {
    let mut made = Made::new();
    made.var("a", Type::Int, &["x"], ints(&[1, 2, 3]));
    made.var("b", Type::Int, &[], ints(&[1]));
    let group = made.schema.add_group(Schema::ROOT, "g");
    made.schema.add_group(group, "h");
    let reader = InMemoryReader::new(made.schema, made.values);
    let mut options = DumpOptions {
        data: DataOf::Listed(vec!["b".into()]),
        special: true,
        ..DumpOptions::default()
    };
    let storage = |endian| json!({"_Storage": "contiguous", "_Endianness": endian});
    assert_eq!(
        printed(&reader, &options),
        json!({
            "dimensions": {"t": 2, "x": 3, "none": 0},
            "variables": {
                "a": {"shape": ["x"], "type": "int", "attributes": storage("little")},
                "b": {"type": "int", "attributes": storage("little"), "data": 1},
            },
            "attributes": {"_Format": "netCDF-4"},
            "groups": {"g": {"groups": {"h": {}}}},
        })
    );
    options.data = DataOf::Listed(vec!["c".into()]);
    assert!(super::dump(&reader, &options, &mut Vec::new()).is_err());
}
