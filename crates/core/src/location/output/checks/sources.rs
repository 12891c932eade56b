//! The check that an output replaces no file that its input leads to.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::containment::{OutputPlace, is_within};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Reader;
use crate::format::netcdf4::verbatim;
use crate::location::{Location, Target, remote_url};
use crate::remote_settings::{Provider, RemoteUrl};
use crate::store::{Input, Sought};

impl OutputPlace<'_> {
    /// Checks that writing the output would not replace a file that the dataset at `input` leads to. `reader` has opened the dataset.
    ///
    /// # Errors
    /// The file and the output are the same existing file, or the file lies in the folder of the output; the names of files cannot be
    /// read.
    pub fn check_sources(&self, input: &Location, reader: &dyn Reader) -> Result<()> {
        self.check_found(input, |sought| reader.find_source(sought))
    }

    /// The same of an input whose objects or bytes are copied as they are: of HDF5, also files that netCDF does not show count. The
    /// input is opened if the output may be such a file. What cannot be read leads nowhere.
    ///
    /// # Errors
    /// The same.
    pub fn check_sources_of_bytes(
        &self,
        input: &Location,
        open: impl FnOnce() -> Result<Input>,
        registry: &Registry,
    ) -> Result<()> {
        self.check_found(input, |sought| match open() {
            Ok(opened) => find_source(input, opened, registry, true, sought),
            Err(_) => Ok(None),
        })
    }

    /// Checks what `find` finds of a file that is replaced: its name, as the input has it.
    fn check_found(
        &self,
        input: &Location,
        find: impl FnOnce(&Sought<'_>) -> Result<Option<String>>,
    ) -> Result<()> {
        let output = self.output;
        if input.is_remote() && !output.is_remote() {
            // Nothing remote leads to a local file.
            return Ok(());
        }
        let (found, what) = match (&output.target, &self.there) {
            (Target::Remote(to), _) => {
                let is_at = |identity: &OsStr| {
                    let from = identity.to_str().and_then(|text| source_url(input, text));
                    from.is_some_and(|from| is_within(&from, to) || is_within(to, &from))
                };
                let sought = Sought {
                    within: Some(&to.shown),
                    is_at: &is_at,
                };
                (find(&sought), "are the same place, or lie within each other")
            }
            (_, Some(there)) => {
                let Some(path) = output.path().and_then(|path| path.canonicalize().ok()) else {
                    return Ok(());
                };
                let is_at = |identity: &OsStr| match there.is_dir() {
                    true => Path::new(identity).starts_with(&path),
                    false => fs::metadata(identity)
                        .is_ok_and(|found| (found.dev(), found.ino()) == (there.dev(), there.ino())),
                };
                let has_one_name = there.is_dir() || there.nlink() == 1;
                let sought = Sought {
                    within: path.to_str().filter(|_| has_one_name),
                    is_at: &is_at,
                };
                let what = match there.is_dir() {
                    true => "lie within each other: the file is in the folder of the output",
                    false => "are the same file",
                };
                (find(&sought), what)
            }
            // What does not exist is no source.
            (_, None) => return Ok(()),
        };
        match found.map_err(input.named())? {
            Some(name) => Err(Error::Usage(format!(
                "{}, to which {input} leads, and {output} {what}; name another output",
                remote_url::shown(&name).escape_debug()
            ))),
            None => Ok(()),
        }
    }
}

/// The name of a file at the place `sought` that the dataset `opened` leads to. Of HDF5, files that netCDF does not show count only if it
/// is copied `as_it_is`. What cannot be read leads nowhere.
pub(super) fn find_source(
    input: &Location,
    opened: Input,
    registry: &Registry,
    as_it_is: bool,
    sought: &Sought<'_>,
) -> Result<Option<String>> {
    let of_objects = |damaged| verbatim::find_source(&opened, registry, sought, damaged);
    if as_it_is {
        let found = match of_objects(false) {
            Err(error) if !error.is_unknown_format() => of_objects(true),
            found => found,
        };
        if let Ok(Some(name)) = found {
            return Ok(Some(name));
        }
    }
    match input.open_input(opened, registry) {
        Ok(reader) => reader.find_source(sought),
        Err(_) => Ok(None),
    }
}

/// The URL of a source of `input`: its identity is the URL itself, or the key in the bucket of the input. `None` for a local file, and
/// for one on a plain server, where nothing is written.
fn source_url(input: &Location, identity: &str) -> Option<RemoteUrl> {
    if identity.contains("://") {
        return Some(remote_url::parse(identity).ok()?.url);
    }
    match &input.target {
        Target::Remote(from) if from.provider() != Provider::Http => Some(RemoteUrl {
            key: identity.to_owned(),
            ..(**from).clone()
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_sources_are_not_replaced() {
        let leads = |from: &str, source: &str, to: &str| {
            let [from, to] = [from, to].map(|name| Location::parse(name).unwrap());
            let found = OutputPlace::of(&to).check_found(&from, |sought| {
                let found = (sought.is_at)(OsStr::new(source));
                Ok(found.then(|| "NAME?key=secret".to_owned()))
            });
            found.err().map(|error| error.to_string())
        };
        for (from, source, to) in [
            ("s3://b/r.json", "s3://b/x/a.nc", "s3://b/x/a.nc"),
            ("r.json", "s3://b/x/a.nc", "s3://b/x#mode=zarr,s3"),
            // A relative name in HDF5 is found by its key.
            ("s3://b/x/v.h5", "x/a.h5", "s3://b/x/a.h5"),
        ] {
            let error = leads(from, source, to).unwrap_or_else(|| panic!("{from} {source} {to}"));
            assert!(
                error.contains("are the same place") && error.contains("name another output"),
                "{error}"
            );
        }
        for (from, source, to) in [
            ("s3://b/r.json", "s3://b/x/a.nc", "s3://b/x/b.nc"),
            ("s3://b/r.json", "s3://c/x/a.nc", "s3://b/x/a.nc"),
            ("s3://b/r.json", "gs://b/x/a.nc", "s3://b/x/a.nc"),
            ("https://h.org/v.h5", "a.h5", "s3://b/a.h5"),
            ("v.h5", "/a.h5", "s3://b/a.h5"),
        ] {
            assert_eq!(leads(from, source, to), None, "{from} {source} {to}");
        }
    }
}
