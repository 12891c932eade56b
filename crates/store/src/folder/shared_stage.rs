//! Folders beside an output, in which several processes leave what they have made of it.
//!
//! ```text
//! create ─► .NAME.ncutils-partial-XXXX/ ◄─ find, from other processes ─► remove
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::directory_output::{stage_of, target_of};
use crate::file::partial::{directory_of, partial_beside, remove};

/// Creates a folder beside an output that is one file. It stays until it is [removed](remove_stage), also if this process is told
/// to end.
///
/// # Errors
/// The folder of the output does not exist or cannot be written to.
pub fn create_stage(output: &Path) -> io::Result<PathBuf> {
    let target = target_of(output)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let (own, ()) = partial_beside(directory_of(&target), name, |path| fs::create_dir(path))?;
    own.complete(Path::canonicalize)
}

/// The folder of this name that another process created beside an output.
///
/// # Errors
/// It does not exist, or belongs to another output.
pub fn find_stage(output: &Path, name: &Path) -> io::Result<PathBuf> {
    let target = target_of(output)?;
    stage_of(&target, &directory_of(&target).join(name))
}

/// Removes such a folder with all that is in it. What cannot be removed is told when the program ends.
pub fn remove_stage(stage: &Path) {
    remove(stage);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_found_by_its_name_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.nc");
        let stage = create_stage(&output).unwrap();
        let name = Path::new(stage.file_name().unwrap());
        assert_eq!(find_stage(&output, name).unwrap(), stage);
        assert!(find_stage(&folder.path().join("other.nc"), name).is_err());
        assert!(find_stage(&output, Path::new("..")).is_err());
        fs::write(stage.join("0.pack"), "").unwrap();
        remove_stage(&stage);
        assert!(find_stage(&output, name).is_err());
    }
}
