//! Compounds without gaps between their fields.

use crate::model::{Schema, Type, TypeClass};

/// The bytes of an element that belong to its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packing {
    /// Bytes of an element with gaps.
    element: usize,
    /// Offset and length of each run of bytes that is kept, in the order of fields.
    runs: Vec<(usize, usize)>,
}

impl Packing {
    /// The packing of a type of fixed size. That of any type but a compound keeps all bytes.
    pub fn of(schema: &Schema, ty: Type) -> Self {
        let mut runs = Vec::new();
        push_runs(schema, ty, 0, &mut runs);
        Self {
            element: schema.type_size(ty),
            runs,
        }
    }

    /// Bytes of a packed element.
    pub fn size(&self) -> usize {
        self.runs.iter().map(|(_, length)| length).sum()
    }

    /// Packs elements.
    pub fn pack(&self, bytes: &[u8]) -> Vec<u8> {
        let count = bytes.len() / self.element.max(1);
        let mut packed = Vec::with_capacity(count * self.size());
        for element in bytes.chunks_exact(self.element.max(1)) {
            for (offset, length) in &self.runs {
                packed.extend_from_slice(&element[*offset..offset + length]);
            }
        }
        packed
    }
}

/// Adds the runs of an element at `offset`. ExternalFiles are joined.
fn push_runs(schema: &Schema, ty: Type, offset: usize, runs: &mut Vec<(usize, usize)>) {
    if let Type::User(id) = ty
        && let TypeClass::Compound { fields, .. } = &schema.user_type(id).class
    {
        for field in fields {
            let size = schema.type_size(field.ty);
            let count: usize = field.dims.iter().product();
            for n in 0..count {
                push_runs(schema, field.ty, offset + field.offset + n * size, runs);
            }
        }
        return;
    }
    let size = schema.type_size(ty);
    match runs.last_mut() {
        Some((from, length)) if *from + *length == offset => *length += size,
        _ => runs.push((offset, size)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, Kind, UserType};

    #[test]
    fn gaps_are_left_out_at_any_depth() {
        let mut schema = Schema::new(Kind::Zarr3);
        let mut compound = |name: &str, size, fields: &[(&str, usize, Type, &[usize])]| {
            let field = |(name, offset, ty, dims): &(&str, usize, Type, &[usize])| Field {
                name: (*name).to_owned(),
                offset: *offset,
                ty: *ty,
                dims: dims.to_vec(),
            };
            let fields = fields.iter().map(field).collect();
            Type::User(schema.add_type(UserType {
                name: name.to_owned(),
                group: Schema::ROOT,
                class: TypeClass::Compound { size, fields },
            }))
        };
        let inner = compound(
            "inner",
            4,
            &[("a", 0, Type::Byte, &[]), ("b", 2, Type::Short, &[])],
        );
        let outer = compound(
            "outer",
            16,
            &[
                ("x", 0, inner, &[]),
                ("t", 4, Type::Char, &[3]),
                ("y", 8, Type::Int, &[]),
            ],
        );
        let plain = compound(
            "plain",
            3,
            &[("a", 0, Type::Byte, &[]), ("b", 1, Type::Short, &[])],
        );
        assert!(schema.has_gaps(inner) && schema.has_gaps(outer) && !schema.has_gaps(plain));
        let packing = Packing::of(&schema, outer);
        assert_eq!(packing.runs, [(0, 1), (2, 5), (8, 4)]);
        let bytes: Vec<u8> = (0..32).collect();
        assert_eq!(packing.size(), 10);
        let expected = [
            0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 16, 18, 19, 20, 21, 22, 24, 25, 26, 27,
        ];
        assert_eq!(packing.pack(&bytes), expected);
    }
}
