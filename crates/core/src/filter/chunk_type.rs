//! What a codec may know of the chunks that it is bound to.

use crate::chunk::byte_count;
use crate::error::{Error, Result};
use crate::model::{Encoding, Endian, Schema, Type, TypeClass, VariableLayout};

/// The class of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberClass {
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// An IEEE 754 float.
    Float,
}

impl NumberClass {
    /// The class of elements of type `ty`, of an enum that of its integers; `None` for text and all other types.
    pub fn of(schema: &Schema, ty: Type) -> Option<Self> {
        match ty {
            Type::Byte | Type::Short | Type::Int | Type::Int64 => Some(Self::Signed),
            Type::UByte | Type::UShort | Type::UInt | Type::UInt64 => Some(Self::Unsigned),
            Type::Float | Type::Double => Some(Self::Float),
            Type::Char | Type::String => None,
            Type::User(id) => match &schema.user_type(id).class {
                // An enum's base is an integer; guard against an enum of itself.
                TypeClass::Enum { base, .. } if !matches!(base, Type::User(_)) => Self::of(schema, *base),
                _ => None,
            },
        }
    }
}

/// The elements and the shape of a variable's chunks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ChunkType {
    /// Bytes of one element in storage.
    pub element_size: usize,
    /// What the bytes of an element are.
    pub encoding: Encoding,
    /// The class of the elements; `None` where they are no numbers.
    pub number: Option<NumberClass>,
    /// The byte order of numbers.
    pub endian: Endian,
    /// The shape of a full chunk, in elements, slowest dimension first.
    pub shape: Vec<u64>,
}

impl ChunkType {
    /// Chunks of `shape` of elements of type `ty`, stored as `layout` says.
    pub fn new(schema: &Schema, ty: Type, layout: &VariableLayout, shape: &[u64]) -> Self {
        let numbers = matches!(layout.encoding, Encoding::Numbers { .. });
        Self {
            element_size: layout.element_size,
            encoding: layout.encoding,
            number: NumberClass::of(schema, ty).filter(|_| numbers),
            endian: layout.endian,
            shape: shape.to_vec(),
        }
    }

    /// Chunks of `size` bytes that mean nothing in particular.
    pub fn of_bytes(size: usize) -> Self {
        Self {
            element_size: 1,
            encoding: Encoding::Numbers { unit: 1 },
            number: None,
            endian: Endian::Little,
            shape: vec![size as u64],
        }
    }

    /// One-dimensional chunks of `length` numbers of `size` bytes.
    pub fn of_numbers(number: NumberClass, size: usize, endian: Endian, shape: &[u64]) -> Self {
        Self {
            element_size: size,
            encoding: Encoding::Numbers { unit: size },
            number: Some(number),
            endian,
            shape: shape.to_vec(),
        }
    }

    /// The byte order of numbers; `None` where elements are no numbers. Numbers of one byte are little-endian, as
    /// libhdf5's native ones are.
    pub fn byte_order(&self) -> Option<Endian> {
        match (self.number, self.encoding) {
            (None, _) => None,
            (_, Encoding::Numbers { unit: 1 }) => Some(Endian::Little),
            _ => Some(self.endian),
        }
    }

    /// Bytes of a decoded chunk.
    ///
    /// # Errors
    /// Where that does not fit into memory.
    pub fn decoded_size(&self, shape: ChunkShape) -> Result<usize> {
        byte_count(shape.or(&self.shape), self.element_size)
            .ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))
    }
}

/// The shape of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkShape<'a> {
    /// That of the [`ChunkType`].
    Full,
    /// A smaller one, of as many dimensions: the format cuts chunks at the edge of the variable.
    Clipped(&'a [u64]),
}

impl<'a> ChunkShape<'a> {
    /// The chunk's own shape, `full` being that of the others.
    pub fn or(self, full: &'a [u64]) -> &'a [u64] {
        match self {
            Self::Full => full,
            Self::Clipped(shape) => shape,
        }
    }
}
