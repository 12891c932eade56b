//! N-bit, HDF5 filter 5: stores only the significant bits of each number, as declared by its type.
//!
//! A 17-bit integer held in four bytes takes 17 bits. Unused bits read as zeros. If a type uses all its bits, a
//! parameter says so, and chunks are stored unchanged.
//!
//! ```text
//! parameters ─► parameters: need not compress? ─ yes ─► chunk ◄─► the same bytes
//!                                              └ no ──► type_tree ─► packing: chunk ◄─► bits ─► bytes
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `parameters` | parses the parameters, and makes libhdf5's parameters of a type |
//! | `type_tree` | numbers, arrays and compounds: the positions of significant bits in an element |
//! | `numbers` | the same for elements that are one number, which is most |
//! | `packing` | significant bits of elements ◄─► a stream of bits |
//!
//! The stream holds the elements in turn, the numbers of each element in the order of its description, and the
//! significant bits of each number, highest first. Bytes are filled from the highest bit. Zeros fill the last byte. If
//! it is full, libhdf5 appends a byte of zeros, and so does this filter.
//!
//! HDF5 file format specification, IV.A.2.l, filter 5; HDF5 reference manual, `H5Pset_nbit`.

mod numbers;
mod packing;
mod parameters;
mod type_tree;

use crate::codec::codec::stored_parameters;
use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome, StoredParameters};
use ncutils_model::CodecSpec;
use ncutils_model::chunk::element_count;
use parameters::Parameters;

/// The id registered with HDF5.
///
/// The filter must be the first, since it works on unencoded elements. If all their bits are used, libhdf5 reading such
/// a chunk takes its buffer's size for the chunk's size, so a filter before this one would not get its own output back.
pub const ID: u32 = 5;

/// The n-bit codec.
#[derive(Debug, Clone, Copy)]
pub struct Nbit;

impl Codec for Nbit {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            parameters_help: "none",
            // Only there can all programs read what it does.
            input: CodecInput::Elements,
            stored_parameters: Some(self),
            ..CodecFacts::named("nbit")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = Parameters::parse(&stored_parameters(self, spec, chunk)?)?;
        Ok(Box::new(Bound { parameters }))
    }
}

impl StoredParameters for Nbit {
    /// Parameters for elements that use all their bits, as all types of netCDF do. Stored parameters are accepted too,
    /// so that the output of `ncdump -s` can be used as input.
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    /// Parameters for elements that use all their bits.
    fn adapted_parameters(&self, _: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(&[], chunk)
    }
}

/// N-bit with its parameters.
struct Bound {
    parameters: Parameters,
}

/// Number of elements in a chunk: as in the parameters, or fewer if the chunk is clipped.
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
