//! How remote stores are asked: `--requests`, `--timeout` and `--verbose`.

use clap::ArgMatches;
use ncutils_core::error::Result;
use ncutils_core::location::Location;
use ncutils_core::remote_settings;

use super::text::number;
use crate::messages::Messages;

/// What the user asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemoteOptions {
    /// `--requests`: the most requests to a remote store at once; `None` for the default.
    pub requests: Option<usize>,
    /// `--timeout`: the seconds after which a silent server is given up; `None` for the default.
    pub timeout: Option<u64>,
    /// `--verbose`: tell how remote stores are reached.
    pub verbose: bool,
}

/// The options of a call.
pub fn options(matches: &ArgMatches) -> RemoteOptions {
    RemoteOptions {
        requests: number(matches, "requests"),
        timeout: matches.get_one("timeout").copied(),
        verbose: matches.get_flag("verbose"),
    }
}

impl RemoteOptions {
    /// The location with these options. Tells its explanation if that is asked for.
    ///
    /// # Errors
    /// Settings of a remote store that are malformed.
    pub fn of(&self, messages: Messages, location: Location) -> Result<Location> {
        if let Some(seconds) = self.timeout {
            remote_settings::set_timeout(seconds);
        }
        remote_settings::tell_waits(move |host| messages.note(format_args!("waiting for {host}")));
        let location = match self.requests {
            Some(requests) => location.with_requests(requests),
            None => location,
        };
        if self.verbose {
            for line in location.explanation()? {
                messages.tell(format_args!("{location}: {line}"));
            }
        }
        Ok(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::NCGEN;

    fn parsed(arguments: &[&str]) -> Option<RemoteOptions> {
        let command = NCGEN.command();
        let matches = command
            .try_get_matches_from([&["ncgen"], arguments].concat())
            .ok()?;
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
