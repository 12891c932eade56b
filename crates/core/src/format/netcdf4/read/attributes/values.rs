//! Converts HDF5 attributes to netCDF attributes.
//!
//! netCDF's attributes have one dimension, so others are flattened. A scalar string of fixed size becomes
//! text (`char`, one value per byte, including trailing NULs). Every other string becomes a `string`. A null
//! dataspace gives length 0.

use crate::format::netcdf4::hdf5_error::as_hdf5;
use ncutils_hdf5::{Attribute as Stored, Class, Dataspace};

use crate::chunk::swap_units;
use crate::error::Error;
use crate::format::netcdf4::read::datatype::convert::{Conversion, Heap};
use crate::format::netcdf4::read::datatype::number::Number;
use crate::format::netcdf4::read::datatype::types::{Member, TypeTable, is_text};
use crate::format::netcdf4::read::object::links::{ObjectId, OpenFile, Unfollowed};
use crate::model::{Attribute, Endian, GroupId, Schema, Type, Values};

/// Converts an attribute. User types that it needs are added to `group`. Also returns an address to which it refers, and at
/// which no object is known.
///
/// # Errors
/// [`Unfollowed::Left`] if netCDF cannot hold it.
pub fn convert(
    stored: &Stored,
    file: (usize, &OpenFile),
    schema: &mut Schema,
    types: &mut TypeTable,
    group: GroupId,
) -> Result<(Attribute, Option<u64>), Unfollowed> {
    let (file_index, file) = file;
    let left = |why: String| Unfollowed::Left(why);
    if is_characters(stored) {
        let attribute = characters(stored).ok_or_else(|| short(stored))?;
        return Ok((attribute, None));
    }
    let member = Member::of(&stored.datatype).map_err(left)?;
    let ty = if is_text(member.base) {
        Type::String
    } else {
        let committed = stored.committed.map(|address| ObjectId {
            file: file_index,
            address,
        });
        types
            .of_attribute(
                schema,
                member.base,
                committed.filter(|_| member.dims.is_empty()),
                group,
            )
            .map_err(left)?
    };
    let inner = member.count().ok_or_else(|| short(stored))?;
    let count = stored
        .dataspace
        .count()
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| short(stored))?;
    let length = count.checked_mul(inner).ok_or_else(|| short(stored))?;
    let mut values = Values::default();
    let mut unknown = None;
    if length > 0 {
        let conversion = if is_text(member.base) {
            Conversion::compile_text(&member)
        } else {
            Conversion::compile_array(schema, &member, ty)
        }
        .map_err(|e| failed(stored, e))?;
        conversion
            .run(&stored.data, count, &Heap::new(file), &mut values)
            .map_err(|e| failed(stored, e))?;
        unknown = conversion.unknown_object();
    }
    let attribute = Attribute {
        name: stored.name.clone(),
        ty,
        length,
        values,
    };
    Ok((attribute, unknown))
}

/// Converts an attribute of text or plain numbers. `None` for any other, and for one about which [`convert`]
/// reports a problem.
pub fn convert_plain(stored: &Stored) -> Option<Attribute> {
    if is_characters(stored) {
        return characters(stored);
    }
    let Ok(Number::Plain(ty, endian)) = Number::of(&stored.datatype) else {
        return None;
    };
    let length = usize::try_from(stored.dataspace.count()?).ok()?;
    let size = ty.atomic_size();
    let mut bytes = stored.data.get(..length.checked_mul(size)?)?.to_vec();
    if endian == Endian::Big {
        swap_units(&mut bytes, size);
    }
    Some(Attribute {
        name: stored.name.clone(),
        ty,
        length,
        values: Values::from_bytes(bytes),
    })
}

/// True if an attribute is one string of fixed size, or an empty one.
fn is_characters(stored: &Stored) -> bool {
    is_text(&stored.datatype) && !matches!(stored.dataspace, Dataspace::Simple { .. })
}

/// A string of fixed size as `Char` values; `None` if it is longer than its data.
fn characters(stored: &Stored) -> Option<Attribute> {
    let bytes = match stored.dataspace {
        Dataspace::Scalar => stored.data.get(..stored.datatype.size as usize)?.to_vec(),
        _ => Vec::new(),
    };
    Some(Attribute {
        name: stored.name.clone(),
        ty: Type::Char,
        length: bytes.len(),
        values: Values::from_bytes(bytes),
    })
}

fn short(stored: &Stored) -> Unfollowed {
    failed(stored, Error::Damaged("its elements do not fit its data".into()))
}

fn failed(stored: &Stored, error: Error) -> Unfollowed {
    match as_hdf5(&error) {
        Some(e @ ncutils_hdf5::Error::Unsupported(_)) => Unfollowed::Left(e.to_string()),
        _ => Unfollowed::Failed(Error::Damaged(format!("attribute {}: {error}", stored.name))),
    }
}

/// The text of an attribute with one string of fixed or variable length, up to the first NUL.
pub fn text(stored: &Stored, file: &OpenFile) -> Option<String> {
    let bytes = match &stored.datatype.class {
        Class::String { .. } => stored.data.clone(),
        Class::VariableString { .. } => {
            let (length, address, index) = crate::format::netcdf4::read::datatype::convert::heap_reference(
                &stored.data,
                usize::from(file.file.offset_size()),
            )?;
            let object = file.file.global_heap_object(address, index).ok()?;
            object.get(..length)?.to_vec()
        }
        _ => return None,
    };
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(bytes.get(..end)?).into_owned())
}

/// The values of an attribute of integers.
pub fn integers(stored: &Stored) -> Option<Vec<i64>> {
    let number = Number::of(&stored.datatype).ok()?;
    let size = number.ty().atomic_size();
    if matches!(number.ty(), Type::Float | Type::Double) || stored.datatype.size == 0 {
        return None;
    }
    let count = usize::try_from(stored.dataspace.count()?).ok()?;
    let mut integers = Vec::new();
    for element in stored
        .data
        .chunks_exact(stored.datatype.size as usize)
        .take(count)
    {
        let mut out = [0u8; 8];
        number.convert(element, out.get_mut(..size)?);
        integers.push(i64::from_le_bytes(out));
    }
    (integers.len() == count).then_some(integers)
}
