//! `nccopy`: copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way.

mod salvage_archive;

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use anyhow::Context;
use nccopy::flags::{self, Arguments};
use nccopy::locations::locations;
use nccopy::{hdf5, plan_text, summary};
use ncutils_cli::name_options;
use ncutils_cli::progress::Bar;
use ncutils_cli::remote::tell_notes;
use ncutils_core::copy::archive::{Way, way};
use ncutils_core::copy::plan::{CopyOptions, plan, plan_part};
use ncutils_core::copy::{self, Progress, RunOptions, default_budget, prepare};
use ncutils_core::error::Error;
use ncutils_core::format::archive::{self, PackOptions, Packed};
use ncutils_core::format::{self, Fault, Reader};
use ncutils_core::location::{CreateOptions, Held, Location};
use ncutils_core::message::tell;
use ncutils_core::model::{Kind, Schema};
use ncutils_core::part::Part;
use ncutils_core::proof::{Promise, Salvage, check};
use ncutils_core::store::{Place, PlaceKind, compress_seekable};

/// The exit status of a copy that lacks what could not be read.
const LOST: u8 = 3;

/// Bytes of piped input that stay in memory.
const SPOOLED: u64 = 64 << 20;

/// Bytes of a stream that are read at once.
const STREAMED: usize = 256 << 10;

fn main() -> ExitCode {
    ncutils_cli::run_for_status(flags::command(), |matches| {
        let arguments = flags::arguments(matches).map_err(name_options)?;
        match salvage_archive::salvage(&arguments)? {
            Some(status) => Ok(status),
            None => run(&arguments),
        }
    })
}

fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let (input, output) = locations(arguments)?;
    if arguments.memory.is_some() && (input.is_remote() || output.is_remote()) {
        ncutils_cli::allocator::return_freed_pages();
    }
    for location in [&input, &output] {
        for warning in location.warnings() {
            tell("nccopy", format_args!("{location}: warning: {warning}"));
        }
    }
    let in_input = |error: Error| name_options(error).in_file(input.name());
    input.check_output(&output)?;
    if arguments.plain_zst {
        return compress(&input, &output, arguments).map(|()| 0);
    }
    if arguments.archive.restore && input.is_standard_input() {
        return restore_stream(&output, arguments).map(|()| 0);
    }
    let place = input.place()?;
    if arguments.as_hdf5 {
        if arguments.salvage {
            anyhow::bail!("-k h5 does not go with --salvage");
        }
        return hdf5::copy(&input, &output, &place, arguments).map(|()| 0);
    }
    let open = match arguments.salvage {
        true => Location::open_damaged,
        false => Location::open_place,
    };
    let reader = open(&input, place.clone(), &arguments.copy.registry).map_err(in_input)?;
    tell_notes("nccopy", &input);
    for warning in &reader.schema().warnings {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let (salvage, status) = match arguments.salvage {
        true => salvage(&*reader, &input, arguments)?,
        false => (None, 0),
    };
    let mut options = CopyOptions {
        kind: output.output_kind(arguments.copy.kind, Some(reader.schema().kind))?,
        ..arguments.copy.clone()
    };
    let way = way(reader.schema(), &options, &arguments.archive).map_err(in_input)?;
    let threads = thread_count(arguments);
    let blocks = match way {
        Way::Copy => None,
        Way::Convert(kinds, blocks) => {
            options = as_classic(&*reader, kinds, options).map_err(in_input)?;
            Some(PackOptions {
                threads,
                memory: Some(memory(&output, arguments)),
                ..blocks
            })
        }
        bytes if arguments.dry_run => {
            return print(plan_text::bytes(&bytes, arguments.json)).map(|()| 0);
        }
        bytes if arguments.salvage || arguments.verify => {
            let option = if arguments.salvage {
                "--salvage"
            } else {
                "--verify"
            };
            return Err(Error::Usage(format!(
                "{option} copies values, and this copy of an archive moves bytes{}",
                match bytes {
                    Way::Pack(_) | Way::Repack(_) => ": ask for another kind",
                    _ => "",
                }
            ))
            .into());
        }
        bytes => {
            drop(salvage);
            drop(reader);
            let report = copy_bytes(&input, &output, &place, bytes, arguments)?;
            return match arguments.summary {
                true => print(summary::bytes(&report, arguments.json)).map(|()| 0),
                false => Ok(0),
            };
        }
    };
    let reader: &dyn Reader = match &salvage {
        Some(salvage) => salvage,
        None => &*reader,
    };
    let part = (!arguments.part.is_empty())
        .then(|| Part::new(reader, &arguments.part, &options.registry).map_err(in_input))
        .transpose()?;
    let source = part.as_ref().map(Part::source);
    let asked: &dyn Reader = match &part {
        Some(part) => part,
        None => reader,
    };
    let (plan, reader): (_, &dyn Reader) = match (&part, &source) {
        (Some(part), Some(source)) => (plan_part(part, &options), source),
        _ => (plan(reader, &options), reader),
    };
    let plan = plan.map_err(in_input)?;
    for choice in &plan.choices {
        tell("nccopy", format_args!("{choice}"));
    }
    let prepared = prepare(reader, &plan).map_err(in_input)?;
    for warning in output.create_warnings(&plan.schema, &prepared.plans)? {
        tell("nccopy", format_args!("{output}: warning: {warning}"));
    }
    let budget = arguments.memory.unwrap_or_else(default_budget);
    let held = output.memory_of_output(budget);
    let options = RunOptions {
        threads: arguments.threads,
        memory: Some(budget.saturating_sub(held)),
        output: Some(output.name()),
        ..RunOptions::default()
    };
    if arguments.dry_run {
        output.check_create(&plan.schema, &prepared.plans)?;
        let description = prepared.describe(reader, &plan, &options);
        return print(match arguments.json {
            true => plan_text::json(&description),
            false => plan_text::text(&description),
        })
        .map(|()| 0);
    }
    ncutils_cli::signals::handle();
    let create = CreateOptions {
        memory: Some(held),
        replaces: arguments.replace,
    };
    let (writer, held) = match blocks {
        blocks if arguments.verify => {
            let (writer, held) = output
                .create_held(&plan.schema, &prepared.plans, blocks, &create)
                .map_err(name_options)?;
            (writer, Some((held, Promise::of(&plan))))
        }
        Some(blocks) => (
            output.create_archive(&plan.schema, &prepared.plans, blocks, &create)?,
            None,
        ),
        None => (
            output
                .create_with(&plan.schema, &prepared.plans, &create)
                .map_err(name_options)?,
            None,
        ),
    };
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
    for warning in reader.data_warnings() {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let report = done.map_err(in_input)?;
    if let Some((held, promise)) = held {
        verify(&held, &promise, asked, &output, arguments).map_err(|error| error.in_file(output.name()))?;
    }
    if arguments.summary {
        print(match arguments.json {
            true => summary::json(&report),
            false => summary::text(&report),
        })?;
    }
    Ok(status)
}

/// Checks a damaged input and lists what is lost. Returns what is left of it, and the exit status: 3 if anything is lost.
fn salvage<'r>(
    reader: &'r dyn Reader,
    input: &Location,
    arguments: &Arguments,
) -> anyhow::Result<(Option<Salvage<'r>>, u8)> {
    let checked = check(reader, &arguments.copy.registry, &arguments.work())
        .map_err(|error| error.in_file(input.name()))?;
    for fault in &checked.faults {
        let kept = match (fault.is_replaced, fault.only_checksum && arguments.keep_suspect) {
            (true, _) => " (another copy of it was read)",
            (_, true) => " (kept)",
            _ => "",
        };
        tell("nccopy", format_args!("{input}: {fault}{kept}"));
    }
    let is_lost = |fault: &Fault| !(fault.is_replaced || fault.only_checksum && arguments.keep_suspect);
    let status = if checked.faults.iter().any(is_lost) {
        LOST
    } else {
        0
    };
    Ok((
        Some(Salvage::new(reader, &checked, arguments.keep_suspect)),
        status,
    ))
}

/// Compares the output with what was asked for, and lets it appear.
fn verify(
    held: &Held,
    promise: &Promise,
    asked: &dyn Reader,
    output: &Location,
    arguments: &Arguments,
) -> Result<(), Error> {
    let written = output.open_place(held.place(output)?, &arguments.copy.registry)?;
    promise.verify(asked, &*written, arguments.work(), &mut |line| {
        tell("nccopy", format_args!("{output}: {line}"));
    })?;
    drop(written);
    held.release()
}

/// Compresses the bytes of the input as they are, in Zstandard's seekable format.
fn compress(input: &Location, output: &Location, arguments: &Arguments) -> anyhow::Result<()> {
    let asked = &arguments.copy;
    let changes = !asked.filters.is_empty()
        || !asked.chunking.is_empty()
        || !arguments.archive.blocks.is_empty()
        || asked.deflate.is_some()
        || asked.shuffle
        || asked.fix_unlimited
        || asked.variables.is_some()
        || asked.groups.is_some();
    if changes || arguments.archive.restore {
        return Err(Error::Usage(
            "-k zst takes the bytes of the input as they are; leave out other options".into(),
        )
        .into());
    }
    let object = input.text(SPOOLED)?;
    ncutils_cli::signals::handle();
    let target = output.output()?;
    let threads = thread_count(arguments);
    compress_seekable(&*object, &*target, threads).map_err(|error| error.in_file(input.name()))?;
    let committed = target.commit().map_err(|e| Error::io("cannot write", e));
    committed.map_err(|error| error.in_file(output.name()))?;
    Ok(())
}

/// Restores the original of an archive that comes from standard input, as it comes.
fn restore_stream(output: &Location, arguments: &Arguments) -> anyhow::Result<()> {
    // Whatever is not an archive is refused when its first bytes come.
    let archive = Schema::new(Kind::ClassicArchive);
    way(&archive, &arguments.copy, &arguments.archive).map_err(name_options)?;
    let stdin = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let stdin = BufReader::with_capacity(STREAMED, stdin.context("cannot read standard input")?);
    ncutils_cli::signals::handle();
    let target = output.output()?;
    let memory = Some(memory(output, arguments));
    let done = archive::restore(stdin, &*target, thread_count(arguments), memory);
    let packed = done.map_err(|error| error.in_file("stdin"))?;
    let committed = target.commit().map_err(|e| Error::io("cannot write", e));
    committed.map_err(|error| error.in_file(output.name()))?;
    match arguments.summary {
        true => print(summary::bytes(&packed, arguments.json)),
        false => Ok(()),
    }
}

/// Bytes of memory that a copy of bytes may take for data, besides what the output takes.
fn memory(output: &Location, arguments: &Arguments) -> u64 {
    let budget = arguments.memory.unwrap_or_else(default_budget);
    budget.saturating_sub(output.memory_of_output(budget))
}

fn thread_count(arguments: &Arguments) -> usize {
    arguments
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The options of a copy to the first of these kinds that holds the dataset. Filters are for blocks, which the copy does not
/// have.
fn as_classic(reader: &dyn Reader, kinds: Vec<Kind>, mut options: CopyOptions) -> Result<CopyOptions, Error> {
    options.filters.clear();
    options.chunking.clear();
    (options.deflate, options.shuffle) = (None, false);
    let mut failed = None;
    for kind in kinds {
        options.kind = Some(kind);
        let held = plan(reader, &options).and_then(|plan| format::check(&plan.schema));
        match held {
            Ok(()) => return Ok(options),
            // The last kind holds most, so its reason counts.
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| Error::Internal("no kind of archives".to_owned())))
}

/// Copies bytes: packs, restores, or copies an archive.
fn copy_bytes(
    input: &Location,
    output: &Location,
    place: &Place,
    way: Way,
    arguments: &Arguments,
) -> anyhow::Result<Packed> {
    let in_input = |error: Error| name_options(error).in_file(input.name());
    let PlaceKind::Object(object) = place.kind() else {
        return Err(Error::Internal("an archive that is a store of keys".to_owned()).into());
    };
    ncutils_cli::signals::handle();
    let target = output.output()?;
    let (threads, memory) = (thread_count(arguments), Some(memory(output, arguments)));
    let packed = match way {
        Way::Pack(options) => {
            let options = PackOptions {
                threads,
                memory,
                ..options
            };
            archive::pack(&**object, &*target, &options)
        }
        Way::Repack(changes) => archive::repack(object, &*target, &changes, threads, memory),
        Way::Restore => archive::restore_object(object, &*target, threads, memory),
        Way::Copy | Way::Convert(..) => Err(Error::Internal("a copy of no bytes".to_owned())),
    };
    let packed = packed.map_err(in_input)?;
    let committed = target.commit().map_err(|e| Error::io("cannot write", e));
    committed.map_err(|error| error.in_file(output.name()))?;
    Ok(packed)
}

/// Prints on standard output.
fn print(text: String) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write")
}
