//! The check that an existing folder, or prefix of keys, may be replaced: it is empty, or a Zarr dataset without foreign
//! entries.
//!
//! ```text
//! root     has .zgroup, .zarray or zarr.json of its own
//! folder   ┌ with metadata ─► metadata, chunks 0.0, folders
//!          ├ without, below an array ─► chunks 0, folders 0 …   (nested chunk keys)
//!          └ without, elsewhere ─► must be empty
//! ```
//!
//! Only names are read: one listing of each folder, as its removal needs too. No link is followed. A netCDF file in the root is opened: it
//! may be the one that leads to shards which are HDF5 files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::format::zarr::keys;
use crate::format::{DATASET_FILE_ENDING, is_dataset_file};
use crate::store::{FileSource, Object};

/// Files that describe a group or an array.
const NODE: [&str; 3] = [keys::GROUP, keys::ARRAY, keys::NODE];

/// Other files that belong to a hierarchy: those of Zarr, of NCZarr's first version, and the mark of a writer that has
/// not ended.
const METADATA: [&str; 8] = [
    keys::ATTRIBUTES,
    keys::CONSOLIDATED,
    keys::OLD_SUPERBLOCK,
    keys::OLD_GROUP,
    keys::OLD_ARRAY,
    ".nczvar",
    keys::OLD_TYPES,
    keys::PARTIAL,
];

/// Most levels of nested folders, as in a store of keys.
const DEEPEST: usize = 512;

/// What an Icechunk repository has in its folder, by specification 1 and 2.
const REPOSITORY: [&str; 2] = ["refs/branch.main/ref.json", "snapshots"];

/// True if a folder holds the metadata of a group or an array of Zarr, or is an Icechunk repository.
pub(crate) fn is_dataset(root: &Path) -> bool {
    let is_there = |name: &str| root.join(name).exists();
    NODE.into_iter().chain([keys::CONSOLIDATED]).any(is_there)
        || REPOSITORY.into_iter().all(is_there)
        || is_there("repo") && is_there("snapshots")
}

/// Checks that nothing is lost but a Zarr dataset if a folder is removed.
///
/// # Errors
/// Names the entry that is not part of a Zarr dataset.
pub(crate) fn check_replaceable(root: &Path) -> io::Result<()> {
    let list = |folder: &str| {
        let mut entries = Vec::new();
        for entry in fs::read_dir(root.join(folder))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            entries.push(FolderEntry {
                // A name that is not UTF-8 is no key.
                is_key: entry.file_name().to_str().is_some() && (kind.is_dir() || kind.is_file()),
                name: entry.file_name().to_string_lossy().into_owned(),
                is_folder: kind.is_dir(),
            });
        }
        Ok(entries)
    };
    let is_own = |name: &str| {
        let file: Option<Arc<dyn Object>> = FileSource::open(&root.join(name))
            .ok()
            .map(|file| Arc::new(file) as _);
        leads_to_shards(file, &|key| root.join(key).is_file())
    };
    KeyFolders {
        what: "folder",
        list: &list,
        is_own: &is_own,
    }
    .check()
}

/// True for the netCDF-4 file that leads to the shards beside it. `has_key` tells which keys there are.
fn leads_to_shards(file: Option<Arc<dyn Object>>, has_key: &dyn Fn(&str) -> bool) -> bool {
    let has_array = |path: &str| has_key(&keys::below(path, keys::NODE));
    file.is_some_and(|file| is_dataset_file(file, &has_array).unwrap_or(false))
}

/// Checks that nothing is lost but a Zarr dataset if all these keys are deleted. `open` opens the value of a key.
///
/// # Errors
/// Names the key, or the folder of keys, that is not part of a Zarr dataset.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(crate) fn check_replaceable_keys(
    keys: &[String],
    open: &dyn Fn(&str) -> Option<Arc<dyn Object>>,
) -> io::Result<()> {
    let mut folders: BTreeMap<&str, BTreeMap<&str, bool>> = BTreeMap::new();
    for key in keys {
        let (mut path, mut is_folder) = (key.as_str(), false);
        loop {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let entries = folders.entry(folder).or_default();
            *entries.entry(name).or_default() |= is_folder;
            if folder.is_empty() {
                break;
            }
            (path, is_folder) = (folder, true);
        }
    }
    let list = |folder: &str| {
        let entries = folders.get(folder).into_iter().flatten();
        let entry = |(name, is_folder): (&&str, &bool)| FolderEntry {
            name: (*name).to_owned(),
            is_folder: *is_folder,
            is_key: true,
        };
        Ok(entries.map(entry).collect())
    };
    let has_key = |key: &str| {
        let (folder, name) = key.rsplit_once('/').unwrap_or(("", key));
        folders
            .get(folder)
            .is_some_and(|entries| entries.contains_key(name))
    };
    let is_own = |name: &str| leads_to_shards(open(name), &has_key);
    KeyFolders {
        what: "prefix",
        list: &list,
        is_own: &is_own,
    }
    .check()
}

/// Checks that all these keys may be leftovers of a writer that was killed. Such a writer may leave chunks without metadata, which
/// is written last.
///
/// # Errors
/// Names the key that no writer of Zarr makes.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(crate) fn check_leftovers(keys: &[String]) -> io::Result<()> {
    let is_of_zarr = |key: &&String| {
        let name = key.rsplit('/').next().unwrap_or(key);
        NODE.contains(&name)
            || METADATA.contains(&name)
            || is_chunk_key(name)
            || name.strip_prefix('c').is_some_and(is_rest_of_chunk_key)
    };
    match keys.iter().find(|key| !is_of_zarr(key)) {
        Some(key) => Err(foreign("prefix", key)),
        None => Ok(()),
    }
}

/// Lists a folder: its path below the root, empty for the root.
type List<'a> = &'a dyn Fn(&str) -> io::Result<Vec<FolderEntry>>;

/// An entry of a folder.
struct FolderEntry {
    name: String,
    is_folder: bool,
    /// True for a file or folder that can be part of a key.
    is_key: bool,
}

impl FolderEntry {
    fn is_file(&self) -> bool {
        self.is_key && !self.is_folder
    }
}

/// What is to be replaced.
struct KeyFolders<'a> {
    /// What messages call it.
    what: &'a str,
    list: List<'a>,
    /// True for a netCDF file in the root that belongs to the dataset, by its name.
    is_own: &'a dyn Fn(&str) -> bool,
}

impl KeyFolders<'_> {
    /// Checks everything below the root.
    fn check(&self) -> io::Result<()> {
        let root = (self.list)("")?;
        if root.is_empty() {
            return Ok(());
        }
        let what = self.what;
        if !NODE.iter().any(|name| has_file(&root, name)) {
            return Err(refused(
                what,
                format!(
                    "the {what} is neither empty nor a Zarr dataset (it has no .zgroup, .zarray or zarr.json)"
                ),
            ));
        }
        let mut left = vec![Folder {
            path: String::new(),
            place: FolderRole::Node,
            depth: 0,
        }];
        while let Some(folder) = left.pop() {
            if folder.depth > DEEPEST {
                return Err(io::Error::other("folders lie in each other too deeply"));
            }
            folder.check(self, &mut left)?;
        }
        Ok(())
    }
}

fn refused(what: &str, why: String) -> io::Error {
    io::Error::new(
        io::ErrorKind::DirectoryNotEmpty,
        format!("{why}, and is not replaced; name another output, or remove the {what}"),
    )
}

/// What a folder may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderRole {
    /// A group or an array, which has metadata.
    Node,
    /// The same, or nested chunk keys of the array around it.
    NodeOrChunks,
    /// Nested chunk keys.
    Chunks,
}

/// A folder that is still to be checked.
struct Folder {
    /// The path below the root.
    path: String,
    place: FolderRole,
    depth: usize,
}

impl Folder {
    /// Checks the entries, and adds the folders among them to `left`. An empty folder is part of any dataset.
    fn check(&self, tree: &KeyFolders<'_>, left: &mut Vec<Self>) -> io::Result<()> {
        let entries = (tree.list)(&self.path)?;
        let has = |name: &str| self.place != FolderRole::Chunks && has_file(&entries, name);
        let [group, array, version3] = NODE.map(has);
        let is_node = group || array || version3;
        // Version 3 tells arrays from groups within the file, so both may have chunks here.
        let has_chunks = !is_node || array || version3;
        for entry in &entries {
            if !is_node && self.place == FolderRole::Node {
                return Err(foreign(tree.what, &self.path));
            }
            let name = entry.name.as_str();
            let path = keys::below(&self.path, name);
            let metadata = is_node && (NODE.contains(&name) || METADATA.contains(&name));
            let chunk = has_chunks && is_chunk_key(name);
            // Keys of chunks in version 3 begin with `c`.
            let chunk3 = version3 && name.strip_prefix('c').is_some_and(is_rest_of_chunk_key);
            let is_own = || {
                let is_netcdf = version3 && self.path.is_empty() && name.ends_with(DATASET_FILE_ENDING);
                is_netcdf && (tree.is_own)(name)
            };
            if entry.is_key && entry.is_folder && (is_node || is_number(name)) {
                left.push(Self {
                    path,
                    place: match is_node {
                        false => FolderRole::Chunks,
                        true if has_chunks && is_number(name) || version3 && name == "c" => {
                            FolderRole::NodeOrChunks
                        }
                        true => FolderRole::Node,
                    },
                    depth: self.depth + 1,
                });
            } else if !entry.is_file() || !(metadata || chunk || chunk3 || is_own()) {
                return Err(foreign(tree.what, &path));
            }
        }
        Ok(())
    }
}

fn foreign(what: &str, path: &str) -> io::Error {
    refused(
        what,
        format!("the {what} holds {path}, which is no part of a Zarr dataset"),
    )
}

/// True if a folder has a file of this name. A link is none.
fn has_file(entries: &[FolderEntry], name: &str) -> bool {
    entries.iter().any(|entry| entry.name == name && entry.is_file())
}

/// True for digits only.
fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|c| c.is_ascii_digit())
}

/// True for numbers joined with dots: the place of a chunk in its array.
fn is_chunk_key(name: &str) -> bool {
    name.split('.').all(is_number)
}

/// True for the text after the `c` of a chunk's key in version 3: nothing, or a dot and a chunk key.
fn is_rest_of_chunk_key(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix('.').is_some_and(is_chunk_key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder with these files. Names that end in `/` are folders.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "x").unwrap();
            }
        }
        folder
    }

    fn check_keys(names: &[&str]) -> io::Result<()> {
        let files = names.iter().filter(|name| !name.ends_with('/'));
        let keys: Vec<String> = files.map(|name| (*name).to_owned()).collect();
        check_replaceable_keys(&keys, &|_| None)
    }

    #[test]
    fn leftovers_are_cleared() {
        let check =
            |keys: &[&str]| check_leftovers(&keys.iter().map(|&key| key.to_owned()).collect::<Vec<_>>());
        check(&[
            "v/0.1",
            "g/v/3/4",
            "w/c/0/1",
            "w/c.1",
            "s/c",
            "v/.zarray",
            "zarr.json",
            "g/.nczvar",
        ])
        .unwrap();
        for foreign in ["report.pdf", "sub/other.nc", "0.x", "v/chunk"] {
            let error = check(&["v/0.1", foreign]).unwrap_err().to_string();
            assert!(error.contains(foreign), "{error}");
        }
    }

    #[test]
    fn datasets_are_replaced() {
        for names in [
            &[][..],
            &[".zgroup"],
            &[".zgroup", ".zattrs", ".zmetadata", ".nczarr", ".ncutils-partial"],
            &[".zarray", "0", "1"],
            &[".zgroup", "v/.zarray", "v/.zattrs", "v/0.0", "v/10.2.3"],
            &[".zgroup", "v/.zarray", "v/0/0/1", "v/0/1/0", "v/12/"],
            &[".zgroup", "g/.zgroup", "g/h/.zgroup", "g/h/v/.zarray", "empty/"],
            &[".zgroup", "0/.zgroup", "0/1/.zarray", "0/1/2.3"],
            &[".zgroup", ".nczgroup", "v/.zarray", "v/.nczarray", "v/.nczattr"],
            &[
                "zarr.json",
                "v/zarr.json",
                "v/c/0/1",
                "w/zarr.json",
                "w/c.0.1",
                "s/zarr.json",
                "s/c",
            ],
            &["zarr.json", "c/zarr.json", "c/v/zarr.json", "c/v/c/0"],
            // Keys of the encoding v2, and empty folders of arrays without chunks.
            &[
                "zarr.json",
                "v/zarr.json",
                "v/0.1",
                "w/zarr.json",
                "w/0/1",
                "x/zarr.json",
                "x/c/0/",
            ],
            // Keys of versions 2 and 3 beside each other.
            &[
                "zarr.json",
                ".zgroup",
                ".zmetadata",
                "v/zarr.json",
                "v/.zarray",
                "v/c/0",
                "v/0",
            ],
            &["zarr.json", "c", "c.0", ".ncutils-partial"],
        ] {
            let folder = folder(names);
            check_replaceable(folder.path()).unwrap_or_else(|e| panic!("{names:?}: {e}"));
            check_keys(names).unwrap_or_else(|e| panic!("{names:?}: {e}"));
        }
    }

    #[test]
    fn anything_else_is_kept() {
        for (names, foreign) in [
            (&["README"][..], "no .zgroup"),
            (&["a/"], "no .zgroup"),
            // A folder of datasets is no dataset.
            (&["x.zarr/.zgroup", "y.zarr/.zgroup"], "no .zgroup"),
            (&[".zattrs"], "no .zgroup"),
            (&[".zgroup", "README"], "holds README"),
            (&[".zgroup", "0"], "holds 0,"),
            (&[".zgroup", "v/.zarray", "v/data.csv"], "holds v/data.csv"),
            (&[".zgroup", "v/.zarray", "v/0.a"], "holds v/0.a"),
            (&[".zgroup", "v/.zarray", "v/0."], "holds v/0."),
            (&[".zgroup", "v/.zarray", "v/0/x"], "holds v/0/x"),
            (&[".zgroup", "v/.zarray", "v/0/1/x/0"], "holds v/0/1/x"),
            (&[".zgroup", "v/.zarray", "v/0/.zattrs"], "holds v/0/.zattrs"),
            (&[".zgroup", "v/.zarray", "v/0/1/.zarray"], "holds v/0/1/.zarray"),
            (&[".zgroup", "notes/a.txt"], "holds notes,"),
            (&[".zgroup", "notes/deep/a.txt"], "holds notes,"),
            (&[".zgroup", ".git/config"], "holds .git,"),
            (&[".zgroup", ".zgroup~"], "holds .zgroup~"),
            (&["zarr.json", "c/0/x"], "holds c/0/x"),
            (&["zarr.json", "c0"], "holds c0"),
            (&["zarr.json", "v/zarr.json", "v/c/0/1.txt"], "holds v/c/0/1.txt"),
            (&["zarr.json", "v/zarr.json", "v/d/0"], "holds v/d,"),
            (&["zarr.json", "v/zarr.json", "v/c.a"], "holds v/c.a"),
            (&["zarr.json", "zarr.json.bak"], "holds zarr.json.bak"),
        ] {
            let folder = folder(names);
            let error = check_replaceable(folder.path()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::DirectoryNotEmpty);
            let error = error.to_string();
            assert!(error.contains(foreign), "{names:?}: {error}");
            // A store of keys has no empty folders.
            if !names.contains(&"a/") {
                let error = check_keys(names).unwrap_err().to_string();
                assert!(
                    error.contains(foreign) && error.contains("the prefix"),
                    "{names:?}: {error}"
                );
            }
        }
    }

    #[test]
    fn links_are_foreign() {
        for name in ["link", "0", ".zattrs"] {
            let folder = folder(&[".zgroup", "v/.zarray"]);
            symlink("/", folder.path().join("v").join(name)).unwrap();
            let error = check_replaceable(folder.path()).unwrap_err().to_string();
            assert!(error.contains(&format!("holds v/{name},")), "{error}");
        }
    }
}
