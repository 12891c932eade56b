//! The folder beside an output in which several processes leave what they make of it.
//!
//! ```text
//! create ─► .NAME.ncutils-partial-RUN/ ─ keep ─► path, from other processes ─► remove
//! ```

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::file::unfinished::partial::{PartialName, away, directory_of, partial_name_of, remove};
use crate::folder::directory_output::target_of;

/// A folder beside an output. Dropping the value removes the folder, unless it was kept.
pub struct SharedStage(PartialName);

impl SharedStage {
    /// Creates the folder of a run. If the output exists, who may not read it may not read the folder.
    ///
    /// # Errors
    /// The folder of the output does not exist or cannot be written to.
    pub fn create(output: &Path, run: &str) -> io::Result<Self> {
        let path = Self::path(output, run)?;
        let (own, ()) = PartialName::create(path, |path| fs::create_dir(path))?;
        let created = Self(own);
        if let Ok(old) = fs::metadata(target_of(output)?)
            && old.is_file()
        {
            let readers = old.permissions().mode() & 0o444;
            // Who reads a folder also enters it. Its owner writes.
            let mode = readers | readers >> 2 | old.permissions().mode() & 0o222 | 0o700;
            fs::set_permissions(created.0.path(), Permissions::from_mode(mode))?;
        }
        Ok(created)
    }

    /// The path of the folder of a run.
    ///
    /// # Errors
    /// An output without a name.
    pub fn path(output: &Path, run: &str) -> io::Result<PathBuf> {
        let target = target_of(output)?;
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        Ok(directory_of(&target).join(partial_name_of(name, run)))
    }

    /// Leaves the folder to other processes.
    pub fn keep(self) {
        // Nothing is renamed; the name is only forgotten.
        let _ = self.0.complete(|_| Ok(()));
    }

    /// Removes the folder of a run with all that is in it. What cannot be removed is told when the program ends.
    ///
    /// # Errors
    /// An output without a name.
    pub fn remove(output: &Path, run: &str) -> io::Result<()> {
        let path = Self::path(output, run)?;
        // A removal that was killed has left the other.
        for path in [away(&path), path] {
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
                remove(&path);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_stays_when_it_is_kept_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.nc");
        let path = SharedStage::path(&output, "12").unwrap();
        drop(SharedStage::create(&output, "12").unwrap());
        assert!(!path.exists());
        SharedStage::create(&output, "12").unwrap().keep();
        assert!(SharedStage::create(&output, "12").is_err());
        fs::write(path.join("0.pack"), "").unwrap();
        SharedStage::remove(&output, "12").unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn who_may_not_read_the_output_may_not_read_the_stage() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.nc");
        for (mode, expected) in [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755), (0o664, 0o775)] {
            fs::write(&output, "").unwrap();
            fs::set_permissions(&output, Permissions::from_mode(mode)).unwrap();
            let _stage = SharedStage::create(&output, "1").unwrap();
            let path = SharedStage::path(&output, "1").unwrap();
            let found = fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, expected, "{mode:o}");
        }
    }
}
