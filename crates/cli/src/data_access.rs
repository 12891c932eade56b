//! The options that say which files the content of the input may refer to.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use ncutils_core::error::Result;
use ncutils_core::store::DataAccess;

/// `--data-dir` and `--require-sources`.
pub fn options() -> [Arg; 2] {
    [
        Arg::new("data-dir")
            .long("data-dir")
            .value_name("DIR")
            .value_parser(value_parser!(OsString))
            .action(ArgAction::Append)
            .help("Let external data, sources of virtual datasets and external links lie in DIR and below, too; without it only in the input's folder and below; repeatable"),
        Arg::new("require-sources")
            .long("require-sources")
            .action(ArgAction::SetTrue)
            .help("Fail where a source of a virtual dataset is missing; without it, the elements are fill values, with a warning"),
    ]
}

/// The access that the options and HDF5's variables give.
///
/// # Errors
/// A folder does not exist.
pub fn access(matches: &ArgMatches) -> Result<DataAccess> {
    let mut access = DataAccess::of_process()
        .with_advice("--data-dir DIR lets files lie in DIR")
        .requiring_sources(matches.get_flag("require-sources"));
    for folder in matches.get_many::<OsString>("data-dir").into_iter().flatten() {
        access.allow(Path::new(folder))?;
    }
    Ok(access)
}
