//! Structures as compound types of netCDF-4.

use super::element::Element;
use crate::chunk::swap_units;
use crate::error::Result;
use crate::model::{Field, GroupId, Schema, Type, TypeClass, UserType};

/// Most bytes of an element.
const LARGEST: usize = 1 << 20;

/// What a structure needs of the dataset that it is in.
pub trait Surroundings {
    /// The type of an atomic member or enumeration; `None` for one that is not read.
    ///
    /// # Errors
    /// A name that leads nowhere.
    fn type_of(&self, member: &Element) -> Result<Option<Type>>;

    /// The length of a dimension.
    ///
    /// # Errors
    /// A name that leads nowhere; no length.
    fn length_of(&self, dim: &Element) -> Result<u64>;
}

/// A structure before its types are declared.
pub struct Structure {
    /// The names of the structures around it and its own, with `_` between, as netCDF-C names the type.
    name: String,
    members: Vec<Member>,
    size: usize,
}

struct Member {
    name: String,
    dims: Vec<usize>,
    of: MemberType,
}

enum MemberType {
    Plain(Type),
    Structure(Structure),
}

impl Structure {
    /// The structure of an element. `outer` is the names of those around it. `None` for one that a compound type does not
    /// hold: with strings, sequences or opaque members, without members, or too large.
    ///
    /// # Errors
    /// Names that lead nowhere or are missing.
    pub fn of(
        element: &Element,
        outer: Option<&str>,
        schema: &Schema,
        around: &dyn Surroundings,
    ) -> Result<Option<Self>> {
        let own = element.valid_name()?;
        let name = outer.map_or_else(|| own.to_owned(), |outer| format!("{outer}_{own}"));
        let mut made = Self {
            name,
            members: Vec::new(),
            size: 0,
        };
        for child in &element.children {
            let of = match child.name.as_str() {
                "Attribute" | "Dim" | "Map" => continue,
                "Structure" => Self::of(child, Some(&made.name), schema, around)?.map(MemberType::Structure),
                _ => around
                    .type_of(child)?
                    .filter(|ty| *ty != Type::String)
                    .map(MemberType::Plain),
            };
            let Some(of) = of else { return Ok(None) };
            let mut dims = Vec::new();
            for dim in child.children_of("Dim") {
                dims.push(usize::try_from(around.length_of(dim)?).unwrap_or(usize::MAX));
            }
            let one = match &of {
                MemberType::Plain(ty) => schema.type_size(*ty),
                MemberType::Structure(inner) => inner.size,
            };
            let bytes = dims
                .iter()
                .fold(one, |bytes, length| bytes.saturating_mul(*length));
            made.size = made.size.saturating_add(bytes);
            if bytes == 0 || made.size > LARGEST {
                return Ok(None);
            }
            made.members.push(Member {
                name: child.valid_name()?.to_owned(),
                dims,
                of,
            });
        }
        Ok((!made.members.is_empty()).then_some(made))
    }

    /// Declares the types, those inside first. Returns that of the structure.
    pub fn declared(self, schema: &mut Schema, group: GroupId) -> Type {
        let mut fields = Vec::new();
        let mut offset = 0;
        for member in self.members {
            let ty = match member.of {
                MemberType::Plain(ty) => ty,
                MemberType::Structure(inner) => inner.declared(schema, group),
            };
            let count: usize = member.dims.iter().product();
            fields.push(Field {
                name: member.name,
                offset,
                ty,
                dims: member.dims,
            });
            offset += count * schema.type_size(ty);
        }
        Type::User(schema.add_type(UserType {
            name: format!("{}_t", self.name),
            group,
            class: TypeClass::Compound {
                size: self.size,
                fields,
            },
        }))
    }
}

/// Reverses the bytes of each number in elements of a type.
pub fn swap_numbers(schema: &Schema, ty: Type, bytes: &mut [u8]) {
    let size = schema.type_size(ty).max(1);
    let fields = match ty {
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Compound { fields, .. } => fields,
            _ => return swap_units(bytes, size),
        },
        _ => return swap_units(bytes, size),
    };
    for element in bytes.chunks_exact_mut(size) {
        for field in fields {
            let count: usize = field.dims.iter().product();
            let end = field.offset + count * schema.type_size(field.ty);
            if let Some(part) = element.get_mut(field.offset..end) {
                swap_numbers(schema, field.ty, part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    struct Two;

    impl Surroundings for Two {
        fn type_of(&self, member: &Element) -> Result<Option<Type>> {
            Ok(match member.name.as_str() {
                "Int16" => Some(Type::Short),
                "Float64" => Some(Type::Double),
                "String" => Some(Type::String),
                _ => None,
            })
        }

        fn length_of(&self, _: &Element) -> Result<u64> {
            Ok(2)
        }
    }

    #[test]
    fn structures_are_packed() {
        let text = r#"<Structure name="s"><Int16 name="a"/><Structure name="in"><Float64 name="b"><Dim/></Float64></Structure><Dim/></Structure>"#;
        let mut schema = Schema::new(Kind::Netcdf4);
        let made = Structure::of(&Element::parse(text).unwrap(), None, &schema, &Two).unwrap();
        let ty = made.unwrap().declared(&mut schema, Schema::ROOT);
        let names: Vec<_> = schema.types.iter().map(|ty| ty.name.as_str()).collect();
        assert_eq!((names, schema.type_size(ty)), (vec!["s_in_t", "s_t"], 18));
        let mut bytes: Vec<u8> = (0..36).collect();
        swap_numbers(&schema, ty, &mut bytes);
        assert_eq!(bytes[..12], [1, 0, 9, 8, 7, 6, 5, 4, 3, 2, 17, 16]);
        assert_eq!(bytes[18..20], [19, 18]);
    }

    #[test]
    fn what_no_compound_holds_is_none() {
        let schema = Schema::new(Kind::Netcdf4);
        let dims = "<Dim/>".repeat(40);
        for members in [
            "".to_owned(),
            "<String name='t'/>".to_owned(),
            "<Opaque name='o'/>".to_owned(),
            "<Sequence name='q'><Int16 name='a'/></Sequence>".to_owned(),
            "<Structure name='e'/>".to_owned(),
            format!("<Int16 name='a'>{dims}</Int16>"),
        ] {
            let text = format!("<Structure name='s'>{members}</Structure>");
            let made = Structure::of(&Element::parse(&text).unwrap(), None, &schema, &Two).unwrap();
            assert!(made.is_none(), "{members}");
        }
    }
}
