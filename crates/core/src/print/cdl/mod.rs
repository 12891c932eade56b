//! Prints a dataset as CDL, byte for byte like netCDF-C's ncdump.
//!
//! ```text
//! Schema ─► header (types, dimensions, variables, attributes; special: how it is stored)
//! Reader ─► stream ─► rows ─► item: an element, or by c_format ─► Lines ─► out
//! ```

mod annotations;
mod attribute_times;
mod c_format;
mod data;
mod equal_types;
#[cfg(test)]
mod exact_tests;
mod fill;
mod header;
mod item;
mod joined;
mod lines;
mod rows;

use std::io::Write;

pub(crate) use header::types as write_types;
pub(crate) use lines::Lines;

use super::options::{DataOf, DumpOptions};
use super::selection::{wanted, wanted_groups};
use super::special;
use super::spelling::push_name;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{GroupId, Schema, VisibleNames};
use crate::time::TimeVariables;

/// Prints the dataset of `reader` as CDL, under the name `name`.
///
/// # Errors
/// [`Error::Usage`] for a listed variable or group that does not exist, before anything is written. Otherwise
/// the errors of reading and writing.
pub fn dump(reader: &dyn Reader, name: &str, options: &DumpOptions, out: &mut dyn Write) -> Result<()> {
    let exact = options.precision.exact;
    let named = (!exact).then(|| equal_types::as_netcdf_c_names_them(reader.schema()));
    let named = named.flatten();
    let schema = named.as_ref().unwrap_or(reader.schema());
    let wanted = wanted(schema, options)?;
    let groups = wanted_groups(schema, &options.groups)?;
    let mut lines = Lines::new(out);
    lines.set_line_length(options.line_length);
    lines.text("netcdf ");
    push_name(lines.raw(), name);
    lines.text(" {\n");
    let done = Dump {
        reader,
        schema,
        names: VisibleNames::new(schema),
        options,
        wanted,
        groups,
        times: options
            .times
            .map(|separator| TimeVariables::new(schema, separator)),
    }
    .group(&mut lines, Schema::ROOT);
    if done.is_ok() {
        lines.text("}\n");
    }
    // Also after an error: everything that could be read is written.
    let flushed = lines.flush().map_err(|e| Error::io("cannot write", e));
    done.and(flushed)
}

struct Dump<'a> {
    reader: &'a dyn Reader,
    schema: &'a Schema,
    names: VisibleNames<'a>,
    options: &'a DumpOptions,
    wanted: Vec<bool>,
    groups: Vec<bool>,
    times: Option<TimeVariables<'a>>,
}

impl Dump<'_> {
    fn group(&self, lines: &mut Lines, id: GroupId) -> Result<()> {
        let group = self.schema.group(id);
        header::types(lines, &self.names, id);
        header::dimensions(lines, self.schema, id);
        if !group.vars.is_empty() {
            lines.margin();
            lines.text("variables:\n");
        }
        for var in &group.vars {
            header::variable(lines, &self.names, *var);
            let (name, precision) = (&self.schema.var(*var).name, self.options.precision);
            let times = self.times.as_ref().and_then(|times| times.of_attributes(*var));
            for attribute in &self.schema.var(*var).attributes {
                header::attribute(
                    lines,
                    &self.names,
                    id,
                    Some(name),
                    attribute,
                    precision,
                    times.as_ref(),
                );
            }
            if self.options.special && self.schema.kind.can().storage_attributes {
                let all = special::of_reader(self.reader, *var, self.options);
                header::special_attributes(lines, Some(name), &all);
            }
        }
        let root = id == Schema::ROOT;
        let special = match (root, self.options.special, self.options.precision.exact) {
            (true, true, _) => {
                let mut all = special::of_dataset(self.schema);
                all.retain(|(name, _)| !self.options.without_properties || *name != "_NCProperties");
                all
            }
            (true, false, true) => vec![special::format(self.schema)],
            _ => Vec::new(),
        };
        if !group.attributes.is_empty() || self.options.special || !special.is_empty() {
            lines.text("\n");
            lines.margin();
            lines.text(if root {
                "// global attributes:\n"
            } else {
                "// group attributes:\n"
            });
        }
        for attribute in &group.attributes {
            header::attribute(
                lines,
                &self.names,
                id,
                None,
                attribute,
                self.options.precision,
                None,
            );
        }
        header::special_attributes(lines, None, &special);
        if self.options.data != DataOf::None && !group.vars.is_empty() && self.groups[id.0] {
            lines.margin();
            lines.text("data:\n");
            for var in group.vars.iter().filter(|var| self.wanted[var.0]) {
                let times = self.times.as_ref().and_then(|times| times.of_data(*var));
                data::variable(lines, self.reader, *var, self.options, times.as_ref())?;
            }
        }
        for child in &group.children {
            let mut name = Vec::new();
            push_name(&mut name, &self.schema.group(*child).name);
            lines.text("\n");
            lines.margin();
            lines.text("group: ");
            lines.text(&name);
            lines.text(" {\n");
            lines.set_indent(lines.indent() + 2);
            self.group(lines, *child)?;
            lines.margin();
            lines.text("} // group ");
            lines.text(&name);
            lines.text("\n");
            lines.set_indent(lines.indent() - 2);
        }
        Ok(())
    }
}
