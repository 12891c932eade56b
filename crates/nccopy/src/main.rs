//! `nccopy`: copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way.

use std::process::ExitCode;

use nccopy::arguments::Arguments;
use nccopy::locations::locations;
use nccopy::modes::{bytes, dataset, hdf5, salvage_archive};
use ncutils_cli::options::NCCOPY;

fn main() -> ExitCode {
    ncutils_cli::run(&NCCOPY, |matches| copy(&Arguments::of(matches)?))
}

/// Copies as the arguments say. Returns the exit status: 0, or 3 if something of a damaged input is lost.
fn copy(arguments: &Arguments) -> anyhow::Result<u8> {
    let (input, output) = locations(arguments)?;
    let locations = (&input, &output);
    if arguments.plain_zst {
        return bytes::compress(&input, &output, arguments).map(|()| 0);
    }
    if arguments.archive.restore && input.is_standard_input() {
        return bytes::restore_stream(&output, arguments).map(|()| 0);
    }
    let opened = match arguments.salvage {
        true => input.damaged_input(),
        false => input.input(),
    };
    arguments.messages.warn_of_notes(&input);
    let opened = opened?;
    if arguments.as_hdf5 {
        return hdf5::copy(&input, &output, &opened, arguments);
    }
    if arguments.salvage
        && let Some(status) = salvage_archive::salvage(locations, &opened, arguments)?
    {
        return Ok(status);
    }
    dataset::copy(locations, &opened, arguments)
}
