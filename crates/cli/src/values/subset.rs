//! The subset of a dataset: `--isel` and `--sel`.

use clap::ArgMatches;
use ncutils_core::error::Result;
use ncutils_core::subset::SubsetRequest;
use ncutils_core::subset::index::IndexRequest;
use ncutils_core::subset::value::ValueRequest;

use super::text::texts;

/// What `--isel` and `--sel` ask for.
///
/// # Errors
/// The expected value of an option.
pub fn asked(matches: &ArgMatches) -> Result<SubsetRequest> {
    let mut asked = SubsetRequest::default();
    for argument in texts(matches, "isel") {
        asked.indices.extend(IndexRequest::parse(argument)?);
    }
    for argument in texts(matches, "sel") {
        asked.values.extend(ValueRequest::parse(argument)?);
    }
    Ok(asked)
}
