//! The command line of `nccopy`: definitions of its flags, for the program and the man page, its places, its ways to copy, and
//! what it prints.
//!
//! ```text
//! arguments ─► places ─┬─► bytes            archives of what stays as it is, -k zst
//!                      ├─► hdf5             -k h5
//!                      ├─► salvage_archive  --salvage of an archive
//!                      └─► salvage ─► values   everything else
//! ```

mod bytes;
mod engine;
pub mod flags;
mod given;
mod hdf5;
mod locations;
mod plan_text;
mod salvage;
mod salvage_archive;
mod summary;
mod table;
mod values;

use std::io::Write;

use anyhow::Context;
use ncutils_cli::name_options;
use ncutils_cli::remote::tell_notes;
use ncutils_core::copy::archive::{Way, way};
use ncutils_core::copy::plan::CopyOptions;
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::format::archive::PackOptions;
use ncutils_core::location::Location;
use ncutils_core::message::tell;

use flags::Arguments;

/// The part of the memory that a reader may take for data that it keeps.
const KEPT: u64 = 8;

/// Copies as the arguments say. Returns the exit status: 0, or 3 if something of a damaged input is lost.
///
/// # Errors
/// What fails. No output appears then.
pub fn copy(arguments: &Arguments) -> anyhow::Result<u8> {
    let (input, output) = locations::locations(arguments)?;
    if arguments.memory.is_some() && (input.is_remote() || output.is_remote()) {
        ncutils_cli::allocator::return_freed_pages();
    }
    for location in [&input, &output] {
        for warning in location.warnings() {
            tell("nccopy", format_args!("{location}: warning: {warning}"));
        }
    }
    let (places, in_input) = ((&input, &output), |error: Error| {
        name_options(error).in_file(input.name())
    });
    input.check_output(&output)?;
    if arguments.plain_zst {
        return bytes::compress(&input, &output, arguments).map(|()| 0);
    }
    if arguments.archive.restore && input.is_standard_input() {
        return bytes::restore_stream(&output, arguments).map(|()| 0);
    }
    let place = match arguments.salvage {
        true => input.damaged_place(),
        false => input.place(),
    };
    tell_notes("nccopy", &input);
    let place = place?;
    if arguments.as_hdf5 {
        return hdf5::copy(&input, &output, &place, arguments);
    }
    if arguments.salvage
        && let Some(status) = salvage_archive::salvage(places, &place, arguments)?
    {
        return Ok(status);
    }
    let open = match arguments.salvage {
        true => Location::open_damaged,
        false => Location::open_place,
    };
    let reader = open(&input, place.clone(), &arguments.copy.registry).map_err(in_input)?;
    reader.keep_at_most(bytes::memory(&output, arguments) / KEPT);
    for warning in &reader.schema().warnings {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let mut options = CopyOptions {
        kind: output.output_kind(arguments.copy.kind, Some(reader.schema().kind))?,
        ..arguments.copy.clone()
    };
    let blocks = match way(reader.schema(), &options, &arguments.archive).map_err(in_input)? {
        Way::Copy => None,
        Way::Convert(kinds, blocks) => {
            options = values::as_classic(&*reader, kinds, options).map_err(in_input)?;
            Some(PackOptions {
                threads: bytes::thread_count(arguments),
                memory: Some(bytes::memory(&output, arguments)),
                ..blocks
            })
        }
        moved => {
            drop(reader);
            return bytes::copy(places, &place, moved, arguments).map(|()| 0);
        }
    };
    let salvaged = match arguments.salvage {
        true => Some(salvage::salvage(&*reader, &input, &place, arguments)?),
        false => None,
    };
    let whole: &dyn Reader = match &salvaged {
        Some(salvaged) => &salvaged.left,
        None => &*reader,
    };
    let part = values::part(whole, arguments).map_err(in_input)?;
    let status = salvaged
        .as_ref()
        .map_or(0, |salvaged| salvaged.tell(&input, part.as_ref(), arguments));
    values::copy(whole, part.as_ref(), places, &options, blocks, arguments)?;
    Ok(status)
}

/// Prints on standard output.
fn print(text: String) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write")
}
