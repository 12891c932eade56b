//! `nccopy`: copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use nccopy::flags::{self, Arguments};
use nccopy::{plan_text, summary};
use ncutils_cli::name_options;
use ncutils_cli::progress::Bar;
use ncutils_core::copy::plan::{CopyOptions, plan, plan_part};
use ncutils_core::copy::{self, Progress, RunOptions, prepare};
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::part::Part;

fn main() -> ExitCode {
    ncutils_cli::run(flags::command(), |matches| {
        run(&flags::arguments(matches).map_err(name_options)?)
    })
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let input = Location::parse_input(Some(&arguments.input))?;
    let output = Location::parse(&arguments.output)?;
    for location in [&input, &output] {
        for warning in location.warnings() {
            tell("nccopy", format_args!("{location}: warning: {warning}"));
        }
    }
    let in_input = |error: Error| name_options(error).in_file(input.name());
    input.check_output(&output)?;
    let reader = input.open_with(&arguments.copy.registry).map_err(in_input)?;
    for warning in &reader.schema().warnings {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let options = CopyOptions {
        kind: output.output_kind(arguments.copy.kind, Some(reader.schema().kind))?,
        ..arguments.copy.clone()
    };
    let part = (!arguments.part.is_empty())
        .then(|| Part::new(&*reader, &arguments.part, &options.registry).map_err(in_input))
        .transpose()?;
    let source = part.as_ref().map(Part::source);
    let (plan, reader): (_, &dyn Reader) = match (&part, &source) {
        (Some(part), Some(source)) => (plan_part(part, &options), source),
        _ => (plan(&*reader, &options), &*reader),
    };
    let plan = plan.map_err(in_input)?;
    for choice in &plan.choices {
        tell("nccopy", format_args!("{choice}"));
    }
    let prepared = prepare(reader, &plan).map_err(in_input)?;
    for warning in output.create_warnings(&plan.schema, &prepared.plans)? {
        tell("nccopy", format_args!("{output}: warning: {warning}"));
    }
    let options = RunOptions {
        threads: arguments.threads,
        memory: arguments.memory,
        output: Some(output.name()),
        ..RunOptions::default()
    };
    if arguments.dry_run {
        output.check_create(&plan.schema, &prepared.plans)?;
        let description = prepared.describe(reader, &plan, &options);
        return print(match arguments.json {
            true => plan_text::json(&description),
            false => plan_text::text(&description),
        });
    }
    ncutils_cli::signals::handle();
    let writer = output.create(&plan.schema, &prepared.plans)?;
    // The writer has what it needs of the plan, which takes much memory if there are very many variables.
    drop(plan);
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

/// Prints on standard output.
fn print(text: String) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write")
}
