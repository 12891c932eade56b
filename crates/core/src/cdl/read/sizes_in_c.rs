//! What elements take in netCDF-C's memory, from which it chooses how many of them make a chunk: a string is a pointer there,
//! and fields lie where C puts them.

use crate::model::{SLOT_SIZE, Schema, Type, TypeClass};

/// Where and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InC {
    /// Bytes.
    pub size: usize,
    /// What its address is a multiple of.
    pub align: usize,
}

/// The sizes of all types of a schema.
pub struct SizesInC(Vec<InC>);

impl SizesInC {
    /// Of a schema's types, each of which comes after those that it is made of.
    pub fn new(schema: &Schema) -> Self {
        let mut sizes = Self(Vec::with_capacity(schema.types.len()));
        for ty in &schema.types {
            let size = match &ty.class {
                TypeClass::Enum { base, .. } => sizes.of(*base),
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
                        let part = sizes.of(field.ty);
                        let bytes = field.dims.iter().fold(part.size, |n, d| n.saturating_mul(*d));
                        end = end.next_multiple_of(part.align).saturating_add(bytes);
                        align = align.max(part.align);
                    }
                    InC {
                        size: end.next_multiple_of(align),
                        align,
                    }
                }
            };
            sizes.0.push(size);
        }
        sizes
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cdl::read::declared::declare;
    use crate::cdl::read::text::Text;

    #[test]
    fn strings_are_pointers_and_fields_are_aligned() {
        let text = b"netcdf a { types: compound h { string s; }; compound a { byte b; string s; }; int(*) v;
            compound c { a x(2); v y; char ch(3); }; compound d { byte q; c w; double e; };
            compound f { byte b; short s; byte c; }; opaque(5) o; compound p { o o(2); byte b; }; short enum e { x = 1 };
            compound r { e m; byte n; }; }";
        let text = Text::new(Arc::new(text.to_vec()), "a.cdl").unwrap();
        let schema = declare(&text).unwrap().schema;
        let sizes = SizesInC::new(&schema);
        let of = |name: &str| {
            let at = schema.types.iter().position(|ty| ty.name == name).unwrap();
            (sizes.0[at].size, sizes.0[at].align)
        };
        for (name, size, align) in [
            ("h", 8, 8),
            ("a", 16, 8),
            ("v", 16, 8),
            ("c", 56, 8),
            ("d", 72, 8),
            ("f", 6, 2),
            ("o", 5, 1),
            ("p", 11, 1),
            ("e", 2, 2),
            ("r", 4, 2),
        ] {
            assert_eq!(of(name), (size, align), "{name}");
        }
        assert_eq!(sizes.of(Type::Double).size, 8);
    }
}
