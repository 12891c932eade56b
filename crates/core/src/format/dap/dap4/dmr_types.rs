//! Atomic types of DAP4.

use crate::model::Type;

/// The type of netCDF for an atomic type of DAP4.
pub fn atomic(kind: &str) -> Option<Type> {
    Some(match kind {
        "Int8" => Type::Byte,
        "UInt8" | "Byte" => Type::UByte,
        "Int16" => Type::Short,
        "UInt16" => Type::UShort,
        "Int32" => Type::Int,
        "UInt32" => Type::UInt,
        "Int64" => Type::Int64,
        "UInt64" => Type::UInt64,
        "Float32" => Type::Float,
        "Float64" => Type::Double,
        "Char" => Type::Char,
        "String" | "URL" | "URI" => Type::String,
        _ => return None,
    })
}
