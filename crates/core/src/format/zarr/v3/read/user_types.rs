//! The netCDF types of data types that netCDF has no atomic type for.

use std::collections::{HashMap, HashSet};

use super::super::data_type::{DataType, complex_name};
use crate::model::{Field, GroupId, Schema, Type, TypeClass, TypeId, UserType};

/// The user-defined types that were made.
#[derive(Debug, Default)]
pub struct UserTypes {
    /// Those of each group.
    made: HashMap<(GroupId, TypeClass), TypeId>,
    names: HashSet<(GroupId, String)>,
}

impl UserTypes {
    /// The type of a variable. A user-defined type is made where there is none like it: a structure in the group of the
    /// variable that needs it, any other in the root group.
    pub fn of(&mut self, schema: &mut Schema, group: GroupId, variable: &str, data_type: &DataType) -> Type {
        let (name, class, group) = match data_type {
            DataType::Number(ty) => return *ty,
            DataType::Bool => ("_Boolean".to_owned(), UserType::boolean_class(), Schema::ROOT),
            DataType::Half | DataType::BFloat16 => return Type::Float,
            DataType::Char => return Type::Char,
            DataType::Text(_) | DataType::Wide(_) | DataType::String => return Type::String,
            DataType::Time(_) => return Type::Int64,
            DataType::Bytes => {
                let class = TypeClass::Vlen { base: Type::UByte };
                ("bytes".to_owned(), class, Schema::ROOT)
            }
            DataType::Raw(size) => (
                format!("raw_bytes_{size}"),
                TypeClass::Opaque { size: *size },
                Schema::ROOT,
            ),
            DataType::Complex(part) => {
                let size = part.atomic_size();
                let field = |name: &str, offset| Field {
                    name: name.to_owned(),
                    offset,
                    ty: *part,
                    dims: Vec::new(),
                };
                let class = TypeClass::Compound {
                    size: 2 * size,
                    fields: vec![field("r", 0), field("i", size)],
                };
                (complex_name(*part).to_owned(), class, Schema::ROOT)
            }
            DataType::Struct(members) => {
                let mut offset = 0;
                let mut fields = Vec::with_capacity(members.len());
                for (name, member) in members {
                    // The field of a structure is a structure of its own.
                    let ty = match member {
                        DataType::Text(_) => Type::Char,
                        _ => self.of(schema, group, &format!("{variable}_{name}"), member),
                    };
                    fields.push(Field {
                        name: name.clone(),
                        offset,
                        ty,
                        dims: match member {
                            DataType::Text(size) => vec![*size],
                            _ => Vec::new(),
                        },
                    });
                    offset += member.size().unwrap_or(0);
                }
                let class = TypeClass::Compound { size: offset, fields };
                (format!("{variable}_t"), class, group)
            }
        };
        self.of_class(schema, group, name, class)
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
