//! The bytes of each string: `--strlen`.

use clap::ArgMatches;
use ncutils_core::copy::plan::StringLength;
use ncutils_core::error::Result;

use super::text::text;

/// What `--strlen` asks for.
///
/// # Errors
/// The expected value of the option.
pub fn asked(matches: &ArgMatches) -> Result<Option<StringLength>> {
    text(matches, "strlen").map(StringLength::parse).transpose()
}
