//! `ncdump`: prints a netCDF or HDF5 file as CDL text.

mod input;
mod print;
mod prove;

use std::env;
use std::process::ExitCode;

use ncdump::arguments::{self, Arguments};
use ncutils_cli::options::NCDUMP;

fn main() -> ExitCode {
    let failure = arguments::failure_status(env::args_os());
    ncutils_cli::run_or_fail_with(failure, &NCDUMP, |matches| run(&arguments::arguments(matches)?))
}

/// Does what the arguments ask for. Returns the exit status.
fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    if let Some(filters) = &arguments.list {
        return ncutils_cli::print(filters).map(|()| 0);
    }
    match &arguments.proof {
        Some(proof) => prove::prove(arguments, proof),
        None => print::print(arguments).map(|()| 0),
    }
}
