//! Folders, and prefixes of remote stores, that take one dataset for each of several inputs.
//!
//! ```text
//! out/  s3://bucket/out/  an existing folder without a dataset ─► a folder for outputs
//! 'out/#mode=zarr,v3', for several inputs                      ─► a folder for outputs
//! x.zarr/  'out#mode=zarr'  x.nc                               ─► a dataset
//! folder + path below it                                                            ─► the location of an output
//! ```

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::checks::zarr_folder::is_dataset;
use crate::error::Result;
use crate::location::{Location, Target};
use crate::remote_settings::url::escaped;

impl Location {
    /// True if the user's argument for an output means a folder or a prefix that outputs are put into: it ends in a slash, or is a
    /// folder that holds no dataset. A name that ends as those of Zarr means a dataset. So does one with a fragment about Zarr,
    /// unless a slash is before it and there are `several` inputs.
    ///
    /// # Errors
    /// Those of [`Location::parse_output`].
    pub fn is_folder_for_outputs(argument: &OsStr, several: bool) -> Result<bool> {
        let location = Self::parse_output(argument)?;
        let ends_in_slash = without_fragment(&location, argument).as_bytes().ends_with(b"/");
        if location.zarr_mode().is_some() {
            return Ok(several && ends_in_slash);
        }
        if location.store_by_name().is_some() {
            return Ok(false);
        }
        if !several && location.references_by_name().is_some() {
            return Ok(false);
        }
        let is_plain = |path: &Path| path.is_dir() && !is_dataset(path);
        Ok(ends_in_slash || matches!(&location.target, Target::Path(path) if is_plain(path)))
    }

    /// True if a local folder holds a Zarr dataset.
    pub fn is_dataset_folder(path: &Path) -> bool {
        path.is_dir() && is_dataset(path)
    }

    /// The location of an output in the folder or prefix that the user's argument means. `below` is a relative path. A fragment
    /// of the argument holds for the output.
    ///
    /// # Errors
    /// Those of [`Location::parse_output`].
    pub fn in_folder(argument: &OsStr, below: &Path) -> Result<Self> {
        let folder = Self::parse_output(argument)?;
        let base = without_fragment(&folder, argument);
        let fragment = OsStr::from_bytes(&argument.as_bytes()[base.len()..]);
        match &folder.target {
            Target::Remote(_) => {
                let (base, fragment) = (base.to_string_lossy(), fragment.to_string_lossy());
                let below = escaped(&below.to_string_lossy());
                Self::parse_output(format!("{}{below}{fragment}", base.trim_end_matches('/')).as_ref())
            }
            Target::Path(path) => {
                let path: PathBuf = path.join(below);
                let mut name: OsString = path.clone().into();
                name.push(fragment);
                Ok(Self {
                    mode: folder.mode.clone(),
                    ..Self::new(name, Target::Path(path))
                })
            }
            _ => Ok(folder),
        }
    }
}

/// The argument up to its fragment.
fn without_fragment<'a>(location: &Location, argument: &'a OsStr) -> &'a OsStr {
    let bytes = argument.as_bytes();
    let has_fragment = location.mode.is_some() || location.is_remote();
    let end = bytes
        .iter()
        .position(|byte| *byte == b'#')
        .filter(|_| has_fragment);
    OsStr::from_bytes(&bytes[..end.unwrap_or(bytes.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_end_in_a_slash_or_hold_no_dataset() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, file: Option<&str>| {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            if let Some(file) = file {
                std::fs::write(path.join(file), "{}").unwrap();
            }
            path.into_os_string().into_string().unwrap()
        };
        let (empty, full) = (make("empty", None), make("full", Some("a.nc")));
        let (v2, v3) = (make("v2", Some(".zgroup")), make("v3", Some("zarr.json")));
        for (argument, expected) in [
            ("out/", true),
            ("out/#mode=zarr,v3", true),
            ("s3://b/out/", true),
            ("s3://b/out/#mode=nczarr", true),
            ("out.nc", false),
            ("x.zarr/", false),
            ("x.zarr/#mode=zarr", true),
            ("out#mode=zarr", false),
            ("s3://b/out", false),
            (&empty, true),
            (&full, true),
            (&format!("{empty}#mode=zarr"), false),
            (&v2, false),
            (&v3, false),
        ] {
            let found = |several| Location::is_folder_for_outputs(argument.as_ref(), several).unwrap();
            assert_eq!(found(true), expected, "{argument}");
            assert_eq!(found(false), expected && !argument.contains('#'), "{argument}");
        }
        assert!(Location::is_folder_for_outputs("-".as_ref(), true).is_err());
    }

    #[test]
    fn outputs_lie_below_their_folder() {
        for (argument, below, expected) in [
            ("out/", "a.nc", "out/a.nc"),
            ("out", "b/a.nc", "out/b/a.nc"),
            ("out/#mode=zarr,v3", "a.zarr", "out/a.zarr#mode=zarr,v3"),
            ("out/", "odd#mode=zarr", "out/odd#mode=zarr"),
            ("s3://b/out/", "a b#1.nc", "s3://b/out/a%20b%231.nc"),
            // The name that is shown has no fragment.
            ("s3://b/out/#mode=zarr", "a.zarr", "s3://b/out/a.zarr"),
        ] {
            let location = Location::in_folder(argument.as_ref(), below.as_ref()).unwrap();
            assert_eq!(location.to_string(), expected);
            let has_mode = argument.contains("#mode");
            assert_eq!(location.zarr_mode().is_some(), has_mode, "{expected}");
        }
    }
}
