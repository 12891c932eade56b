//! `--strlen`, which nccopy and ncgen have.

use clap::{Arg, ArgMatches};
use ncutils_core::copy::plan::StringLength;
use ncutils_core::error::Result;

/// The option `--strlen`.
pub fn option() -> Arg {
    Arg::new("strlen").long("strlen").value_name("N[,cut]").help(
        "Zarr: give each string N bytes, where a longer one is an error; with ',cut' cut it. Default the longest, at least 128",
    )
}

/// What `--strlen` asks for.
///
/// # Errors
/// The expected value of the option.
pub fn asked(matches: &ArgMatches) -> Result<Option<StringLength>> {
    let text = matches.get_one::<String>("strlen");
    text.map(|text| StringLength::parse(text)).transpose()
}
