//! A run of `ncgen`: makes a netCDF file of CDL text, or a program that creates the file, or checks the text.

use std::ffi::OsString;
use std::io::{self, BufWriter};
use std::path::Path;
use std::process::ExitCode;

use ncutils_cli::options::NCGEN;
use ncutils_core::cdl::program::{c, fortran77};
use ncutils_core::cdl::read::{CdlReader, PlanOptions, Text, infer, plan};
use ncutils_core::copy::{self, CopyPlan, Progress, RunOptions, default_budget, prepare};
use ncutils_core::error::{Error, Result};
use ncutils_core::format::{self, Reader};
use ncutils_core::location::{CreateOptions, Location};

use crate::arguments::{self, Arguments};
use crate::language::Language;
use crate::output_name::output_name;

/// At most this part of the memory (1 / 4) holds text from a pipe.
const TEXT_SHARE: u64 = 4;

/// Maximum size, in bytes, of piped text in memory. The rest goes to a temporary file, which the system keeps in memory
/// anyway while there is room.
const TEXT_BYTES: u64 = 64 << 20;

/// Runs the program with the arguments of the process. Returns its exit status.
pub fn main() -> ExitCode {
    ncutils_cli::run(&NCGEN, |matches| run(&arguments::arguments(matches)?).map(|()| 0))
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let messages = arguments.messages;
    let input = arguments
        .remote
        .of(messages, Location::parse_input(arguments.input.as_deref())?)?;
    let memory = arguments.memory.unwrap_or_else(default_budget);
    let source = input.text((memory / TEXT_SHARE).min(TEXT_BYTES));
    messages.warn_of_opening(&input);
    let source = source?;
    let reader = CdlReader::open(Text::new(source, input.to_string())?)?;
    let in_input = |error: Error| {
        reader
            .locate(error, |error| NCGEN.name_options(error))
            .in_file(input.name())
    };
    for warning in reader.warnings() {
        messages.warn_lines(warning);
    }
    let name = arguments.name.as_deref().unwrap_or(reader.name());
    let output_name = || match &arguments.output {
        Some(output) => Ok(output.clone()),
        None => output_name(input.file_name().as_deref(), name, arguments.suffix).map(OsString::from),
    };
    let output = match (arguments.language, &arguments.output) {
        (Some(Language::Binary), Some(output)) => {
            Some(arguments.remote.of(messages, Location::parse_output(output)?)?)
        }
        // A text's own name is no URL, and asks for no format.
        (Some(Language::Binary), None) => Some(Location::from_path(output_name()?)),
        _ => None,
    };
    let mut asked = arguments.kind;
    if let Some(output) = &output {
        for warning in output.warnings() {
            messages.warn_of(output, warning);
        }
        asked = output.output_kind(asked, None)?;
    }
    let mut kind = infer(reader.schema(), reader.storages(), reader.format(), asked).map_err(in_input)?;
    if arguments.archive && kind.unpacked().is_none() {
        kind = kind.packed().ok_or_else(|| {
            in_input(Error::Usage(format!(
                "this needs the kind '{}', and archives are of classic files",
                kind.name()
            )))
        })?;
    }
    for warning in reader.warnings_of_storage(kind)? {
        messages.warn_lines(warning);
    }
    let options = PlanOptions {
        kind,
        no_fill: arguments.no_fill,
        header_only: arguments.header_only,
        string_length: arguments.string_length,
    };
    let plan = plan(&reader, reader.storages(), options, &arguments.registry).map_err(in_input)?;
    format::check(&plan.schema).map_err(in_input)?;

    let main = arguments.main.as_deref();
    let prints = matches!(arguments.language, Some(Language::C | Language::Fortran77));
    // The first wrong value ends the work. There may be more.
    let all_errors = |error: Error| match error {
        Error::Cdl(_) => reader.check().err().unwrap_or(error),
        other => other,
    };
    let done = match (arguments.language, &output) {
        (Some(Language::Binary), Some(output)) => {
            input.check_output(output)?;
            make(&reader, &plan, output, arguments).map_err(all_errors)
        }
        (None | Some(Language::Binary), _) => reader.check(),
        (Some(Language::C), _) => {
            print(|out| c::write(&reader, &plan, &shown_name(&output_name()?), main, out)).map_err(all_errors)
        }
        (Some(Language::Fortran77), _) => {
            print(|out| fortran77::write(&reader, &plan, &shown_name(&output_name()?), main, out))
                .map_err(all_errors)
        }
    };
    for warning in reader.warnings_of_values()? {
        messages.warn_lines(warning);
    }
    Ok(done.map_err(|error| match error {
        // An error of writing the program is not the text's fault.
        e @ Error::Io { .. } if prints => e,
        e => in_input(e),
    })?)
}

/// Makes the netCDF file.
fn make(reader: &CdlReader, plan: &CopyPlan, output: &Location, arguments: &Arguments) -> Result<()> {
    let prepared = prepare(reader, plan)?;
    for warning in output.create_warnings(&plan.schema, &prepared.plans)? {
        arguments.messages.warn_of(output, warning);
    }
    ncutils_cli::signals::handle("ncgen");
    let budget = arguments.memory.unwrap_or_else(default_budget);
    let held = output.memory_of_output(budget);
    let create = CreateOptions {
        memory: Some(held),
        replaces: arguments.replace,
    };
    let writer = output.create_with(&plan.schema, &prepared.plans, &create);
    arguments.messages.warn_of_opening(output);
    let writer = writer?;
    let bar = arguments.messages.bar();
    let options = RunOptions {
        memory: Some(budget.saturating_sub(held)),
        output: Some(output.name()),
        progress: bar.as_ref().map(|bar| bar as &dyn Progress),
        ..RunOptions::default()
    };
    let done = copy::run(reader, &prepared, writer, &options).map(|_| ());
    if let Some(bar) = &bar {
        bar.clear();
    }
    done
}

/// Prints a program to standard output.
fn print(write: impl FnOnce(&mut dyn io::Write) -> Result<()>) -> Result<()> {
    write(&mut BufWriter::new(io::stdout().lock()))
}

/// The output's name, as shown in a program.
fn shown_name(output: &OsString) -> String {
    Path::new(output).display().to_string()
}
