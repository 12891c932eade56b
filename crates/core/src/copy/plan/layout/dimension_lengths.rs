//! The lengths that rules by dimension give: `-c time/1,lat/90` and `--shard time/365`.
//!
//! A rule of several dimensions means fields, so it leaves out variables of one dimension: the coordinates `time` and `lat` would
//! else be cut into pieces. A rule of one dimension holds for all variables that have it.

use crate::error::{Request, Result};
use crate::model::similar::question;
use crate::model::{DimId, Schema};

/// A length in elements; `None` for the whole dimension.
type Length = Option<u64>;

/// For each dimension of the input, what the last rule that names it says.
#[derive(Debug)]
pub struct DimensionLengths {
    by_dim: Vec<Option<Rule>>,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    length: Length,
    /// True if the rule names other dimensions, too.
    of_several: bool,
}

impl DimensionLengths {
    /// No rules yet.
    pub fn new(input: &Schema) -> Self {
        Self {
            by_dim: vec![None; input.dims.len()],
        }
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a dimension that the input does not have.
    pub fn add(&mut self, input: &Schema, rule: &[(String, Length)], request: Request) -> Result<()> {
        for (name, length) in rule {
            let found = input.dims_named(name);
            if found.is_empty() {
                let meant = question(name, input.dims.iter().map(|dim| dim.name.as_str()));
                return Err(request.error(format!("the input has no dimension named '{name}'{meant}")));
            }
            for dim in found {
                self.by_dim[dim.0] = Some(Rule {
                    length: *length,
                    of_several: rule.len() > 1,
                });
            }
        }
        Ok(())
    }

    /// What the rules say of each dimension of a variable; `None` for a dimension that they leave alone.
    pub fn of(&self, dims: &[DimId]) -> Vec<Option<Length>> {
        let is_exempt = |rule: &Rule| rule.of_several && dims.len() == 1;
        let rule = |dim: &DimId| self.by_dim[dim.0].filter(|rule| !is_exempt(rule));
        dims.iter().map(|dim| rule(dim).map(|rule| rule.length)).collect()
    }
}
