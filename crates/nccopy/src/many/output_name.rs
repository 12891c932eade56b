//! The name of an output in a folder: that of its input, with the ending that the output's kind wants.
//!
//! | output | ending |
//! | --- | --- |
//! | Zarr in a folder, in a zip file | `.zarr`, `.zarr.zip` |
//! | an archive of classic files | `.nc3z`, `.nc6z`, `.nc5z` |
//! | `-k zst` | `.zst` behind the whole name |
//! | another file, of a Zarr dataset, an archive or a compressed file | `.nc` |
//! | another file | that of the input |

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use ncutils_core::model::Kind;

/// Endings of datasets that a copy to one plain file takes off.
const PACKED: [&str; 8] = [
    ".zarr.zip",
    ".zarr",
    ".nc3z",
    ".nc6z",
    ".nc5z",
    ".gz",
    ".zst",
    ".zip",
];

/// The ending of a folder of keys in a zip file.
const OF_ZIP: &str = "zarr.zip";

/// What decides the ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The output has the kind of its input.
    Same,
    /// The ending of a kind.
    With(&'static str),
    /// `-k zst`.
    Zst,
    /// One file of another kind.
    File,
}

impl Ending {
    /// The ending of outputs of a kind, if one is asked for. `is_zip`: the output is a zip file.
    pub fn of(kind: Option<Kind>, is_zip: bool) -> Self {
        let Some(can) = kind.map(Kind::can) else {
            return Self::Same;
        };
        match can.ending {
            Some(_) if can.keys && is_zip => Self::With(OF_ZIP),
            Some(ending) => Self::With(ending),
            None => Self::File,
        }
    }

    /// The name of the output for an input of this file name.
    pub fn name(self, input: &OsStr) -> OsString {
        let bytes = input.as_bytes();
        let packed = PACKED.iter().find(|ending| ends_with(bytes, ending));
        let stem = packed.map_or(bytes, |ending| &bytes[..bytes.len() - ending.len()]);
        let with = |stem: &[u8], ending: &str| OsString::from_vec([stem, b".", ending.as_bytes()].concat());
        match self {
            Self::Same => match packed {
                Some(&".gz" | &".zst") => OsString::from_vec(stem.to_vec()),
                _ => input.to_owned(),
            },
            Self::With(ending) => with(bare(stem), ending),
            Self::Zst => with(bytes, "zst"),
            Self::File => match packed {
                None => input.to_owned(),
                Some(_) if bare(stem).len() < stem.len() => OsString::from_vec(stem.to_vec()),
                Some(_) => with(stem, "nc"),
            },
        }
    }
}

/// True if a name ends so, and has something before.
fn ends_with(name: &[u8], ending: &str) -> bool {
    name.len() > ending.len() && name.ends_with(ending.as_bytes())
}

/// A name without the ending of a plain file.
fn bare(name: &[u8]) -> &[u8] {
    const PLAIN: [&str; 8] = [".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".hdf", ".he5", ".netcdf"];
    let ending = PLAIN.iter().find(|ending| ends_with(name, ending));
    ending.map_or(name, |ending| &name[..name.len() - ending.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_as_the_kind_wants() {
        use Ending::{File, Same, With, Zst};
        let of = |kind| Ending::of(Some(kind), false);
        assert_eq!(Ending::of(Some(Kind::Nczarr), true), With("zarr.zip"));
        assert_eq!(of(Kind::Netcdf4), File);
        for (ending, input, expected) in [
            (Same, "a.nc", "a.nc"),
            (Same, "a.zarr", "a.zarr"),
            (Same, "a.nc.gz", "a.nc"),
            (of(Kind::Zarr3), "a.nc", "a.zarr"),
            (of(Kind::Zarr3), "a.b.h5", "a.b.zarr"),
            (of(Kind::Zarr3), "a", "a.zarr"),
            (of(Kind::Zarr3), "a.zarr.zip", "a.zarr"),
            (With(OF_ZIP), "a.zarr", "a.zarr.zip"),
            (of(Kind::ClassicArchive), "a.nc", "a.nc3z"),
            (of(Kind::Data64Archive), "a.nc.zst", "a.nc5z"),
            (Zst, "a.nc", "a.nc.zst"),
            (File, "a.h5", "a.h5"),
            (File, "a.zarr", "a.nc"),
            (File, "a.nc3z", "a.nc"),
            (File, "a.nc.zst", "a.nc"),
            (File, "a.zst", "a.nc"),
            (File, ".zarr", ".zarr"),
            (of(Kind::Zarr3), ".nc", ".nc.zarr"),
        ] {
            assert_eq!(ending.name(input.as_ref()), expected, "{ending:?} {input}");
        }
    }
}
