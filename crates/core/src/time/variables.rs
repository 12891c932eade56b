//! Which variables are times.

use std::collections::HashMap;

use super::calendar::Calendar;
use super::format::{DateSeparator, TimeFormat};
use super::units::TimeUnits;
use crate::model::{Attribute, Schema, Type, VarId};

/// Finds how the times of a dataset are shown.
#[derive(Debug)]
pub struct TimeVariables<'a> {
    schema: &'a Schema,
    separator: DateSeparator,
    /// For a variable of bounds, the one whose they are.
    parents: HashMap<VarId, VarId>,
}

impl<'a> TimeVariables<'a> {
    /// Reads the `bounds` attributes of all variables. A variable of bounds is looked up in the group of the one that names it,
    /// and from there in the groups around, as the CF conventions have it; the last that names it counts.
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

    /// How the values of a variable are shown as dates; none where they are not times. Bounds are what their variable is.
    pub fn of_data(&self, id: VarId) -> Option<TimeFormat> {
        let numeric = !matches!(self.schema.var(id).ty, Type::Char | Type::String | Type::User(_));
        if !numeric {
            return None;
        }
        self.of_attributes(*self.parents.get(&id).unwrap_or(&id))
    }

    /// How numbers in the attributes of a variable are shown as dates: those that have units of their own.
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
