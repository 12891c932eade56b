//! Which variables of a copy are quantized: the rules of `--quantize`.

use super::named_variables::named_variables;
use crate::copy::quantization::{Algorithm, Quantization};
use crate::error::{Error, Request, Result};
use crate::filter::AskedCodec;
use crate::filter::spec::{FilterRequest, Targets};
use crate::model::{Schema, Type, VarId};

/// A request: the variables, the algorithm, and the digits or bits to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantizeRequest {
    targets: Targets,
    algorithm: Algorithm,
    keep: u32,
}

impl QuantizeRequest {
    /// Parses `var&var,bitgroom,3`. The variables are spelled as for `-F`.
    ///
    /// # Errors
    /// [`Error::Usage`] with the mistake, and what was expected.
    pub fn parse(argument: &str) -> Result<Self> {
        let expected = || {
            let names = Algorithm::ALL.map(Algorithm::name).join(", ");
            Request::Quantization.misspelled(
                format!("{argument:?}"),
                format!("expected variables, one of {names}, and a number, such as 'var,bitgroom,3'"),
            )
        };
        let FilterRequest { targets, pipeline } =
            crate::filter::spec::parse(argument).map_err(|_| expected())?;
        let [
            AskedCodec::Name {
                name,
                parameters,
                members,
            },
        ] = &pipeline[..]
        else {
            return Err(expected());
        };
        let algorithm = Algorithm::ALL.into_iter().find(|a| a.name() == name);
        match (algorithm, &parameters[..], members.is_empty()) {
            (Some(algorithm), [keep], true) => Ok(Self {
                targets,
                algorithm,
                keep: *keep,
            }),
            _ => Err(expected()),
        }
    }

    /// The same request for other targets.
    ///
    /// # Errors
    /// Those of `change`.
    pub(in crate::copy) fn with_targets(&self, change: impl Fn(&Targets) -> Result<Targets>) -> Result<Self> {
        Ok(Self {
            targets: change(&self.targets)?,
            ..self.clone()
        })
    }

    /// What each variable of the input gets. `*` means those of floats that are no coordinates. A variable that was quantized before is not
    /// quantized again. A request that names a variable takes precedence over `*`, and of two the later one.
    ///
    /// # Errors
    /// An unknown name, a named variable that cannot be quantized so, and an output kind without filters.
    pub fn resolve(requests: &[Self], input: &Schema, output: &Schema) -> Result<Vec<Option<Quantization>>> {
        let mut found: Vec<Option<Quantization>> = vec![None; input.vars.len()];
        if !requests.is_empty() && output.kind.can().codecs.is_none() {
            return Err(Request::Quantization.error(format!(
                "the kind '{}' has no compression, which quantization is for",
                output.kind.name()
            )));
        }
        let of = |request: &Self, var: VarId| {
            Quantization::new(request.algorithm, request.keep, input.var(var).ty)
                .map_err(|error: Error| error.in_variable(&input.var_path(var)))
        };
        for request in requests.iter().filter(|r| r.targets == Targets::All) {
            for (n, var) in input.vars.iter().enumerate() {
                let is_coordinate = matches!(var.dims[..], [dim] if input.dim(dim).name == var.name);
                if matches!(var.ty, Type::Float | Type::Double) && !is_coordinate {
                    found[n] = Some(of(request, VarId(n))?);
                }
            }
        }
        for request in requests {
            let Targets::Named(names) = &request.targets else {
                continue;
            };
            for name in names {
                for var in named_variables(input, Request::Quantization, name)? {
                    let is_float = matches!(input.var(var).ty, Type::Float | Type::Double);
                    if is_float || !name.is_glob() {
                        found[var.0] = Some(of(request, var)?);
                    }
                }
            }
        }
        for (found, var) in found.iter_mut().zip(&input.vars) {
            if Quantization::is_done(var) {
                *found = None;
            }
        }
        Ok(found)
    }
}
