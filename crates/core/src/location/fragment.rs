//! Fragments of names: what follows the `#`, as in `#mode=nczarr,zip&key=/data`.
//!
//! ```text
//! fragment ─► key=value & key=value …      mode=  a comma list of words
//!                                          key=   the folder of all keys in a zip
//!                                          fillvalue=mask
//! #zarr  #nczarr                           the same as #mode=zarr, #mode=nczarr
//! ```
//!
//! | words | mean |
//! | --- | --- |
//! | `nczarr` | NCZarr |
//! | `zarr`, `nczarr,zarr`; `xarray` or `noxarray` without `nczarr` | pure Zarr |
//! | `file`, `zip` | the store: a folder, a zip file |
//! | `noxarray` | no `_ARRAY_DIMENSIONS` |
//! | `consolidated` | with `.zmetadata` |
//! | `v2` | Zarr version 2, the default for output |
//! | `v3`, also beside `zarr` | pure Zarr of version 3 |
//! | `icechunk`; `branch=`, `tag=`, `snapshot=` | reading: a snapshot of an Icechunk repository; without these keys, the last of the branch `main` |
//! | `spec=1`, `spec=2` beside `icechunk` | writing: the specification of a new repository; 1 without this key |
//! | `stringlength=N` | a server of DAP2: N characters for each string, in place of 64 |
//! | `fillvalue=mask` | reading: the fill value of an array of version 3 becomes its `_FillValue` |

use std::borrow::Cow;

use url::form_urlencoded;

use crate::error::{Error, Result};
use crate::format::SnapshotName;
use crate::format::zarr::ZarrOptions;
use crate::model::similar::{question, similar};
use crate::model::{Kind, ZarrVersion};
use crate::store::references::icechunk::Specification;

/// Keys that make a fragment one of netCDF's, or ours. Any other fragment is part of the file name.
const KEYS: [&str; 12] = [
    "mode",
    "bytes",
    "dap2",
    "dap4",
    "protocol",
    "zarr",
    "nczarr",
    "v2",
    "v3",
    "fillvalue",
    "icechunk",
    "stringlength",
];

/// FragmentWords of `mode=` that belong to URLs of other stores than files.
const OF_REMOTE_URLS: [&str; 2] = ["bytes", "s3"];

/// FragmentWords of `mode=` for servers of OPeNDAP.
const OF_SERVERS: [&str; 2] = ["dap2", "dap4"];

/// The kind of store that holds the keys of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// Files below a folder.
    Directory,
    /// Members of a zip file.
    Zip,
}

impl StoreKind {
    /// Its word in a fragment.
    pub fn word(self) -> &'static str {
        match self {
            Self::Directory => "file",
            Self::Zip => "zip",
        }
    }

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Directory => "a folder",
            Self::Zip => "a zip file",
        }
    }
}

/// What a fragment says about a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mode {
    /// [`Kind::Nczarr`], [`Kind::Zarr2`] or [`Kind::Zarr3`]; `None` if no word names a format.
    pub format: Option<Kind>,
    /// The version of Zarr that `v2` or `v3` names; `None` if no word names one.
    pub version: Option<ZarrVersion>,
    /// The store; `None` if no word names one.
    pub store: Option<StoreKind>,
    /// False if `noxarray` asks to leave `_ARRAY_DIMENSIONS` out; `None` if no word says.
    pub xarray: Option<bool>,
    /// True if `consolidated` asks for `.zmetadata`.
    pub consolidated: bool,
    /// The folder of all keys in a zip, without slashes around it; empty for the zip's root. `None` if the fragment has
    /// no `key=`.
    pub top_folder: Option<String>,
    /// True if `fillvalue=mask` asks to read the fill values of arrays as their `_FillValue`.
    pub fill_is_missing: bool,
    /// The snapshot of an Icechunk repository that the fragment asks for.
    pub snapshot: Option<SnapshotName>,
    /// The specification of a repository, by `spec=`.
    pub specification: Option<Specification>,
    /// Characters of a string on a server of DAP2, by `stringlength=`.
    pub string_length: Option<u64>,
    /// What the fragment says that has no effect, for warnings.
    pub warnings: Vec<String>,
}

impl Mode {
    /// True if the fragment says something about Zarr. A fragment of unknown words says nothing.
    pub fn is_zarr(&self) -> bool {
        self.format.is_some()
            || self.version.is_some()
            || self.fill_is_missing
            || self.store.is_some()
            || self.xarray.is_some()
            || self.consolidated
            || self.top_folder.is_some()
            || self.snapshot.is_some()
    }

    /// The options for writing a dataset of a kind.
    pub fn write_options(&self, kind: Kind) -> ZarrOptions {
        let unsaid = ZarrOptions::write(kind);
        ZarrOptions {
            xarray: self.xarray.unwrap_or(unsaid.xarray),
            consolidated: self.consolidated || unsaid.consolidated,
            ..unsaid
        }
    }

    /// The options for reading.
    pub fn read_options(&self) -> ZarrOptions {
        ZarrOptions {
            consolidated: self.consolidated,
            version: self.version,
            fill_is_missing: self.fill_is_missing,
            ..ZarrOptions::READ
        }
    }
}

/// Splits a name at the `#` of a netCDF fragment, and parses the fragment. `None` if the name has no such fragment.
///
/// # Errors
/// FragmentWords that contradict each other or are not supported; a `key=` that is not a path below the zip's root.
pub fn split(name: &str) -> Result<Option<(&str, Mode)>> {
    match name.split_once('#') {
        Some((rest, fragment)) if is_netcdf_fragment(fragment) => Ok(Some((rest, parse(pairs(fragment))?))),
        _ => Ok(None),
    }
}

/// A warning about a name that ends like a netCDF fragment, `#word=value&…`, but has none of its keys. The whole name is
/// then the file's. `None` for other names.
pub fn misspelt(name: &str) -> Option<String> {
    let (_, fragment) = name.split_once('#')?;
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_pair = |pair: &str| {
        pair.split_once('=')
            .is_some_and(|(key, value)| is_word(key) && !value.is_empty())
    };
    if is_netcdf_fragment(fragment) || !fragment.split('&').all(is_pair) {
        return None;
    }
    let (key, _) = fragment.split_once('=')?;
    Some(format!(
        "#{key} begins no fragment, so '#{fragment}' is part of the file's name{}; fragments begin as '#mode=…'",
        question(key, KEYS).trim_end_matches('?')
    ))
}

/// The `key=value` pairs of a fragment, decoded. A key without `=` has an empty value.
pub(super) fn pairs(fragment: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    form_urlencoded::parse(fragment.as_bytes())
}

fn is_netcdf_fragment(fragment: &str) -> bool {
    let is_known = |key: &str| KEYS.iter().any(|known| known.eq_ignore_ascii_case(key));
    // `#zarr,v3` is a list of words, as `mode=` has it.
    pairs(fragment).any(|(key, value)| is_known(&key) || value.is_empty() && key.split(',').any(is_known))
}

/// The words of a fragment, as they were found.
#[derive(Default)]
struct FragmentWords {
    zarr: bool,
    nczarr: bool,
    icechunk: bool,
}

pub(super) fn parse<'a>(pairs: impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Result<Mode> {
    let mut mode = Mode::default();
    let mut words = FragmentWords::default();
    for (key, value) in pairs {
        let key = key.to_ascii_lowercase();
        match key.as_str() {
            "mode" => {
                take_all(&mut mode, &mut words, &value)?;
            }
            "key" => mode.top_folder = Some(folder(&value)?),
            "branch" => name_snapshot(&mut mode, SnapshotName::Branch(value.into_owned()))?,
            "tag" => name_snapshot(&mut mode, SnapshotName::Tag(value.into_owned()))?,
            "snapshot" => name_snapshot(&mut mode, SnapshotName::Id(value.into_owned()))?,
            "spec" => {
                mode.specification = Some(match &*value {
                    "1" => Specification::V1,
                    "2" => Specification::V2,
                    _ => {
                        return Err(Error::Usage(format!(
                            "spec={value}: Icechunk has the specifications 1 and 2"
                        )));
                    }
                });
            }
            "fillvalue" if value.eq_ignore_ascii_case("mask") => mode.fill_is_missing = true,
            "fillvalue" => {
                return Err(Error::Usage(format!(
                    "fillvalue={value}: the only value of this key is mask; without the key, fill values are no attribute"
                )));
            }
            "stringlength" => match value.parse() {
                Ok(length) if length > 0 => mode.string_length = Some(length),
                _ => {
                    return Err(Error::Usage(format!(
                        "stringlength={value}: the value is a number of characters"
                    )));
                }
            },
            "protocol" => return Err(of_servers("protocol=")),
            // `#zarr` is `#mode=zarr`, and `#zarr,v3` is `#mode=zarr,v3`.
            _ if value.is_empty() && key.contains(',') => take_all(&mut mode, &mut words, &key)?,
            _ if value.is_empty() && take(&mut mode, &mut words, &key)? => {}
            _ => mode
                .warnings
                .push(format!("#{key}: an unknown key, which is ignored")),
        }
    }
    let is_v3 = mode.version == Some(ZarrVersion::V3);
    if is_v3 && words.nczarr && !words.zarr {
        return Err(Error::Usage(
            "mode=nczarr,v3: NCZarr is not published for Zarr version 3; mode=zarr,v3 is pure Zarr of version 3"
                .to_owned(),
        ));
    }
    if is_v3 && mode.xarray == Some(false) {
        mode.warnings
            .push("mode=noxarray: Zarr version 3 always has the names of dimensions".to_owned());
    }
    mode.format = if is_v3 {
        Some(Kind::Zarr3)
    } else if words.zarr {
        Some(Kind::Zarr2)
    } else if words.nczarr {
        Some(Kind::Nczarr)
    } else {
        mode.xarray.map(|_| Kind::Zarr2)
    };
    if mode.specification.is_some() && !words.icechunk {
        return Err(Error::Usage(
            "spec= is for Icechunk repositories; write mode=icechunk&spec=2".to_owned(),
        ));
    }
    if words.icechunk && mode.snapshot.is_none() {
        mode.snapshot = Some(SnapshotName::Branch("main".to_owned()));
    }
    if mode.top_folder.is_some() && mode.store == Some(StoreKind::Directory) {
        mode.warnings
            .push("key= names a folder in a zip file, and is ignored for a folder".to_owned());
    }
    Ok(mode)
}

/// Sets the snapshot that a key names.
fn name_snapshot(mode: &mut Mode, name: SnapshotName) -> Result<()> {
    match mode.snapshot.replace(name) {
        Some(_) => Err(Error::Usage(
            "the fragment names several snapshots; give one of branch=, tag= and snapshot=".to_owned(),
        )),
        None => Ok(()),
    }
}

/// FragmentWords of `mode=` for files.
const WORDS: [&str; 8] = [
    "nczarr",
    "zarr",
    "icechunk",
    "xarray",
    "noxarray",
    "consolidated",
    "file",
    "zip",
];

/// Takes a list of words. An unknown one is a warning, or an error if another one was probably meant.
///
/// # Errors
/// A word that is meant for something else.
fn take_all(mode: &mut Mode, words: &mut FragmentWords, list: &str) -> Result<()> {
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        if !take(mode, words, word)? {
            // `mode=icechunk,branch=dev` would change the branch main.
            if word.contains('=') {
                return Err(Error::Usage(format!(
                    "mode=…,{word}: a key comes behind '&' and not behind a comma: '&{word}'"
                )));
            }
            // Another format than was meant would be written, as `#mode=` is the only way to ask for some.
            if similar(&word.to_ascii_lowercase(), WORDS).is_some() {
                let told = format!("mode={word}: an unknown word{}", question(word, WORDS));
                return Err(Error::Usage(told));
            }
            mode.warnings
                .push(format!("mode={word}: an unknown word, which is ignored"));
        }
    }
    Ok(())
}

/// Takes a word. Returns false if it is unknown.
fn take(mode: &mut Mode, words: &mut FragmentWords, word: &str) -> Result<bool> {
    let word = word.to_ascii_lowercase();
    match word.as_str() {
        "nczarr" => words.nczarr = true,
        "zarr" => words.zarr = true,
        "icechunk" => words.icechunk = true,
        "xarray" => set(&mut mode.xarray, true, "xarray", "noxarray")?,
        "noxarray" => set(&mut mode.xarray, false, "xarray", "noxarray")?,
        "consolidated" => mode.consolidated = true,
        "v2" => set(&mut mode.version, ZarrVersion::V2, "v2", "v3")?,
        "v3" => set(&mut mode.version, ZarrVersion::V3, "v2", "v3")?,
        "file" => set(&mut mode.store, StoreKind::Directory, "file", "zip")?,
        "zip" => set(&mut mode.store, StoreKind::Zip, "file", "zip")?,
        word if OF_REMOTE_URLS.contains(&word) => {
            return Err(Error::Usage(format!(
                "#{word} is for URLs, such as s3://bucket/key or https://host/file, and this names a file"
            )));
        }
        word if OF_SERVERS.contains(&word) => return Err(of_servers(word)),
        "kerchunk" => {
            return Err(Error::Usage(
                "mode=kerchunk: kerchunk's references are known by the name, such as refs.json or refs.parq; leave the fragment out"
                    .to_owned(),
            ));
        }
        // Another version is not what was asked for.
        word if is_version(word) => {
            return Err(Error::Usage(format!(
                "mode={word}: Zarr has no such version here; v2 and v3 are possible"
            )));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// True for `v` with a number.
fn is_version(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
}

/// Sets what a word says.
///
/// # Errors
/// If the other one of two words said something else.
fn set<T: PartialEq>(to: &mut Option<T>, value: T, one: &str, other: &str) -> Result<()> {
    if to.as_ref().is_some_and(|set| *set != value) {
        return Err(Error::Usage(format!(
            "mode={one},{other}: these words contradict each other; give one of them"
        )));
    }
    *to = Some(value);
    Ok(())
}

fn of_servers(word: &str) -> Error {
    Error::Usage(format!(
        "#{word} is for URLs of OPeNDAP servers, such as https://host/dodsC/x.nc, and this names a file"
    ))
}

/// The folder that `key=` names, without slashes around it.
fn folder(value: &str) -> Result<String> {
    let folder = value.trim_matches('/');
    let strange = |part: &str| matches!(part, "" | "." | "..") || part.contains('\0');
    if !folder.is_empty() && folder.split('/').any(strange) {
        return Err(Error::Usage(format!(
            "key={value}: not a folder below a zip's root"
        )));
    }
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests;
