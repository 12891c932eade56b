//! Tests that compare printed NcML headers word for word.

use super::*;
use crate::model::{Attribute, Dimension, Field, Kind, Values, Variable};

fn variable(schema: &mut Schema, group: GroupId, name: &str, ty: Type, dims: Vec<crate::model::DimId>) {
    schema.add_var(Variable {
        name: name.into(),
        group,
        ty,
        dims,
        attributes: Vec::new().into(),
    });
}

fn text(schema: &Schema) -> String {
    let options = DumpOptions::default();
    let mut ncml = Ncml {
        schema,
        names: crate::model::VisibleNames::new(schema),
        options: &options,
        wanted: vec![false; schema.vars.len()],
        text: Escaped::default(),
        indent: 0,
    };
    ncml.group(Schema::ROOT);
    String::from_utf8(ncml.text.finish().0).unwrap()
}

fn dim(name: &str, group: GroupId, length: u64) -> Dimension {
    Dimension {
        name: name.into(),
        group,
        length,
        unlimited: false,
    }
}

#[test]
fn a_shape_names_dimensions_only_where_that_finds_them() {
    let root = Schema::ROOT;
    let mut schema = Schema::new(Kind::Netcdf4);
    let group = schema.add_group(root, "g<>");
    let x = schema.add_dim(dim("x", root, 3));
    let y = schema.add_dim(dim("y", root, 4));
    let blank = schema.add_dim(dim("a b", root, 5));
    let digits = schema.add_dim(dim("77", root, 6));
    schema.add_dim(dim("x", group, 7));
    variable(&mut schema, group, "v", Type::Int64, vec![x, y, blank, digits]);
    let text = text(&schema);
    assert!(
        text.contains("<variable name=\"v\" shape=\"3 y 5 6\" type=\"long\" />"),
        "{text}"
    );
    assert!(
        text.contains("  <group name=\"g&lt;&gt;\">\n    <dimension name=\"x\" length=\"7\" />\n"),
        "{text}"
    );
}

#[test]
fn user_types_nest() {
    let root = Schema::ROOT;
    let mut schema = Schema::new(Kind::Netcdf4);
    let mut add = |name: &str, class: TypeClass| {
        Type::User(schema.add_type(UserType {
            name: name.into(),
            group: root,
            class,
        }))
    };
    let members = vec![("a&b".to_owned(), 200)];
    let enum1 = add(
        "e1",
        TypeClass::Enum {
            base: Type::UByte,
            members: members.clone(),
        },
    );
    let enum8 = add(
        "e8",
        TypeClass::Enum {
            base: Type::Int64,
            members,
        },
    );
    let list = add("list", TypeClass::Vlen { base: enum1 });
    let field = |name: &str, ty, offset, dims: &[usize]| Field {
        name: name.into(),
        offset,
        ty,
        dims: dims.to_vec(),
    };
    let fields = vec![field("e", enum8, 0, &[]), field("l", list, 8, &[2, 3])];
    let compound = add("c", TypeClass::Compound { size: 8 + 96, fields });
    let compounds = add("cs", TypeClass::Vlen { base: compound });
    let opaque = add("o", TypeClass::Opaque { size: 3 });
    variable(&mut schema, root, "c", compound, vec![]);
    variable(&mut schema, root, "cs", compounds, vec![]);
    variable(&mut schema, root, "o", opaque, vec![]);
    assert_eq!(
        text(&schema),
        "  <enumTypedef name=\"e1\" type=\"enum1\">
    <enum key=\"200\">a&amp;b</enum>
  </enumTypedef>
  <variable name=\"c\" type=\"Structure\">
    <variable name=\"e\" type=\"long\" />
    <variable name=\"l\" shape=\"2 3 *\" type=\"enum1\" typedef=\"e1\" />
  </variable>
  <variable name=\"cs\" shape=\"*\" type=\"Sequence\">
    <variable name=\"e\" type=\"long\" />
    <variable name=\"l\" shape=\"2 3 *\" type=\"enum1\" typedef=\"e1\" />
  </variable>
  <variable name=\"o\" type=\"opaque\" />
"
    );
}

#[test]
fn attributes_of_all_kinds() {
    let mut schema = Schema::new(Kind::Netcdf4);
    let mut add = |name: &str, ty: Type, length: usize, values: Values| {
        schema.groups[0].attributes.push(Attribute {
            name: name.into(),
            ty,
            length,
            values,
        });
    };
    let floats: Vec<u8> = [1.5f32, -0.0, 1e30, f32::NAN, f32::NEG_INFINITY]
        .iter()
        .flat_map(|f| f.to_le_bytes())
        .collect();
    add("f", Type::Float, 5, Values::from_bytes(floats));
    add(
        "big",
        Type::UInt64,
        1,
        Values::from_bytes(u64::MAX.to_le_bytes().to_vec()),
    );
    add("none", Type::Int, 0, Values::from_bytes(Vec::new()));
    add("text", Type::Char, 4, Values::from_bytes(b"a\"b\0".to_vec()));
    let mut strings = Values::default();
    strings.push_string(Some(b"a|b"));
    strings.push_string(None);
    strings.push_string(Some(b"c;"));
    add("s", Type::String, 3, strings);
    assert_eq!(
        text(&schema),
        "  <attribute name=\"f\" type=\"float\" value=\"1.5 -0. 1.e+30 NaN -Infinity\" />
  <attribute name=\"big\" type=\"ulong\" value=\"18446744073709551615\" />
  <attribute name=\"none\" type=\"int\" value=\"\" />
  <attribute name=\"text\" value=\"a&quot;b\" />
  <attribute name=\"s\" type=\"String\" separator=\",\" value=\"a|b,,c;\" />
"
    );
}
