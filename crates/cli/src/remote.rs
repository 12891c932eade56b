//! Options for remote stores, `--requests` and `--verbose`, which all programs have.

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use ncutils_core::error::Result;
use ncutils_core::location::Location;
use ncutils_core::message::tell;

/// Most requests that can be asked for. Each has a connection, and processes have about a thousand open files.
const MOST: i64 = 512;

/// What the user asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemoteOptions {
    /// `--requests`: the most requests to a remote store at once; `None` for the default.
    pub requests: Option<usize>,
    /// `--verbose`: tell how remote stores are reached.
    pub verbose: bool,
}

/// The options, for a program's command.
pub fn arguments() -> [Arg; 2] {
    let requests = Arg::new("requests")
        .long("requests")
        .value_name("N")
        .value_parser(value_parser!(i64).range(1..=MOST))
        .help("Most requests to a remote store (s3://, gs://, az://, https://) at once; default 64");
    let verbose = Arg::new("verbose")
        .long("verbose")
        .action(ArgAction::SetTrue)
        .help("Tell how remote stores are reached: server, region, credentials, and where each is from");
    [requests, verbose]
}

/// The options of a call.
pub fn options(matches: &ArgMatches) -> RemoteOptions {
    let requests = matches.get_one::<i64>("requests");
    RemoteOptions {
        requests: requests.and_then(|n| usize::try_from(*n).ok()),
        verbose: matches.get_flag("verbose"),
    }
}

impl RemoteOptions {
    /// The location with these options. Tells its explanation if that is asked for.
    ///
    /// # Errors
    /// Settings of a remote store that are malformed.
    pub fn of(&self, program: &str, location: Location) -> Result<Location> {
        let location = match self.requests {
            Some(requests) => location.with_requests(requests),
            None => location,
        };
        if self.verbose {
            for line in location.explanation()? {
                tell(program, format_args!("{location}: {line}"));
            }
        }
        Ok(location)
    }
}

/// Tells what was found out while a location was opened.
pub fn tell_notes(program: &str, location: &Location) {
    for note in location.take_notes() {
        tell(program, format_args!("{location}: warning: {note}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Option<RemoteOptions> {
        let command = clap::Command::new("x").args(super::arguments());
        let matches = command.try_get_matches_from([&["x"], arguments].concat()).ok()?;
        Some(options(&matches))
    }

    #[test]
    fn numbers_of_requests_are_limited() {
        assert_eq!(parsed(&[]), Some(RemoteOptions::default()));
        let asked = parsed(&["--requests", "160", "--verbose"]).unwrap();
        assert_eq!((asked.requests, asked.verbose), (Some(160), true));
        for wrong in ["0", "-1", "513", "many"] {
            assert_eq!(parsed(&["--requests", wrong]), None, "{wrong}");
        }
    }
}
