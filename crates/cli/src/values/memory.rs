//! Amounts of memory: `-m` and `-M`.

use clap::ArgMatches;
use ncutils_core::copy::parse_memory;
use ncutils_core::error::{Error, Result};

use super::text::text;

/// Least memory, in bytes, that is asked for without a suffix.
const LEAST: u64 = 10_000;

/// The bytes that an option asks for; `None` if it was not given. `typed` is the option in a message.
///
/// # Errors
/// The expected form.
pub fn bytes(matches: &ArgMatches, id: &str, typed: &str) -> Result<Option<u64>> {
    let parsed = text(matches, id).map(|text| {
        parse_memory(text).ok_or_else(|| {
            Error::Usage(format!(
                "{typed} '{text}': expected a number of bytes, such as 64M, 64MiB or 0.5G"
            ))
        })
    });
    let bytes = parsed.transpose()?;
    // A suffix that was forgotten.
    let is_tiny = |text: &&str| text.ends_with(|c: char| c.is_ascii_digit()) && bytes < Some(LEAST);
    match text(matches, id).filter(is_tiny) {
        _ if id == "memory" && bytes == Some(0) => Err(Error::Usage(format!(
            "{typed} 0: nothing can be copied without memory; leave out {typed} for a quarter of the machine's"
        ))),
        Some(number) if id == "memory" => Err(Error::Usage(format!(
            "{typed} '{number}': these are bytes, and fewer than {LEAST}; write {number}M for megabytes"
        ))),
        _ => Ok(bytes),
    }
}
