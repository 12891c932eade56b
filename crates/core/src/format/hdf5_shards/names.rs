//! The name of the netCDF-4 file in a hierarchy.

use std::ffi::OsStr;

use crate::error::{Error, Result};
use crate::model::Schema;

/// The extension of the file's name.
pub const ENDING: &str = ".nc";

/// The file's name without its extension, where the folder's name gives none.
const NAMELESS: &str = "dataset";

/// The name of the netCDF-4 file in a folder of this name, which may be a path or URL.
pub fn dataset_name(folder: &OsStr) -> String {
    let folder = folder.to_string_lossy();
    let path = match (folder.contains("://"), folder.rsplit_once('#')) {
        (true, _) => folder.split(['#', '?']).next().unwrap_or_default(),
        // Other characters of a path are part of its name.
        (false, Some((path, fragment))) if fragment.contains("mode=") => path,
        (false, _) => &*folder,
    };
    let last = path
        .trim_end_matches('/')
        .rsplit(['/', std::path::MAIN_SEPARATOR])
        .next();
    let last = last.unwrap_or_default();
    let stem = last.strip_suffix(".zarr").unwrap_or(last);
    match stem.is_empty() || stem.bytes().all(|byte| byte == b'.') {
        true => format!("{NAMELESS}{ENDING}"),
        false => format!("{stem}{ENDING}"),
    }
}

/// Checks that nothing else in the root has the file's name.
///
/// # Errors
/// Names it.
pub fn check(name: &str, schema: &Schema) -> Result<()> {
    let root = &schema.groups[0];
    let var = root.vars.iter().any(|var| schema.var(*var).name == name);
    let group = root
        .children
        .iter()
        .any(|child| schema.group(*child).name == name);
    let what = match (var, group) {
        (true, _) => "variable",
        (_, true) => "group",
        _ => return Ok(()),
    };
    Err(Error::Usage(format!(
        "the {what} {name} has the name of the netCDF-4 file that lies beside it; rename one of them"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_named_for_its_folder() {
        for (folder, name) in [
            ("out.zarr", "out.nc"),
            ("/a/b.c.zarr/", "b.c.nc"),
            ("s3://bucket/x/out.zarr#mode=zarr,v3", "out.nc"),
            ("out.zarr#mode=zarr,v3", "out.nc"),
            ("x?y.zarr", "x?y.nc"),
            ("a#b.zarr", "a#b.nc"),
            ("folder", "folder.nc"),
            ("..", "dataset.nc"),
            (".zarr", "dataset.nc"),
            ("", "dataset.nc"),
        ] {
            assert_eq!(dataset_name(OsStr::new(folder)), name);
        }
    }
}
