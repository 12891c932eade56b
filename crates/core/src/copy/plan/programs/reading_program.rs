//! [`ReadingProgram`]: what a program reads as it is commonly installed.

use super::user_types::UserTypes;
use crate::filter::{Program, Registry};
use crate::format::ZarrProgram;
use crate::model::{Attribute, CodecNames, CodecSpec, GroupId, Kind, Schema, Type, VarId, ZarrVersion};

/// A program, and what it reads as it is commonly installed.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadingProgram {
    /// The name by which users ask for it.
    pub name: &'static str,
    /// What was looked at: the package, or the documentation where the program is not free.
    pub installed: &'static str,
    /// The kinds that it reads.
    pub kinds: &'static [Kind],
    /// The filters of netCDF-4 that it has, by their names.
    pub filters: &'static [&'static str],
    /// True if it shows groups other than the root.
    pub shows_groups: bool,
    /// True if it shows variables of strings and characters.
    pub shows_text: bool,
    /// The user-defined types of which it shows variables.
    pub user_types: UserTypes,
    /// What it reads Zarr as; `None` if it does not.
    pub zarr: Option<ZarrProgram>,
}

const FILES: &[Kind] = &[
    Kind::Classic,
    Kind::Offset64,
    Kind::Data64,
    Kind::Netcdf4,
    Kind::Netcdf4Classic,
];

const WITHOUT_CDF5: &[Kind] = &[Kind::Classic, Kind::Offset64, Kind::Netcdf4, Kind::Netcdf4Classic];

const HDF5: &[Kind] = &[Kind::Netcdf4, Kind::Netcdf4Classic];

/// The filters that every netCDF-4 library has.
const USUAL: &[&str] = &["shuffle", "deflate", "fletcher32"];

/// The filters of libhdf5 as Debian builds it.
const OF_LIBHDF5: &[&str] = &["shuffle", "deflate", "fletcher32", "szip", "nbit", "scaleoffset"];

/// The same with those of netCDF-C's plugins.
const OF_NETCDF_C: &[&str] = &[
    "shuffle",
    "deflate",
    "fletcher32",
    "szip",
    "nbit",
    "scaleoffset",
    "zstd",
    "bzip2",
    "blosc",
];

impl ReadingProgram {
    /// What programs read by the netCDF-C of Debian. A row of the table says how a program differs from it.
    const OF_DEBIAN: Self = Self {
        name: "",
        installed: "",
        kinds: FILES,
        filters: OF_LIBHDF5,
        shows_groups: true,
        shows_text: true,
        user_types: UserTypes::All,
        zarr: None,
    };

    /// All programs, in the order of the help.
    pub const ALL: [Self; 12] = [
        Self {
            name: "netcdf-c",
            installed: "netCDF-C 4.9 or newer with its plugins, as the package netCDF4 of PyPI has it",
            kinds: &[
                Kind::Classic,
                Kind::Offset64,
                Kind::Data64,
                Kind::Netcdf4,
                Kind::Netcdf4Classic,
                Kind::Nczarr,
            ],
            filters: OF_NETCDF_C,
            zarr: Some(ZarrProgram::NetcdfC),
            ..Self::OF_DEBIAN
        },
        Self {
            name: "netcdf-c-4.8",
            installed: "netCDF-C without plugins, as netcdf-bin of Debian 12",
            ..Self::OF_DEBIAN
        },
        Self {
            name: "cdo",
            installed: "CDO 2.1 of Debian 12",
            shows_groups: false,
            shows_text: false,
            user_types: UserTypes::None,
            ..Self::OF_DEBIAN
        },
        Self {
            name: "nco",
            installed: "NCO 5.1 of Debian 12",
            user_types: UserTypes::None,
            ..Self::OF_DEBIAN
        },
        Self {
            name: "h5py",
            installed: "h5py 3 of PyPI, without hdf5plugin",
            kinds: HDF5,
            filters: &[
                "shuffle",
                "deflate",
                "fletcher32",
                "szip",
                "nbit",
                "scaleoffset",
                "lzf",
            ],
            ..Self::OF_DEBIAN
        },
        Self {
            name: "xarray",
            installed: "xarray with netCDF4, h5netcdf, zarr, kerchunk and icechunk of PyPI",
            kinds: &[
                Kind::Classic,
                Kind::Offset64,
                Kind::Data64,
                Kind::Netcdf4,
                Kind::Netcdf4Classic,
                Kind::Nczarr,
                Kind::Zarr2,
                Kind::Zarr3,
                Kind::Kerchunk,
                Kind::Icechunk,
            ],
            filters: OF_NETCDF_C,
            user_types: UserTypes::OfNetcdf4Python,
            zarr: Some(ZarrProgram::Xarray),
            ..Self::OF_DEBIAN
        },
        Self {
            name: "zarr-python",
            installed: "zarr 3 of PyPI, with fsspec or icechunk for references",
            kinds: &[
                Kind::Nczarr,
                Kind::Zarr2,
                Kind::Zarr3,
                Kind::Kerchunk,
                Kind::Icechunk,
            ],
            filters: &[],
            zarr: Some(ZarrProgram::ZarrPython),
            ..Self::OF_DEBIAN
        },
        Self {
            name: "matlab",
            installed: "MATLAB's functions for netCDF, by its documentation",
            kinds: WITHOUT_CDF5,
            filters: USUAL,
            ..Self::OF_DEBIAN
        },
        Self {
            name: "ncview",
            // It ends where it is asked to draw text or a user-defined type.
            installed: "ncview 2.1 of Debian 12",
            shows_text: false,
            user_types: UserTypes::None,
            ..Self::OF_DEBIAN
        },
        Self {
            name: "gdal",
            installed: "GDAL 3.6 of Debian 12",
            kinds: WITHOUT_CDF5,
            ..Self::OF_DEBIAN
        },
        Self {
            name: "julia",
            installed: "NCDatasets.jl, by its documentation",
            filters: USUAL,
            ..Self::OF_DEBIAN
        },
        Self {
            name: "any",
            installed: "everything above but zarr-python",
            kinds: HDF5,
            filters: USUAL,
            shows_groups: false,
            shows_text: false,
            user_types: UserTypes::None,
            ..Self::OF_DEBIAN
        },
    ];

    /// What Debian's netcdf-bin reads, which most users have.
    pub const USUAL: &Self = &Self::ALL[1];

    /// The program of a name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        const ALL: &[ReadingProgram] = &ReadingProgram::ALL;
        ALL.iter().find(|program| program.name == name)
    }

    /// True if it has the codec that `spec` names.
    pub fn has(&self, spec: &CodecSpec, registry: &Registry) -> bool {
        let Some(codec) = registry.find(spec) else {
            return false;
        };
        match spec.zarr_name() {
            None => self.filters.contains(&codec.name()),
            // It reads shards that are HDF5 files.
            Some((version, _)) if !self.reads_codecs(CodecNames::Zarr(version)) => {
                self.filters.contains(&codec.name())
            }
            Some((version, _)) => match (self.zarr, version) {
                (Some(ZarrProgram::NetcdfC), ZarrVersion::V2) => codec.facts().in_netcdf_c,
                (Some(ZarrProgram::ZarrPython | ZarrProgram::Xarray), ZarrVersion::V2) => {
                    codec.facts().in_numcodecs
                }
                (Some(ZarrProgram::ZarrPython | ZarrProgram::Xarray), ZarrVersion::V3) => {
                    registry.known_to(spec, Program::ZarrPython)
                }
                _ => false,
            },
        }
    }

    /// True if it reads a kind whose codecs have such names.
    fn reads_codecs(&self, names: CodecNames) -> bool {
        self.kinds.iter().any(|kind| kind.can().codecs == Some(names))
    }

    /// Its name in messages. "any" is no name of one.
    pub fn told(&self) -> &'static str {
        match self.name {
            "any" => "some program",
            name => name,
        }
    }

    /// What it does not show of a dataset: why, and the items.
    pub(super) fn unseen(&self, schema: &Schema) -> Vec<(String, String)> {
        let mut unseen = Vec::new();
        let without = |shows: &dyn Fn(&Self) -> bool| -> String {
            const ALL: &[ReadingProgram] = &ReadingProgram::ALL;
            let named = ALL
                .iter()
                .filter(|program| program.name != "any" && !shows(program));
            match self.name {
                // Which programs these are.
                "any" => named.map(|program| program.name).collect::<Vec<_>>().join(", ") + " show",
                name => format!("{name} shows"),
            }
        };
        for (at, var) in schema.vars.iter().enumerate() {
            let path = schema.var_path(VarId(at));
            if var.group != Schema::ROOT && !self.shows_groups {
                unseen.push((
                    format!("{} no groups", without(&|program| program.shows_groups)),
                    path,
                ));
            } else if matches!(var.ty, Type::String | Type::Char) && !self.shows_text {
                unseen.push((
                    format!("{} no text", without(&|program| program.shows_text)),
                    path,
                ));
            } else if let Some(unshown) = self.user_types.unshown(schema, var.ty) {
                let shows = |program: &Self| program.user_types != UserTypes::None;
                unseen.push((format!("{} no {unshown}", without(&shows)), path));
            }
        }
        unseen
    }

    /// The attributes because of which it does not open a dataset, as messages name them.
    pub(super) fn fatal_attributes(&self, schema: &Schema) -> Vec<String> {
        let groups = schema
            .groups
            .iter()
            .enumerate()
            .map(|(n, group)| (GroupId(n), group));
        let of_groups = groups.flat_map(|(id, group)| {
            let path = move |attribute: &Attribute| schema.path_in(id, &format!(":{}", attribute.name));
            group
                .attributes
                .iter()
                .map(move |attribute| (path(attribute), attribute))
        });
        let vars = schema.vars.iter().enumerate();
        let of_vars = vars.flat_map(|(n, var)| {
            let path =
                move |attribute: &Attribute| format!("{}:{}", schema.var_path(VarId(n)), attribute.name);
            var.attributes
                .iter()
                .map(move |attribute| (path(attribute), attribute))
        });
        let is_fatal = |attribute: &Attribute| self.user_types.fail_in_attributes(schema, attribute.ty);
        let all = of_groups.chain(of_vars);
        all.filter(|(_, attribute)| is_fatal(attribute))
            .map(|(path, _)| path)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_filters_are_those_of_codecs() {
        let registry = Registry::builtin();
        for program in &ReadingProgram::ALL {
            for filter in program.filters {
                assert!(registry.by_name(filter).is_some(), "{filter}");
            }
            assert_eq!(ReadingProgram::by_name(program.name), Some(program));
        }
        assert_eq!(ReadingProgram::USUAL.name, "netcdf-c-4.8");
    }

    #[test]
    fn any_reads_what_all_but_zarr_python_read() {
        let any = ReadingProgram::by_name("any").unwrap();
        for program in &ReadingProgram::ALL {
            if program.name == "zarr-python" {
                continue;
            }
            assert!(
                any.kinds.iter().all(|kind| program.kinds.contains(kind)),
                "{}",
                program.name
            );
            assert!(
                any.filters.iter().all(|filter| program.filters.contains(filter)),
                "{}",
                program.name
            );
            assert!(program.shows_groups || !any.shows_groups, "{}", program.name);
            assert!(program.shows_text || !any.shows_text, "{}", program.name);
            assert!(
                program.user_types == UserTypes::All || any.user_types == UserTypes::None,
                "{}",
                program.name
            );
        }
    }
}
