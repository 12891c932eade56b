//! Finds the variables that hold times.

use std::collections::HashMap;

use super::calendar::Calendar;
use super::time_format::{DateSeparator, TimeFormat};
use super::units::TimeUnits;
use crate::{Attribute, Schema, Type, VarId};

/// The time formats of a dataset's variables.
#[derive(Debug)]
pub struct TimeVariables<'a> {
    schema: &'a Schema,
    separator: DateSeparator,
    /// For each bounds variable, the variable that it belongs to.
    parents: HashMap<VarId, VarId>,
}

impl<'a> TimeVariables<'a> {
    /// Reads the `bounds` attributes of all variables. As in the CF conventions, a bounds variable is looked up in the
    /// group of the variable that names it, then in the groups around. If several name it, the last one counts.
    pub fn new(schema: &'a Schema, separator: DateSeparator) -> Self {
        let named: Vec<(VarId, &[u8])> = (0..schema.vars.len())
            .filter_map(|at| Some((VarId(at), text(schema, VarId(at), "bounds")?)))
            .collect();
        let mut parents = HashMap::new();
        if !named.is_empty() {
            let all: HashMap<_, _> = schema
                .vars
                .iter()
                .enumerate()
                .map(|(at, var)| ((var.group, var.name.as_bytes()), VarId(at)))
                .collect();
            for (parent, name) in named {
                let mut around = schema.around(schema.var(parent).group);
                if let Some(bounds) = around.find_map(|at| all.get(&(at, name))) {
                    parents.insert(*bounds, parent);
                }
            }
        }
        Self {
            schema,
            separator,
            parents,
        }
    }

    /// The format of a variable's values; `None` if they are not times. Bounds have the format of their variable.
    pub fn of_data(&self, id: VarId) -> Option<TimeFormat> {
        if !self.schema.var(id).ty.is_number() {
            return None;
        }
        self.of_attributes(*self.parents.get(&id).unwrap_or(&id))
    }

    /// The format of times in a variable's attributes; `None` unless the variable has time units of its own.
    pub fn of_attributes(&self, id: VarId) -> Option<TimeFormat> {
        let units = std::str::from_utf8(text(self.schema, id, "units")?).ok()?;
        let calendar = text(self.schema, id, "calendar").map_or(Calendar::Mixed, Calendar::named);
        let units = TimeUnits::parse(units, calendar)?;
        Some(TimeFormat::new(&units, calendar, self.separator))
    }
}

/// The text of an attribute, of characters or of one string, up to a NUL.
fn text<'a>(schema: &'a Schema, id: VarId, name: &str) -> Option<&'a [u8]> {
    let attribute: &Attribute = schema.var(id).attributes.iter().find(|a| a.name == name)?;
    let all = match attribute.ty {
        Type::Char => attribute.values.bytes.as_slice(),
        Type::String if attribute.length == 1 => attribute.values.string(0)?,
        _ => return None,
    };
    all.split(|c| *c == 0).next()
}
