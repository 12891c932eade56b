//! Writes a dataset as CDL, byte for byte as netCDF-C's ncdump does.
//!
//! ```text
//! Schema ─► header (types, dimensions, variables, attributes; special: how it is stored)
//! Reader ─► stream ─► rows ─► item ─► Lines ─► out
//! ```

mod annotations;
mod c_format;
mod char_row;
mod data;
mod digits;
mod element;
mod equal_types;
#[cfg(test)]
mod exact_tests;
mod fill;
mod header;
mod item;
mod joined;
mod lines;
mod names;
pub(crate) mod numbers;
mod rows;
mod shortest;
pub(crate) mod special;
mod times;

use std::io::Write;

pub use annotations::{Annotations, IndexOrder};
pub use element::Precision;
pub(crate) use element::{ElementWriter, Place, enum_value, member_of};
pub(crate) use header::{finds_type, types as write_types};
pub use lines::LineLength;
pub(crate) use lines::Lines;
pub use names::push_name;
pub(crate) use names::{push_hexadecimal, trim_nuls};
pub(crate) use numbers::push_general;
pub(crate) use shortest::{
    push_double_constant, push_float_constant, push_shortest_double, push_shortest_float,
};

use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{GroupId, Schema, VarId, Variable, VisibleNames};
use crate::time::{DateSeparator, TimeVariables};

/// Which variables' data are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DataOf {
    /// All.
    #[default]
    All,
    /// None: the header only (`-h`).
    None,
    /// Coordinate variables (`-c`).
    Coordinates,
    /// These (`-v`): names or paths; a relative path means all whose path ends in it.
    Listed(Vec<String>),
}

/// Types whose digits the user asked for (`-p`), so that the attribute `C_format` does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `float`.
    pub float: bool,
    /// `double`.
    pub double: bool,
}

/// What is written, and how.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// Whose data.
    pub data: DataOf,
    /// Variables that must exist, though it may be that their data are not written (`-h -v`): scripts ask so whether a file
    /// has them. Where coordinate variables are asked for, only those of them that are listed here (`-c -v`).
    pub required: Vec<String>,
    /// Only of groups so named (`-g`), and not of groups within them; of all, where none is listed.
    pub groups: Vec<String>,
    /// Special attributes (`-s`).
    pub special: bool,
    /// But not `_NCProperties` (`-Xp`).
    pub without_properties: bool,
    /// With them, all filters in `_Filter` (`-F`).
    pub filters: bool,
    /// Digits of floating-point numbers.
    pub precision: Precision,
    /// Types of which that holds also where a variable has a `C_format`.
    pub overrides: Overrides,
    /// How long lines of lists may be (`-l`).
    pub line_length: LineLength,
    /// Comments in the data section (`-b`, `-f`).
    pub annotations: Annotations,
    /// Times are dates (`-t`, `-i`), with this between date and time.
    pub times: Option<DateSeparator>,
}

/// Writes the dataset of `reader` as CDL under the name `name`.
///
/// # Errors
/// [`Error::Usage`] for a listed variable or group that does not exist, before anything is written; else what reading or writing
/// fails of.
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
    // Also before an error: everything that could be read.
    let flushed = lines.flush().map_err(|e| Error::io("cannot write", e));
    done.and(flushed)
}

/// For each variable, whether its data are written.
///
/// # Errors
/// Names a variable or group that is listed and does not exist.
pub(crate) fn wanted(schema: &Schema, options: &DumpOptions) -> Result<Vec<bool>> {
    let groups = wanted_groups(schema, &options.groups)?;
    let required = listed(schema, &options.required)?;
    let mut wanted = wanted_vars(schema, &options.data)?;
    if options.data == DataOf::Coordinates && !options.required.is_empty() {
        for (wanted, required) in wanted.iter_mut().zip(required) {
            *wanted &= required;
        }
    }
    for (wanted, var) in wanted.iter_mut().zip(&schema.vars) {
        *wanted &= groups[var.group.0];
    }
    Ok(wanted)
}

/// For each group, whether data of its own variables may be written.
fn wanted_groups(schema: &Schema, names: &[String]) -> Result<Vec<bool>> {
    let mut wanted = vec![names.is_empty(); schema.groups.len()];
    for name in names {
        let path = match name.trim_end_matches('/') {
            "" => "/",
            path => path,
        };
        let found = schema.groups_named(path);
        if found.is_empty() {
            return Err(Error::Usage(format!("{name}: No such group")));
        }
        for group in found {
            wanted[group.0] = true;
        }
    }
    Ok(wanted)
}

fn wanted_vars(schema: &Schema, data: &DataOf) -> Result<Vec<bool>> {
    match data {
        DataOf::All => Ok(vec![true; schema.vars.len()]),
        DataOf::None => Ok(vec![false; schema.vars.len()]),
        DataOf::Coordinates => {
            let names = VisibleNames::new(schema);
            let is_coordinate = |v: &Variable| v.dims.len() == 1 && names.dim(v.group, &v.name).is_some();
            Ok(schema.vars.iter().map(is_coordinate).collect())
        }
        DataOf::Listed(names) => listed(schema, names),
    }
}

/// For each variable, whether it is listed.
fn listed(schema: &Schema, names: &[String]) -> Result<Vec<bool>> {
    let mut wanted = vec![false; schema.vars.len()];
    for name in names {
        for var in vars_named(schema, name)? {
            wanted[var.0] = true;
        }
    }
    Ok(wanted)
}

fn vars_named(schema: &Schema, name: &str) -> Result<Vec<VarId>> {
    let found = schema.vars_named(name);
    if found.is_empty() {
        return Err(Error::Usage(format!("{name}: No such variable")));
    }
    Ok(found)
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
            if self.options.special && self.schema.kind.is_hdf5() {
                let layout = self.reader.layout(*var);
                let all = special::of_variable(self.schema, *var, layout, self.options.filters);
                special::attributes(lines, Some(name), &all);
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
        special::attributes(lines, None, &special);
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
