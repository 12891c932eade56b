//! The features of a kind of dataset.

use crate::{Endian, Type, ZarrVersion};

/// The form of codec names in a variable's pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodecNames {
    /// By HDF5 filter ids, with parameter words.
    Hdf5,
    /// By the codec names of a version of Zarr, with a JSON configuration.
    Zarr(ZarrVersion),
}

/// How cells are added to a dataset where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Growth {
    /// Not at all: the dataset is written anew.
    Anew,
    /// As records behind those that it has.
    Records,
    /// As chunks. Those at the border are written anew, with their old cells.
    Chunks,
}

/// The dimensions that may be unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnlimitedDimensions {
    /// None.
    None,
    /// One in a dataset, and only as the first dimension of a variable.
    OneAsFirst,
    /// One in a dataset, at any place among a variable's dimensions.
    One,
    /// Any number, at any place.
    Any,
}

/// The features of a kind of dataset, and its names for users.
///
/// A format in another crate starts from [`Capabilities::new`] and sets what differs:
///
/// ```
/// use ncutils_model::{Capabilities, Kind, Type};
///
/// static CAN: Capabilities = {
///     let mut can = Capabilities::new("grid store");
///     can.chunks = true;
///     can.atomic_types = &[Type::Float, Type::Double];
///     can
/// };
/// let kind = Kind::Other(&CAN);
/// assert_eq!(kind.name(), "grid store");
/// assert!(kind.can().chunks && !kind.can().groups);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// The kind's name in messages.
    pub name: &'static str,
    /// What `ncdump -k` and `_Format` print. netCDF-C knows NCZarr and Zarr as `netCDF-4`.
    pub format_name: &'static str,
    /// The format, and the flags with which netCDF-C opens it, as `ncdump -K` prints them.
    pub extended_name: &'static str,
    /// The name that messages recommend, such as `nc4`.
    pub short_name: &'static str,
    /// Other names that users may give, including old names and numbers.
    pub other_names: &'static [&'static str],
    /// The ending of names of datasets of this kind, without its dot, where copies of a file get it. `None` for files that are called
    /// as their input.
    pub ending: Option<&'static str>,
    /// True if a dataset is many named values, in a folder or a zip file. Otherwise it is one file.
    pub keys: bool,
    /// The digit of its option (`-3` to `-7`).
    pub digit: Option<char>,
    /// Flags for netCDF-C's `nc_create`, without the prefix `NC_`. `None` if netCDF-C cannot create this
    /// kind.
    pub creation_flags: Option<&'static [&'static str]>,

    /// True if netCDF-C reads datasets of this kind, which finds a name only if it is normalized.
    pub normalized_names: bool,
    /// True if a dataset can have groups.
    pub groups: bool,
    /// True if a dataset can have user-defined types.
    pub user_types: bool,
    /// True if variables and attributes can have types of varying length: vlens, and compounds with members that are vlens
    /// or strings.
    pub types_with_heap: bool,
    /// True if variables can be vlens of numbers, also where other types of varying length cannot be.
    pub lists_of_numbers: bool,
    /// True if variables can be booleans and complex numbers, which are user-defined types elsewhere
    /// ([`UserType::is_boolean`](crate::UserType::is_boolean), [`UserType::complex_part`](crate::UserType::complex_part)), and
    /// attributes booleans.
    pub booleans_and_complex: bool,
    /// True if variables can be compounds of fixed size whose fields are no enums, which are user-defined types elsewhere.
    pub plain_compounds: bool,
    /// The atomic types that variables and attributes can have.
    pub atomic_types: &'static [Type],
    /// The dimensions that may be unlimited.
    pub unlimited: UnlimitedDimensions,
    /// Largest length of a dimension.
    pub longest_dimension: u64,

    /// True if a variable can be contiguous. Otherwise it has one chunk or several.
    pub contiguous: bool,
    /// True if the raw data of a contiguous variable can be in files of its own.
    pub external_data: bool,
    /// True if the space of the file can be managed in pages.
    pub pages: bool,
    /// True if a small variable can be stored in the metadata.
    pub compact: bool,
    /// True if variables can have chunks.
    pub chunks: bool,
    /// The form of codec names; `None` if there are no codecs.
    pub codecs: Option<CodecNames>,
    /// True if all readers of the kind have the codecs of numcodecs, and no others.
    pub only_numcodecs: bool,
    /// The byte order of all numbers; `None` if each variable has its own.
    pub byte_order: Option<Endian>,
    /// True if each chunk has a filter mask, which says what codecs it skips. Otherwise every chunk passes all of them.
    pub filter_masks: bool,
    /// True if a variable can be shorter than its unlimited dimensions. Otherwise its extent is their lengths.
    pub own_extents: bool,
    /// True if a variable has a shape of its own, and keeps all elements where its dimension in the input is shorter. Otherwise it
    /// is cut to the dimension, as in netCDF-C.
    pub own_shapes: bool,
    /// True if a chunk can be longer than a fixed dimension. Such chunks of the input are then kept, and pass. If false,
    /// every chunk is cut to the fixed dimensions. Chunks are cut in either case along a dimension that was unlimited in
    /// the input and is fixed in the output, because not all readers of such a kind expect longer ones.
    pub chunks_past_dimensions: bool,
    /// Largest chunk, in decoded bytes.
    pub largest_chunk: u64,
    /// True if chunks can be stored together in shards.
    pub shards: bool,
    /// True if a dataset says where the chunks of another one lie, and has few of its own.
    pub references: bool,
    /// True if such places can be relative paths. Otherwise they are whole URLs.
    pub relative_places: bool,
    /// True if fields of compounds are stored without gaps. Other compounds are then packed when they are written.
    pub packed_compounds: bool,
    /// True if all strings of a variable take the same number of bytes.
    pub fixed_strings: bool,
    /// True if unwritten characters read as NUL, whatever the fill value is.
    pub unwritten_characters_are_empty: bool,
    /// True if unwritten strings read as empty, whatever the fill value is.
    pub unwritten_strings_are_empty: bool,
    /// True if what was never written may read as another value than the attribute `_FillValue`. In other kinds both are one.
    pub fill_apart_from_attribute: bool,
    /// True if programs fail to read strings that were never written and have a fill value. So all are written.
    pub unwritten_strings_fail: bool,
    /// True if a program reads the fill value of unwritten big-endian numbers in the other byte order. So all are written.
    pub unwritten_big_endian_is_swapped: bool,
    /// True if a writer can leave out a promised chunk that turns out to hold only fill values.
    pub skips_chunks: bool,
    /// True if a variable can have no fill value. Its unwritten parts then read as zeros. If false, unwritten
    /// parts read as `_FillValue`, or as the default fill value of the type.
    pub no_fill: bool,
    /// How cells are added to a dataset where it is.
    pub grows: Growth,
    /// True if the dataset describes the storage of each variable, so that `ncdump -s` prints `_Storage`,
    /// `_ChunkSizes` and so on. A CDL text with such attributes is taken for a dataset of such a kind.
    pub storage_attributes: bool,
}

impl Capabilities {
    /// The minimal features: numbers and text of the classic model, fixed dimensions, contiguous, big-endian.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            format_name: name,
            extended_name: name,
            short_name: name,
            other_names: &[],
            ending: None,
            keys: false,
            digit: None,
            creation_flags: None,
            normalized_names: false,
            groups: false,
            user_types: false,
            types_with_heap: false,
            lists_of_numbers: false,
            booleans_and_complex: false,
            plain_compounds: false,
            atomic_types: Type::CLASSIC,
            unlimited: UnlimitedDimensions::None,
            longest_dimension: u64::MAX,
            contiguous: true,
            external_data: false,
            pages: false,
            compact: false,
            chunks: false,
            codecs: None,
            only_numcodecs: false,
            byte_order: Some(Endian::Big),
            filter_masks: false,
            own_extents: false,
            own_shapes: false,
            chunks_past_dimensions: false,
            largest_chunk: u64::MAX,
            shards: false,
            references: false,
            relative_places: false,
            packed_compounds: false,
            fixed_strings: false,
            unwritten_characters_are_empty: false,
            unwritten_strings_are_empty: false,
            fill_apart_from_attribute: false,
            unwritten_strings_fail: false,
            unwritten_big_endian_is_swapped: false,
            skips_chunks: false,
            no_fill: false,
            grows: Growth::Anew,
            storage_attributes: false,
        }
    }

    /// True if variables and attributes can have this type.
    pub fn holds(&self, ty: Type) -> bool {
        match ty {
            Type::User(_) => self.user_types,
            atomic => self.atomic_types.contains(&atomic),
        }
    }

    /// True if every unlimited dimension becomes a fixed one of its present length, without an option. The arrays of such
    /// a kind have chunks, so that they can be made longer later.
    pub fn fixes_unlimited(&self) -> bool {
        self.chunks && self.unlimited == UnlimitedDimensions::None
    }

    /// True if `name` is one of the kind's names.
    pub fn is_named(&self, name: &str) -> bool {
        name == self.name || name == self.short_name || self.other_names.contains(&name)
    }
}

/// CDF-1.
pub(super) const CDF1: Capabilities = Capabilities {
    grows: Growth::Records,
    normalized_names: true,
    name: "classic",
    format_name: "classic",
    extended_name: "classic mode=00000000",
    short_name: "nc3",
    other_names: &["1"],
    digit: Some('3'),
    creation_flags: Some(&[]),
    unlimited: UnlimitedDimensions::OneAsFirst,
    // Here and below three less than the largest number, so that a length can be rounded up to a multiple of
    // 4.
    longest_dimension: i32::MAX as u64 - 3,
    ..Capabilities::new("")
};

/// CDF-2.
pub(super) const CDF2: Capabilities = Capabilities {
    grows: Growth::Records,
    normalized_names: true,
    name: "64-bit offset",
    format_name: "64-bit offset",
    extended_name: "64-bit offset mode=00000200",
    short_name: "nc6",
    other_names: &["64-bit-offset", "2"],
    digit: Some('6'),
    creation_flags: Some(&["64BIT_OFFSET"]),
    unlimited: UnlimitedDimensions::OneAsFirst,
    longest_dimension: u32::MAX as u64 - 3,
    ..Capabilities::new("")
};

/// CDF-5.
pub(super) const CDF5: Capabilities = Capabilities {
    grows: Growth::Records,
    normalized_names: true,
    name: "cdf5",
    format_name: "cdf5",
    extended_name: "64-bit data mode=00000020",
    short_name: "nc5",
    other_names: &["cdf-5", "64-bit data", "64-bit-data", "5", "pnetcdf"],
    digit: Some('5'),
    creation_flags: Some(&["64BIT_DATA"]),
    atomic_types: Type::FIXED_SIZE,
    unlimited: UnlimitedDimensions::OneAsFirst,
    longest_dimension: i64::MAX as u64 - 3,
    ..Capabilities::new("")
};

/// A compressed archive of a CDF-1 file.
pub(super) static CDF1_ARCHIVE: Capabilities = Capabilities {
    name: "classic archive",
    format_name: "classic archive",
    extended_name: "classic archive",
    short_name: "nc3z",
    ending: Some("nc3z"),
    other_names: &[],
    digit: None,
    creation_flags: None,
    storage_attributes: true,
    grows: Growth::Anew,
    ..CDF1
};

/// A compressed archive of a CDF-2 file.
pub(super) static CDF2_ARCHIVE: Capabilities = Capabilities {
    name: "64-bit offset archive",
    format_name: "64-bit offset archive",
    extended_name: "64-bit offset archive",
    short_name: "nc6z",
    ending: Some("nc6z"),
    other_names: &[],
    digit: None,
    creation_flags: None,
    storage_attributes: true,
    grows: Growth::Anew,
    ..CDF2
};

/// A compressed archive of a CDF-5 file.
pub(super) static CDF5_ARCHIVE: Capabilities = Capabilities {
    name: "cdf5 archive",
    format_name: "cdf5 archive",
    extended_name: "cdf5 archive",
    short_name: "nc5z",
    ending: Some("nc5z"),
    other_names: &[],
    digit: None,
    creation_flags: None,
    storage_attributes: true,
    grows: Growth::Anew,
    ..CDF5
};

/// netCDF-4 in HDF5.
pub(super) static NETCDF4: Capabilities = Capabilities {
    name: "netCDF-4",
    format_name: "netCDF-4",
    extended_name: "HDF5 mode=00001000",
    short_name: "nc4",
    other_names: &["netcdf-4", "netCDF4", "netcdf4", "hdf5", "enhanced", "3"],
    digit: Some('4'),
    creation_flags: Some(&["NETCDF4"]),
    groups: true,
    user_types: true,
    types_with_heap: true,
    atomic_types: &Type::ATOMIC,
    unlimited: UnlimitedDimensions::Any,
    ..HDF5
};

/// netCDF-4 in HDF5, restricted to the classic model.
pub(super) static NETCDF4_CLASSIC: Capabilities = Capabilities {
    name: "netCDF-4 classic model",
    format_name: "netCDF-4 classic model",
    extended_name: "HDF5 mode=00001000",
    short_name: "nc7",
    other_names: &[
        "netCDF-4-classic",
        "netCDF-4_classic",
        "netCDF4_classic",
        "hdf5-nc3",
        "enhanced-nc3",
        "4",
    ],
    digit: Some('7'),
    creation_flags: Some(&["NETCDF4", "CLASSIC_MODEL"]),
    unlimited: UnlimitedDimensions::One,
    ..HDF5
};

/// Storage features of HDF5.
const HDF5: Capabilities = Capabilities {
    normalized_names: true,
    grows: Growth::Chunks,
    external_data: true,
    pages: true,
    compact: true,
    chunks: true,
    largest_chunk: u32::MAX as u64,
    codecs: Some(CodecNames::Hdf5),
    byte_order: None,
    filter_masks: true,
    own_extents: true,
    // libhdf5 1.10 and 2.0, in a file that is open for reading only.
    unwritten_strings_fail: true,
    no_fill: true,
    storage_attributes: true,
    ..Capabilities::new("HDF5")
};

/// Zarr version 2 with netCDF's own keys.
pub(super) static NCZARR: Capabilities = Capabilities {
    normalized_names: true,
    name: "NCZarr",
    short_name: "nczarr",
    extended_name: "NCZarr version 2.0.0 mode=00001000",
    unlimited: UnlimitedDimensions::Any,
    ..ZARR
};

/// Zarr version 2. A dimension has a length and nothing else.
pub(super) const ZARR2: Capabilities = Capabilities {
    name: "Zarr version 2",
    short_name: "zarr2",
    booleans_and_complex: true,
    plain_compounds: true,
    packed_compounds: true,
    lists_of_numbers: true,
    extended_name: "Zarr version 2 mode=00001000",
    ..ZARR
};

/// kerchunk's references: Zarr version 2, whose chunks are places in other files.
pub(super) static KERCHUNK: Capabilities = Capabilities {
    name: "kerchunk",
    short_name: "kerchunk",
    extended_name: "kerchunk mode=00001000",
    ending: Some("json"),
    grows: Growth::Anew,
    references: true,
    relative_places: true,
    only_numcodecs: true,
    skips_chunks: false,
    unwritten_characters_are_empty: false,
    unwritten_big_endian_is_swapped: false,
    ..ZARR2
};

/// Zarr version 3. What it has no place for is in an attribute of netCDF's own: unlimited dimensions, no-fill.
pub(super) const ZARR3: Capabilities = Capabilities {
    name: "Zarr version 3",
    short_name: "zarr3",
    extended_name: "Zarr version 3 mode=00001000",
    user_types: true,
    lists_of_numbers: true,
    unlimited: UnlimitedDimensions::Any,
    codecs: Some(CodecNames::Zarr(ZarrVersion::V3)),
    shards: true,
    packed_compounds: true,
    fixed_strings: false,
    unwritten_characters_are_empty: false,
    unwritten_strings_are_empty: false,
    unwritten_big_endian_is_swapped: false,
    ..ZARR
};

/// References in an Icechunk repository: Zarr version 3, whose chunks are places in other files.
pub(super) static ICECHUNK: Capabilities = Capabilities {
    name: "Icechunk",
    short_name: "icechunk",
    extended_name: "Icechunk mode=00001000",
    ending: Some("icechunk"),
    references: true,
    skips_chunks: false,
    shards: false,
    ..ZARR3
};

/// Features of Zarr version 2.
const ZARR: Capabilities = Capabilities {
    ending: Some("zarr"),
    keys: true,
    grows: Growth::Chunks,
    format_name: "netCDF-4",
    groups: true,
    atomic_types: &Type::ATOMIC,
    contiguous: false,
    chunks: true,
    codecs: Some(CodecNames::Zarr(ZarrVersion::V2)),
    byte_order: None,
    own_shapes: true,
    chunks_past_dimensions: true,
    fill_apart_from_attribute: true,
    fixed_strings: true,
    unwritten_characters_are_empty: true,
    unwritten_strings_are_empty: true,
    // netCDF-C 4.10.
    unwritten_big_endian_is_swapped: true,
    skips_chunks: true,
    no_fill: true,
    storage_attributes: true,
    ..Capabilities::new("Zarr")
};
