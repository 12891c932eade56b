//! How types lie in C's memory, as netCDF-C has them in its own.

use super::{SLOT_SIZE, Schema, Type, TypeClass};

/// How an element lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InC {
    /// Bytes. netCDF-C chooses from these how many elements make a chunk.
    pub size: usize,
    /// What its address is a multiple of, and its place in a compound.
    pub align: usize,
}

/// How elements of all types of a schema lie in C's memory: a string is a pointer there (other than in
/// [`Values`](super::Values)), and fields lie where C puts them.
#[derive(Debug, Default)]
pub struct SizesInC(Vec<InC>);

impl SizesInC {
    /// Of a schema's types, each of which comes after those that it is made of.
    pub fn new(schema: &Schema) -> Self {
        let mut sizes = Self(Vec::with_capacity(schema.types.len()));
        for ty in &schema.types {
            sizes.push(&ty.class);
        }
        sizes
    }

    /// Adds the next type of a schema that is being made.
    pub fn push(&mut self, class: &TypeClass) {
        let in_c = match class {
            TypeClass::Enum { base, .. } => self.of(*base),
            TypeClass::Opaque { size } => InC {
                size: *size,
                align: 1,
            },
            TypeClass::Vlen { .. } => InC {
                size: SLOT_SIZE,
                align: size_of::<u64>(),
            },
            TypeClass::Compound { fields, .. } => {
                let (mut end, mut align) = (0_usize, 1);
                for field in fields {
                    let part = self.of(field.ty);
                    let bytes = field.dims.iter().fold(part.size, |n, d| n.saturating_mul(*d));
                    end = end
                        .checked_next_multiple_of(part.align)
                        .unwrap_or(usize::MAX)
                        .saturating_add(bytes);
                    align = align.max(part.align);
                }
                InC {
                    size: end.checked_next_multiple_of(align).unwrap_or(usize::MAX),
                    align,
                }
            }
        };
        self.0.push(in_c);
    }

    /// Of a type of that schema.
    pub fn of(&self, ty: Type) -> InC {
        let atomic = |size| InC { size, align: size };
        match ty {
            Type::User(id) => self.0.get(id.0).copied().unwrap_or(atomic(1)),
            Type::String => atomic(size_of::<u64>()),
            other => atomic(other.atomic_size()),
        }
    }
}
