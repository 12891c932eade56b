//! A run of `nccopy`: copies netCDF, HDF5 and Zarr datasets, changing their kind, chunk shapes or filters on the way.

use std::process::ExitCode;

use ncutils_cli::options::NCCOPY;

use crate::arguments::Arguments;
use crate::copy::copy;
use crate::distributed;

/// Runs the program with the arguments of the process. Returns its exit status.
pub fn main() -> ExitCode {
    ncutils_cli::run(&NCCOPY, |matches| {
        if matches.get_flag("with-parent") {
            distributed::end_with_parent()?;
        }
        if matches.get_flag("resume") {
            return distributed::resume(matches);
        }
        match distributed::JobRequest::of(matches)? {
            Some(request) => request.run(),
            None => copy(&Arguments::of(matches)?),
        }
    })
}
