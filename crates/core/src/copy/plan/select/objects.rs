//! The lists of `nccopy -v -V -g -G` for HDF5 that is copied as it is.

use std::collections::HashSet;

use super::variables::{Use, select};
use crate::copy::plan::request::{ChunkSpec, CopyOptions, Listed};
use crate::error::{Request, Result};
use crate::filter::spec::{FilterRequest, Targets};
use crate::format::Reader;
use crate::format::netcdf4::Netcdf4Reader;
use crate::format::netcdf4::verbatim::{Selection, Variable, Verbatim};
use crate::model::similar::question;
use crate::model::{NamePattern, VarId};

/// The objects of `source` that the lists of `options` mean. A dataset with several names is copied if one of them is meant.
///
/// # Errors
/// A name that the input does not have; a group that is damaged.
pub fn select_objects(source: &Verbatim, options: &CopyOptions) -> Result<Selection> {
    if options.variables.is_none() && options.groups.is_none() && options.excluded.is_empty() {
        return Ok(Selection::default());
    }
    let names = source.names()?;
    let selected = select(&names.schema, options)?;
    let of_use = |wanted: Use| {
        let vars = names.vars.iter().zip(&selected.vars);
        vars.filter(move |(_, used)| **used == wanted)
            .map(|(address, _)| *address)
    };
    let copied: HashSet<u64> = of_use(Use::Copy).collect();
    let mut without_data: HashSet<u64> = of_use(Use::Define).collect();
    without_data.retain(|address| !copied.contains(address));
    let groups = names.groups.iter().zip(&selected.groups);
    let mut left_out: HashSet<u64> = groups
        .filter(|(_, kept)| !**kept)
        .map(|(address, _)| *address)
        .collect();
    let is_defined = |address: &u64| copied.contains(address) || without_data.contains(address);
    left_out.extend(of_use(Use::Omit).filter(|address| !is_defined(address)));
    Ok(Selection {
        left_out,
        without_data,
    })
}

/// The same options for the plan of the variables of [`Verbatim::reader`], which has only what was selected. A variable has
/// one name there, the first that was found, so other paths to its dataset become that. Each axis of a dataset is a dimension
/// of its own there; `netcdf` tells which of them share a dimension, if `options` name one.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for a dimension that netCDF does not show, and for a dataset that no plan tells of.
pub fn for_selected(
    source: &Verbatim,
    netcdf: Option<&Netcdf4Reader>,
    options: &CopyOptions,
) -> Result<CopyOptions> {
    let schema = source.reader().schema();
    let copied = (0..schema.vars.len())
        .map(VarId)
        .filter(|var| !source.is_without_data(Variable::Plain(*var)));
    let paths: Vec<NamePattern> = copied
        .map(|var| format!("/{}", schema.var_path(var).trim_start_matches('/')).into())
        .collect();
    let mut chunking = Vec::new();
    for spec in &options.chunking {
        match (spec, netcdf) {
            (ChunkSpec::Dimensions(rule), Some(netcdf)) => chunking.extend(axes(source, netcdf, rule)?),
            _ => chunking.push(known_chunks(source, spec)?),
        }
    }
    Ok(CopyOptions {
        chunking,
        variables: (paths.len() < schema.vars.len()).then_some(Listed {
            names: paths,
            define_others: true,
        }),
        groups: None,
        excluded: Vec::new(),
        filters: options
            .filters
            .iter()
            .map(|request| {
                Ok(FilterRequest {
                    targets: known_targets(source, Request::Filters, &request.targets)?,
                    pipeline: request.pipeline.clone(),
                })
            })
            .collect::<Result<_>>()?,
        quantize: options
            .quantize
            .iter()
            .map(|request| {
                request.with_targets(|targets| known_targets(source, Request::Quantization, targets))
            })
            .collect::<Result<_>>()?,
        ..options.clone()
    })
}

/// The chunk lengths of all axes of datasets that these dimensions have in the netCDF view, each as a rule of its own. A rule of
/// several dimensions leaves variables of one dimension alone.
fn axes(source: &Verbatim, netcdf: &Netcdf4Reader, list: &[(String, Option<u64>)]) -> Result<Vec<ChunkSpec>> {
    let (shown, stored) = (netcdf.schema(), source.reader().schema());
    let mut found = Vec::new();
    for (name, length) in list {
        let dims = shown.dims_named(name);
        if dims.is_empty() {
            let meant = question(name, shown.dims.iter().map(|dim| dim.name.as_str()));
            return Err(Request::Chunks.error(format!("the input has no dimension named '{name}'{meant}")));
        }
        for var in (0..shown.vars.len()).map(VarId) {
            let address = netcdf.object_address(var);
            let Some(Variable::Plain(own)) = address.and_then(|address| source.variable_at(address)) else {
                continue;
            };
            if list.len() > 1 && shown.var(var).dims.len() == 1 {
                continue;
            }
            for (dim, axis) in shown.var(var).dims.iter().zip(&stored.var(own).dims) {
                if dims.contains(dim) {
                    let axis = stored.dim(*axis);
                    found.push((stored.path_in(axis.group, &axis.name), *length));
                }
            }
        }
    }
    let rules = found.into_iter().map(|rule| ChunkSpec::Dimensions(vec![rule]));
    Ok(rules.collect())
}

fn known_chunks(source: &Verbatim, spec: &ChunkSpec) -> Result<ChunkSpec> {
    Ok(match spec {
        ChunkSpec::Variable { name, layout } => ChunkSpec::Variable {
            name: known(source, Request::Chunks, name)?,
            layout: layout.clone(),
        },
        other => other.clone(),
    })
}

fn known_targets(source: &Verbatim, request: Request, targets: &Targets) -> Result<Targets> {
    Ok(match targets {
        Targets::All => Targets::All,
        Targets::Named(names) => {
            let names = names.iter().map(|name| known(source, request, name));
            Targets::Named(names.collect::<Result<_>>()?)
        }
    })
}

/// The name in the plan of the dataset that a path leads to by any links; the path itself if it leads to no dataset.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for a dataset that is copied without a plan.
fn known(source: &Verbatim, request: Request, name: &NamePattern) -> Result<NamePattern> {
    let (schema, path) = (source.reader().schema(), name.as_str());
    if name.is_glob() || schema.var_at(path).is_some() {
        return Ok(name.clone());
    }
    let address = source.address_of(path);
    match address.and_then(|address| source.variable_at(address)) {
        Some(Variable::Plain(var)) => Ok(schema.var_path(var).into()),
        Some(Variable::Addressed(_)) => Err(request.error(format!(
            "'{path}' holds data of varying length or references, which a copy of HDF5 as it is stores as in the input"
        ))),
        None => Ok(name.clone()),
    }
}
