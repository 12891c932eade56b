//! Prints the header of a dataset as NcML 2.2, the XML that netCDF-Java reads.
//!
//! ```text
//! Schema ─► groups: enumTypedef, dimension, attribute, variable, group ─► escape ─► out
//!                                               └─► shape and type
//! ```
//!
//! For datasets of the classic model, the text equals that of netCDF-C's `ncdump -x`. netCDF-C has no NcML
//! for other types. They get the types that netCDF-Java uses:
//!
//! | netCDF | NcML |
//! | --- | --- |
//! | `int64`, `uint64` | `long`, `ulong` |
//! | `string` | `String` |
//! | enum of 1, 2, 4 bytes | `enum1`, `enum2`, `enum4`, with an `enumTypedef` |
//! | enum of 8 bytes, without members, or of a group that is no parent | its base type |
//! | opaque | `opaque` |
//! | compound | `Structure`, which contains its fields as variables |
//! | vlen | its base type with a dimension `*`; of compounds: `Sequence` |

mod attribute;
mod escape;
mod variable;

use std::io::Write;

use super::options::DumpOptions;
use super::selection::wanted;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{GroupId, Schema, Type, TypeClass, UserType, VisibleNames};
use escape::Escaped;

/// The namespace in netCDF-C's spelling. netCDF-Java knows it with `https` and with `http`.
const NAMESPACE: &str = "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2";

/// Prints the header of `reader`'s dataset as NcML, with `location` as the place of its data. Returns the
/// number of characters that were replaced by U+FFFD, because XML cannot contain them.
///
/// No data is printed, whatever the options say. As in netCDF-C, the options for data only decide whether a
/// variable without attributes is an empty element. The only other option with an effect is the precision of
/// numbers.
///
/// # Errors
/// [`Error::Usage`] for a listed variable or group that does not exist, before anything is written. Otherwise
/// the errors of writing.
pub fn dump(reader: &dyn Reader, location: &[u8], options: &DumpOptions, out: &mut dyn Write) -> Result<u64> {
    let schema = reader.schema();
    let mut ncml = Ncml {
        schema,
        names: VisibleNames::new(schema),
        options,
        wanted: wanted(schema, options)?,
        text: Escaped::default(),
        indent: 0,
    };
    ncml.text
        .raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<netcdf xmlns=\"");
    ncml.text.raw(NAMESPACE);
    ncml.text.raw("\" location=\"");
    ncml.text.push(location);
    ncml.text.raw("\">\n");
    ncml.group(Schema::ROOT);
    ncml.text.raw("</netcdf>\n");
    let (text, replaced) = ncml.text.finish();
    out.write_all(&text)
        .and_then(|()| out.flush())
        .map_err(|e| Error::io("cannot write", e))?;
    Ok(replaced)
}

struct Ncml<'a> {
    schema: &'a Schema,
    names: VisibleNames<'a>,
    options: &'a DumpOptions,
    wanted: Vec<bool>,
    text: Escaped,
    /// Number of spaces before an element.
    indent: usize,
}

impl Ncml<'_> {
    /// Prints the content of a group.
    fn group(&mut self, id: GroupId) {
        let schema = self.schema;
        let group = schema.group(id);
        self.indent += 2;
        for ty in &group.types {
            self.enum_typedef(schema.user_type(*ty));
        }
        for dim in &group.dims {
            let dim = schema.dim(*dim);
            self.open("dimension", &dim.name);
            self.text.raw(&format!(" length=\"{}\"", dim.length));
            if dim.unlimited {
                self.text.raw(" isUnlimited=\"true\"");
            }
            self.text.raw(" />\n");
        }
        for attribute in &group.attributes {
            self.attribute(attribute);
        }
        for var in &group.vars {
            self.variable(*var);
        }
        for child in &group.children {
            self.open("group", &schema.group(*child).name);
            self.text.raw(">\n");
            self.group(*child);
            self.close("group");
        }
        self.indent -= 2;
    }

    /// Prints the definition of an enum that has a type in NcML, and nothing for any other type.
    fn enum_typedef(&mut self, ty: &UserType) {
        let TypeClass::Enum { base, members } = &ty.class else {
            return;
        };
        let (Some(name), false) = (enum_name(*base), members.is_empty()) else {
            return;
        };
        self.open("enumTypedef", &ty.name);
        self.text.raw(&format!(" type=\"{name}\">\n"));
        for (member, value) in members {
            // The NcML schema has 32 signed bits for the key.
            let value = *value as i32;
            let key = format!("{:1$}<enum key=\"{value}\">", "", self.indent + 2);
            self.text.raw(&key);
            self.text.push(member.as_bytes());
            self.text.raw("</enum>\n");
        }
        self.close("enumTypedef");
    }

    /// Starts an element with a name. Other attributes and `>` must follow.
    fn open(&mut self, element: &str, name: &str) {
        let start = format!("{:1$}<{element} name=\"", "", self.indent);
        self.text.raw(&start);
        self.text.push(name.as_bytes());
        self.text.raw("\"");
    }

    /// Ends an element that contains others.
    fn close(&mut self, element: &str) {
        let end = format!("{:1$}</{element}>\n", "", self.indent);
        self.text.raw(&end);
    }
}

/// The NcML type of an enum. There is none for 8 bytes.
fn enum_name(base: Type) -> Option<&'static str> {
    match base.atomic_size() {
        1 => Some("enum1"),
        2 => Some("enum2"),
        4 => Some("enum4"),
        _ => None,
    }
}

/// The NcML type of an atomic type.
fn atomic_name(ty: Type) -> &'static str {
    match ty {
        Type::Int64 => "long",
        Type::UInt64 => "ulong",
        Type::String => "String",
        other => other.cdl_name().unwrap_or("opaque"),
    }
}

#[cfg(test)]
mod tests;
