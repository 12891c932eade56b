//! Compares an output with what was asked for, before it takes its name.

use super::compare::{CompareOptions, Compared, Equality, Named, compare_sides, difference_text};
use super::options::CheckOptions;
use crate::copy::plan::normalized_name;
use crate::copy::{CopyPlan, Sources};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::model::{CodecSpec, Schema, VarId};

/// What a copy promised of each variable, kept until the output can be read.
#[derive(Debug, Clone)]
pub struct Promise {
    variables: Vec<Promised>,
    registry: Registry,
}

#[derive(Debug, Clone)]
struct Promised {
    path: String,
    /// True if its values may change: they are quantized, encoded by a lossy codec, or strings that are shortened.
    lossy: bool,
}

impl Promise {
    /// What `plan` promises. Variables that it defines without data promise nothing.
    pub fn of(plan: &CopyPlan) -> Self {
        Self::of_some(plan, |_| true)
    }

    /// What `plan` promises of HDF5 that is copied as it is: a dataset without elements is no variable of the output's reader.
    pub fn of_elements(plan: &CopyPlan) -> Self {
        Self::of_some(plan, |var| !plan.schema.shape(var).contains(&0))
    }

    fn of_some(plan: &CopyPlan, promises: impl Fn(VarId) -> bool) -> Self {
        let is_lossy = |spec: &CodecSpec| {
            plan.registry
                .find(spec)
                .is_some_and(|codec| codec.facts().is_lossy)
        };
        let promised = |(n, copy): (usize, &crate::copy::VariableCopy)| {
            (copy.sources != Sources::Nothing && promises(VarId(n))).then(|| Promised {
                path: plan.schema.var_path(VarId(n)),
                lossy: copy.quantization.is_some()
                    || copy.cuts_strings
                    || copy.layout.filters.iter().any(is_lossy),
            })
        };
        Self {
            variables: plan.variables.iter().enumerate().filter_map(promised).collect(),
            registry: plan.registry.clone(),
        }
    }

    /// The promise that these variables of a schema have the same values.
    pub fn of_variables(schema: &Schema, variables: &[VarId], registry: &Registry) -> Self {
        let promised = |var: &VarId| Promised {
            path: schema.var_path(*var),
            lossy: false,
        };
        Self {
            variables: variables.iter().map(promised).collect(),
            registry: registry.clone(),
        }
    }

    /// Compares the output with `asked`, which reads what was asked for. Elements without a defined value are left out: those
    /// that were never written and have no fill value. Chunks of equal bytes and filters are compared as
    /// bytes, and decoded once if their filters are known. Returns what was compared. Tells the largest difference of variables with lossy filters to `lossy`, as a line.
    ///
    /// # Errors
    /// A value that differs, with its variable; a value that cannot be read, with its dataset and variable.
    pub fn verify(
        &self,
        asked: Named,
        output: Named,
        work: CheckOptions,
        lossy: &mut dyn FnMut(String),
    ) -> Result<Compared> {
        let mut all = Compared::default();
        let options = CompareOptions {
            equality: Equality::Bits,
            decodes_equal: true,
            only_defined: true,
            work,
        };
        let names = [Some(asked.name), Some(output.name)];
        let (asked, output) = (asked.reader, output.reader);
        for promised in &self.variables {
            let path = &promised.path;
            let wrong = |why: String| {
                Error::Damaged(format!("the output does not have what was asked for: {why}"))
                    .in_variable(path)
            };
            let Some(from) = asked_for(asked.schema(), path) else {
                return Err(wrong("the input has no such variable".to_owned()));
            };
            let Some(to) = output.schema().var_at(path) else {
                return Err(wrong("it is missing".to_owned()));
            };
            let shape = asked.schema().shape(from);
            if shape != output.schema().shape(to) {
                return Err(wrong("its shape is another".to_owned()));
            }
            let (difference, compared) =
                compare_sides((asked, from), (output, to), names, &self.registry, &options)?;
            all.add(compared);
            let Some(text) = difference_text(&difference, &shape) else {
                continue;
            };
            match (promised.lossy, difference.largest) {
                (true, Some(largest)) => {
                    lossy(format!(
                        "variable {path}: the largest difference of lossy filters is {largest}"
                    ));
                }
                (true, None) => lossy(format!("variable {path}: {text}")),
                (false, _) => return Err(wrong(text)),
            }
        }
        Ok(all)
    }
}

/// The variable of the input at the path that it has in the output, where its name may be normalized.
fn asked_for(schema: &Schema, path: &str) -> Option<VarId> {
    let is_meant = |var: &VarId| normalized_name(&schema.var_path(*var)).is_some_and(|name| name == path);
    schema
        .var_at(path)
        .or_else(|| (0..schema.vars.len()).map(VarId).find(is_meant))
}

#[cfg(test)]
mod tests;
