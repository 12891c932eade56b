//! Writes the header of a dataset as NcML 2.2, the XML that netCDF-Java reads.
//!
//! ```text
//! Schema ─► groups: enumTypedef, dimension, attribute, variable, group ─► escape ─► out
//!                                               └─► shape and type
//! ```
//!
//! For what the classic model has, the text is that of netCDF-C's `ncdump -x`. netCDF-C has none for the rest; there the types
//! of NcML are those that netCDF-Java gives:
//!
//! | netCDF | NcML |
//! | --- | --- |
//! | `int64`, `uint64` | `long`, `ulong` |
//! | `string` | `String` |
//! | enum of 1, 2, 4 bytes | `enum1`, `enum2`, `enum4`, with an `enumTypedef` |
//! | enum of 8 bytes, without members, or of a group that is not around | its base type |
//! | opaque | `opaque` |
//! | compound | `Structure`, with its fields as variables in it |
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

/// The namespace as netCDF-C spells it; netCDF-Java knows it so and with `http`.
const NAMESPACE: &str = "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2";

/// Writes the header of `reader`'s dataset as NcML that says where its data are: at `location`. Returns how many characters were
/// replaced by U+FFFD, as XML cannot hold them.
///
/// No data are written, whatever the options say of them; as in netCDF-C, they decide whether the element of a variable
/// without attributes is an empty one. Else the digits of floating-point numbers count.
///
/// # Errors
/// [`Error::Usage`] for a listed variable or group that does not exist, before anything is written; else where writing fails.
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
    /// Spaces before an element.
    indent: usize,
}

impl Ncml<'_> {
    /// Writes what is in a group.
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

    /// Writes the definition of an enum that NcML has a type for; nothing for any other type.
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
            // The schema has 32 signed bits for it.
            let value = *value as i32;
            let key = format!("{:1$}<enum key=\"{value}\">", "", self.indent + 2);
            self.text.raw(&key);
            self.text.push(member.as_bytes());
            self.text.raw("</enum>\n");
        }
        self.close("enumTypedef");
    }

    /// Begins an element that has a name; attributes and `>` are to follow.
    fn open(&mut self, element: &str, name: &str) {
        let start = format!("{:1$}<{element} name=\"", "", self.indent);
        self.text.raw(&start);
        self.text.push(name.as_bytes());
        self.text.raw("\"");
    }

    /// Ends an element that others are in.
    fn close(&mut self, element: &str) {
        let end = format!("{:1$}</{element}>\n", "", self.indent);
        self.text.raw(&end);
    }
}

/// The type of NcML for an enum; it has none for 8 bytes.
fn enum_name(base: Type) -> Option<&'static str> {
    match base.atomic_size() {
        1 => Some("enum1"),
        2 => Some("enum2"),
        4 => Some("enum4"),
        _ => None,
    }
}

/// The type of NcML for an atomic type.
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
