//! N-bit, HDF5 filter 5: of each number, the bits that its type says are significant, and no others.
//!
//! An integer of 17 bits that stands in four bytes takes 17 bits. What the type leaves unused reads as zeros. Where a type
//! uses all its bits, a parameter says so, and chunks are stored as they are.
//!
//! ```text
//! parameters ─► parameters: need not compress? ─ yes ─► chunk ◄─► the same bytes
//!                                              └ no ──► type_tree ─► packing: chunk ◄─► bits ─► bytes
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `parameters` | the parameters: what they mean, what libhdf5 makes of a type |
//! | `type_tree` | numbers, arrays and compounds: where significant bits are in an element |
//! | `packing` | an element's significant bits ◄─► a stream of bits |
//!
//! The stream has the elements in turn, of each its numbers in the order of the description, of each number its significant
//! bits, the highest first. They fill bytes from the highest bit on. After them zeros fill the last byte; where that is full
//! already, libhdf5 adds a byte of zeros, and so does this filter.
//!
//! HDF5 file format specification, IV.A.2.l, filter 5; HDF5 reference manual, `H5Pset_nbit`.

mod packing;
mod parameters;
mod type_tree;

use super::codec::stored_parameters;
use super::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use crate::chunk::element_count;
use crate::model::CodecSpec;
use parameters::Parameters;

/// The id registered with HDF5.
///
/// The filter must see elements as they are, and so stands first. Where all their bits are used, libhdf5 takes the size of
/// its buffer for that of the chunk when it reads, so that no filter before this one gets what it made.
pub const ID: u32 = 5;

/// The codec.
#[derive(Debug, Clone, Copy)]
pub struct Nbit;

impl Codec for Nbit {
    fn name(&self) -> &str {
        "nbit"
    }

    fn hdf5_id(&self) -> Option<u32> {
        Some(ID)
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = Parameters::parse(&stored_parameters(self, spec, chunk)?)?;
        Ok(Box::new(Bound { parameters }))
    }

    /// Parameters for elements that use all their bits, as all do that netCDF knows. Stored ones are taken too, so that
    /// what `ncdump -s` prints can be given back.
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    /// Those for elements that use all their bits.
    fn adapted_parameters(&self, _: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(&[], chunk)
    }
}

/// N-bit with its parameters.
struct Bound {
    parameters: Parameters,
}

/// Elements of a chunk: as many as the parameters say, or fewer where it is clipped.
fn elements(full: u32, shape: ChunkShape) -> Outcome<u32> {
    match shape {
        ChunkShape::Full => Ok(full),
        ChunkShape::Clipped(shape) => element_count(shape)
            .and_then(|count| u32::try_from(count).ok())
            .ok_or_else(|| "a chunk of more than 4294967295 elements".to_owned()),
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        match &self.parameters {
            Parameters::AsIs => out.extend_from_slice(input),
            Parameters::Packed {
                elements: full,
                element,
            } => packing::encode(elements(*full, shape)?, element, input, out)?,
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        match &self.parameters {
            Parameters::AsIs if input.len() > limit => {
                Err(format!("{} bytes, more than the {limit} expected", input.len()))
            }
            Parameters::AsIs => {
                out.extend_from_slice(input);
                Ok(())
            }
            Parameters::Packed {
                elements: full,
                element,
            } => packing::decode(elements(*full, shape)?, element, input, out, limit),
        }
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.saturating_add(1)
    }
}

#[cfg(test)]
mod tests;
