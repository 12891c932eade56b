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

use super::{Context, Element, Filter, failure, misuse};
use crate::error::Result;
use parameters::Parameters;

/// The id registered with HDF5.
///
/// The filter must see elements as they are, and so stands first. Where all their bits are used, libhdf5 takes the size of
/// its buffer for that of the chunk when it reads, so that no filter before this one gets what it made.
pub const ID: u32 = 5;

/// The filter.
#[derive(Debug, Clone, Copy)]
pub struct Nbit;

impl Filter for Nbit {
    fn id(&self) -> u32 {
        ID
    }

    fn name(&self) -> &'static str {
        "nbit"
    }

    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        out.clear();
        match Parameters::parse(parameters).map_err(|why| failure(self, why))? {
            Parameters::AsIs => out.extend_from_slice(input),
            Parameters::Packed { elements, element } => {
                packing::encode(elements, &element, input, out).map_err(|why| failure(self, why))?;
            }
        }
        Ok(())
    }

    fn decode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()> {
        out.clear();
        match Parameters::parse(parameters).map_err(|why| failure(self, why))? {
            Parameters::AsIs if input.len() > context.chunk_size => Err(failure(
                self,
                format!(
                    "{} bytes, more than the {} expected",
                    input.len(),
                    context.chunk_size
                ),
            )),
            Parameters::AsIs => {
                out.extend_from_slice(input);
                Ok(())
            }
            Parameters::Packed { elements, element } => {
                packing::decode(elements, &element, input, out, context.chunk_size)
                    .map_err(|why| failure(self, why))
            }
        }
    }

    /// Parameters for elements that use all their bits, as all do that netCDF knows. Stored ones are taken too: those of
    /// another type or chunk shape are replaced, and what `ncdump -s` prints can be given back.
    fn working_parameters(&self, visible: &[u32], element: Element, chunk_shape: &[u64]) -> Result<Vec<u32>> {
        parameters::working(visible, element, chunk_shape).map_err(|why| misuse(self, why))
    }
}

#[cfg(test)]
mod tests;
