//! Copies bytes: packs, restores and copies archives, and compresses the content of files.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::Mode;
use ncutils_core::copy::archive::{self as copied, archive_route};
use ncutils_core::error::Error;
use ncutils_core::format::CheckLimits;
use ncutils_core::format::archive::{self, PackOptions, Packed};
use ncutils_core::format::netcdf4;
use ncutils_core::location::{Location, Staged};
use ncutils_core::model::Schema;
use ncutils_core::store::{
    Input, InputKind, Object, Output, compress_seekable, read_ahead, verify_compressed,
};
use ncutils_core::threads;

use super::unfinished::refuse_unfinished;
use crate::arguments::Arguments;
use crate::locations;
use crate::print::{plan_text, summary};

/// Bytes of piped input that stay in memory.
const SPOOLED: u64 = 64 << 20;

/// What a comparison of SHA-256 has compared.
const HASHED: &str = "bytes of the original by their SHA-256";

/// Bytes of a stream that are read at once.
const STREAMED: usize = 256 << 10;

/// `-k zst`: compresses the bytes of the input as they are, in Zstandard's seekable format. A compressed input is unpacked.
///
/// # Errors
/// Options that this copy does not apply, and failures of reading and writing.
pub fn compress(input: &Location, output: &Location, arguments: &Arguments) -> anyhow::Result<()> {
    arguments.given.refuse_for(Mode::Zst)?;
    // A pipe is read once, and a remote object is not opened once more for this.
    if input.path().is_some_and(Path::is_file) {
        locations::check_sources_of_bytes((input, output), || input.input(), arguments)?;
    }
    if arguments.dry_run {
        return plan_text::print_route("compress the bytes of the file", (input, output), arguments);
    }
    let object = input.content(SPOOLED);
    arguments.messages.warn_of_opening(input);
    let object = object?;
    refuse_unfinished(netcdf4::unfinished(&object), input, arguments)?;
    ncutils_cli::signals::handle("nccopy");
    let target = BytesOutput::of(output, arguments)?;
    compress_seekable(&*object, &*target.output, threads::count())
        .map_err(|error| error.in_file(input.name()))?;
    refuse_changed(&*object, input, arguments)?;
    target.finish("bytes", |written| verify_compressed(&*object, written))?;
    Ok(())
}

/// Restores the original of an archive that comes from standard input, as it comes.
///
/// # Errors
/// An input that is no archive, options that change the original, and failures of reading and writing.
pub fn restore_stream((input, output): (&Location, &Location), arguments: &Arguments) -> anyhow::Result<()> {
    let in_stdin = |error: Error| {
        let error = match error {
            Error::UnknownFormat => {
                Error::Usage("only an archive can be restored, and this is none".to_owned())
            }
            other => other,
        };
        error.in_file("stdin")
    };
    let stdin = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let stdin = BufReader::with_capacity(STREAMED, stdin.context("cannot read standard input")?);
    let (kind, stdin) = archive::kind_of_stream(stdin).map_err(in_stdin)?;
    archive_route(&Schema::new(kind), &arguments.copy, &arguments.archive)?;
    if arguments.dry_run {
        let route = plan_text::bytes(&copied::ArchiveRoute::Restore);
        return plan_text::print_route(route, (input, output), arguments);
    }
    ncutils_cli::signals::handle("nccopy");
    let target = BytesOutput::of(output, arguments)?;
    let memory = Some(arguments.memory_beside(output));
    let done = archive::restore(stdin, &*target.output, threads::count(), memory);
    let packed = done.map_err(in_stdin)?;
    let verify = |written: &_| archive::verify(written, &packed, target.limits).map(|()| packed.original);
    target.finish(HASHED, verify)?;
    summarize(&packed, (input, output), arguments)
}

/// Packs, restores, or copies the archive or classic file that is `opened`, and tells what `--dry-run` and `--summary` ask for.
///
/// # Errors
/// `--salvage`, and failures of reading, writing and comparing. No output appears.
pub fn copy(
    (input, output): (&Location, &Location),
    opened: &Input,
    route: copied::ArchiveRoute,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let in_input = |error: Error| error.in_file(input.name());
    if arguments.dry_run {
        return plan_text::print_route(plan_text::bytes(&route), (input, output), arguments);
    }
    if arguments.salvage {
        return Err(Error::Usage(
            "--salvage copies values, and this copy moves the bytes of a classic file: ask for another kind"
                .to_owned(),
        )
        .into());
    }
    let InputKind::Object(object) = opened.kind() else {
        return Err(Error::Internal("an archive that is a store of keys".to_owned()).into());
    };
    ncutils_cli::signals::handle("nccopy");
    let target = BytesOutput::of(output, arguments)?;
    let (object, memory) = read_ahead(object, arguments.memory_beside(output));
    let (object, memory) = (&object, Some(memory));
    let packed = match route {
        copied::ArchiveRoute::Pack(options) => {
            let options = PackOptions {
                threads: threads::count(),
                memory,
                ..options
            };
            archive::pack(&**object, &*target.output, &options)
        }
        copied::ArchiveRoute::Repack(changes) => {
            archive::repack(object, &*target.output, &changes, threads::count(), memory)
        }
        copied::ArchiveRoute::Restore => {
            archive::restore_object(object, &*target.output, threads::count(), memory)
        }
        copied::ArchiveRoute::Copy | copied::ArchiveRoute::Convert(..) => {
            Err(Error::Internal("a copy of no bytes".to_owned()))
        }
    };
    let packed = packed.map_err(in_input)?;
    refuse_changed(&**object, input, arguments)?;
    let verify = |written: &_| archive::verify(written, &packed, target.limits).map(|()| packed.original);
    target.finish(HASHED, verify)?;
    summarize(&packed, (input, output), arguments)
}

/// Fails if the input has changed since it was opened, unless the user allows it.
fn refuse_changed(object: &dyn Object, input: &Location, arguments: &Arguments) -> Result<(), Error> {
    match object.check_unchanged() {
        Err(error) if !arguments.unfinished => Err(Error::io("cannot read", error).in_file(input.name())),
        _ => Ok(()),
    }
}

/// The file that bytes go to. With `--verify` it is held back until it was read.
struct BytesOutput<'a> {
    location: &'a Location,
    output: Arc<dyn Output>,
    held: Option<Staged>,
    /// What reading back may take.
    limits: CheckLimits,
    messages: Messages,
}

impl<'a> BytesOutput<'a> {
    fn of(location: &'a Location, arguments: &Arguments) -> Result<Self, Error> {
        let created = match arguments.verify {
            true => location.stage_output().map(|(output, held)| (output, Some(held))),
            false => location.output().map(|output| (output, None)),
        };
        arguments.messages.warn_of_opening(location);
        let (output, held) = created?;
        Ok(Self {
            location,
            output,
            held,
            limits: CheckLimits {
                threads: threads::count(),
                memory: Some(arguments.memory_beside(location)),
            },
            messages: arguments.messages,
        })
    }

    /// Makes the output appear, after `verify` has compared it. `verify` returns the number of bytes that it has compared, and
    /// `what` tells what they are.
    fn finish(
        &self,
        what: &str,
        verify: impl Fn(&Arc<dyn Object>) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let done = || {
            self.output.commit().map_err(|e| Error::io("cannot write", e))?;
            let Some(held) = &self.held else {
                return Ok(());
            };
            if let InputKind::Object(written) = held.input(self.location)?.kind() {
                let count = verify(written)?;
                self.messages
                    .note(format_args!("{}: compared {count} {what}", self.location));
            }
            held.release()
        };
        done().map_err(|error| error.in_file(self.location.name()))
    }
}

fn summarize(
    packed: &Packed,
    locations: (&Location, &Location),
    arguments: &Arguments,
) -> anyhow::Result<()> {
    match arguments.summary {
        true => summary::print_bytes(packed, locations, arguments),
        false => Ok(()),
    }
}
