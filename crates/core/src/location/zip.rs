//! Zip files as stores of keys: which folder in the zip holds the dataset.

use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::format::{self, zarr, zarr::keys};
use crate::store::{GetRange, KeyOutput, KeyStore, Object, Output, ZipKeys, ZipOutput, ends_as_zip};

/// Largest `zarr.json`, in bytes, that is parsed to tell an array from a group.
const MAX_NODE_BYTES: u64 = 16 << 20;

/// True if an object begins as a zip file does.
pub(super) fn is_zip(object: &dyn Object) -> bool {
    let mut magic = [0; 4];
    object.read_exact_at(0, &mut magic).is_ok() && (magic == *b"PK\x03\x04" || magic == *b"PK\x05\x06")
}

/// True if an object that is called a zip begins as no file of netCDF, and ends as a zip does. A program that unpacks it may lie
/// before a zip.
pub(super) fn is_zip_behind_others(object: &dyn Object) -> bool {
    !format::has_magic(object) && ends_as_zip(object).unwrap_or(false)
}

/// Opens the keys of a zip file below `folder`; an empty one is the root. `None` finds the folder: the root, or one top
/// folder that holds all keys.
///
/// # Errors
/// A zip that is damaged, or has no such folder.
pub(super) fn open(object: Arc<dyn Object>, folder: Option<&str>) -> Result<Arc<dyn KeyStore>> {
    below(ZipKeys::open(object)?, folder)
}

/// Does the same with a zip file that may be truncated or damaged. The second value says what is wrong with it as a whole.
///
/// # Errors
/// A zip without entries, or without such a folder.
pub(super) fn open_damaged(
    object: Arc<dyn Object>,
    folder: Option<&str>,
) -> Result<(Arc<dyn KeyStore>, Option<String>)> {
    let (keys, damage) = ZipKeys::open_damaged(object)?;
    Ok((below(keys, folder)?, damage))
}

/// The error of a zip file that cannot be opened: of one that is truncated, whether a dataset is left of it. A slow store is not
/// searched for one.
pub(super) fn with_remains(error: Error, object: Arc<dyn Object>, folder: Option<&str>) -> Error {
    if !error.is_truncated() {
        return error;
    }
    let is_slow = object.requests().ahead;
    let left = || open_damaged(object, folder).and_then(|(keys, _)| zarr::is_zarr(&*keys));
    match !is_slow && left().unwrap_or(false) {
        true => error,
        false => Error::NothingLeft(Box::new(error)),
    }
}

fn below(keys: ZipKeys, folder: Option<&str>) -> Result<Arc<dyn KeyStore>> {
    let folder = match folder {
        None => dataset_folder(&keys)?,
        Some("") => None,
        Some(folder) => {
            if names(&keys.below(folder))?.is_empty() {
                return Err(Error::Usage(format!(
                    "key={folder}: the zip file has no such folder"
                )));
            }
            Some(folder.to_owned())
        }
    };
    Ok(match folder {
        Some(folder) => Arc::new(keys.below(&folder)),
        None => Arc::new(keys),
    })
}

/// The top folder, if all keys are in it and it is a group. A single array stays in the root, whose variable it is.
fn dataset_folder(keys: &ZipKeys) -> Result<Option<String>> {
    let Some(folder) = keys.top_folder() else {
        return Ok(None);
    };
    let below = keys.below(folder);
    let is_array = names(&below)?.iter().any(|name| name == keys::ARRAY) || is_array_of_v3(&below)?;
    Ok((!is_array).then(|| folder.to_owned()))
}

/// True if the root of these keys is an array of version 3. What cannot be parsed is for the format to refuse.
fn is_array_of_v3(keys: &dyn KeyStore) -> Result<bool> {
    let cannot_read = |e| Error::io("cannot read", e);
    match keys.size(keys::NODE).map_err(cannot_read)? {
        Some(size) if size <= MAX_NODE_BYTES => {}
        _ => return Ok(false),
    }
    let node = match keys.get(keys::NODE, GetRange::Whole) {
        Ok(node) => node,
        // What is damaged is for the format to tell.
        Err(e) if e.kind() == io::ErrorKind::InvalidData => return Ok(false),
        Err(e) => return Err(cannot_read(e)),
    };
    let is_array = |node: Json| node.get("node_type").and_then(Json::as_str) == Some("array");
    Ok(node.is_some_and(|bytes| Json::parse(&bytes).is_ok_and(is_array)))
}

fn names(keys: &ZipKeys) -> Result<Vec<String>> {
    keys.list_children("").map_err(|e| Error::io("cannot read", e))
}

/// Starts a zip file with all keys below `folder`; `None` for its root.
///
/// # Errors
/// A folder that is no single name, and errors of the output.
pub(super) fn create(output: Arc<dyn Output>, folder: Option<&str>) -> Result<Arc<dyn KeyOutput>> {
    match ZipOutput::create(output, folder) {
        Ok(output) => Ok(Arc::new(output)),
        Err(e) => Err(Error::io("cannot create", e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{GetRange, MemoryOutput};

    /// A zip with these keys below a folder.
    fn zip(folder: Option<&str>, keys: &[&str]) -> Arc<dyn Object> {
        let output = Arc::new(MemoryOutput::new());
        let zip = create(output.clone(), folder).unwrap();
        for key in keys {
            zip.put(key, key.as_bytes()).unwrap();
        }
        zip.publish().unwrap();
        Arc::new(output.bytes())
    }

    fn first(object: &Arc<dyn Object>, folder: Option<&str>) -> String {
        let keys = open(object.clone(), folder).unwrap();
        assert!(keys.get("none", GetRange::Whole).unwrap().is_none());
        keys.list("").unwrap().remove(0)
    }

    #[test]
    fn keys_are_found_at_the_root_and_in_one_folder() {
        for (written, keys, read, found) in [
            (None, &[".zgroup", "v/.zarray"][..], None, ".zgroup"),
            (Some("x"), &[".zgroup", "v/.zarray"], None, ".zgroup"),
            // A group without a key of its own.
            (Some("x"), &["v/.zarray", "w/.zarray"], None, "v/.zarray"),
            (None, &["zarr.json", "v/c/0"], None, "v/c/0"),
            (Some("x"), &["zarr.json", "v/c/0"], None, "v/c/0"),
            (None, &["x/.zgroup", "y/.zgroup"], None, "x/.zgroup"),
            (None, &["v/.zarray", "v/0"], None, "v/.zarray"),
            (None, &[".zarray", "0"], None, ".zarray"),
            (Some("x"), &[".zgroup"], Some(""), "x/.zgroup"),
            (
                Some("x"),
                &[".zgroup", "g/.zgroup", "g/h/.zgroup"],
                Some("x/g/h"),
                ".zgroup",
            ),
        ] {
            let object = zip(written, keys);
            assert!(is_zip(&*object));
            assert_eq!(first(&object, read), found, "{written:?} {keys:?} {read:?}");
        }
        let error = open(zip(None, &["a"]), Some("b")).err().unwrap().to_string();
        assert_eq!(error, "key=b: the zip file has no such folder");
    }

    #[test]
    fn a_folder_that_is_an_array_of_version_3_is_a_variable() {
        for (node, first_key) in [
            (r#"{"node_type": "array"}"#, "v/zarr.json"),
            (r#"{"node_type": "group"}"#, "zarr.json"),
            ("no JSON", "zarr.json"),
        ] {
            let output = Arc::new(MemoryOutput::new());
            let zip = create(output.clone(), None).unwrap();
            zip.put("v/zarr.json", node.as_bytes()).unwrap();
            zip.publish().unwrap();
            let keys = open(Arc::new(output.bytes()), None).unwrap();
            assert_eq!(keys.list("").unwrap(), [first_key], "{node}");
        }
    }

    #[test]
    fn what_is_no_zip_is_refused() {
        assert!(!is_zip(&b"PK".to_vec()));
        assert!(!is_zip(&b"CDF\x01".to_vec()));
        assert!(open(Arc::new(b"PK\x03\x04".to_vec()), None).is_err());
        let output = Arc::new(MemoryOutput::new());
        let error = create(output, Some("a/b")).err().unwrap().to_string();
        assert!(error.contains("is not one folder"), "{error}");
    }
}
