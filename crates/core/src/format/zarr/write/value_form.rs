//! How the values of an array become the bytes of a chunk, where they are not stored as they are.

use super::packing::Packing;
use super::strings;
use crate::chunk::{byte_count, copy_region};
use crate::error::{Error, Result};
use crate::model::{SLOT_SIZE, Schema, Type, TypeClass, Values, VarId, VariableLayout};

/// The form of a chunk's elements.
pub enum ValueForm {
    /// Strings of this many bytes each.
    FixedText(usize),
    /// Strings of any length.
    Text,
    /// Lists of numbers of this many bytes.
    Lists(usize),
    /// Compounds whose fields are stored without gaps.
    Packed(Packing),
}

impl ValueForm {
    /// The form in which an array is stored.
    ///
    /// # Errors
    /// If its values are stored as they are.
    pub fn of(schema: &Schema, var: VarId, layout: &VariableLayout) -> Result<Self> {
        let ty = schema.var(var).ty;
        let size = layout.string_length.and_then(|n| usize::try_from(n).ok());
        if let Type::User(id) = ty
            && let TypeClass::Vlen { base } = schema.user_type(id).class
        {
            return Ok(Self::Lists(base.atomic_size()));
        }
        match (ty, size) {
            (Type::String, Some(size)) => Ok(Self::FixedText(size)),
            (Type::String, None) => Ok(Self::Text),
            (ty, _) if schema.has_gaps(ty) && !schema.has_heap(ty) => {
                Ok(Self::Packed(Packing::of(schema, ty)))
            }
            _ => Err(Error::Internal("values of a type that needs no form".into())),
        }
    }

    /// The bytes of a chunk of `shape`, of whose elements only the first `count` in each dimension are given. The others
    /// are zeros or empty.
    ///
    /// # Errors
    /// If memory cannot hold the chunk, or a string has no form.
    pub fn bytes(&self, mut values: Values, count: &[u64], shape: &[u64]) -> Result<Vec<u8>> {
        match self {
            Self::FixedText(size) => whole(strings::fixed(&values, *size)?, count, shape, *size),
            Self::Text => {
                values.bytes = whole(values.bytes, count, shape, SLOT_SIZE)?;
                strings::vlen_utf8(&values)
            }
            Self::Lists(size) => {
                values.bytes = whole(values.bytes, count, shape, SLOT_SIZE)?;
                strings::vlen_bytes(&values, *size)
            }
            Self::Packed(packing) => whole(packing.pack(&values.bytes), count, shape, packing.size()),
        }
    }
}

/// A chunk of `shape` with these elements at its beginning, and zeros.
fn whole(bytes: Vec<u8>, count: &[u64], shape: &[u64], size: usize) -> Result<Vec<u8>> {
    if count == shape {
        return Ok(bytes);
    }
    let length = byte_count(shape, size);
    let length = length.ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))?;
    let mut chunk = Vec::new();
    crate::chunk::resize(&mut chunk, length)?;
    let zeros = vec![0; shape.len()];
    copy_region(&bytes, count, &zeros, &mut chunk, shape, &zeros, count, size, 1)?;
    Ok(chunk)
}
