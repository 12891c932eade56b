//! Attachments of dimension scales, as the HDF5 Dimension Scale specification has them: a dataset lists its scales in
//! `DIMENSION_LIST`, and a scale the datasets in `REFERENCE_LIST`.

use ncutils_hdf5::{Attribute, Class, Dataspace, File};

use super::hierarchy::Hierarchy;
use crate::error::Result;
use crate::format::netcdf4::conventions::{COORDINATES, DIMENSION_LIST, REFERENCE_LIST};
use crate::format::netcdf4::hdf5_error::hdf5_error;

/// Bytes of a sequence in an element: its length, and its heap object.
const SEQUENCE: usize = 16;

/// The address of the first scale of each dimension of the dataset at `address`, as its attribute `DIMENSION_LIST` tells; `None`
/// for a dimension without one. Empty without such an attribute.
///
/// # Errors
/// An attribute of the dataset is damaged.
pub(super) fn scales(hierarchy: &Hierarchy, file: &File, address: u64) -> Result<Vec<Option<u64>>> {
    let attributes = hierarchy.attributes(file, &file.object(address).map_err(hdf5_error)?)?;
    let list = attributes.iter().find(|a| a.name == DIMENSION_LIST);
    list.map_or(Ok(Vec::new()), |list| first_scales(file, list))
}

fn first_scales(file: &File, list: &Attribute) -> Result<Vec<Option<u64>>> {
    let is_sequence = matches!(list.datatype.class, Class::VariableLength { .. });
    if !is_sequence || file.offset_size() != 8 {
        return Ok(Vec::new());
    }
    let first = |element: &[u8]| {
        let (length, id) = element.split_first_chunk::<4>()?;
        let (collection, index) = id.split_first_chunk::<8>()?;
        let index = index.first_chunk::<4>()?;
        (*length != [0; 4]).then_some((u64::from_le_bytes(*collection), u32::from_le_bytes(*index)))
    };
    let scale = |element| match first(element) {
        None => Ok(None),
        Some((collection, index)) => {
            let references = file.global_heap_object(collection, index).map_err(hdf5_error)?;
            Ok(references
                .first_chunk::<8>()
                .map(|address| u64::from_le_bytes(*address)))
        }
    };
    list.data.chunks_exact(SEQUENCE).map(scale).collect()
}

/// Takes attachments out of `attributes`: all of a dataset of which a scale is not copied, and of a scale those to such datasets.
/// netCDF-C reads neither a file with a null reference to a scale nor one in which some dimensions of a variable have none.
///
/// # Errors
/// A list is damaged.
pub(super) fn keep_copied(
    attributes: &mut Vec<Attribute>,
    hierarchy: &Hierarchy,
    file: &File,
    is_copied: &dyn Fn(u64) -> bool,
) -> Result<()> {
    let are_copied = |scales: Vec<Option<u64>>| scales.into_iter().flatten().all(is_copied);
    let mut loses_scale = false;
    if let Some(list) = attributes.iter().find(|a| a.name == DIMENSION_LIST) {
        loses_scale = !are_copied(first_scales(file, list)?);
    }
    if let Some(list) = attributes.iter_mut().find(|a| a.name == REFERENCE_LIST) {
        let is_attached =
            |address| is_copied(address) && scales(hierarchy, file, address).is_ok_and(are_copied);
        keep_references(list, &is_attached);
    }
    attributes.retain(|attribute| match attribute.name.as_str() {
        DIMENSION_LIST | COORDINATES => !loses_scale,
        REFERENCE_LIST => !attribute.data.is_empty(),
        _ => true,
    });
    Ok(())
}

/// Keeps the elements of a `REFERENCE_LIST` that lead to attached datasets.
fn keep_references(list: &mut Attribute, is_attached: &dyn Fn(u64) -> bool) {
    let Class::Compound { members } = &list.datatype.class else {
        return;
    };
    let reference = members
        .iter()
        .find(|member| matches!(member.datatype.class, Class::Reference { .. }) && member.datatype.size == 8);
    let (Some(reference), size @ 1..) = (reference, list.datatype.size as usize) else {
        return;
    };
    let at = reference.offset as usize;
    let is_kept = |element: &&[u8]| {
        let address = element.get(at..).and_then(<[u8]>::first_chunk::<8>);
        address.is_none_or(|address| is_attached(u64::from_le_bytes(*address)))
    };
    let kept = list.data.chunks_exact(size).filter(is_kept).collect::<Vec<_>>();
    if kept.len() * size < list.data.len() {
        list.dataspace = Dataspace::fixed(&[kept.len() as u64]);
        list.data = kept.concat();
    }
}
