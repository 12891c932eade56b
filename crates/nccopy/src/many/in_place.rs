//! A file that is replaced by its copy: what must hold before, and its lock.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;

use anyhow::Context;
use ncutils_core::error::{Error, Result};
use ncutils_core::location::Location;
use ncutils_core::model::Kind;
use ncutils_core::store::HeldLock;

use crate::arguments::Arguments;

/// Checks that the options change how a dataset is stored, and nothing that could not be changed a second time.
///
/// # Errors
/// The option that does not go with `--in-place`.
pub fn check_options(arguments: &Arguments) -> Result<()> {
    let of_other_kind = |kind: Kind| Kind::OF_ZARR.contains(&kind) || kind.unpacked().is_some();
    let refused = [
        (
            !arguments.part.is_empty(),
            "--isel and --sel",
            "would cut cells off for good",
        ),
        (arguments.salvage, "--salvage", "would lose the damaged file"),
        (
            arguments.copy.variables.is_some(),
            "-v and -V",
            "would lose the other variables",
        ),
        (
            arguments.copy.groups.is_some(),
            "-g and -G",
            "would lose the other groups",
        ),
        (
            arguments.unfinished,
            "--unfinished",
            "would lose what the writer has not written",
        ),
        (
            arguments.plain_zst || arguments.archive.pack || arguments.copy.kind.is_some_and(of_other_kind),
            "this -k",
            "needs another name",
        ),
    ];
    match refused.into_iter().find(|(given, ..)| *given) {
        Some((_, option, why)) => Err(Error::Usage(format!(
            "--in-place: {option} {why}; write into a folder"
        ))),
        None => Ok(()),
    }
}

/// Takes the lock of a file that will be replaced, and keeps it until the value is dropped. `None` for a folder.
///
/// # Errors
/// A location that is no local file or folder; a file with several hard links; a file that another program has locked.
pub fn lock(location: &Location, arguments: &Arguments) -> anyhow::Result<Option<HeldLock>> {
    let Some(path) = location.path().filter(|_| !location.is_standard_input()) else {
        anyhow::bail!("{location}: --in-place replaces local files and folders");
    };
    let found = fs::metadata(path).with_context(|| format!("{location}: cannot open"))?;
    if found.is_dir() {
        return Ok(None);
    }
    if !found.is_file() {
        anyhow::bail!("{location}: --in-place replaces files and folders, and this is neither");
    }
    if found.nlink() > 1 && !arguments.files.break_links {
        anyhow::bail!(
            "{location}: the file has {} hard links, of which the copy would replace one; --break-links does so",
            found.nlink()
        );
    }
    match HeldLock::take(path) {
        Ok(lock) => Ok(Some(lock)),
        // The copy says what is wrong with a file that cannot be read.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{location}: cannot be replaced")),
    }
}
