//! `--isel` and `--sel`, which nccopy and ncdump have.

use clap::{Arg, ArgAction, ArgMatches};
use ncutils_core::error::Result;
use ncutils_core::subset::SubsetRequest;
use ncutils_core::subset::index::IndexRequest;
use ncutils_core::subset::value::ValueRequest;

/// The options `--isel` and `--sel`.
pub fn options() -> [Arg; 2] {
    let option = |name: &'static str, metavar: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(metavar)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help(help)
    };
    [
        option(
            "isel",
            "DIM=INDICES",
            "Only these cells of a dimension: DIM=START:STOP:STEP, counted from 0, without STOP, negative from the end; DIM=5 for one; joined by commas; repeatable",
        ),
        option(
            "sel",
            "DIM=VALUES",
            "Only the cells with these values of the coordinate: DIM=LOW..HIGH or DIM=LOW..HIGH/STEP, both ends included; DIM=VALUE; DIM~VALUE for the nearest; dates such as time=2000-02; longitudes across the seam; joined by commas; repeatable",
        ),
    ]
}

/// What `--isel` and `--sel` ask for.
///
/// # Errors
/// The expected value of an option.
pub fn asked(matches: &ArgMatches) -> Result<SubsetRequest> {
    let all = |name: &str| {
        matches
            .get_many::<String>(name)
            .into_iter()
            .flatten()
            .map(String::as_str)
    };
    Ok(SubsetRequest {
        indices: all("isel").map(IndexRequest::parse).collect::<Result<_>>()?,
        values: all("sel").map(ValueRequest::parse).collect::<Result<_>>()?,
    })
}
