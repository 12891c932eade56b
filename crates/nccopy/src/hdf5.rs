//! `-k h5`: copies HDF5 as it is.

use std::io::Write;

use anyhow::Context;
use ncutils_cli::name_options;
use ncutils_cli::progress::Bar;
use ncutils_core::copy::plan::{CopyOptions, plan, plan_part};
use ncutils_core::copy::{self, Progress, RunOptions, default_budget, prepare};
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::format::netcdf4::Netcdf4Reader;
use ncutils_core::format::netcdf4::verbatim::Verbatim;
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::model::Kind;
use ncutils_core::part::verbatim;
use ncutils_core::store::{Place, PlaceKind};

use crate::flags::Arguments;
use crate::{plan_text, summary};

/// Copies the HDF5 file at `place`.
///
/// # Errors
/// The input is not HDF5, or has something that cannot be copied as it is; an option that would leave something out; what
/// reading and writing find wrong.
pub fn copy(input: &Location, output: &Location, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
    let in_input = |error: Error| name_options(error).in_file(input.name());
    refuse(arguments)?;
    let PlaceKind::Object(object) = place.kind() else {
        return Err(not_hdf5(input).into());
    };
    let registry = &arguments.copy.registry;
    let source = Verbatim::open(object.clone(), registry).map_err(|error| match error {
        Error::UnknownFormat => not_hdf5(input),
        error => in_input(error),
    })?;
    let part = match arguments.part.is_empty() {
        true => None,
        false => {
            let neighbours = place.neighbours().cloned();
            let netcdf = Netcdf4Reader::open(object.clone(), neighbours, registry).map_err(in_input)?;
            Some(verbatim::cut(&source, &netcdf, &arguments.part, registry).map_err(in_input)?)
        }
    };
    if let Some(warning) = part.as_ref().and_then(|part| part.warning.as_ref()) {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let plain_part = part.as_ref().map(|part| part.plain.source());
    let addressed: &dyn Reader = match &part {
        Some(part) => &part.addressed,
        None => source.addressed(),
    };
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..arguments.copy.clone()
    };
    let (plan, reader): (_, &dyn Reader) = match (&part, &plain_part) {
        (Some(part), Some(reader)) => (plan_part(&part.plain, &options), reader),
        _ => (plan(source.reader(), &options), source.reader()),
    };
    let plan = plan.map_err(in_input)?;
    for choice in &plan.choices {
        tell("nccopy", format_args!("{choice}"));
    }
    let prepared = prepare(reader, &plan).map_err(in_input)?;
    let budget = arguments.memory.unwrap_or_else(default_budget);
    let options = RunOptions {
        threads: arguments.threads,
        memory: Some(budget.saturating_sub(output.memory_of_output(budget))),
        output: Some(output.name()),
        ..RunOptions::default()
    };
    if arguments.dry_run {
        output.check_raw_files(&plan.schema, &prepared.plans)?;
        let description = prepared.describe(reader, &plan, &options);
        return print(match arguments.json {
            true => plan_text::json(&description),
            false => plan_text::text(&description),
        });
    }
    ncutils_cli::signals::handle();
    let target = output.destination_of(&plan.schema, &prepared.plans)?;
    let writer = source
        .create(&target, &plan.schema, &prepared.plans, addressed)
        .map_err(in_input)?;
    for warning in source.warnings() {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let bar = Bar::on_terminal();
    let options = RunOptions {
        progress: bar.as_ref().map(|bar| bar as &dyn Progress),
        ..options
    };
    let done = copy::run(reader, &prepared, writer, &options);
    if let Some(bar) = &bar {
        bar.clear();
    }
    let report = done.map_err(in_input)?;
    if arguments.summary {
        print(match arguments.json {
            true => summary::json(&report),
            false => summary::text(&report),
        })?;
    }
    Ok(())
}

fn not_hdf5(input: &Location) -> Error {
    let why = "-k h5 copies HDF5 as it is, and this is not HDF5; -k nc4 makes netCDF-4 of any input";
    Error::Usage(why.to_owned()).in_file(input.name())
}

/// Refuses options that would leave out what this kind keeps, or that its output has no place for.
fn refuse(arguments: &Arguments) -> Result<(), Error> {
    let asked = &arguments.copy;
    let given = [
        (asked.variables.is_some(), "-v and -V"),
        (asked.groups.is_some(), "-g and -G"),
        (!asked.quantize.is_empty(), "--quantize"),
        (!asked.shards.is_empty() || asked.shard_index.is_some(), "--shard"),
        (asked.string_length.is_some(), "--string-length"),
        (!arguments.archive.blocks.is_empty(), "--block"),
        (arguments.archive.restore, "--restore"),
    ];
    match given.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, option)) => Err(Error::Usage(format!(
            "-k h5 copies everything as it is; leave out {option}, or copy to -k nc4"
        ))),
    }
}

fn print(text: String) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write")
}
