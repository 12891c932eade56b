//! `ncdump`: prints a netCDF or HDF5 file as CDL text.

mod prove;

use std::env;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use anyhow::Context;
use ncdump::flags::{self, Arguments};
use ncutils_cli::name_options;
use ncutils_cli::remote::tell_notes;
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::print::DataOf;
use ncutils_core::print::cdl::dump;
use ncutils_core::print::json;
use ncutils_core::print::ncml;
use ncutils_core::subset::Subset;
use prove::prove;

fn main() -> ExitCode {
    let failure = flags::failure_status(env::args_os());
    ncutils_cli::run_or_fail_with(failure, flags::command(), |matches| {
        run(&flags::arguments(matches).map_err(name_options)?)
    })
}

/// Standard output without line buffering, since data comes in large pieces.
fn stdout() -> io::Result<BufWriter<File>> {
    let file = io::stdout().as_fd().try_clone_to_owned()?.into();
    Ok(BufWriter::with_capacity(1 << 16, file))
}

fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    match &arguments.proof {
        Some(proof) => prove(arguments, proof),
        None => print(arguments).map(|()| 0),
    }
}

fn print(arguments: &Arguments) -> anyhow::Result<()> {
    let mut stdout = stdout().context("cannot write")?;
    if let Some(list) = &arguments.list {
        return write!(stdout, "{list}")
            .and_then(|()| stdout.flush())
            .context("cannot write");
    }
    let input = arguments
        .remote
        .of("ncdump", Location::parse_input(Some(&arguments.input))?)?
        .with_access(arguments.access.clone());
    for warning in input.warnings() {
        tell("ncdump", format_args!("{input}: warning: {warning}"));
    }
    let place = input.place()?;
    if arguments.dump.special {
        place.read_to_end()?;
    }
    let reader = input.open_place(place, &arguments.registry)?;
    tell_notes("ncdump", &input);
    if arguments.kind_only {
        return writeln!(stdout, "{}", reader.schema().kind.can().format_name)
            .and_then(|()| stdout.flush())
            .context("cannot write");
    }
    if arguments.format_only {
        let format = reader.schema().kind.can().extended_name;
        return writeln!(stdout, "{format}")
            .and_then(|()| stdout.flush())
            .context("cannot write");
    }
    if arguments.sources {
        let all = reader.source_files();
        let print = |()| all.iter().try_for_each(|file| writeln!(stdout, "{file}"));
        return Ok(())
            .and_then(print)
            .and_then(|()| stdout.flush())
            .context("cannot write");
    }
    for warning in &reader.schema().warnings {
        tell("ncdump", format_args!("{input}: warning: {warning}"));
    }
    let part = (!arguments.part.is_empty())
        .then(|| Subset::new(&*reader, &arguments.part, &arguments.registry))
        .transpose()
        .map_err(|error| name_options(error).in_file(input.name()))?;
    let reader: &dyn Reader = match &part {
        Some(part) => part,
        None => &*reader,
    };
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| flags::dataset_name(input.file_name().as_deref().unwrap_or(input.name())));
    let done = if arguments.json {
        json::dump(reader, &arguments.dump, &mut stdout)
    } else if arguments.ncml {
        let location = input.name().as_encoded_bytes();
        ncml::dump(reader, location, &arguments.dump, &mut stdout).map(|replaced| {
            if replaced > 0 {
                let what = match replaced {
                    1 => "character cannot stand in XML and became U+FFFD",
                    _ => "characters cannot stand in XML and became U+FFFD",
                };
                tell("ncdump", format_args!("{input}: warning: {replaced} {what}"));
            }
        })
    } else {
        dump(reader, &name, &arguments.dump, &mut stdout)
    };
    for warning in reader.data_warnings() {
        tell("ncdump", format_args!("{input}: warning: {warning}"));
    }
    // Flush after an error too: all readable text is printed.
    let flushed = stdout.flush().context("cannot write");
    done.map_err(|error| match error {
        // An error of writing the output is not the input's fault.
        e @ (Error::Usage(_) | Error::Io { .. }) => e,
        e => e.in_file(input.name()),
    })?;
    flushed?;
    let all_asked = !matches!(arguments.dump.data, DataOf::Listed(_));
    if let (true, [_, ..]) = (all_asked, &reader.schema().refused[..]) {
        let refused = reader.schema().refused.join("; ");
        return Err(Error::Usage(format!("{refused} (all else was printed)"))
            .in_file(input.name())
            .into());
    }
    match reader.schema().faults.join("; ") {
        faults if faults.is_empty() => Ok(()),
        faults => Err(Error::Damaged(format!("{faults} (all else was printed)"))
            .in_file(input.name())
            .into()),
    }
}
