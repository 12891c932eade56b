//! `nccopy`: copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way.

use std::process::ExitCode;

use nccopy::{copy, flags};
use ncutils_cli::name_options;

fn main() -> ExitCode {
    ncutils_cli::run_for_status(flags::command(), |matches| {
        copy(&flags::arguments(matches).map_err(name_options)?)
    })
}
