//! The user-defined types that are made for arrays of which netCDF has no atomic type.

use std::collections::{HashMap, HashSet};

use crate::model::{Field, GroupId, Schema, Type, TypeClass, TypeId, UserType};

/// The user-defined types that were made.
#[derive(Debug, Default)]
pub struct UserTypes {
    /// Those of each group.
    made: HashMap<(GroupId, TypeClass), TypeId>,
    names: HashSet<(GroupId, String)>,
}

impl UserTypes {
    /// The enum of booleans.
    pub fn boolean(&mut self, schema: &mut Schema) -> Type {
        let class = UserType::boolean_class();
        self.of_class(schema, Schema::ROOT, "_Boolean".to_owned(), class)
    }

    /// Bytes of any length.
    pub fn bytes(&mut self, schema: &mut Schema) -> Type {
        let class = TypeClass::Vlen { base: Type::UByte };
        self.of_class(schema, Schema::ROOT, "bytes".to_owned(), class)
    }

    /// This many bytes without a meaning.
    pub fn raw(&mut self, schema: &mut Schema, size: usize) -> Type {
        let class = TypeClass::Opaque { size };
        self.of_class(schema, Schema::ROOT, format!("raw_bytes_{size}"), class)
    }

    /// A complex number with parts of this type.
    pub fn complex(&mut self, schema: &mut Schema, part: Type) -> Type {
        let size = part.atomic_size();
        let field = |name: &str, offset| Field {
            name: name.to_owned(),
            offset,
            ty: part,
            dims: Vec::new(),
        };
        let class = TypeClass::Compound {
            size: 2 * size,
            fields: vec![field("r", 0), field("i", size)],
        };
        self.of_class(schema, Schema::ROOT, complex_name(part).to_owned(), class)
    }

    /// The type of this class. Where there is none like it in the root group or in `group`, it is made in `group` with this
    /// name, or with one like it.
    pub fn of_class(&mut self, schema: &mut Schema, group: GroupId, name: String, class: TypeClass) -> Type {
        let mut key = (Schema::ROOT, class);
        let mut known = self.made.get(&key);
        if known.is_none() && group != Schema::ROOT {
            key.0 = group;
            known = self.made.get(&key);
        }
        if let Some(id) = known {
            return Type::User(*id);
        }
        let name = self.unused(group, name);
        self.names.insert((group, name.clone()));
        let class = key.1.clone();
        let id = schema.add_type(UserType { name, group, class });
        self.made.insert((group, key.1), id);
        Type::User(id)
    }

    /// The name, or one with a number behind it, that no type of the group has.
    fn unused(&self, group: GroupId, name: String) -> String {
        let is_used = |name: &str| self.names.contains(&(group, name.to_owned()));
        if !is_used(&name) {
            return name;
        }
        let mut numbered = (2u64..).map(|n| format!("{name}_{n}"));
        numbered.find(|name| !is_used(name)).unwrap_or(name)
    }
}

/// The name of the compound of complex numbers with parts of this type. netCDF4-python names it so.
fn complex_name(part: Type) -> &'static str {
    match part {
        Type::Float => "_PFNC_FLOAT_COMPLEX_TYPE",
        _ => "_PFNC_DOUBLE_COMPLEX_TYPE",
    }
}
