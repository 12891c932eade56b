//! Names that netCDF-4 reserves in HDF5 files (netCDF File Formats, "The NetCDF-4 Format").

/// Most bytes in a name (`NC_MAX_NAME`). netcdf-c does not open a file with a longer one.
pub(super) const MAX_NAME: usize = 256;

/// Most levels of nested groups that are read.
pub(super) const DEPTH: usize = 256;

/// Prefix of the attributes that say how the values of a variable were quantized.
pub(super) const QUANTIZED: &str = "_Quantize";
/// On a dimension scale: marks it as one. Its text is [`DIMENSION_SCALE`].
pub(super) const CLASS: &str = "CLASS";
/// The text of [`CLASS`] on a dimension scale.
pub(super) const DIMENSION_SCALE: &str = "DIMENSION_SCALE";
/// On a dimension scale: its name, or [`DIMENSION_WITHOUT_VARIABLE`].
pub(super) const NAME: &str = "NAME";
/// Start of the text of [`NAME`] on a scale that is a dimension but no variable. The length of the dimension
/// follows.
pub(super) const DIMENSION_WITHOUT_VARIABLE: &str = "This is a netCDF dimension but not a netCDF variable";
/// On a variable: for each dimension, references to the scales attached to it.
pub(super) const DIMENSION_LIST: &str = "DIMENSION_LIST";
/// On a dimension scale: references to the datasets that it is attached to.
pub(super) const REFERENCE_LIST: &str = "REFERENCE_LIST";
/// On a dimension scale: the id of the dimension.
pub(super) const DIMENSION_ID: &str = "_Netcdf4Dimid";
/// On a variable: the ids of its dimensions.
pub(super) const COORDINATES: &str = "_Netcdf4Coordinates";
/// On the root group: the file is restricted to the classic model.
pub(super) const CLASSIC_MODEL: &str = "_nc3_strict";
/// On the root group: which software wrote the file.
pub(super) const PROPERTIES: &str = "_NCProperties";
/// Prefix of the link of a variable that has the name of a dimension but is not its coordinate variable.
pub(super) const NON_COORDINATE_PREFIX: &str = "_nc4_non_coord_";

/// The variable's name without the `_nc4_non_coord_` prefix, which netCDF-4 adds when a dimension has the
/// same name.
pub(in crate::format) fn variable_name(link: &str) -> &str {
    match link.strip_prefix(NON_COORDINATE_PREFIX) {
        Some(name) if !name.is_empty() => name,
        _ => link,
    }
}

/// Attributes that netCDF reserves and never shows on a group or variable. Those from `_NCProperties` on are
/// virtual (computed on request) or belong to other formats of the netCDF library, which hides them here too.
const RESERVED: [&str; 15] = [
    CLASS,
    NAME,
    DIMENSION_LIST,
    REFERENCE_LIST,
    DIMENSION_ID,
    COORDINATES,
    CLASSIC_MODEL,
    PROPERTIES,
    "_ARRAY_DIMENSIONS",
    "_Codecs",
    "_Format",
    "_IsNetcdf4",
    "_SuperblockVersion",
    "_nczarr_attr",
    "_nczarr_attrs",
];

/// True if netCDF hides an attribute of this name from its users.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}
