//! Scale-offset, HDF5 filter 6: stores each number as its distance from the chunk's minimum, in as few bits as the
//! largest distance needs.
//!
//! Integers are stored exactly, unless the user gives too small a number of bits. Floats are first scaled by a power of
//! ten and rounded (D-scaling), so they keep a number of decimals. The fill value has a code of its own, all ones.
//!
//! ```text
//! parameters ─► parameters ─► integers, floats: chunk ◄─► minimum, codes ◄─► packing: header, bits
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `parameters` | parses the 20 parameters, and makes libhdf5's parameters of a type |
//! | `elements` | the bytes of elements ◄─► 64-bit numbers |
//! | `integers` | integers ◄─► codes |
//! | `floats` | floats ◄─► codes, by D-scaling |
//! | `packing` | header and codes ◄─► the bytes of a stored chunk |
//!
//! HDF5 file format specification, IV.A.2.l, filter 6; HDF5 reference manual, `H5Pset_scaleoffset`.

mod elements;
mod floats;
mod integers;
mod packing;
mod parameters;

use crate::codec::codec::stored_parameters;
use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome, StoredParameters};
use ncutils_model::CodecSpec;
use ncutils_model::chunk::element_count;
use packing::{HEADER, Header};
use parameters::{Parameters, Scale};

/// The id registered with HDF5. The filter works on unencoded elements, so it must come before filters that encode bytes.
pub const ID: u32 = 6;

/// The scale-offset codec.
#[derive(Debug, Clone, Copy)]
pub struct ScaleOffset;

impl Codec for ScaleOffset {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            parameters_help: "2 and bits, 0 to choose; 0 and decimals of a float",
            input: CodecInput::Elements,
            is_lossy: true,
            stored_parameters: Some(self),
            ..CodecFacts::named("scaleoffset")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = Parameters::parse(&stored_parameters(self, spec, chunk)?)?;
        Ok(Box::new(Bound(parameters)))
    }
}

impl StoredParameters for ScaleOffset {
    /// The user gives the scale type and the factor. Stored parameters are accepted too, so that the output of
    /// `ncdump -s` can be used as input; those that describe the chunk are computed again.
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::adapted(stored, chunk)
    }
}

/// Scale-offset with its parameters.
struct Bound(Parameters);

impl Bound {
    /// Number of elements in a chunk of `shape`, and its size in bytes.
    fn elements(&self, shape: ChunkShape) -> Outcome<(usize, usize)> {
        let elements = match shape {
            ChunkShape::Full => usize::try_from(self.0.elements).ok(),
            ChunkShape::Clipped(shape) => element_count(shape).and_then(|count| usize::try_from(count).ok()),
        };
        elements
            .and_then(|count| Some((count, count.checked_mul(self.0.size)?)))
            .ok_or_else(|| "a chunk larger than memory".to_owned())
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let (_, size) = self.elements(shape)?;
        if input.len() != size {
            return Err(format!("{} bytes in a chunk of {size}", input.len()));
        }
        out.clear();
        match &self.0.scale {
            Scale::Integer { bits, .. } if *bits == self.0.full_bits() => {
                out.extend_from_slice(input);
                Ok(())
            }
            Scale::Integer { bits, signed } => integers::encode(&self.0, *signed, *bits, input, out),
            Scale::Decimal(factor) => floats::encode(&self.0, *factor, input, out),
        }
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let (count, size) = self.elements(shape)?;
        if size > limit {
            return Err(format!("a chunk of {size} bytes, more than the {limit} expected"));
        }
        out.clear();
        if matches!(self.0.scale, Scale::Integer { bits, .. } if bits == self.0.full_bits()) {
            let stored = input.get(..size).ok_or("the chunk is too short")?;
            out.extend_from_slice(stored);
            return Ok(());
        }
        let (header, packed) = Header::read(input, self.0.full_bits())?;
        let bits = packing::packed_size(count, header.bits).ok_or("a chunk larger than memory")?;
        let packed = packed.get(..bits).ok_or("the chunk is too short")?;
        if header.bits == self.0.full_bits() {
            elements::copy_from_little(&self.0, packed, out);
            return Ok(());
        }
        match self.0.scale {
            Scale::Integer { .. } => integers::decode(&self.0, header, packed, count, out),
            Scale::Decimal(factor) => floats::decode(&self.0, factor, header, packed, count, out),
        }
        Ok(())
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.saturating_add(HEADER + 1)
    }
}

#[cfg(test)]
mod tests;
