//! What is not the same in all inputs is refused, or told.

use std::collections::BTreeSet;

use super::frame::Look;
use crate::error::{Alternative, Error, Result};
use crate::join::inputs::Inputs;
use crate::join::request::JoinRequest;
use crate::message::some_of;
use crate::model::{Schema, VarId};

/// Inputs that were looked at.
pub struct Compared<'a> {
    pub schema: &'a Schema,
    pub inputs: &'a Inputs,
    pub request: &'a JoinRequest,
    /// True if no input has the dimension.
    pub is_new: bool,
    /// The coordinate of the dimension, which no input may lack.
    pub coordinate: Option<VarId>,
}

impl Compared<'_> {
    /// Refuses or tells what is not the same in all inputs.
    pub fn judge(&self, looks: &[Look], warnings: &mut Vec<String>) -> Result<()> {
        let first = self.inputs.name(0);
        let (mut differing, mut extra) = (BTreeSet::new(), BTreeSet::new());
        for (n, look) in looks.iter().enumerate() {
            let refuse =
                |why, alternative| Err(self.inputs.named(n, Error::Alternative { why, alternative }));
            let missed = |var: &&VarId| !self.request.fill_missing || Some(**var) == self.coordinate;
            if let Some(var) = look.lacking.iter().find(missed) {
                let path = self.schema.var_path(*var);
                let why = format!("lacks the variable {path}, which {first} has");
                return refuse(why, Alternative::FilledCells);
            }
            if let (Some((var, difference)), false) = (look.differing.first(), self.request.first) {
                let (path, dim) = (self.schema.var_path(*var), &self.request.dim);
                let found = match difference {
                    Some(found) => format!("its values differ: {}", found.told(first)),
                    None => format!("its values differ from those in {first}"),
                };
                let why = match self.is_new {
                    true => format!(
                        "{path} describes the data, so it is not joined along {dim}, which no input has, and {found}"
                    ),
                    false => format!("the variable {path} does not have the dimension {dim}, and {found}"),
                };
                return refuse(why, Alternative::ValuesOfFirst);
            }
            differing.extend(look.differing.iter().map(|(var, _)| self.schema.var_path(*var)));
            extra.extend(look.extra.iter().cloned());
        }
        if !differing.is_empty() {
            warnings.push(format!(
                "the values of {} are those of {first}; other inputs have other values",
                some_of(&differing, differing.len())
            ));
        }
        if !extra.is_empty() {
            warnings.push(format!(
                "{first} lacks variables that other inputs have, which are left out: {}",
                some_of(&extra, extra.len())
            ));
        }
        Ok(())
    }
}
