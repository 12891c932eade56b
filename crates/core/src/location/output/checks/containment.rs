//! The check that writing an output leaves the input as it is.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::location::{Location, Target};
use crate::remote_settings::RemoteUrl;

/// An output, to which inputs are compared. It is looked at once.
pub struct OutputPlace<'a> {
    pub(super) output: &'a Location,
    pub(super) there: Option<fs::Metadata>,
}

impl<'a> OutputPlace<'a> {
    /// The place of `output` as it is now.
    pub fn of(output: &'a Location) -> Self {
        Self {
            output,
            there: output.path().and_then(|path| fs::metadata(path).ok()),
        }
    }

    /// Checks that writing the output would neither replace `input`, nor put anything into it. `found` is what the input's path
    /// leads to; `None` for nothing.
    ///
    /// # Errors
    /// Both are the same existing file or folder, by device and inode, or one lies within the other.
    pub fn check_input(&self, input: &Location, found: Option<&fs::Metadata>) -> Result<()> {
        let output = self.output;
        let refused = |what: &str| {
            Err(Error::Usage(format!(
                "{input} and {output} {what}; name another output"
            )))
        };
        if let (Target::Remote(from), Target::Remote(to)) = (&input.target, &output.target) {
            return match is_within(from, to) || is_within(to, from) {
                true => refused("are the same place, or lie within each other"),
                false => Ok(()),
            };
        }
        let (Some(input_path), Some(output_path)) = (input.path(), output.path()) else {
            return Ok(());
        };
        // Nothing lies within what is no folder.
        let there = self.there.as_ref();
        let is_folder = |found: Option<&fs::Metadata>| found.is_some_and(fs::Metadata::is_dir);
        if let (Some(found), Some(there)) = (found, there)
            && (found.dev(), found.ino()) == (there.dev(), there.ino())
        {
            return refused(match found.is_dir() {
                true => "are the same folder",
                false => "are the same file",
            });
        }
        if !is_folder(found) && !is_folder(there) {
            return Ok(());
        }
        let (Some(from), Some(to)) = (input_path.canonicalize().ok(), future_path(output_path)) else {
            return Ok(());
        };
        if from.is_dir() && to.starts_with(&from) {
            return refused("lie within each other: the output is in the folder of the input");
        }
        // A file or folder in the place of a folder takes all away that lies in it.
        if from.starts_with(&to) {
            return refused("lie within each other: the input is in the folder of the output");
        }
        Ok(())
    }
}

impl Location {
    /// Checks that writing to `output` would neither replace this location, which is read, nor put anything into it.
    ///
    /// # Errors
    /// Those of [`OutputPlace::check_input`].
    pub fn check_output(&self, output: &Self) -> Result<()> {
        let found = self.path().and_then(|path| fs::metadata(path).ok());
        OutputPlace::of(output).check_input(self, found.as_ref())
    }
}

/// True if one URL is the other, or lies below it. Different names of one server are not recognised.
pub(super) fn is_within(inner: &RemoteUrl, outer: &RemoteUrl) -> bool {
    let place = |url: &RemoteUrl| {
        (
            url.provider(),
            url.endpoint.clone(),
            url.account().map(str::to_owned),
            url.bucket.clone(),
            url.asked.endpoint.clone(),
        )
    };
    let is_below = match outer.key.as_str() {
        "" => true,
        key => inner
            .key
            .strip_prefix(key)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    };
    place(inner) == place(outer) && is_below && inner.query() == outer.query()
}

/// The path without symbolic links of something that may not exist yet. `None` if its folder does not exist either.
fn future_path(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return Some(found);
    }
    // A link that leads to nothing is followed when its target is made.
    let path = match path.read_link() {
        Ok(target) => path.parent().unwrap_or(Path::new("")).join(target),
        Err(_) => path.to_owned(),
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn remote_input_and_output_lie_apart() {
        let lie_apart = |from: &str, to: &str| {
            let [from, to] = [from, to].map(|name| Location::parse(name).unwrap());
            from.check_output(&to).is_ok()
        };
        for (from, to) in [
            ("s3://b/x", "s3://b/x"),
            ("s3://b/x#mode=zarr,s3", "s3://b/x/y"),
            ("s3://b/x/y", "s3://b/x#mode=zarr,s3"),
            ("s3://b/x", "s3://b#mode=zarr,s3"),
        ] {
            assert!(!lie_apart(from, to), "{from} {to}");
        }
        for (from, to) in [
            ("s3://b/x", "s3://b/xy"),
            ("s3://b/x", "s3://c/x"),
            ("s3://b/x", "gs://b/x"),
            ("s3://b/x", "x"),
        ] {
            assert!(lie_apart(from, to), "{from} {to}");
        }
    }

    #[test]
    fn input_and_output_lie_apart() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("d.zarr/g")).unwrap();
        fs::create_dir_all(root.join("e")).unwrap();
        for file in ["a.nc", "d.zarr/.zgroup", "d.zarr/in.nc", "d.zarr/in.zip"] {
            fs::write(root.join(file), "x").unwrap();
        }
        symlink("a.nc", root.join("alias.nc")).unwrap();
        symlink("d.zarr", root.join("alias.zarr")).unwrap();
        symlink("d.zarr/new.nc", root.join("dangling")).unwrap();
        let check = |from: &str, to: &str| {
            let [from, to] = [from, to].map(|name| Location::parse(root.join(name)).unwrap());
            from.check_output(&to).err().map(|e| e.to_string())
        };
        for (from, to, says) in [
            ("a.nc", "alias.nc", "same file"),
            ("d.zarr", "alias.zarr/", "same folder"),
            ("d.zarr", "d.zarr#mode=zarr,file", "same folder"),
            ("d.zarr", "d.zarr/out.nc", "within each other"),
            ("alias.zarr", "d.zarr/out.nc", "within each other"),
            ("d.zarr", "alias.zarr/g/out.zarr#mode=nczarr", "within each other"),
            ("d.zarr", "dangling", "within each other"),
            ("d.zarr", "e/../d.zarr/x", "within each other"),
            ("d.zarr/in.nc", "d.zarr#mode=nczarr", "within each other"),
            ("d.zarr/in.zip", "alias.zarr#mode=nczarr", "within each other"),
            ("d.zarr/g", "d.zarr#mode=nczarr", "within each other"),
        ] {
            let error = check(from, to).unwrap_or_else(|| panic!("{from} {to}"));
            assert!(error.contains(says), "{from} {to}: {error}");
        }
        for (from, to) in [
            ("a.nc", "d.zarr#mode=zarr"),
            ("d.zarr", "d.zarr.zip#mode=zarr,zip"),
            ("d.zarr", "d.zar#mode=zarr"),
            ("d.zarr/g", "d.zarr/out.nc"),
            ("d.zarr/in.nc", "d.zarr/out.nc"),
            ("a.nc", "no/such/out.nc"),
            ("no", "out.nc"),
        ] {
            assert_eq!(check(from, to), None, "{from} {to}");
        }
    }
}
