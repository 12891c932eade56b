//! [`ChunkType`]: the properties of chunks that a codec may depend on.

use ncutils_model::chunk::byte_count;
use ncutils_model::error::{Error, Result};
use ncutils_model::{
    CodecNames, Encoding, Endian, Fill, Schema, Type, TypeClass, VariableLayout, ZarrVersion,
};

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
    /// The class of elements of type `ty`. An enum has the class of its integers. `None` for text and all other types.
    pub fn of(schema: &Schema, ty: Type) -> Option<Self> {
        match ty {
            Type::Byte | Type::Short | Type::Int | Type::Int64 => Some(Self::Signed),
            Type::UByte | Type::UShort | Type::UInt | Type::UInt64 => Some(Self::Unsigned),
            Type::Float | Type::Double => Some(Self::Float),
            Type::Char | Type::String => None,
            Type::User(id) => match &schema.user_type(id).class {
                // An enum's base is an integer. The guard protects against an enum of an enum.
                TypeClass::Enum { base, .. } if !matches!(base, Type::User(_)) => Self::of(schema, *base),
                _ => None,
            },
        }
    }
}

/// Elements and shape of a variable's chunks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChunkType {
    /// Size of one stored element, in bytes.
    pub element_size: usize,
    /// Encoding of the bytes of an element.
    pub encoding: Encoding,
    /// Length of the array's fastest dimension, in elements; `None` if it is not known. netCDF-C computes the scanline of
    /// szip from it in NCZarr.
    pub row: Option<u64>,
    /// The class of the elements; `None` if they are not numbers.
    pub number: Option<NumberClass>,
    /// The byte order of numbers.
    pub endian: Endian,
    /// The shape of a full chunk, in elements, slowest dimension first.
    pub shape: Vec<u64>,
    /// The fill value of numbers, little-endian, for the codecs that store it as a parameter; `None` if it is not known or
    /// not defined. Only plans set it, to compute parameters ([`ChunkType::with_fill`]). Pipelines are bound without it,
    /// so that variables with other fill values share them.
    pub fill: Option<Vec<u8>>,
}

impl ChunkType {
    /// Chunks of `shape` with elements of type `ty`, stored as in `layout`. In version 3 of Zarr, elements that the writer
    /// encodes become bytes before any codec. Their number differs from chunk to chunk, so those chunks have no size here.
    pub fn new(schema: &Schema, ty: Type, layout: &VariableLayout, shape: &[u64]) -> Self {
        let is_zarr3 = schema.kind.can().codecs == Some(CodecNames::Zarr(ZarrVersion::V3));
        if is_zarr3 && layout.encoding == Encoding::Structured && layout.string_length.is_none() {
            return Self::of_bytes(0);
        }
        let numbers = matches!(layout.encoding, Encoding::Numbers { .. });
        Self {
            element_size: layout.stored_size(),
            encoding: match layout.string_length {
                Some(_) => Encoding::Packed,
                None => layout.encoding,
            },
            row: layout.extent.last().copied(),
            number: NumberClass::of(schema, ty).filter(|_| numbers),
            endian: layout.endian,
            shape: shape.to_vec(),
            fill: None,
        }
    }

    /// The same chunks with the fill value that an HDF5 file stores for their variable. HDF5's own default, zero, is not
    /// told.
    #[must_use]
    pub fn with_fill(mut self, fill: &Fill) -> Self {
        if self.number.is_some() && (fill.explicit || !fill.no_fill) {
            let bytes = fill.value.as_ref().map(|value| value.bytes.clone());
            self.fill = bytes.filter(|bytes| bytes.len() == self.element_size);
        }
        self
    }

    /// Chunks of `size` bytes without a type.
    pub fn of_bytes(size: usize) -> Self {
        Self {
            element_size: 1,
            encoding: Encoding::Numbers { unit: 1 },
            row: None,
            number: None,
            endian: Endian::Little,
            shape: vec![size as u64],
            fill: None,
        }
    }

    /// Chunks of `shape` with numbers of `size` bytes.
    pub fn of_numbers(number: NumberClass, size: usize, endian: Endian, shape: &[u64]) -> Self {
        Self {
            element_size: size,
            encoding: Encoding::Numbers { unit: size },
            row: None,
            number: Some(number),
            endian,
            shape: shape.to_vec(),
            fill: None,
        }
    }

    /// The byte order of numbers; `None` if elements are not numbers. As in libhdf5, numbers of one byte are
    /// little-endian.
    pub fn byte_order(&self) -> Option<Endian> {
        match (self.number, self.encoding) {
            (None, _) => None,
            (_, Encoding::Numbers { unit: 1 }) => Some(Endian::Little),
            _ => Some(self.endian),
        }
    }

    /// Size of a decoded chunk, in bytes.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the size exceeds the address space.
    pub fn decoded_size(&self, shape: ChunkShape) -> Result<usize> {
        byte_count(shape.or(&self.shape), self.element_size)
            .ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))
    }
}

/// The shape of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkShape<'a> {
    /// The shape in the [`ChunkType`].
    Full,
    /// A smaller shape of the same rank, if the format cuts chunks at the edge of the variable.
    Clipped(&'a [u64]),
}

impl<'a> ChunkShape<'a> {
    /// The chunk's own shape. `full` is the shape of a full chunk.
    pub fn or(self, full: &'a [u64]) -> &'a [u64] {
        match self {
            Self::Full => full,
            Self::Clipped(shape) => shape,
        }
    }
}
