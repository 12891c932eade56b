//! The attributes of an object while its file is read.

use ncutils_hdf5::Attribute as Stored;

use crate::format::netcdf4::conventions::is_reserved;
use crate::format::netcdf4::read::attributes;
use crate::model::Attribute;

/// An attribute of an object.
pub enum FoundAttribute {
    /// As the file stores it. It is one that netCDF reserves, or its meaning depends on the rest of the file.
    Stored(Box<Stored>),
    /// Converted to netCDF's form.
    Converted(Attribute),
}

impl FoundAttribute {
    /// Keeps an attribute, converted if possible: that takes a third of the memory of the stored form.
    pub fn of(stored: &Stored) -> Self {
        let converted = match is_reserved(&stored.name) {
            true => None,
            false => attributes::convert_plain(stored),
        };
        match converted {
            Some(attribute) => Self::Converted(attribute),
            None => Self::Stored(Box::new(stored.clone())),
        }
    }

    /// The attribute as the file stores it; `None` if it was converted.
    pub fn stored(&self) -> Option<&Stored> {
        match self {
            Self::Stored(stored) => Some(stored),
            Self::Converted(_) => None,
        }
    }
}

/// The attributes that are kept as the file stores them: all that netCDF reserves, and some others.
pub fn stored(attributes: &[FoundAttribute]) -> impl Iterator<Item = &ncutils_hdf5::Attribute> {
    attributes.iter().filter_map(FoundAttribute::stored)
}
