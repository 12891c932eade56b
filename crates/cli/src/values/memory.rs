//! Amounts of memory: `-m` and `-M`.

use clap::ArgMatches;
use ncutils_core::copy::parse_memory;
use ncutils_core::error::{Error, Result};

use super::text::text;

/// The bytes that an option asks for; `None` if it was not given. `typed` is the option in a message.
///
/// # Errors
/// The expected form.
pub fn bytes(matches: &ArgMatches, id: &str, typed: &str) -> Result<Option<u64>> {
    let parsed = text(matches, id).map(|text| {
        parse_memory(text).ok_or_else(|| {
            Error::Usage(format!(
                "{typed} '{text}': expected a number of bytes, such as 500000, 64M or 2G"
            ))
        })
    });
    parsed.transpose()
}
