//! The files that the content of the input may refer to: `--data-dir` and `--require-sources`.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;
use ncutils_core::error::Result;
use ncutils_core::store::DataAccess;

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
