//! The check that writing an output leaves the input as it is, and the files that the input leads to.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Reader;
use crate::format::netcdf4::verbatim;
use crate::location::{Location, Target, remote_url};
use crate::remote_settings::{Provider, RemoteUrl};
use crate::store::{Input, LocalExternalFiles, NamedAs, Sought};

/// An output, to which inputs are compared. It is looked at once.
pub struct OutputPlace<'a> {
    output: &'a Location,
    there: Option<fs::Metadata>,
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

/// What the outputs of a run with several inputs replace in a local folder.
pub struct ReplacedFiles {
    /// The folder, without symbolic links; `None` if it does not hold all of them.
    within: Option<String>,
    /// The outputs by device and inode.
    files: HashMap<(u64, u64), String>,
    /// Outputs that are folders, without symbolic links.
    folders: Vec<(PathBuf, String)>,
    /// For each folder of inputs, whether files there may lead to an output.
    near: Mutex<HashMap<PathBuf, bool>>,
}

impl ReplacedFiles {
    /// The outputs that exist in `folder` or below. Remote ones are left out.
    pub fn of(folder: &Location, outputs: impl Iterator<Item = Location>) -> Self {
        let whole = folder.path().and_then(|path| path.canonicalize().ok());
        let mut replaced = Self {
            within: whole.as_deref().and_then(Path::to_str).map(str::to_owned),
            files: HashMap::new(),
            folders: Vec::new(),
            near: Mutex::default(),
        };
        // Thousands of outputs are in one folder.
        let mut parents: HashMap<PathBuf, PathBuf> = HashMap::new();
        for output in outputs {
            let found = output.path().and_then(|path| {
                let there = fs::symlink_metadata(path).ok()?;
                if there.is_symlink() {
                    return Some((path.canonicalize().ok()?, fs::metadata(path).ok()?));
                }
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let (parent, name) = (parent.unwrap_or(Path::new(".")), path.file_name()?);
                if !parents.contains_key(parent) {
                    parents.insert(parent.to_owned(), parent.canonicalize().ok()?);
                }
                Some((parents.get(parent)?.join(name), there))
            });
            let Some((path, there)) = found else {
                continue;
            };
            let is_within = whole.as_ref().is_some_and(|whole| path.starts_with(whole));
            if !is_within || !there.is_dir() && there.nlink() > 1 {
                replaced.within = None;
            }
            match there.is_dir() {
                true => replaced.folders.push((path, output.to_string())),
                false => drop(
                    replaced
                        .files
                        .insert((there.dev(), there.ino()), output.to_string()),
                ),
            }
        }
        replaced
    }

    /// True if no output exists.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Checks that no output replaces a file that the dataset at `input` leads to. Of HDF5, files that netCDF does not show count
    /// only if it is copied `as_it_is`. An input that cannot be opened leads nowhere, and nor does one beside which no output lies.
    ///
    /// # Errors
    /// The file is an output, or lies in the folder of one; the names of files cannot be read.
    pub fn check_input(&self, input: &Location, registry: &Registry, as_it_is: bool) -> Result<()> {
        let Target::Path(path) = &input.target else {
            return Ok(());
        };
        let found = Mutex::new(None);
        let is_at = |identity: &OsStr| {
            let path = Path::new(identity);
            let of_folder = || self.folders.iter().find(|(folder, _)| path.starts_with(folder));
            let there = fs::metadata(path).ok();
            let file = there.and_then(|there| self.files.get(&(there.dev(), there.ino())));
            let output = file.or_else(|| of_folder().map(|(_, output)| output));
            if let (Some(output), Ok(mut found)) = (output, found.lock()) {
                *found = Some(output.clone());
            }
            output.is_some()
        };
        let sought = Sought {
            within: self.within.as_deref(),
            is_at: &is_at,
        };
        if self.is_empty() || !self.is_near(path, input, &sought) {
            return Ok(());
        }
        let name = match input.input() {
            Ok(opened) => find_source(input, opened, registry, as_it_is, &sought),
            Err(_) => Ok(None),
        };
        match (name.map_err(input.named())?, found.into_inner()) {
            (Some(name), Ok(Some(output))) => Err(Error::Usage(format!(
                "{}, to which {input} leads, is replaced by the output {output}; name another folder",
                remote_url::shown(&name).escape_debug()
            ))),
            _ => Ok(()),
        }
    }

    /// True if files that the dataset at `path` names may be outputs. Files of one folder lead to the same places.
    fn is_near(&self, path: &Path, input: &Location, sought: &Sought<'_>) -> bool {
        let is_file = || fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        let folder = path.parent().filter(|_| is_file());
        let known = |folder: &Path| self.near.lock().ok()?.get(folder).copied();
        if let Some(is_near) = folder.and_then(known) {
            return is_near;
        }
        let places = LocalExternalFiles::of(path, input.access.clone());
        let may_lead = |named_as| sought.may_be_among(&places, named_as);
        let is_near = NamedAs::ALL.into_iter().any(may_lead);
        if let (Some(folder), Ok(mut near)) = (folder, self.near.lock()) {
            near.insert(folder.to_owned(), is_near);
        }
        is_near
    }
}

/// The name of a file at the place `sought` that the dataset `opened` leads to. Of HDF5, files that netCDF does not show count only if it
/// is copied `as_it_is`. What cannot be read leads nowhere.
fn find_source(
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
fn is_within(inner: &RemoteUrl, outer: &RemoteUrl) -> bool {
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
