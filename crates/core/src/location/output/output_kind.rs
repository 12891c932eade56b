//! The kind of an output, as its name and the user's options say.
//!
//! | output | kind |
//! | --- | --- |
//! | a fragment with a format | NCZarr, or pure Zarr of version 2 or 3; `-k` may say netCDF-4 beside it |
//! | a fragment with a store only | a kind of Zarr that `-k` says; else an error |
//! | `*.json`, `*.json.zst`, `*.parq`, `*.parquet` | what `-k` says, else kerchunk's references |
//! | `*.zarr`, `*.zarr.zip` | a kind of Zarr that `-k` says, or that of a Zarr input; else an error that shows the fragments |
//! | any other name | what `-k` says; else netCDF-4 for a Zarr input, and no rule for others |

use std::os::unix::ffi::OsStrExt;

use crate::error::{Error, Result};
use crate::format::SnapshotName;
use crate::model::Kind;
use crate::remote_settings::Provider;

use crate::location::{Location, StoreKind, Target};

/// True for the formats that store keys.
pub(crate) fn is_zarr(kind: Kind) -> bool {
    Kind::OF_ZARR.contains(&kind)
}

impl Location {
    /// The kind of the dataset to create here. `asked` is the kind that the user asks for by an option, `input` that of
    /// a dataset that is copied. `None` if neither the name nor the option decides.
    ///
    /// # Errors
    /// A name that contradicts `asked`, or that asks for Zarr and does not say for which.
    pub fn output_kind(&self, asked: Option<Kind>, input: Option<Kind>) -> Result<Option<Kind>> {
        let asked = match asked {
            Some(kind) if self.shards_as_hdf5 && kind != Kind::Zarr3 => {
                let why = format!(
                    "shards that are HDF5 files are Zarr version 3 and netCDF-4 at once; leave out that the kind is '{}'",
                    kind.name()
                );
                return Err(self.named()(Error::Usage(why)));
            }
            None if self.shards_as_hdf5 => Some(Kind::Zarr3),
            asked => asked,
        };
        self.choose_kind(asked, input).map_err(self.named())
    }

    fn choose_kind(&self, asked: Option<Kind>, input: Option<Kind>) -> Result<Option<Kind>> {
        let zarr_asked = asked.filter(|kind| is_zarr(*kind));
        if let Some(mode) = self.zarr_mode() {
            if let Some(snapshot) = &mode.snapshot {
                return match snapshot {
                    SnapshotName::Branch(name) if name == "main" => Ok(Some(Kind::Icechunk)),
                    _ => Err(Error::Usage(
                        "a new repository has the branch main alone; leave out branch, tag and snapshot"
                            .to_owned(),
                    )),
                };
            }
            let Some(format) = mode.format.or(zarr_asked) else {
                return Err(Error::Usage(format!(
                    "the fragment names no format; write {}",
                    self.fragments(mode.store.unwrap_or(StoreKind::Directory))
                )));
            };
            // Scripts for netCDF-C ask for netCDF-4 beside the fragment.
            return match asked {
                Some(kind) if kind != Kind::Netcdf4 && kind != format => Err(Error::Usage(format!(
                    "the fragment asks for {}, and the option for the kind '{}'; leave one of them out",
                    format.name(),
                    kind.name()
                ))),
                _ => Ok(Some(format)),
            };
        }
        if self.makes_references(asked) && self.store_by_name().is_none() {
            return Ok(Some(asked.unwrap_or(Kind::Kerchunk)));
        }
        let from_zarr = input.filter(|kind| is_zarr(*kind));
        match (self.store_by_name(), asked, from_zarr) {
            _ if zarr_asked.is_some() => Ok(asked),
            (Some(_), None, Some(kind)) => Ok(Some(kind)),
            (Some(store), _, _) => Err(Error::Usage(format!(
                "this name is one of Zarr, but says neither NCZarr nor pure Zarr; give -k zarr3, -k zarr2 or -k nczarr, or write {}",
                self.fragments(store)
            ))),
            (None, None, Some(_)) => Ok(Some(Kind::Netcdf4)),
            (None, asked, _) => Ok(asked),
        }
    }

    /// Checks that this is no name of Zarr, for an output in one file that `option` asks for.
    ///
    /// # Errors
    /// A fragment with a format, or an ending that means Zarr.
    pub fn check_one_file(&self, option: &str) -> Result<()> {
        match self.zarr_mode().is_some() || self.store_by_name().is_some() {
            true => Err(self.named()(Error::Usage(format!(
                "{option} makes one file, and this is a name of Zarr; leave the option out, or name a file"
            )))),
            false => Ok(()),
        }
    }

    /// Checks that this is no zip file, for an output in a folder that `option` asks for.
    ///
    /// # Errors
    /// A name or fragment that means a zip file.
    pub fn check_folder(&self, option: &str) -> Result<()> {
        match self.store() == StoreKind::Zip {
            true => Err(self.named()(Error::Usage(format!(
                "{option} writes a folder, as files in a zip file are none to other programs; name a folder"
            )))),
            false => Ok(()),
        }
    }

    /// The store for keys that a name without a fragment asks for by its ending.
    pub(crate) fn store_by_name(&self) -> Option<StoreKind> {
        let name = self.file_name()?;
        let name = name.as_bytes();
        if name.ends_with(b".zarr") {
            Some(StoreKind::Directory)
        } else if name.ends_with(b".zarr.zip") {
            Some(StoreKind::Zip)
        } else {
            None
        }
    }

    /// True for a name that ends as that of a zip file. It asks for no Zarr, and where that is asked for, for no folder.
    pub(crate) fn is_named_zip(&self) -> bool {
        self.file_name()
            .is_some_and(|name| name.as_bytes().ends_with(b".zip"))
    }

    /// A warning if a file is created under a name that ends as those of zip files, archives or compressed files, and is none, or if
    /// an archive is created under a name that ends as those of netCDF files.
    pub fn misleading_name(&self, kind: Kind) -> Option<String> {
        let name = self.file_name()?;
        let name = name.as_bytes();
        let ends = |endings: &[&[u8]]| endings.iter().any(|ending| name.ends_with(ending));
        let (what, instead) = if is_zarr(kind) || kind.can().references {
            return None;
        } else if ends(&[b".zip"]) {
            let fragments = self.fragments(StoreKind::Zip);
            ("a zip file", format!("for Zarr in a zip file write {fragments}"))
        } else if kind.unpacked().is_none() && ends(&[b".nc3z", b".nc5z", b".nc6z"]) {
            ("an archive", "-k archive makes one".to_owned())
        } else if kind.unpacked().is_some() && ends(&[b".nc"]) {
            return Some(
                "this will be an archive, which other programs do not read; name it .nc3z, or ask for another kind, such as -k nc3"
                    .to_owned(),
            );
        } else if ends(&[b".gz"]) {
            ("compressed by gzip", "nccopy -k zst compresses a file".to_owned())
        } else if ends(&[b".zst"]) {
            (
                "compressed by Zstandard",
                "nccopy -k zst compresses a file".to_owned(),
            )
        } else {
            return None;
        };
        let kind = kind.name();
        Some(format!(
            "this will be one file of the kind '{kind}', not {what}; {instead}"
        ))
    }

    /// The names to type for a Zarr dataset in a store, for messages.
    fn fragments(&self, store: StoreKind) -> String {
        let path = match self.path() {
            Some(path) => path.display().to_string(),
            None => self.to_string(),
        };
        let word = match (&self.target, store) {
            (Target::Remote(url), StoreKind::Directory) => match url.provider() {
                // What is not read only at an HTTP URL is S3.
                Provider::S3 | Provider::Http => ",s3".to_owned(),
                Provider::Gcs | Provider::Azure => String::new(),
            },
            _ => format!(",{}", store.word()),
        };
        format!(
            "'{path}#mode=nczarr{word}', '{path}#mode=zarr{word}' or '{path}#mode=zarr,v3{word}' (Zarr version 3)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str, asked: Option<Kind>, input: Option<Kind>) -> Result<Option<Kind>> {
        Location::parse(name).unwrap().output_kind(asked, input)
    }

    #[test]
    fn advised_names_are_understood() {
        for name in [
            "x.zarr",
            "s3://b/x.zarr",
            "gs://b/x.zarr",
            "az://b/x.zarr",
            "http://h/b/x.zarr",
        ] {
            let error = kind(name, None, None).unwrap_err().to_string();
            let advised: Vec<&str> = error.split('\'').filter(|part| part.contains("#mode=")).collect();
            assert_eq!(advised.len(), 3, "{error}");
            for one in advised {
                assert!(kind(one, None, None).unwrap().is_some(), "{one}");
            }
        }
    }

    #[test]
    fn fragments_decide() {
        let nc4 = Some(Kind::Netcdf4);
        for (name, expected) in [
            ("x#mode=nczarr", Kind::Nczarr),
            ("x.nc#mode=nczarr,zip", Kind::Nczarr),
            ("x.zarr#mode=zarr,file", Kind::Zarr2),
            ("file://x.zarr#mode=xarray", Kind::Zarr2),
            ("x.zarr#mode=zarr,v3", Kind::Zarr3),
            ("x.zarr#mode=v3,zip", Kind::Zarr3),
        ] {
            for asked in [None, nc4, Some(expected)] {
                for input in [
                    None,
                    nc4,
                    Some(Kind::Classic),
                    Some(Kind::Nczarr),
                    Some(Kind::Zarr2),
                    Some(Kind::Zarr3),
                ] {
                    assert_eq!(kind(name, asked, input).unwrap(), Some(expected), "{name}");
                }
            }
            for asked in [Kind::Classic, Kind::Offset64, Kind::Data64, Kind::Netcdf4Classic] {
                let error = kind(name, Some(asked), nc4).unwrap_err().to_string();
                assert!(error.starts_with(name) && error.contains(asked.name()), "{error}");
            }
        }
        for (name, says) in [
            (
                "x#mode=zip",
                "'x#mode=nczarr,zip', 'x#mode=zarr,zip' or 'x#mode=zarr,v3,zip'",
            ),
            (
                "x#mode=file",
                "'x#mode=nczarr,file', 'x#mode=zarr,file' or 'x#mode=zarr,v3,file'",
            ),
            ("x#mode=v2", "'x#mode=zarr,file'"),
            ("file:///x#mode=consolidated", "'/x#mode=nczarr,file'"),
        ] {
            let error = kind(name, None, Some(Kind::Nczarr)).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains(says), "{error}");
        }
    }

    #[test]
    fn names_of_zarr_take_the_inputs_kind() {
        for name in ["a/x.zarr", "x.zarr/", "x.zarr.zip", "file:///x.zarr"] {
            for input in [Kind::Nczarr, Kind::Zarr2, Kind::Zarr3] {
                assert_eq!(kind(name, None, Some(input)).unwrap(), Some(input));
            }
            for (asked, input) in [
                (None, None),
                (None, Some(Kind::Netcdf4)),
                (Some(Kind::Netcdf4), Some(Kind::Nczarr)),
                (Some(Kind::Classic), None),
            ] {
                let error = kind(name, asked, input).unwrap_err().to_string();
                assert!(
                    error.contains("#mode=nczarr,") && error.contains("#mode=zarr,"),
                    "{error}"
                );
            }
        }
        for asked in Kind::OF_ZARR {
            for name in ["x.zarr", "x.zarr.zip", "x#mode=zip", "s3://b/x", "x.nc"] {
                assert_eq!(kind(name, Some(asked), None).unwrap(), Some(asked), "{name}");
            }
        }
        let error = kind("x.zarr.zip", None, None).unwrap_err().to_string();
        assert!(error.contains("'x.zarr.zip#mode=nczarr,zip'"), "{error}");
    }

    #[test]
    fn one_file_has_no_name_of_zarr() {
        let check = |name: &str| Location::parse(name).unwrap().check_one_file("-k zst");
        for name in ["x#mode=zarr,v3", "x.nc#mode=nczarr,zip", "x.zarr", "x.zarr.zip"] {
            let error = check(name).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("-k zst"), "{error}");
        }
        for name in ["x.nc", "x.zip", "x.nc#mode=netcdf4"] {
            assert!(check(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_name_that_misleads_is_told() {
        let told = |name: &str, kind| Location::parse(name).unwrap().misleading_name(kind);
        for (name, kind, says) in [
            (
                "a/x.zip",
                Kind::Netcdf4,
                "'a/x.zip#mode=nczarr,zip', 'a/x.zip#mode=zarr,zip' or",
            ),
            ("x.zip", Kind::Classic, "'classic'"),
            ("x.nc3z", Kind::Classic, "-k archive makes one"),
            ("x.nc.zst", Kind::Netcdf4, "-k zst compresses a file"),
            ("x.nc.gz", Kind::Classic, "not compressed by gzip"),
            ("x.nc", Kind::ClassicArchive, "this will be an archive"),
        ] {
            let warning = told(name, kind).unwrap();
            assert!(warning.contains(says), "{warning}");
        }
        assert_eq!(told("x.zip#mode=nczarr,zip", Kind::Nczarr), None);
        assert_eq!(told("x.nc3z", Kind::ClassicArchive), None);
        assert_eq!(told("x.nc", Kind::Netcdf4), None);
    }

    #[test]
    fn other_names_are_files() {
        for name in [
            "x.nc",
            "x",
            "x.zip",
            "x.zarr.nc",
            "x.nc#mode=netcdf4",
            "/dev/null",
        ] {
            assert_eq!(kind(name, None, None).unwrap(), None);
            assert_eq!(kind(name, None, Some(Kind::Classic)).unwrap(), None);
            for zarr in [Kind::Zarr2, Kind::Zarr3] {
                assert_eq!(kind(name, None, Some(zarr)).unwrap(), Some(Kind::Netcdf4));
            }
            let classic = Some(Kind::Classic);
            assert_eq!(kind(name, classic, Some(Kind::Nczarr)).unwrap(), classic);
        }
    }
}
