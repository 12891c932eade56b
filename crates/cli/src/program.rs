//! From the arguments to the exit status.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use ncutils_core::error::{Error, Result};
use ncutils_core::message::tell;

/// Reads the arguments of the process as `command` says, and runs `work`. What goes wrong is told on standard error, under the
/// program's name; the exit status is 0 or 1.
pub fn run(command: Command, work: impl FnOnce(&ArgMatches) -> Result<()>) -> ExitCode {
    let name = command.get_name().to_owned();
    let matches = match command.try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            let failed = error.use_stderr();
            let _ = error.print();
            return if failed {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match work(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has read enough.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tell(&name, error);
            ExitCode::FAILURE
        }
    }
}
