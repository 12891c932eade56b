//! The output file's name without `-o`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ncutils_core::error::{Error, Result};
use ncutils_core::model::unescape;

/// A file in the current folder, named after the file `input` with its last suffix replaced by `suffix`. For text from
/// standard input, it is named after the dataset `name`.
///
/// # Errors
/// A name that no file in a folder can have.
pub fn output_name(input: Option<&OsStr>, name: &str, suffix: &str) -> Result<PathBuf> {
    let name = unescape(name);
    let mut stem = match input {
        Some(file) => Path::new(file)
            .file_stem()
            .map(OsString::from)
            .unwrap_or_default(),
        None => OsString::from(&name),
    };
    // A dataset's name is any text, and must not choose a folder.
    if stem.is_empty() || (input.is_none() && name.contains(['/', '\0'])) {
        return Err(Error::Usage(format!(
            "the name '{name}' cannot be that of a file; name the output with -o"
        )));
    }
    stem.push(suffix);
    Ok(PathBuf::from(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_text_or_the_dataset() {
        let named = |input: Option<&str>, name| output_name(input.map(OsStr::new), name, ".nc");
        for (input, name, expected) in [
            (Some("../cdl/a.cdl"), "b", "a.nc"),
            (Some("a.b.cdl"), "b/c", "a.b.nc"),
            (Some("noext"), "", "noext.nc"),
            (Some(".hidden"), "", ".hidden.nc"),
            (None, "a b", "a b.nc"),
            (None, "a.b", "a.b.nc"),
            (None, r"a\ b\{", "a b{.nc"),
            (None, r"a\", r"a\.nc"),
            (None, r"\", r"\.nc"),
        ] {
            assert_eq!(named(input, name).unwrap(), Path::new(expected));
        }
        for name in ["", "/tmp/x", "../x", r".\./x", r"..\/x"] {
            let error = named(None, name).unwrap_err().to_string();
            assert!(error.contains("-o"), "{error}");
        }
    }
}
