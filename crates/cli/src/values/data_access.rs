//! The files that the content of the input may refer to: `--data-dir`, `--allow` and `--require-sources`.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;
use ncutils_core::error::Result;
use ncutils_core::location::check_allowed;
use ncutils_core::store::DataAccess;

/// The access that the options and HDF5's variables give.
///
/// # Errors
/// A folder does not exist, or a URL is malformed.
pub fn access(matches: &ArgMatches) -> Result<DataAccess> {
    let mut access = DataAccess::of_process()
        .with_advice("--data-dir DIR lets files lie in DIR")
        .with_url_advice("--allow URL lets references lead to URL and below")
        .requiring_sources(matches.get_flag("require-sources"));
    for folder in matches.get_many::<OsString>("data-dir").into_iter().flatten() {
        access.allow(Path::new(folder))?;
    }
    for url in matches.get_many::<String>("allow").into_iter().flatten() {
        check_allowed(url)?;
        access.allow_url(url);
    }
    Ok(access)
}
