//! From the arguments to the exit status.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use ncutils_core::error::{Error, Result};
use ncutils_core::message::{is_unseen, lines, tell, tell_lines};

/// Reads the arguments of the process as `command` says, and runs `work`. What goes wrong is told on standard error, under the
/// program's name; the exit status is 0 or 1.
pub fn run(command: Command, work: impl FnOnce(&ArgMatches) -> Result<()>) -> ExitCode {
    let name = command.get_name().to_owned();
    let matches = match command.try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help is printed on standard output, what is wrong with the arguments on standard error.
            let wrong = error.use_stderr();
            let printed = match error.render().to_string() {
                // Names of files can be arguments by mistake: `ncdump *`.
                plain if wrong && env::args_os().any(|a| a.to_string_lossy().contains(is_unseen)) => {
                    io::stderr().lock().write_all(lines(&plain).as_bytes())
                }
                _ => error.print(),
            }
            .and_then(|()| io::stdout().flush());
            return match printed {
                _ if wrong => ExitCode::FAILURE,
                printed => end(&name, printed.map_err(|e| Error::io("cannot write", e))),
            };
        }
    };
    end(&name, work(&matches))
}

fn end(name: &str, done: Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has read enough.
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            match error {
                e @ Error::Cdl(_) => tell_lines(name, e),
                e => tell(name, e),
            }
            ExitCode::FAILURE
        }
    }
}
