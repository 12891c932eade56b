//! Runs a program, from its arguments to its exit status.

use std::io;
use std::process::ExitCode;

use clap::ArgMatches;
use ncutils_core::error::Error;
use ncutils_core::location::remote_url;

use ncutils_core::store::take_remains;
use ncutils_core::threads;

use crate::messages::Messages;
use crate::options::{Instead, Program};
use crate::output::print;
use crate::{allocator, arguments, completion, log, panics};

/// Parses the process's arguments by the program's table, and runs `work`, which returns the exit status of a run without an
/// error. Errors are printed to standard error after the program's name, with the names of options. The exit status is then 1.
pub fn run(program: &Program, work: impl FnOnce(&ArgMatches) -> anyhow::Result<u8>) -> ExitCode {
    run_or_fail_with(1, program, work)
}

/// Like [`run`], with `failure` as the exit status of errors, also of those in the arguments.
pub fn run_or_fail_with(
    failure: u8,
    program: &Program,
    work: impl FnOnce(&ArgMatches) -> anyhow::Result<u8>,
) -> ExitCode {
    allocator::start();
    let name = program.name;
    panics::handle(name);
    if let Some(candidates) = completion::asked(program, arguments::given()) {
        return end(Messages::new(name), failure, false, print(candidates).map(|()| 0));
    }
    let matches = match program.matches() {
        Ok(matches) => matches,
        Err(Instead::Print(text)) => {
            return end(Messages::new(name), failure, false, print(text).map(|()| 0));
        }
        Err(Instead::Refuse(why)) => {
            // A URL with a password or a signature may be where none is expected.
            Messages::new(name).tell(hidden(&why));
            return ExitCode::from(failure);
        }
    };
    log::start(name);
    if let Ok(Some(asked)) = matches.try_get_one::<u64>("threads") {
        threads::set_count(usize::try_from(*asked).unwrap_or(usize::MAX));
    }
    let salvages = matches!(matches.try_get_one::<bool>("salvage"), Ok(Some(true)));
    let done = match program.completions(&matches) {
        Some(shell) => print(completion::script(program, shell)).map(|()| 0),
        None => work(&matches).map_err(|error| with_options(program, error)),
    };
    end(Messages::of(program, &matches), failure, !salvages, done)
}

/// Tells an error, and gives the exit status. With `hints`, tells where salvage would help.
fn end(messages: Messages, failure: u8, hints: bool, done: anyhow::Result<u8>) -> ExitCode {
    let error = match done {
        Ok(status) => {
            // The output is complete, and something beside it could not be removed.
            for line in take_remains() {
                messages.warn(line);
            }
            return ExitCode::from(status);
        }
        Err(error) => error,
    };
    // The reader of our output has closed it: this is no error.
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    match error.downcast_ref() {
        Some(Error::Cdl(errors)) => errors.iter().for_each(|error| messages.tell_lines(error)),
        _ => messages.tell(text_of(&error, hints)),
    }
    // The outputs are dropped, and have removed what they could.
    for line in take_remains() {
        messages.tell(line);
    }
    ExitCode::from(failure)
}

/// The error with the names of the program's options.
fn with_options(program: &Program, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Error>() {
        Ok(error) => program.name_options(error).into(),
        Err(other) => other,
    }
}

/// The text of an error of one of several inputs, as a run of one would tell it. With `hints`, it tells where salvage would help.
pub fn error_text(program: &Program, error: anyhow::Error, hints: bool) -> String {
    text_of(&with_options(program, error), hints)
}

fn text_of(error: &anyhow::Error, hints: bool) -> String {
    match error.downcast_ref::<Error>() {
        Some(e) if hints && e.is_truncated() => {
            format!("{e}; 'nccopy --salvage' copies what can still be read")
        }
        _ => hidden(&format!("{error:#}")),
    }
}

/// A message without the secrets of the arguments that it repeats.
fn hidden(message: &str) -> String {
    arguments::given().fold(message.to_owned(), |message, argument| {
        remote_url::hidden(&message, &argument.to_string_lossy())
    })
}

/// True if a write to our output failed because nobody reads it.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = match error.downcast_ref() {
        Some(Error::Io { cause, .. }) => Some(cause.kind()),
        _ => error.downcast_ref::<io::Error>().map(io::Error::kind),
    };
    kind == Some(io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let nested = Error::io("cannot read", denied())
            .in_variable("v")
            .in_file("a.nc");
        let own = anyhow::Error::from(denied()).context("cannot write");
        for (error, told) in [
            (
                anyhow::Error::from(nested),
                "a.nc: variable v: cannot read: permission denied",
            ),
            (own, "cannot write: permission denied"),
        ] {
            assert_eq!(format!("{error:#}"), told);
        }
    }

    #[test]
    fn a_reader_that_has_read_enough_is_no_error() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let of_core = Error::io("cannot write", broken());
        assert!(is_broken_pipe(&of_core.into()));
        assert!(is_broken_pipe(
            &anyhow::Error::from(broken()).context("cannot write")
        ));
        // In a file it is one.
        let in_file = Error::io("cannot write", broken()).in_file("out.nc");
        assert!(!is_broken_pipe(&in_file.into()));
    }
}
