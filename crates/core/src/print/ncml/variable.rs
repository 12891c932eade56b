//! The `variable` elements: variables, and the fields of their compounds.

use super::{Ncml, atomic_name, enum_name};
use crate::model::{DimId, Field, GroupId, Type, TypeClass, VarId, VisibleNames};

/// Most levels of nested vlens and compounds. Deeper ones are omitted.
const MAX_DEPTH: usize = 64;

/// A type in NcML.
struct Described<'a> {
    name: &'a str,
    /// The name of the enum.
    typedef: Option<&'a str>,
    /// Number of dimensions of variable length.
    lists: usize,
    fields: &'a [Field],
}

/// Describes the type `ty` for an element in a group.
fn describe<'a>(names: &VisibleNames<'a>, group: GroupId, mut ty: Type) -> Described<'a> {
    let schema = names.schema();
    let mut described = Described {
        name: "opaque",
        typedef: None,
        lists: 0,
        fields: &[],
    };
    while described.lists < MAX_DEPTH {
        let Type::User(id) = ty else {
            described.name = atomic_name(ty);
            break;
        };
        let user = schema.user_type(id);
        match &user.class {
            TypeClass::Vlen { base } => {
                described.lists += 1;
                ty = *base;
                continue;
            }
            TypeClass::Enum { base, members } => match enum_name(*base) {
                // The name must lead to the definition.
                Some(name) if !members.is_empty() && names.user_type(group, &user.name) == Some(id) => {
                    described.name = name;
                    described.typedef = Some(&user.name);
                }
                _ => described.name = atomic_name(*base),
            },
            TypeClass::Compound { fields, .. } => {
                described.name = if described.lists > 0 {
                    "Sequence"
                } else {
                    "Structure"
                };
                described.fields = fields;
            }
            TypeClass::Opaque { .. } => {}
        }
        break;
    }
    described
}

impl Ncml<'_> {
    /// Prints a variable with its attributes and, for a compound type, its fields.
    pub(super) fn variable(&mut self, id: VarId) {
        let schema = self.schema;
        let var = schema.var(id);
        let described = describe(&self.names, var.group, var.ty);
        let mut shape: Vec<String> = var
            .dims
            .iter()
            .map(|dim| shape_name(&self.names, var.group, *dim))
            .collect();
        shape.extend((0..described.lists).map(|_| "*".to_owned()));
        self.open("variable", &var.name);
        self.shape_and_type(&shape, &described);
        // As in netCDF-C, the element of a variable with values is not an empty element.
        let no_records = var.dims.iter().any(|dim| {
            let dim = schema.dim(*dim);
            dim.unlimited && dim.length == 0
        });
        let no_values = !self.wanted[id.0] || no_records;
        if var.attributes.is_empty() && described.fields.is_empty() && no_values {
            self.text.raw(" />\n");
            return;
        }
        self.text.raw(">\n");
        self.indent += 2;
        for attribute in &var.attributes {
            self.attribute(attribute);
        }
        self.fields(var.group, described.fields, 1);
        self.indent -= 2;
        self.close("variable");
    }

    /// Prints the fields of a compound. The variable is in `group`.
    fn fields(&mut self, group: GroupId, fields: &[Field], depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for field in fields {
            let described = describe(&self.names, group, field.ty);
            let mut shape: Vec<String> = field.dims.iter().map(usize::to_string).collect();
            shape.extend((0..described.lists).map(|_| "*".to_owned()));
            self.open("variable", &field.name);
            self.shape_and_type(&shape, &described);
            if described.fields.is_empty() {
                self.text.raw(" />\n");
                continue;
            }
            self.text.raw(">\n");
            self.indent += 2;
            self.fields(group, described.fields, depth + 1);
            self.indent -= 2;
            self.close("variable");
        }
    }

    fn shape_and_type(&mut self, shape: &[String], described: &Described) {
        if !shape.is_empty() {
            self.text.raw(" shape=\"");
            self.text.push(shape.join(" ").as_bytes());
            self.text.raw("\"");
        }
        self.text.raw(&format!(" type=\"{}\"", described.name));
        if let Some(typedef) = described.typedef {
            self.text.raw(" typedef=\"");
            self.text.push(typedef.as_bytes());
            self.text.raw("\"");
        }
    }
}

/// A dimension in a shape: its name, or its length, which NcML accepts too. The length is used if the name
/// would be read as another dimension, two names, a length or a list.
fn shape_name(names: &VisibleNames, group: GroupId, id: DimId) -> String {
    let dim = names.schema().dim(id);
    let is_name = !dim.name.contains(char::is_whitespace)
        && dim.name != "*"
        && !dim.name.bytes().all(|c| c.is_ascii_digit());
    if is_name && names.dim(group, &dim.name) == Some(id) {
        dim.name.clone()
    } else {
        dim.length.to_string()
    }
}
