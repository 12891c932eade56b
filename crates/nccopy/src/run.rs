//! A run of `nccopy`: copies netCDF, HDF5 and Zarr datasets, changing their kind, chunk shapes or filters on the way.

use std::process::ExitCode;

use ncutils_cli::options::NCCOPY;

use crate::arguments::Arguments;
use crate::copy::copy;
use crate::job_calls;

/// Runs the program with the arguments of the process. Returns its exit status.
pub fn main() -> ExitCode {
    ncutils_cli::run(&NCCOPY, |matches| {
        if matches.get_flag("with-parent") {
            job_calls::end_with_parent()?;
        }
        if matches.get_flag("resume") {
            return job_calls::resume(matches);
        }
        match job_calls::JobRequest::of(matches)? {
            Some(request) => request.run(),
            None => copy(&Arguments::of(matches)?),
        }
    })
}
