//! A file that is replaced by its copy: what must hold before, and its lock.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

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
    let of_other_kind = |kind: Kind| kind.can().ending.is_some();
    let copy = &arguments.copy;
    let is_of_other_kind =
        arguments.plain_zst || arguments.archive.pack || copy.kind.is_some_and(of_other_kind);
    let refused = [
        (
            !arguments.part.is_empty(),
            "--isel and --sel",
            "would cut cells off for good",
        ),
        (arguments.salvage, "--salvage", "would lose the damaged file"),
        (
            arguments.unfinished,
            "--unfinished",
            "would lose what the writer has not written",
        ),
        (
            copy.variables.is_some(),
            "-v and -V",
            "would lose the other variables",
        ),
        (copy.groups.is_some(), "-g and -G", "would lose the other groups"),
        (!copy.excluded.is_empty(), "--exclude", "would lose variables"),
        (
            copy.drop_unsupported,
            "--drop-unsupported",
            "would lose what it leaves out",
        ),
        (
            arguments.view.flatten.is_some(),
            "--flatten",
            "would lose the groups",
        ),
        (
            arguments.view.char_strings,
            "--strings",
            "would change types and dimensions",
        ),
        (
            arguments.reference_paths,
            "--references",
            "would lose the references",
        ),
        (
            is_of_other_kind,
            "-k with Zarr, archives and zst",
            "makes a dataset of another name",
        ),
    ];
    match refused.into_iter().find(|(given, ..)| *given) {
        Some((_, option, why)) => Err(Error::Usage(format!(
            "--in-place: {option} {why}; write into a folder"
        ))),
        None => Ok(()),
    }
}

/// True for a file whose name tells that the dataset lies in something else: a compressed file, a zip file, a list of references.
fn is_packed(path: &Path) -> bool {
    const BEGINNINGS: [&[u8]; 4] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"{"];
    let mut first = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read(&mut first));
    read.is_ok_and(|length| BEGINNINGS.iter().any(|mark| first[..length].starts_with(mark)))
}

/// Takes the lock of a file that will be replaced, and keeps it until the value is dropped. `None` for a folder.
///
/// # Errors
/// A location that is no local file or folder; a part of a Zarr dataset; a file with several hard links; a file that another program has
/// locked.
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
    if is_packed(path) {
        anyhow::bail!(
            "{location}: --in-place replaces plain files, and this is compressed, a zip file or JSON; write into a folder"
        );
    }
    location.check_no_part()?;
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
