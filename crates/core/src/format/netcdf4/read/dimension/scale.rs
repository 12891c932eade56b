//! Dimension scales (HDF5 Dimension Scale Specification) in netCDF: a scale is a dimension and, unless it
//! says otherwise, also its coordinate variable.

use ncutils_hdf5::{Class, Dataspace, ReferenceKind};

use crate::format::netcdf4::conventions::{
    CLASS, COORDINATES, DIMENSION_ID, DIMENSION_LIST, DIMENSION_SCALE, DIMENSION_WITHOUT_VARIABLE, NAME,
};
use crate::format::netcdf4::read::attributes::{integers, text};
use crate::format::netcdf4::read::datatype::convert::heap_reference;
use crate::format::netcdf4::read::object::hierarchy::FoundDataset;
use crate::format::netcdf4::read::object::links::{ObjectId, OpenFile};

/// A dimension's properties, as its scale gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// Id of the dimension in the file, if given.
    pub id: Option<i64>,
    /// Length of the scale, in elements.
    pub length: u64,
    /// True if it may grow without limit.
    pub unlimited: bool,
    /// True if it is also a variable.
    pub is_variable: bool,
}

impl Scale {
    /// Reads a scale; `None` if the dataset is not one. [`DIMENSION_ID`] is read only from scales, although
    /// variables have it too.
    pub fn of(found: &FoundDataset, file: &OpenFile) -> Option<Self> {
        let class = text(found.attribute(CLASS)?, file)?;
        if class.trim_end() != DIMENSION_SCALE {
            return None;
        }
        let Dataspace::Simple { dims, max_dims } = &found.dataset.dataspace else {
            return None;
        };
        let name = found.attribute(NAME).and_then(|a| text(a, file));
        Some(Self {
            id: found
                .attribute(DIMENSION_ID)
                .and_then(integers)
                .and_then(|ids| ids.first().copied())
                .filter(|id| (0..=i64::from(i32::MAX)).contains(id)),
            length: *dims.first()?,
            unlimited: max_dims.first()?.is_none(),
            is_variable: !name.is_some_and(|n| n.starts_with(DIMENSION_WITHOUT_VARIABLE)),
        })
    }
}

/// The ids of a variable's dimensions. `None` without the attribute, or if it does not have `rank` ids.
pub fn coordinates(found: &FoundDataset, rank: usize) -> Option<Vec<i64>> {
    found
        .attribute(COORDINATES)
        .and_then(integers)
        .filter(|ids| ids.len() == rank)
}

/// The scales attached to each of `rank` dimensions of a variable. Empty lists if the attribute is missing or
/// does not follow the specification.
pub fn attached(
    found: &FoundDataset,
    rank: usize,
    file: &OpenFile,
) -> ncutils_hdf5::Result<Vec<Vec<ObjectId>>> {
    let none = vec![Vec::new(); rank];
    let Some(list) = found.attribute(DIMENSION_LIST) else {
        return Ok(none);
    };
    let Class::VariableLength { base } = &list.datatype.class else {
        return Ok(none);
    };
    let is_reference = matches!(
        base.class,
        Class::Reference {
            kind: ReferenceKind::Object
        }
    );
    let offset_size = usize::from(file.file.offset_size());
    let (element, reference) = (list.datatype.size as usize, base.size as usize);
    if !is_reference || element == 0 || reference == 0 || reference > 8 {
        return Ok(none);
    }
    let mut scales = none;
    for (scales, element) in scales.iter_mut().zip(list.data.chunks_exact(element)) {
        let Some((count, address, index)) = heap_reference(element, offset_size) else {
            continue;
        };
        if count == 0 {
            continue;
        }
        let object = file.file.global_heap_object(address, index)?;
        for reference in object.chunks_exact(reference).take(count) {
            let mut wide = [0u8; 8];
            for (w, b) in wide.iter_mut().zip(reference) {
                *w = *b;
            }
            scales.push(ObjectId {
                file: found.id.file,
                address: u64::from_le_bytes(wide),
            });
        }
    }
    Ok(scales)
}
