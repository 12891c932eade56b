//! `nccopy`: copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way.

use std::process::ExitCode;

use nccopy::flags::{self, Arguments};
use ncutils_cli::name_options;
use ncutils_cli::progress::Bar;
use ncutils_core::copy::plan::plan;
use ncutils_core::copy::{self, Progress, RunOptions, prepare};
use ncutils_core::error::Error;
use ncutils_core::location::Location;
use ncutils_core::message::tell;

fn main() -> ExitCode {
    ncutils_cli::run(flags::command(), |matches| {
        run(&flags::arguments(matches).map_err(name_options)?)
    })
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let input = Location::parse_input(Some(&arguments.input))?;
    let output = Location::parse(&arguments.output)?;
    let in_input = |error: Error| name_options(error).in_file(input.name());
    input.check_output(&output)?;
    let reader = input.open().map_err(in_input)?;
    for warning in &reader.schema().warnings {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let plan = plan(&*reader, &arguments.copy).map_err(in_input)?;
    let prepared = prepare(&*reader, &plan).map_err(in_input)?;
    ncutils_cli::signals::handle();
    let writer = output.create(&plan.schema, &prepared.plans)?;
    // The writer has what it needs of it; of very many variables it takes much memory.
    drop(plan);
    let bar = Bar::on_terminal();
    let options = RunOptions {
        threads: arguments.threads,
        memory: arguments.memory,
        output: Some(output.name()),
        progress: bar.as_ref().map(|bar| bar as &dyn Progress),
        ..RunOptions::default()
    };
    let done = copy::run(&*reader, &prepared, writer, &options);
    if let Some(bar) = &bar {
        bar.clear();
    }
    Ok(done.map_err(in_input)?)
}
