//! Sizes and alignments of types in C's memory, as netCDF-C uses them.

use crate::{SLOT_SIZE, Schema, Type, TypeClass};

/// Size and alignment of an element in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InC {
    /// Size in bytes. netCDF-C derives the default number of elements in a chunk from it.
    pub size: usize,
    /// Alignment in bytes: of its address, and of its offset in a compound.
    pub align: usize,
}

/// Sizes and alignments of a schema's types in C. A string is a pointer in C (unlike in
/// [`Values`](crate::Values)), and C places the fields of a compound.
#[derive(Debug, Default)]
pub struct SizesInC(Vec<InC>);

impl SizesInC {
    /// Computes all types of a schema. Each type comes after the types it is made of.
    pub fn new(schema: &Schema) -> Self {
        let mut sizes = Self(Vec::with_capacity(schema.types.len()));
        for ty in &schema.types {
            sizes.push(&ty.class);
        }
        sizes
    }

    /// Adds the next type of a schema under construction.
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

    /// Size and alignment of a type of the schema.
    pub fn of(&self, ty: Type) -> InC {
        let atomic = |size| InC { size, align: size };
        match ty {
            Type::User(id) => self.0.get(id.0).copied().unwrap_or(atomic(1)),
            Type::String => atomic(size_of::<u64>()),
            other => atomic(other.atomic_size()),
        }
    }
}
