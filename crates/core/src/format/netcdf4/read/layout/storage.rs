//! Converts a dataset's storage to a [`VariableLayout`].

use ncutils_hdf5::{ByteOrder, Class, Dataset, Datatype, Layout};

use super::fill;
use crate::error::{Error, Result};
use crate::format::netcdf4::read::datatype::convert::{Conversion, Heap};
use crate::format::netcdf4::read::datatype::number::Number;
use crate::format::netcdf4::read::datatype::types::is_canonical;
use crate::format::netcdf4::read::object::heap_filters::codec_specs;
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::model::{Encoding, Endian, Schema, Storage, Type, VariableLayout};

/// Largest element, in bytes, that is accepted even in a smaller file.
const PLAUSIBLE_ELEMENT: u64 = 1 << 20;

/// The reason why a dataset's storage cannot be read; `None` if it can.
pub fn unreadable(layout: &Layout) -> Option<&'static str> {
    match layout {
        Layout::Virtual { .. }
        | Layout::External(_)
        | Layout::Compact(_)
        | Layout::Contiguous { .. }
        | Layout::Chunked(_) => None,
        _ => Some("its layout is not supported"),
    }
}

/// The layout of a variable of type `ty`.
///
/// # Errors
/// If parts of the header contradict each other, or the fill value cannot be read.
pub fn layout(
    schema: &Schema,
    dataset: &Dataset,
    ty: Type,
    conversion: &Conversion,
    file: &OpenFile,
) -> Result<VariableLayout> {
    let largest = (conversion.file_size.max(conversion.memory_size / 16)) as u64;
    if largest > PLAUSIBLE_ELEMENT.max(file.size) {
        return Err(Error::Damaged(format!(
            "an element of {largest} bytes in a file of {}",
            file.size
        )));
    }
    let extent = dataset.dataspace.dims().to_vec();
    let storage = match &dataset.layout {
        Layout::Compact(_) => Storage::Compact,
        // The sources of a virtual dataset tell whether it has chunks.
        Layout::Contiguous { .. } | Layout::External(_) | Layout::Virtual { .. } => Storage::Contiguous,
        Layout::Chunked(chunked) => {
            if chunked.shape.len() != extent.len() || chunked.shape.contains(&0) {
                return Err(Error::Damaged(
                    "chunks do not have the shape of the dataset".into(),
                ));
            }
            Storage::Chunked {
                shape: chunked.shape.clone(),
            }
        }
        _ => {
            return Err(Error::Unsupported("its layout".into()));
        }
    };
    let (encoding, endian) = encoding(schema, &dataset.datatype, ty);
    Ok(VariableLayout {
        storage,
        endian,
        filters: codec_specs(&dataset.filters),
        fill: fill::convert(&dataset.fill, &dataset.layout, conversion, &Heap::new(file))?,
        ..VariableLayout::contiguous(extent, dataset.datatype.size as usize, encoding)
    })
}

/// The form of elements, and the byte order of their numbers.
fn encoding(schema: &Schema, datatype: &Datatype, ty: Type) -> (Encoding, Endian) {
    let number = match &datatype.class {
        Class::FixedPoint { .. } | Class::FloatingPoint(_) => Some(datatype),
        Class::Enumeration { base, .. } => Some(&**base),
        Class::String { .. } if ty == Type::Char => {
            return (Encoding::Numbers { unit: 1 }, Endian::Little);
        }
        _ => None,
    };
    if let Some(number) = number {
        return match Number::of(number) {
            Ok(Number::Plain(ty, endian)) => (
                Encoding::Numbers {
                    unit: ty.atomic_size(),
                },
                endian,
            ),
            _ => (Encoding::Structured, order(number)),
        };
    }
    if is_canonical(schema, datatype, ty) {
        (Encoding::Packed, Endian::Little)
    } else {
        (Encoding::Structured, Endian::Little)
    }
}

/// The byte order of a number that must be converted.
fn order(number: &Datatype) -> Endian {
    match &number.class {
        Class::FixedPoint {
            order: ByteOrder::Big,
            ..
        } => Endian::Big,
        Class::FloatingPoint(f) if f.order == ByteOrder::Big => Endian::Big,
        _ => Endian::Little,
    }
}
