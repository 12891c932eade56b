//! The option `--replace`: what is on a remote store may be replaced.

use clap::{Arg, ArgAction, ArgMatches};

/// `--replace`.
pub fn option() -> Arg {
    Arg::new("replace").long("replace").action(ArgAction::SetTrue).help(
        "Replace a Zarr dataset on a remote store when the new one is complete, and clear what a killed run left there; no other program may be writing it. Files and local folders are replaced in any case",
    )
}

/// True if the option was given.
pub fn asked(matches: &ArgMatches) -> bool {
    matches.get_flag("replace")
}
