//! The names of inputs: operands, a list, or the datasets below a folder.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{self, Path, PathBuf};

use anyhow::Context;
use ncutils_core::location::Location;

use crate::files::Files;

/// An input, and where its output goes below the folder of outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The name that the user gave, or that a folder has.
    pub name: OsString,
    /// The folder of the output, relative to the folder of all.
    pub below: PathBuf,
    /// True if the name came from `--recursive`. The file may be no dataset.
    pub found: bool,
}

impl Input {
    fn given(name: OsString) -> Self {
        Self {
            name,
            below: PathBuf::new(),
            found: false,
        }
    }
}

/// All inputs of a call: `names`, or the datasets below the folder that they name, and those of a list.
///
/// # Errors
/// A folder or a list that cannot be read.
pub fn all(names: &[OsString], files: &Files) -> anyhow::Result<Vec<Input>> {
    if let Some(chosen) = &files.chosen {
        let root = names.first().filter(|_| files.recursive);
        return Ok(chosen.iter().map(|name| chosen_below(name, root)).collect());
    }
    let mut all: Vec<Input> = match (files.recursive, names) {
        (true, [folder]) => below(folder)?,
        _ => names.iter().cloned().map(Input::given).collect(),
    };
    if let Some(list) = &files.list {
        all.extend(listed(list)?);
    }
    Ok(all)
}

/// An input that was found before, maybe below a folder.
fn chosen_below(name: &OsString, root: Option<&OsString>) -> Input {
    let root = root.and_then(|root| path::absolute(root).ok());
    let below = root
        .as_ref()
        .and_then(|root| Path::new(name).strip_prefix(root).ok());
    Input {
        below: below.and_then(Path::parent).unwrap_or(Path::new("")).to_owned(),
        found: below.is_some(),
        name: name.clone(),
    }
}

/// The inputs of a list: names that end with NUL, or else with a line feed. Empty names are left out. `-` is standard input.
///
/// # Errors
/// The list cannot be read.
pub fn listed(list: &OsStr) -> anyhow::Result<Vec<Input>> {
    let mut bytes = Vec::new();
    let read = match list == "-" {
        true => io::stdin().lock().read_to_end(&mut bytes).map(drop),
        false => fs::read(list).map(|read| bytes = read),
    };
    read.with_context(|| format!("{}: cannot read the list of inputs", list.display()))?;
    let end = if bytes.contains(&0) { 0 } else { b'\n' };
    let names = bytes.split(|byte| *byte == end);
    // A list of Windows ends its lines with a carriage return, too.
    let names = names.map(|name| match end {
        b'\n' => name.strip_suffix(b"\r").unwrap_or(name),
        _ => name,
    });
    let names = names.filter(|name| !name.is_empty());
    Ok(names
        .map(|name| Input::given(OsString::from_vec(name.to_vec())))
        .collect())
}

/// All files below a folder, and folders that hold a Zarr dataset, sorted by name. Names that begin with a dot are left out, and
/// links to folders are not followed.
///
/// # Errors
/// A folder that cannot be read.
pub fn below(folder: &OsStr) -> anyhow::Result<Vec<Input>> {
    let root = Path::new(folder);
    if !root.is_dir() {
        anyhow::bail!("{}: --recursive takes a folder", folder.display());
    }
    if Location::is_dataset_folder(root) {
        anyhow::bail!(
            "{}: this folder is one dataset; leave out --recursive",
            folder.display()
        );
    }
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = folders.pop() {
        let path = root.join(&below);
        let entries = fs::read_dir(&path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = entries.with_context(|| format!("{}: cannot read the folder", path.display()))?;
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        let mut inner = Vec::new();
        for entry in entries {
            let name = entry.file_name();
            if name.as_bytes().starts_with(b".") {
                continue;
            }
            let kind = entry
                .file_type()
                .with_context(|| format!("{}: cannot be looked at", entry.path().display()))?;
            if kind.is_dir() && !Location::is_dataset_folder(&entry.path()) {
                inner.push(below.join(name));
                continue;
            }
            // A link to a folder may lead back, and a pipe never ends. A link to nothing is told when it is opened.
            let leads_to = fs::metadata(entry.path());
            if !kind.is_dir() && leads_to.is_ok_and(|found| !found.is_file()) {
                continue;
            }
            found.push(Input {
                name: entry.path().into_os_string(),
                below: below.clone(),
                found: !kind.is_dir(),
            });
        }
        // The first folder comes off the stack first.
        folders.extend(inner.into_iter().rev());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_lines_or_end_with_nul() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("list");
        for (text, expected) in [
            (&b"a.nc\nb c.nc\n\n"[..], &["a.nc", "b c.nc"][..]),
            (b"a.nc\r\n\r\nb.nc\r\n", &["a.nc", "b.nc"]),
            (b"a\nb.nc\0c.nc", &["a\nb.nc", "c.nc"]),
            (b"", &[]),
        ] {
            fs::write(&list, text).unwrap();
            let names: Vec<_> = listed(list.as_os_str())
                .unwrap()
                .into_iter()
                .map(|i| i.name)
                .collect();
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn folders_are_walked_in_order() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["b", "a", "a/x.zarr", ".hidden"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        for file in [
            "z.nc",
            "b/1.nc",
            "a/2.nc",
            "a/x.zarr/zarr.json",
            ".hidden/3.nc",
            "b/.4.nc",
        ] {
            fs::write(dir.path().join(file), "{}").unwrap();
        }
        std::os::unix::fs::symlink(dir.path(), dir.path().join("b/loop")).unwrap();
        let found = below(dir.path().as_os_str()).unwrap();
        let name = |input: &Input| {
            let path = Path::new(&input.name).strip_prefix(dir.path()).unwrap();
            (
                path.to_str().unwrap().to_owned(),
                input.below.to_str().unwrap().to_owned(),
            )
        };
        let names: Vec<_> = found.iter().map(name).collect();
        let expected = [("z.nc", ""), ("a/2.nc", "a"), ("a/x.zarr", "a"), ("b/1.nc", "b")];
        assert_eq!(names, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
