//! A run of `ncdump`: prints a netCDF or HDF5 file as CDL text.

use std::process::ExitCode;

use ncutils_cli::options::NCDUMP;
use ncutils_core::inspect::failed_sizes_json;
use ncutils_core::integrity::failed_check_json;

use crate::arguments::{self, Arguments};
use crate::{map, print, prove, sizes};

/// Runs the program with the arguments of the process. Returns its exit status.
pub fn main() -> ExitCode {
    let failure = arguments::failure_status(ncutils_cli::arguments::given());
    ncutils_cli::run_or_fail_with(failure, &NCDUMP, |matches| run(&arguments::arguments(matches)?))
}

/// Does what the arguments ask for. Returns the exit status.
fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    if let Some(filters) = &arguments.list {
        return ncutils_cli::print(filters).map(|()| 0);
    }
    match arguments.of_several {
        true => each(arguments),
        false => one(arguments),
    }
}

/// Does it for one input.
fn one(arguments: &Arguments) -> anyhow::Result<u8> {
    match &arguments.proof {
        Some(proof) => prove::prove(arguments, proof),
        None if arguments.map => map::print(arguments).map(|()| 0),
        None if arguments.sizes => sizes::print(arguments),
        None => print::print(arguments).map(|()| 0),
    }
}

/// Does it for each of several inputs. Those that fail are told, and the others go on. Returns 1 if one failed or has a fault.
fn each(arguments: &Arguments) -> anyhow::Result<u8> {
    let mut status = 0;
    for input in &arguments.inputs {
        let of_input = Arguments {
            input: input.clone(),
            inputs: Vec::new(),
            ..arguments.clone()
        };
        status |= match one(&of_input) {
            Ok(done) => done,
            Err(error) if ncutils_cli::is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                let text = ncutils_cli::error_text(&NCDUMP, error, true);
                arguments.messages.tell(&text);
                if arguments.json {
                    let input = input.display().to_string();
                    ncutils_cli::print(match arguments.sizes {
                        true => failed_sizes_json(&input, &text),
                        false => failed_check_json(&input, &text),
                    })?;
                }
                1
            }
        };
    }
    Ok(status)
}
