//! Prints groups with their dimensions, types, variables and attributes.

use super::data;
use super::element::push_element;
use super::output::Output;
use super::text::{push_padded_string, push_string};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Attribute, DimId, GroupId, Schema, Type, TypeClass, TypeId, VarId, VisibleNames};
use crate::print::DumpOptions;
use crate::print::special;
use crate::print::special::Special;
use crate::print::type_name::finds_type;

/// Prints a dataset group by group.
pub struct SchemaWriter<'a> {
    /// The source of the data.
    pub reader: &'a dyn Reader,
    /// The schema of the dataset.
    pub schema: &'a Schema,
    /// The meaning of names in the schema.
    pub names: VisibleNames<'a>,
    /// The options.
    pub options: &'a DumpOptions,
    /// For each variable, true if its data is printed.
    pub wanted: Vec<bool>,
}

impl SchemaWriter<'_> {
    /// Prints a group and its child groups as an object. Empty lists are omitted.
    ///
    /// # Errors
    /// If reading data or writing fails.
    pub fn group(&self, output: &mut Output, id: GroupId) -> Result<()> {
        let group = self.schema.group(id);
        output.begin();
        if !group.types.is_empty() {
            output.key("types");
            output.begin();
            for ty in &group.types {
                output.key(&self.schema.user_type(*ty).name);
                self.user_type(output, *ty);
            }
            output.end();
        }
        if !group.dims.is_empty() {
            output.key("dimensions");
            output.begin();
            for dim in &group.dims {
                let dim = self.schema.dim(*dim);
                output.key(&dim.name);
                push_number(output, dim.length);
            }
            output.end();
        }
        if !group.vars.is_empty() {
            output.key("variables");
            output.begin();
            for var in &group.vars {
                output.key(&self.schema.var(*var).name);
                self.variable(output, *var)?;
            }
            output.end();
        }
        let mut special = if id == Schema::ROOT && self.options.special {
            special::of_dataset(self.schema)
        } else {
            Vec::new()
        };
        special.retain(|(name, _)| !self.options.without_properties || *name != "_NCProperties");
        self.attributes(output, &group.attributes, special);
        if !group.children.is_empty() {
            output.key("groups");
            output.begin();
            for child in &group.children {
                output.key(&self.schema.group(*child).name);
                self.group(output, *child)?;
            }
            output.end();
        }
        output.end();
        Ok(())
    }

    fn user_type(&self, output: &mut Output, id: TypeId) {
        let ty = self.schema.user_type(id);
        let name_of = |of: Type| self.type_name(ty.group, of);
        output.begin();
        output.key("class");
        let class = match &ty.class {
            TypeClass::Enum { .. } => "enum",
            TypeClass::Opaque { .. } => "opaque",
            TypeClass::Vlen { .. } => "vlen",
            TypeClass::Compound { .. } => "compound",
        };
        push_string(output.value(), class.as_bytes());
        match &ty.class {
            TypeClass::Enum { base, members } => {
                output.key("type");
                push_string(output.value(), name_of(*base).as_bytes());
                output.key("members");
                output.begin();
                for (name, value) in members {
                    output.key(name);
                    match base {
                        Type::UInt64 => push_number(output, *value as u64),
                        _ => push_number(output, *value),
                    }
                }
                output.end();
            }
            TypeClass::Opaque { size } => {
                output.key("size");
                push_number(output, *size);
            }
            TypeClass::Vlen { base } => {
                output.key("type");
                push_string(output.value(), name_of(*base).as_bytes());
            }
            TypeClass::Compound { fields, .. } => {
                output.key("fields");
                output.begin();
                for field in fields {
                    output.key(&field.name);
                    output.begin();
                    if !field.dims.is_empty() {
                        output.key("shape");
                        push_list(output, field.dims.iter(), |out, length| {
                            out.extend_from_slice(length.to_string().as_bytes());
                        });
                    }
                    output.key("type");
                    push_string(output.value(), name_of(field.ty).as_bytes());
                    output.end();
                }
                output.end();
            }
        }
        output.end();
    }

    /// The name of a type, as used in a group: the name alone if it finds the type, else the path.
    fn type_name(&self, group: GroupId, ty: Type) -> String {
        let id = match ty {
            Type::User(id) => id,
            atomic => return atomic.cdl_name().unwrap_or_default().to_owned(),
        };
        let user = self.schema.user_type(id);
        match finds_type(&self.names, group, id) {
            true => user.name.clone(),
            false => self.schema.path_in(user.group, &user.name),
        }
    }

    /// The name of a dimension, as used in a group: the name alone if it finds the dimension, else the path.
    fn dim_name(&self, group: GroupId, id: DimId) -> String {
        let dim = self.schema.dim(id);
        match self.names.dim(group, &dim.name) == Some(id) {
            true => dim.name.clone(),
            false => self.schema.path_in(dim.group, &dim.name),
        }
    }

    fn variable(&self, output: &mut Output, id: VarId) -> Result<()> {
        let var = self.schema.var(id);
        output.begin();
        if !var.dims.is_empty() {
            output.key("shape");
            push_list(output, var.dims.iter(), |out, dim| {
                push_string(out, self.dim_name(var.group, *dim).as_bytes());
            });
        }
        output.key("type");
        push_string(output.value(), self.type_name(var.group, var.ty).as_bytes());
        let special = if self.options.special && self.schema.kind.can().storage_attributes {
            special::of_reader(self.reader, id, self.options)
        } else {
            Vec::new()
        };
        self.attributes(output, &var.attributes, special);
        if self.wanted[id.0] {
            output.key("data");
            data::variable(output, self.reader, id)?;
        }
        output.end();
        output.relieve().map_err(|e| Error::io("cannot write", e))
    }

    fn attributes(&self, output: &mut Output, attributes: &[Attribute], special: Vec<(&str, Special)>) {
        if attributes.is_empty() && special.is_empty() {
            return;
        }
        output.key("attributes");
        output.begin();
        for attribute in attributes {
            output.key(&attribute.name);
            self.attribute(output, attribute);
        }
        for (name, value) in special {
            output.key(name);
            match value {
                Special::Text(text) => push_string(output.value(), text.as_bytes()),
                Special::Numbers(numbers) => match numbers.as_slice() {
                    [one] => push_number(output, one),
                    all => push_list(output, all.iter(), |out, number| {
                        out.extend_from_slice(number.to_string().as_bytes());
                    }),
                },
            }
        }
        output.end();
    }

    /// Prints the value of an attribute: a single element alone, several in an array, text as one string.
    fn attribute(&self, output: &mut Output, attribute: &Attribute) {
        let values = &attribute.values;
        if attribute.ty == Type::Char {
            push_padded_string(output.value(), &values.bytes);
            return;
        }
        let size = self.schema.type_size(attribute.ty).max(1);
        let element =
            |out: &mut Vec<u8>, bytes: &[u8]| push_element(out, self.schema, attribute.ty, bytes, values);
        if attribute.length == 1 && values.bytes.len() >= size {
            element(output.value(), &values.bytes);
        } else {
            push_list(output, values.bytes.chunks_exact(size), element);
        }
    }
}

fn push_number(output: &mut Output, number: impl ToString) {
    output.value().extend_from_slice(number.to_string().as_bytes());
}

fn push_list<T>(output: &mut Output, items: impl Iterator<Item = T>, push: impl Fn(&mut Vec<u8>, T)) {
    let out = output.value();
    out.push(b'[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.extend_from_slice(b", ");
        }
        push(out, item);
    }
    out.push(b']');
}
