//! Whether types of two datasets are the same. User types are numbered by each dataset itself.

use std::collections::HashSet;

use crate::model::{Schema, Type, TypeClass, TypeId};

/// True if two types are the same: atomic types, or user types with the same name and contents.
pub fn same_type((first, ours): (&Schema, Type), (other, theirs): (&Schema, Type)) -> bool {
    let mut compared = Compared {
        first,
        other,
        same: HashSet::new(),
    };
    compared.are_same(ours, theirs)
}

struct Compared<'a> {
    first: &'a Schema,
    other: &'a Schema,
    /// Types that were found to be the same. A type may be used many times by others.
    same: HashSet<(usize, usize)>,
}

impl Compared<'_> {
    fn are_same(&mut self, ours: Type, theirs: Type) -> bool {
        match (ours, theirs) {
            (Type::User(ours), Type::User(theirs)) => {
                self.same.contains(&(ours.0, theirs.0))
                    || self.have_same_contents(ours, theirs) && {
                        self.same.insert((ours.0, theirs.0));
                        true
                    }
            }
            (ours, theirs) => ours == theirs,
        }
    }

    fn have_same_contents(&mut self, ours: TypeId, theirs: TypeId) -> bool {
        let (first, other) = (self.first, self.other);
        let (a, b) = (first.user_type(ours), other.user_type(theirs));
        if a.name != b.name {
            return false;
        }
        match (&a.class, &b.class) {
            (
                TypeClass::Enum { base, members },
                TypeClass::Enum {
                    base: other_base,
                    members: other_members,
                },
            ) => self.are_same(*base, *other_base) && members == other_members,
            (TypeClass::Opaque { size }, TypeClass::Opaque { size: other_size }) => size == other_size,
            (TypeClass::Vlen { base }, TypeClass::Vlen { base: other_base }) => {
                self.are_same(*base, *other_base)
            }
            (
                TypeClass::Compound { size, fields },
                TypeClass::Compound {
                    size: other_size,
                    fields: other_fields,
                },
            ) => {
                let alike = size == other_size && fields.len() == other_fields.len();
                alike
                    && fields.iter().zip(other_fields).all(|(a, b)| {
                        (&a.name, a.offset, &a.dims) == (&b.name, b.offset, &b.dims)
                            && self.are_same(a.ty, b.ty)
                    })
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, Kind, UserType};

    fn add(schema: &mut Schema, name: &str, class: TypeClass) -> Type {
        Type::User(schema.add_type(UserType {
            name: name.into(),
            group: Schema::ROOT,
            class,
        }))
    }

    fn pair(schema: &mut Schema, name: &str, of: Type, second: &str) -> Type {
        let field = |name: &str, offset| Field {
            name: name.into(),
            offset,
            ty: of,
            dims: Vec::new(),
        };
        let size = schema.type_size(of);
        let class = TypeClass::Compound {
            size: 2 * size,
            fields: vec![field("a", 0), field(second, size)],
        };
        add(schema, name, class)
    }

    #[test]
    fn types_are_compared_by_their_contents() {
        let (mut first, mut other) = (Schema::new(Kind::Netcdf4), Schema::new(Kind::Netcdf4));
        add(&mut other, "before", TypeClass::Opaque { size: 3 });
        let ours = pair(&mut first, "pair", Type::Int, "b");
        let theirs = pair(&mut other, "pair", Type::Int, "b");
        assert!(same_type((&first, ours), (&other, theirs)));
        let renamed = pair(&mut other, "pair2", Type::Int, "b");
        let changed = pair(&mut other, "pair", Type::Int, "c");
        let floats = pair(&mut other, "pair", Type::Float, "b");
        for wrong in [renamed, changed, floats, Type::Int] {
            assert!(!same_type((&first, ours), (&other, wrong)));
        }
    }

    #[test]
    fn a_type_of_many_layers_is_compared_once_a_layer() {
        let nested = || {
            let mut schema = Schema::new(Kind::Netcdf4);
            let mut ty = Type::Byte;
            for n in 0..40 {
                ty = pair(&mut schema, &format!("t{n}"), ty, "b");
            }
            (schema, ty)
        };
        let (first, ours) = nested();
        let (other, theirs) = nested();
        assert!(same_type((&first, ours), (&other, theirs)));
    }
}
