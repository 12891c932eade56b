//! Where the user says that a dataset is: a path, or a URL with a `#mode=` fragment as netCDF has them.
//!
//! ```text
//! data.nc  file:///tmp/a%20b.nc        ─► a local file
//! odd#name.nc                          ─► a local file, unless the fragment reads as netCDF's
//! s3://…  https://…  dir#mode=zarr     ─► not supported
//! ```

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{self, Reader, VariablePlan, Writer};
use crate::model::Schema;
use crate::store::{FileOutput, FileSource, Origin, same_file};

/// What can be opened and created, for messages.
const SUPPORTED: &str = "local netCDF classic and netCDF-4/HDF5 files are";

/// Keys that make a fragment netCDF's, rather than part of a file name.
const FRAGMENT_KEYS: [&str; 5] = ["mode", "bytes", "dap2", "dap4", "protocol"];

/// Where a dataset is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    argument: OsString,
    path: PathBuf,
}

impl Location {
    /// Understands what the user gave. A file that has exactly this name comes first, whatever the name looks like.
    ///
    /// # Errors
    /// Names the scheme or mode that is not supported, or what is wrong with the URL.
    pub fn parse(argument: impl AsRef<OsStr>) -> Result<Self> {
        let argument = argument.as_ref();
        let path = if fs::symlink_metadata(argument).is_ok() {
            PathBuf::from(argument)
        } else {
            // What is not UTF-8 is no URL.
            match argument.to_str() {
                Some(text) => local_path(text).map_err(|e| e.in_file(argument))?,
                None => PathBuf::from(argument),
            }
        };
        Ok(Self {
            argument: argument.to_owned(),
            path,
        })
    }

    /// The local file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that what is written to `output` does not replace this, which is read.
    ///
    /// # Errors
    /// Where both are the same existing file, by device and inode.
    pub fn check_output(&self, output: &Self) -> Result<()> {
        if same_file(&self.path, &output.path) {
            return Err(Error::Usage(format!(
                "{} and {} are the same file; name another output",
                self.path.display(),
                output.path.display()
            )));
        }
        Ok(())
    }

    /// Opens the dataset, whatever its format.
    ///
    /// # Errors
    /// Names the file, and what is wrong with it.
    pub fn open(&self) -> Result<Box<dyn Reader>> {
        self.open_with(&Registry::builtin())
    }

    /// As [`Location::open`], with the codecs of `registry` instead of those of this crate.
    ///
    /// # Errors
    /// Those of [`Location::open`].
    pub fn open_with(&self, registry: &Registry) -> Result<Box<dyn Reader>> {
        let source = FileSource::open(&self.path)?;
        let origin = Origin {
            path: Some(self.path.clone()),
        };
        format::open(Arc::new(source), &origin, registry).map_err(|e| e.in_file(&self.path))
    }

    /// Begins a dataset here; see [`format::create`]. A file that is here stays as it is until [`Writer::finish`].
    ///
    /// # Errors
    /// Names the file, and what its kind cannot hold or why it cannot be written.
    pub fn create(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<Box<dyn Writer>> {
        format::check(schema).map_err(|e| e.in_file(&self.path))?;
        let output = FileOutput::create(&self.path)?;
        format::create(Arc::new(output), schema, plans).map_err(|e| e.in_file(&self.path))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.argument.display().fmt(f)
    }
}

fn local_path(text: &str) -> Result<PathBuf> {
    let (rest, fragment) = match text.split_once('#') {
        Some((rest, fragment)) if is_netcdf_fragment(fragment) => (rest, Some(fragment)),
        _ => (text, None),
    };
    let path = match scheme(rest) {
        None => PathBuf::from(rest),
        Some("file") => file_url(rest)?,
        Some(scheme) => {
            return Err(Error::Usage(format!(
                "the scheme {scheme}:// is not supported; {SUPPORTED}"
            )));
        }
    };
    match fragment {
        None => Ok(path),
        Some(fragment) => Err(Error::Usage(format!(
            "#{fragment} is not supported; {SUPPORTED}, and need no fragment"
        ))),
    }
}

/// Whether the part after a `#` is `key=value&key…` with a key that netCDF knows.
fn is_netcdf_fragment(fragment: &str) -> bool {
    fragment
        .split('&')
        .filter_map(|item| item.split('=').next())
        .any(|key| FRAGMENT_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key)))
}

fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    valid.then_some(scheme)
}

/// The path of a `file://` URL, percent-decoded. The host is empty or `localhost`.
fn file_url(url: &str) -> Result<PathBuf> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Err(Error::Usage(format!(
            "a file URL of another host, {host}; write file:///path for a file of this one"
        )));
    }
    let mut decoded = Vec::new();
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
                match (digit(bytes.next()), digit(bytes.next())) {
                    (Some(high), Some(low)) => (high << 4 | low) as u8,
                    _ => {
                        return Err(Error::Usage(
                            "a % in a URL is followed by two hexadecimal digits".to_owned(),
                        ));
                    }
                }
            }
            byte => byte,
        };
        decoded.push(byte);
    }
    Ok(PathBuf::from(OsString::from_vec(decoded)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    fn path(argument: &str) -> PathBuf {
        Location::parse(argument).unwrap().path
    }

    fn refused(argument: &str) -> String {
        Location::parse(argument).unwrap_err().to_string()
    }

    #[test]
    fn local_files() {
        for plain in [
            "out.nc",
            "/tmp/no such.nc",
            "a#1.nc",
            "a#.nc",
            "x#modest=1",
            "://x",
            "C:\\x",
        ] {
            assert_eq!(path(plain), Path::new(plain));
        }
        assert_eq!(path("file:///tmp/a%20b%23.nc"), Path::new("/tmp/a b#.nc"));
        assert_eq!(path("file://localhost/a.nc"), Path::new("/a.nc"));
        let odd = OsStr::from_bytes(b"odd\xff#mode=zarr");
        assert_eq!(Location::parse(odd).unwrap().path(), Path::new(odd));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (argument, part) in [
            ("s3://bucket/key", "s3://"),
            ("https://example.org/a.nc#mode=bytes", "https://"),
            ("store.zarr#mode=nczarr,file", "#mode=nczarr,file"),
            ("file:///tmp/store#mode=zarr", "#mode=zarr"),
            ("file://elsewhere/a.nc", "elsewhere"),
            ("file:///a%2", "hexadecimal"),
        ] {
            let message = refused(argument);
            assert!(
                message.starts_with(argument) && message.contains(part),
                "{message}"
            );
        }
    }

    #[test]
    fn a_file_that_is_there_is_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join("store#mode=zarr");
        fs::write(&odd, "CDF").unwrap();
        let location = Location::parse(&odd).unwrap();
        assert_eq!(location.path(), odd);
        let error = location.open().err().unwrap().to_string();
        assert!(
            error.contains("store#mode=zarr: damaged file: magic number at byte 0"),
            "{error}"
        );
        fs::write(&odd, "no netCDF").unwrap();
        let error = location.open().err().unwrap().to_string();
        assert!(error.ends_with("store#mode=zarr: not a netCDF file"), "{error}");
        let same = Location::parse(dir.path().join("./store#mode=zarr")).unwrap();
        let error = location.check_output(&same).unwrap_err().to_string();
        assert!(error.contains("are the same file"), "{error}");
        let other = Location::parse(dir.path().join("other")).unwrap();
        assert!(location.check_output(&other).is_ok());
    }

    #[test]
    fn what_a_kind_cannot_hold_is_found_before_anything_is_created() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location::parse(dir.path().join("no/such/directory.nc")).unwrap();
        let mut schema = Schema::new(crate::model::Kind::Classic);
        let error = location.create(&schema, &[]).err().unwrap().to_string();
        assert!(error.contains("cannot create"), "{error}");
        schema.add_group(Schema::ROOT, "g");
        let error = location.create(&schema, &[]).err().unwrap().to_string();
        assert!(error.contains("group /g"), "{error}");
    }
}
