//! Warns of what other programs cannot read of an output.

use std::collections::{BTreeSet, HashMap};

use super::super::super::options::ZarrOptions;
use super::super::super::warning::ZarrProgram::{Tensorstore, Xarray, ZarrPython, Zarrs};
use super::super::super::warning::{ONLY_WITHOUT_CONSOLIDATED, PYTHON, Warning, shuffles_a_part};
use super::super::data_type::DataType;
use super::metadata::metadata;
use crate::error::Result;
use crate::filter::{Program, Registry};
use crate::format::VariablePlan;
use crate::model::{CodecSpec, GroupId, Kind, Schema, VarId};

/// What programs cannot read of a dataset as it was, a warning for each sort.
///
/// # Errors
/// Those of [`super::check_plans`].
pub fn warnings(schema: &Schema, plans: &[VariablePlan], options: ZarrOptions) -> Result<Vec<Warning>> {
    super::check_plans(schema, plans)?;
    let registry = Registry::builtin();
    let of_metadata = metadata(schema, plans)?.warnings;
    let mut all: Vec<Warning> = of_metadata.into_iter().map(Warning::of_output).collect();
    let (mut repeating, mut structures, mut cut) = (Vec::new(), Vec::new(), Vec::new());
    let mut lacking = Program::ALL.map(|_| Vec::new());
    for (n, plan) in plans.iter().enumerate() {
        let path = schema.var_path(VarId(n));
        for (program, lacking) in Program::ALL.into_iter().zip(&mut lacking) {
            let is_lacking = |codec: &&CodecSpec| !registry.known_to(codec, program);
            let filters = plan.layout.filters.iter().filter(is_lacking);
            let codecs: Vec<&str> = filters.map(|codec| codec.name()).collect();
            if !codecs.is_empty() {
                lacking.push(format!("{path} ({})", codecs.join(", ")));
            }
        }
        if let Some(why) = shuffles_a_part(&plan.layout.filters, &registry) {
            cut.push(format!("{path} ({why})"));
        }
        if let Ok(DataType::Struct(_)) = DataType::of(schema, schema.vars[n].ty) {
            structures.push(path.clone());
        }
        let dims = &schema.vars[n].dims;
        let name = |at: usize| &schema.dim(dims[at]).name;
        if (1..dims.len()).any(|at| (0..at).any(|before| name(before) == name(at))) {
            repeating.push(path);
        }
    }
    // It reads no Icechunk repositories. Of shards that are HDF5 files, only filters that it lacks are read by every HDF5 library.
    let concerns_tensorstore = schema.kind != Kind::Icechunk && !options.shards_as_hdf5;
    for (program, lacking) in Program::ALL.into_iter().zip(lacking) {
        if !lacking.is_empty() && (program != Program::Tensorstore || concerns_tensorstore) {
            let (readers, what_follows) = match program {
                Program::ZarrPython => (PYTHON, format!("; {ONLY_WITHOUT_CONSOLIDATED}")),
                Program::Zarrs => (&[Zarrs][..], String::new()),
                Program::Tensorstore => (&[Tensorstore][..], String::new()),
            };
            all.push(Warning::unread(
                readers,
                format!(
                    "{} lacks codecs of: {}{what_follows}",
                    program.name(),
                    lacking.join(", ")
                ),
            ));
        }
    }
    if !cut.is_empty() {
        all.push(Warning::unread(
            &[ZarrPython, Xarray, Zarrs],
            format!("zarr-python and zarrs cannot read: {}", cut.join(", ")),
        ));
    }
    if !repeating.is_empty() && schema.kind != Kind::Icechunk {
        all.push(Warning::unread(
            &[Tensorstore],
            format!(
                "tensorstore refuses arrays with two dimensions of one name: {}",
                repeating.join(", ")
            ),
        ));
    }
    let clashing = names_of_two_lengths(schema);
    if !clashing.is_empty() {
        all.push(Warning::unread(
            &[Xarray],
            format!(
                "xarray opens no group in which a name of dimensions has two lengths: {}",
                clashing.join(", ")
            ),
        ));
    }
    if !structures.is_empty() {
        all.push(Warning::unread(
            PYTHON,
            format!(
                "zarr-python 3.1 opens no dataset whose consolidated metadata has compounds: {}",
                structures.join(", ")
            ),
        ));
    }
    Ok(all)
}

/// The dimensions that the variables of a group have under one name and with different lengths, each as "/g/x".
fn names_of_two_lengths(schema: &Schema) -> Vec<String> {
    let mut clashing = BTreeSet::new();
    let mut lengths: HashMap<(GroupId, &str), u64> = HashMap::new();
    for var in &schema.vars {
        for dim in var.dims.iter().map(|dim| schema.dim(*dim)) {
            let known = *lengths.entry((var.group, &*dim.name)).or_insert(dim.length);
            if known != dim.length {
                clashing.insert(schema.path_in(var.group, &dim.name));
            }
        }
    }
    clashing.into_iter().collect()
}
