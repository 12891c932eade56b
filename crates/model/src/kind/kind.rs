//! The kinds of datasets. One table, [`Capabilities`], describes their features. Only `format/` depends on
//! the kind itself.

use super::capabilities::{
    CDF1, CDF1_ARCHIVE, CDF2, CDF2_ARCHIVE, CDF5, CDF5_ARCHIVE, ICECHUNK, KERCHUNK, NCZARR, NETCDF4,
    NETCDF4_CLASSIC, ZARR2, ZARR3,
};
use crate::Capabilities;

/// The kind of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// CDF-1.
    Classic,
    /// CDF-2.
    Offset64,
    /// CDF-5.
    Data64,
    /// netCDF-4/HDF5.
    Netcdf4,
    /// netCDF-4/HDF5 restricted to the classic model.
    Netcdf4Classic,
    /// NCZarr: Zarr version 2 with keys of netCDF's own.
    Nczarr,
    /// Zarr version 2 without keys of netCDF's own.
    Zarr2,
    /// Zarr version 3.
    Zarr3,
    /// A compressed archive of a CDF-1 file.
    ClassicArchive,
    /// A compressed archive of a CDF-2 file.
    Offset64Archive,
    /// A compressed archive of a CDF-5 file.
    Data64Archive,
    /// kerchunk's references to chunks of other files, as JSON or Parquet.
    Kerchunk,
    /// An Icechunk repository of references to chunks of other files.
    Icechunk,
    /// A format of another crate. Its reader and writer are called directly, because `format::open` and
    /// `format::create` do not know it.
    Other(&'static Capabilities),
}

/// What a copy between two kinds is, if it changes nothing of the dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveStep {
    /// A file becomes its archive.
    Pack,
    /// An archive stays one of the same kind.
    Repack,
    /// An archive becomes the file that it was made of.
    Restore,
    /// Any other.
    Other,
}

impl Kind {
    /// The kinds of one file, which users ask for by name (`-k`), from the fewest features to the most. Of two with equal
    /// features, the older comes first.
    pub const OF_FILES: [Self; 5] = [
        Self::Classic,
        Self::Offset64,
        Self::Data64,
        Self::Netcdf4,
        Self::Netcdf4Classic,
    ];

    /// The kinds of Zarr, which store keys.
    pub const OF_ZARR: [Self; 3] = [Self::Nczarr, Self::Zarr2, Self::Zarr3];

    /// The kinds of references to chunks of other files.
    pub const OF_REFERENCES: [Self; 2] = [Self::Kerchunk, Self::Icechunk];

    /// The kinds of compressed archives, in the order of the kinds that they archive.
    pub const ARCHIVES: [Self; 3] = [Self::ClassicArchive, Self::Offset64Archive, Self::Data64Archive];

    /// The kind of an archive of a dataset of this kind. `None` if there is no such archive.
    pub fn packed(self) -> Option<Self> {
        Self::ARCHIVES
            .into_iter()
            .find(|archive| archive.unpacked() == Some(self))
    }

    /// The kind that an archive of this kind restores; `None` if this is not an archive.
    pub fn unpacked(self) -> Option<Self> {
        match self {
            Self::ClassicArchive => Some(Self::Classic),
            Self::Offset64Archive => Some(Self::Offset64),
            Self::Data64Archive => Some(Self::Data64),
            _ => None,
        }
    }

    /// What a copy from this kind to another one is.
    pub fn step_to(self, output: Self) -> ArchiveStep {
        match (self.unpacked(), output.unpacked()) {
            (Some(_), Some(_)) if self == output => ArchiveStep::Repack,
            (Some(original), None) if original == output => ArchiveStep::Restore,
            (None, Some(original)) if original == self => ArchiveStep::Pack,
            _ => ArchiveStep::Other,
        }
    }

    /// The features of this kind.
    pub fn can(self) -> &'static Capabilities {
        match self {
            Self::Classic => &CDF1,
            Self::Offset64 => &CDF2,
            Self::Data64 => &CDF5,
            Self::Netcdf4 => &NETCDF4,
            Self::Netcdf4Classic => &NETCDF4_CLASSIC,
            Self::Nczarr => &NCZARR,
            Self::Zarr2 => &ZARR2,
            Self::Zarr3 => &ZARR3,
            Self::ClassicArchive => &CDF1_ARCHIVE,
            Self::Offset64Archive => &CDF2_ARCHIVE,
            Self::Data64Archive => &CDF5_ARCHIVE,
            Self::Kerchunk => &KERCHUNK,
            Self::Icechunk => &ICECHUNK,
            Self::Other(can) => can,
        }
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        self.can().name
    }

    /// The kind of one file with this netCDF name (`-k`, `_Format`). Accepts old names and numbers. `None`
    /// for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = Self::OF_FILES.into_iter().chain(Self::ARCHIVES);
        all.into_iter().find(|kind| kind.can().is_named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;

    #[test]
    fn every_name_means_one_kind() {
        let mut names = Vec::new();
        for kind in Kind::OF_FILES.into_iter().chain(Kind::ARCHIVES) {
            let can = kind.can();
            for name in [can.name, can.short_name].iter().chain(can.other_names) {
                assert_eq!(Kind::from_name(name), Some(kind), "{name}");
                names.push(*name);
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(Kind::from_name("zarr"), None);
        assert_eq!(Kind::from_name(""), None);
    }

    #[test]
    fn archives_belong_to_the_kinds_that_they_restore() {
        for archive in Kind::ARCHIVES {
            let original = archive.unpacked().unwrap();
            assert_eq!(original.packed(), Some(archive));
            assert_eq!(original.step_to(archive), ArchiveStep::Pack);
            assert_eq!(archive.step_to(original), ArchiveStep::Restore);
            assert_eq!(archive.step_to(archive), ArchiveStep::Repack);
            assert_eq!(original.step_to(original), ArchiveStep::Other);
            assert_eq!(Kind::Netcdf4.step_to(archive), ArchiveStep::Other);
        }
        assert_eq!(Kind::Classic.step_to(Kind::Data64Archive), ArchiveStep::Other);
        assert_eq!(Kind::Netcdf4.packed(), None);
    }

    #[test]
    fn another_crates_kind_says_itself_what_it_can() {
        static CAN: Capabilities = Capabilities {
            chunks: true,
            ..Capabilities::new("other")
        };
        let kind = Kind::Other(&CAN);
        assert_eq!(kind.name(), "other");
        assert!(kind.can().chunks && kind.can().holds(Type::Int) && !kind.can().holds(Type::Int64));
        assert!(kind != Kind::Netcdf4 && Kind::from_name("other").is_none());
    }
}
