//! Tests of the additions of `--exact` to the text.

use super::dump;
use crate::format::in_memory::InMemoryReader;
use crate::model::{Attribute, DimId, Dimension, Kind, Schema, Type, TypeClass, UserType, Values, Variable};
use crate::print::{DumpOptions, Precision};

fn floats(values: &[f32]) -> Values {
    Values::from_bytes(values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

fn attribute(name: &str, ty: Type, length: usize, values: Values) -> Attribute {
    Attribute {
        name: name.into(),
        ty,
        length,
        values,
    }
}

fn printed(schema: Schema, values: Vec<Values>, exact: bool) -> String {
    let options = DumpOptions {
        precision: Precision {
            exact,
            ..Precision::default()
        },
        ..DumpOptions::default()
    };
    let mut out = Vec::new();
    dump(&InMemoryReader::new(schema, values), "a", &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn variable(name: &str, ty: Type, dims: &[usize], attributes: Vec<Attribute>) -> Variable {
    Variable {
        name: name.into(),
        group: Schema::ROOT,
        ty,
        dims: dims.iter().map(|at| DimId(*at)).collect(),
        attributes: attributes.into(),
    }
}

#[test]
fn numbers_types_and_fill() {
    let mut schema = Schema::new(Kind::Data64);
    schema.add_dim(Dimension {
        name: "x".into(),
        group: Schema::ROOT,
        length: 5,
        unlimited: false,
    });
    let fill = attribute("_FillValue", Type::Float, 1, floats(&[-0.0]));
    schema.add_var(variable("v", Type::Float, &[0], vec![fill]));
    schema.groups[0].attributes = vec![
        attribute("a", Type::Float, 2, floats(&[0.1, 16777216.0])),
        attribute("none", Type::Short, 0, Values::default()),
        attribute("text", Type::Char, 3, Values::from_text("ab\0")),
        attribute("no_text", Type::Char, 0, Values::default()),
    ]
    .into();
    let values = vec![floats(&[0.1, 0.0, -0.0, f32::NAN, 16777216.0])];
    let text = printed(schema.clone(), values.clone(), true);
    for line in [
        "\t\t:a = 0.1f, 1.6777216e7f ;\n",
        "\t\tshort :none = ;\n",
        "\t\t:text = \"ab\\000\" ;\n",
        "\t\tchar :no_text = ;\n",
        "\t\t:_Format = \"cdf5\" ;\n",
        "\n v = 0.1, 0, _, NaNf, 1.6777216e7 ;\n",
    ] {
        assert!(text.contains(line), "{line} {text}");
    }
    let text = printed(schema, values, false);
    for line in [
        "\t\t:a = 0.1f, 1.677722e+07f ;\n",
        "\t\t:none = \"\" ;\n",
        "\t\t:text = \"ab\" ;\n",
        "\n v = 0.1, _, _, NaNf, 1.677722e+07 ;\n",
    ] {
        assert!(text.contains(line), "{line} {text}");
    }
    assert!(!text.contains("_Format"));
}

#[test]
fn a_type_with_the_name_of_a_variable_has_its_path() {
    let mut schema = Schema::new(Kind::Netcdf4);
    let ty = schema.add_type(UserType {
        name: "t".into(),
        group: Schema::ROOT,
        class: TypeClass::Opaque { size: 1 },
    });
    let group = schema.add_group(Schema::ROOT, "g");
    schema.add_var(Variable {
        group,
        ..variable("t", Type::User(ty), &[], Vec::new())
    });
    let value = || Values::from_bytes(vec![1]);
    schema.groups[1].attributes = vec![attribute("a", Type::User(ty), 1, value())].into();
    schema.groups[0].attributes = vec![attribute("a", Type::User(ty), 1, value())].into();
    let text = printed(schema, vec![value()], false);
    assert!(text.contains("\n\t\tt :a = 0X01 ;\n"), "{text}");
    assert!(text.contains("\n  \t\t/t :a = 0X01 ;\n"), "{text}");
    assert!(text.contains("\n  \tt t ;\n"), "{text}");
}
