//! The netCDF types of data types.

use super::super::super::read::UserTypes;
use super::super::data_type::DataType;
use crate::model::{Field, GroupId, Schema, Type, TypeClass};

/// The type of a variable. A user-defined type is made where there is none like it: a structure in the group of the
/// variable that needs it, any other in the root group.
pub fn netcdf_type(
    types: &mut UserTypes,
    schema: &mut Schema,
    group: GroupId,
    variable: &str,
    data_type: &DataType,
) -> Type {
    match data_type {
        DataType::Number(ty) => *ty,
        DataType::Bool => types.boolean(schema),
        DataType::Half | DataType::BFloat16 => Type::Float,
        DataType::Char => Type::Char,
        DataType::Text(_) | DataType::Wide(_) | DataType::String => Type::String,
        DataType::Time(_) => Type::Int64,
        DataType::Bytes => types.bytes(schema),
        DataType::Raw(size) => types.raw(schema, *size),
        DataType::Complex(part) => types.complex(schema, *part),
        DataType::Struct(members) => {
            let mut offset = 0;
            let mut fields = Vec::with_capacity(members.len());
            for (name, member) in members {
                // The field of a structure is a structure of its own.
                let ty = match member {
                    DataType::Text(_) => Type::Char,
                    _ => netcdf_type(types, schema, group, &format!("{variable}_{name}"), member),
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
            types.of_class(schema, group, format!("{variable}_t"), class)
        }
    }
}
