//! Checks that a dataset may be changed where it is: no other file leads to its bytes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Alternative, Error, Result};
use crate::format::zarr::keys::NODE;
use crate::format::{Reader, has_hdf5_shards};
use crate::location::{Location, Target};
use crate::store::{Input, InputKind};

impl Location {
    /// Checks that this is no file in a folder of Zarr version 3: a shard, or a netCDF-4 file that leads to shards.
    ///
    /// # Errors
    /// The location's name, and the folder.
    pub fn check_no_part(&self) -> Result<()> {
        let Target::Path(path) = &self.target else {
            return Ok(());
        };
        match dataset_around(path) {
            None => Ok(()),
            Some(folder) => Err(self.named()(anew(format!(
                "this file is a part of the Zarr dataset {}, whose other files would not fit it after a change",
                folder.display()
            )))),
        }
    }

    /// Checks that the dataset here, of which `input` was opened as `reader`, has no shards that a netCDF-4 file leads to.
    ///
    /// # Errors
    /// The location's name, and what leads to the shards; the store fails.
    pub fn check_no_bound_shards(&self, input: &Input, reader: &dyn Reader) -> Result<()> {
        let InputKind::Keys(store) = input.kind() else {
            return Ok(());
        };
        match has_hdf5_shards(&**store, reader).map_err(self.named())? {
            false => Ok(()),
            true => Err(self.named()(anew(
                "the shards are HDF5 files, and a netCDF-4 file leads to them, so the dataset is not changed where it is"
                    .to_owned(),
            ))),
        }
    }
}

fn anew(why: String) -> Error {
    Error::Alternative {
        why,
        alternative: Alternative::MadeAnew,
    }
}

/// The folder of Zarr version 3 that a file lies in: the outermost of those around it that follow one another.
fn dataset_around(file: &Path) -> Option<PathBuf> {
    if !file.is_file() {
        return None;
    }
    let file = fs::canonicalize(file).ok()?;
    let is_node = |folder: &&Path| folder.join(NODE).is_file();
    let mut around = file.ancestors().skip(1).skip_while(|folder| !is_node(folder));
    let nearest = around.next()?;
    Some(around.take_while(is_node).last().unwrap_or(nearest).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_folders_of_zarr_are_parts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let tree = root.join("a.zarr");
        fs::create_dir_all(tree.join("g/v/c/0/0")).unwrap();
        for name in ["a.zarr/a.nc", "a.zarr/g/v/c/0/0/0", "b.nc"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let check = |name: &str| Location::from_path(root.join(name)).check_no_part();
        assert!(check("a.zarr/a.nc").is_ok(), "no dataset of version 3 yet");
        for name in ["a.zarr/zarr.json", "a.zarr/g/zarr.json", "a.zarr/g/v/zarr.json"] {
            fs::write(root.join(name), "{}").unwrap();
        }
        for name in ["a.zarr/a.nc", "a.zarr/g/v/c/0/0/0"] {
            let told = check(name).unwrap_err().to_string();
            assert!(told.contains(&format!("dataset {},", tree.display())), "{told}");
        }
        for name in ["b.nc", "a.zarr", "none.nc"] {
            assert!(check(name).is_ok(), "{name}");
        }
    }
}
