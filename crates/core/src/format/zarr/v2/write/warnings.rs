//! Warns of what netCDF-C or zarr-python cannot read of an output.

use super::metadata::metadata;
use super::structure;
use crate::error::Result;
use crate::filter::{Codec, Registry};
use crate::format::VariablePlan;
use crate::format::zarr::attributes;
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::json::Json;
use crate::format::zarr::options::ZarrOptions;
use crate::format::zarr::warning::ZarrProgram::{NetcdfC, Tensorstore, Xarray, ZarrPython};
use crate::format::zarr::warning::{ONLY_WITHOUT_CONSOLIDATED, PYTHON, Warning, shuffles_a_part};
use crate::format::zarr::write::grids;
use crate::model::{Attribute, Attributes, CodecSpec, Kind, Schema, Type, VarId};

/// What follows from a codec that zarr-python lacks, where there are no consolidated metadata.
const NO_GROUP_IN_XARRAY: &str = "xarray opens no group that has such a variable";

/// What programs cannot read of a dataset as it was, a warning for each sort.
///
/// # Errors
/// Those of [`super::check_plans`].
pub fn warnings(schema: &Schema, plans: &[VariablePlan], options: ZarrOptions) -> Result<Vec<Warning>> {
    let of_metadata = metadata(schema, plans, &grids(schema, plans)?, options)?.warnings;
    let mut all: Vec<Warning> = of_metadata.into_iter().map(Warning::of_output).collect();
    let names = |bad: Vec<String>| bad.join(", ");
    let is_nczarr = schema.kind == Kind::Nczarr;
    let variables = || (0..schema.vars.len()).map(VarId);
    let characters: Vec<_> = variables()
        .filter(|var| is_nczarr && schema.var(*var).ty == Type::Char)
        .map(|var| schema.var_path(var))
        .collect();
    if !characters.is_empty() {
        all.push(Warning::unread(
            PYTHON,
            format!(
                "zarr-python 3 cannot open variables of characters in NCZarr: {}",
                names(characters)
            ),
        ));
    }
    // Of user types, version 2 has only lists of numbers, booleans, complex numbers and compounds.
    let is_compound = |var: &VarId| matches!(structure::dtype(schema, schema.var(*var).ty), Ok(Some(_)));
    let of_user_types =
        variables().filter(|var| matches!(schema.var(*var).ty, Type::User(_)) && !is_compound(var));
    let (lists, numpy_types): (Vec<VarId>, Vec<VarId>) =
        of_user_types.partition(|var| schema.has_heap(schema.var(*var).ty));
    let paths = |vars: Vec<VarId>| Vec::from_iter(vars.into_iter().map(|var| schema.var_path(var)));
    let (lists, numpy_types) = (paths(lists), paths(numpy_types));
    if !lists.is_empty() {
        all.push(Warning::unread(&[NetcdfC, ZarrPython, Xarray, Tensorstore], format!(
            "netCDF-C, zarr-python 3 and tensorstore cannot read lists of numbers: {}; netCDF-C opens no dataset with them, and \
             {ONLY_WITHOUT_CONSOLIDATED}",
            names(lists)
        )));
    }
    if !numpy_types.is_empty() {
        all.push(Warning::unread(
            &[NetcdfC],
            format!(
                "netCDF-C opens no dataset with booleans or complex numbers: {}",
                names(numpy_types)
            ),
        ));
    }
    let compounds = paths(variables().filter(is_compound).collect());
    if !compounds.is_empty() {
        all.push(Warning::unread(&[NetcdfC, Tensorstore], format!(
            "netCDF-C opens no dataset with compounds, and tensorstore reads one field of them at a time, if that is no structure: {}",
            names(compounds)
        )));
    }
    let arrays: Vec<String> = variables()
        .filter(|var| structure::has_arrays(schema, schema.var(*var).ty))
        .map(|var| schema.var_path(var))
        .collect();
    if !arrays.is_empty() {
        all.push(Warning::unread(
            PYTHON,
            format!(
                "zarr-python 3 cannot read compounds with array fields: {}; {ONLY_WITHOUT_CONSOLIDATED}",
                names(arrays)
            ),
        ));
    }
    let refused = match is_nczarr {
        true => Vec::new(),
        false => attributes_that_netcdf_c_refuses(schema),
    };
    if !refused.is_empty() {
        all.push(Warning::unread(&[NetcdfC], format!(
            "netCDF-C opens no dataset with attributes that are an empty list, one of text and numbers, or one of integers of which the \
             first takes 32 or 64 bits and another more: {}",
            names(refused)
        )));
    }
    let unread = match is_nczarr {
        true => attributes_with_control_characters(schema),
        false => Vec::new(),
    };
    if !unread.is_empty() {
        all.push(Warning::shown_otherwise(
            &[NetcdfC],
            format!(
                "netCDF-C reads control characters as 'u' and four digits in attributes: {}",
                names(unread)
            ),
        ));
    }
    let with = |is_bad: &dyn Fn(&[CodecSpec], VarId) -> Option<String>| -> Vec<String> {
        let bad = |var: VarId| {
            let why = is_bad(&plans[var.0].layout.filters, var)?;
            Some(format!("{} ({why})", schema.var_path(var)))
        };
        variables().filter_map(bad).collect()
    };
    let registry = Registry::builtin();
    let lacking = |lacks: &dyn Fn(Option<&dyn Codec>) -> bool| {
        with(&|codecs, _| {
            let lacking: Vec<&str> = codecs
                .iter()
                .filter(|spec| lacks(registry.find(spec).map(AsRef::as_ref)))
                .map(CodecSpec::name)
                .collect();
            (!lacking.is_empty()).then(|| lacking.join(", "))
        })
    };
    let other = lacking(&|codec| !codec.is_some_and(|codec| codec.facts().in_netcdf_c));
    if !other.is_empty() {
        all.push(Warning::unread(
            &[NetcdfC],
            format!("netCDF-C has no codec for: {}", names(other)),
        ));
    }
    let shuffled = with(&|codecs, var| {
        let shuffles = codecs.iter().any(|codec| codec.name() == "shuffle");
        (schema.var(var).ty == Type::String && shuffles).then(|| "shuffle".to_owned())
    });
    if !shuffled.is_empty() {
        all.push(Warning::unread(
            &[NetcdfC],
            format!(
                "netCDF-C reads wrong strings where they are shuffled: {}",
                names(shuffled)
            ),
        ));
    }
    let other = lacking(&|codec| codec.is_some_and(|codec| !codec.facts().in_numcodecs));
    if !other.is_empty() {
        let what_follows = match is_nczarr {
            true => NO_GROUP_IN_XARRAY,
            false => ONLY_WITHOUT_CONSOLIDATED,
        };
        all.push(Warning::unread(
            PYTHON,
            format!(
                "numcodecs, and so zarr-python, has no codec for: {}; {what_follows}",
                names(other)
            ),
        ));
    }
    let before = with(&|codecs, _| shuffles_a_part(codecs, &registry));
    if !before.is_empty() {
        all.push(Warning::unread(
            PYTHON,
            format!("zarr-python cannot read: {}", names(before)),
        ));
    }
    let checked = with(&|codecs, _| {
        let is_checked = |codec: &CodecSpec| {
            let configuration = codec.configuration().filter(|_| codec.name() == "zstd");
            configuration.is_some_and(|members| members.contains_key("checksum"))
        };
        let is_any = codecs.iter().any(is_checked);
        is_any.then(|| "checksum of zstd".to_owned())
    });
    if !checked.is_empty() {
        all.push(Warning::unread(
            &[Tensorstore],
            format!("tensorstore cannot open: {}", names(checked)),
        ));
    }
    Ok(all)
}

/// The attributes of pure Zarr with which netCDF-C 4.10 fails to open a dataset.
fn attributes_that_netcdf_c_refuses(schema: &Schema) -> Vec<String> {
    let is_int = |json: &Json| json.as_i64().is_some_and(|number| i32::try_from(number).is_ok());
    let is_refused = |json: Json| match json.as_array() {
        Some([]) => true,
        Some([first, rest @ ..]) => {
            let is_text = |json: &&Json| json.as_str().is_some();
            let is_integer = |json: &Json| matches!(json, Json::Integer(_)) || json.is_wide();
            let is_number = |json: &Json| {
                is_integer(json) || matches!(json, Json::Bool(_) | Json::Float(_) | Json::Word(_))
            };
            let list = || std::iter::once(first).chain(rest);
            let is_plain = list().all(|json| is_text(&json) || is_number(json));
            let is_mixed = list().any(|json| is_text(&json)) && list().any(is_number);
            let is_longer = match is_int(first) {
                true => !rest.iter().all(is_int),
                false => !first.is_wide() && rest.iter().any(Json::is_wide),
            };
            is_plain && is_mixed || list().all(is_integer) && is_longer
        }
        None => false,
    };
    attributes::each_attribute(schema, |all, attribute| {
        let kept = attributes::kept_json(all, attribute);
        kept.or_else(|| attributes::value(attribute, Flavor::Zarr))
            .is_some_and(is_refused)
    })
}

/// The attributes whose text has characters that JSON escapes by number, which netCDF-C does not know.
fn attributes_with_control_characters(schema: &Schema) -> Vec<String> {
    let is_unknown = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\n' | b'\t' | b'\r' | 0x08 | 0x0c);
    let has_unknown = |_: &Attributes, attribute: &Attribute| match attribute.ty {
        // NUL at the end of a text is not written.
        Type::Char => {
            let bytes = &attribute.values.bytes;
            let end = bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(0, |last| last + 1);
            bytes[..end].iter().any(is_unknown)
        }
        Type::String => attribute.values.heap.iter().any(is_unknown),
        _ => false,
    };
    attributes::each_attribute(schema, has_unknown)
}
