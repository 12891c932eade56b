//! The data types of arrays.
//!
//! | data type | netCDF |
//! | --- | --- |
//! | `int8` … `uint64`, `float32`, `float64` | the number |
//! | `bool` | enum {FALSE, TRUE}, as h5py has it |
//! | `float16`, `bfloat16` | float |
//! | `null_terminated_bytes` of 1 byte | char |
//! | `null_terminated_bytes`, `fixed_length_utf32`, `string` | string |
//! | `bytes`, `variable_length_bytes` | vlen of ubyte |
//! | `raw_bytes`, `r8` … | opaque |
//! | `complex64`, `complex128` | compound {r, i}, as netCDF4-python has it |
//! | `numpy.datetime64`, `numpy.timedelta64` | int64 with units |
//! | `struct`, `structured` | compound |
//!
//! Zarr version 3.1, "Data types", and the registry zarr-extensions.

use super::super::dtype::DtypeError;
use super::super::json::Json;
use super::super::structure_limits::{DEEPEST, MAX_STRUCT, MOST_FIELDS};
use super::super::time::{Time, times_of_field};
use super::extension::Extension;
use crate::model::{Field, Schema, Type, TypeClass};

/// Most bytes of one element.
const MAX_SIZE: u64 = i32::MAX as u64;

/// A data type.
#[derive(Debug, Clone, PartialEq)]
pub enum DataType {
    /// A number that netCDF has.
    Number(Type),
    /// One byte, 0 or 1.
    Bool,
    /// IEEE 754 binary16.
    Half,
    /// The upper 16 bits of an IEEE 754 binary32.
    BFloat16,
    /// One byte of text.
    Char,
    /// Text of at most this many bytes, with NULs after it.
    Text(usize),
    /// Text of at most this many characters of 4 bytes each, with NULs after it.
    Wide(usize),
    /// Text of any length.
    String,
    /// Bytes of any length, which may be those of little-endian numbers.
    Bytes,
    /// This many bytes without a meaning.
    Raw(usize),
    /// A complex number, whose parts are `Float` or `Double`.
    Complex(Type),
    /// A number of units of time.
    Time(Time),
    /// Named fields one behind the other.
    Struct(Vec<(String, DataType)>),
}

impl DataType {
    /// The times in the type, each with the names of the fields that lead to it, joined by dots.
    pub fn times(&self) -> Vec<(String, Time)> {
        match self {
            Self::Time(time) => vec![(String::new(), time.clone())],
            Self::Struct(fields) => {
                let times = |(name, field): &(String, Self)| times_of_field(name, field.times());
                fields.iter().flat_map(times).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Parses the member `data_type`.
    ///
    /// # Errors
    /// What netCDF cannot hold, or what is no type.
    pub fn parse(json: &Json) -> Result<Self, DtypeError> {
        Self::parse_nested(json, 0)
    }

    fn parse_nested(json: &Json, depth: usize) -> Result<Self, DtypeError> {
        let damaged = |why: String| DtypeError::Damaged(format!("its data_type {why}"));
        if depth > DEEPEST {
            return Err(damaged("is nested too deeply".to_owned()));
        }
        let extension = Extension::parse(json).map_err(damaged)?;
        let name = extension.name.as_str();
        let length = |unit: u64| {
            let bytes = extension.get("length_bytes").and_then(Json::as_u64);
            let bytes = bytes.filter(|n| (1..=MAX_SIZE).contains(n) && n % unit == 0);
            bytes
                .map(|n| (n / unit) as usize)
                .ok_or_else(|| damaged(format!("{name} has no length_bytes that is a length")))
        };
        Ok(match name {
            "int8" => Self::Number(Type::Byte),
            "int16" => Self::Number(Type::Short),
            "int32" => Self::Number(Type::Int),
            "int64" => Self::Number(Type::Int64),
            "uint8" => Self::Number(Type::UByte),
            "uint16" => Self::Number(Type::UShort),
            "uint32" => Self::Number(Type::UInt),
            "uint64" => Self::Number(Type::UInt64),
            "float32" => Self::Number(Type::Float),
            "float64" => Self::Number(Type::Double),
            "bool" => Self::Bool,
            "float16" => Self::Half,
            "bfloat16" => Self::BFloat16,
            "complex64" => Self::Complex(Type::Float),
            "complex128" => Self::Complex(Type::Double),
            "string" => Self::String,
            "bytes" | "variable_length_bytes" => Self::Bytes,
            "null_terminated_bytes" => match length(1)? {
                1 => Self::Char,
                n => Self::Text(n),
            },
            "fixed_length_utf32" => Self::Wide(length(4)?),
            "raw_bytes" => Self::Raw(length(1)?),
            "numpy.datetime64" | "numpy.timedelta64" => Self::Time(time(&extension).map_err(damaged)?),
            "struct" | "structured" => Self::Struct(fields(&extension, depth)?),
            _ => match name.strip_prefix('r').and_then(raw_bits) {
                Some(bytes) => Self::Raw(bytes),
                None => {
                    return Err(DtypeError::Unheld(format!(
                        "has the data type {name}, which netCDF cannot hold"
                    )));
                }
            },
        })
    }

    /// The data type in which elements of a netCDF type are written.
    ///
    /// # Errors
    /// A type that Zarr cannot hold, as a clause: "has the type t, whose …".
    pub fn of(schema: &Schema, ty: Type) -> Result<Self, String> {
        Self::of_nested(schema, ty, 0)
    }

    fn of_nested(schema: &Schema, ty: Type, depth: usize) -> Result<Self, String> {
        let id = match ty {
            Type::Char => return Ok(Self::Char),
            Type::String => return Ok(Self::String),
            Type::User(id) => id,
            number => return Ok(Self::Number(number)),
        };
        let user = schema.user_type(id);
        let name = &user.name;
        match &user.class {
            TypeClass::Enum { .. } if user.is_boolean() => Ok(Self::Bool),
            TypeClass::Enum { base, .. } => Ok(Self::Number(*base)),
            TypeClass::Opaque { size } => Ok(Self::Raw(*size)),
            TypeClass::Vlen { base } if base.is_number() => Ok(Self::Bytes),
            TypeClass::Vlen { .. } => Err(format!(
                "has the type {name}, whose values have different lengths, which Zarr cannot hold"
            )),
            TypeClass::Compound { fields, .. } => {
                if let Some(part) = user.complex_part() {
                    return Ok(Self::Complex(part));
                }
                // The fields of the structure are one level deeper, also those that are numbers.
                if depth >= DEEPEST {
                    return Err(format!(
                        "has the type {name}, which is nested to a depth of more than {DEEPEST}"
                    ));
                }
                if fields.len() > MOST_FIELDS {
                    return Err(format!(
                        "has the type {name}, which has more than {MOST_FIELDS} fields"
                    ));
                }
                let field = |field: &Field| -> Result<(String, Self), String> {
                    let element = Self::of_nested(schema, field.ty, depth + 1)?;
                    let element = match (element, &field.dims[..]) {
                        (Self::String, _) => {
                            return Err(format!(
                                "has the type {name}, whose field {} is a string, which a struct of Zarr cannot hold",
                                field.name
                            ));
                        }
                        (Self::Bytes, _) => {
                            return Err(format!(
                                "has the type {name}, whose field {} varies in length, which a struct of Zarr cannot hold",
                                field.name
                            ));
                        }
                        (element, []) => element,
                        (Self::Char, [length]) if *length > 1 => Self::Text(*length),
                        // There are no arrays. NetCDF's own facts tell what the bytes are.
                        (element, dims) => {
                            let count = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim));
                            let size = element.size().zip(count).and_then(|(n, m)| n.checked_mul(m));
                            Self::Raw(size.unwrap_or(usize::MAX))
                        }
                    };
                    Ok((field.name.clone(), element))
                };
                let mut members = Vec::with_capacity(fields.len());
                let mut size = 0usize;
                for member in fields.iter().map(field) {
                    let member = member?;
                    size = size.saturating_add(member.1.size().unwrap_or(0));
                    if size > MAX_STRUCT {
                        return Err(format!(
                            "has the type {name}, whose elements take more than {MAX_STRUCT} bytes, the limit of a struct"
                        ));
                    }
                    members.push(member);
                }
                Ok(Self::Struct(members))
            }
        }
    }

    /// Bytes of one element in a decoded chunk; `None` if they differ.
    pub fn size(&self) -> Option<usize> {
        Some(match self {
            Self::Number(ty) => ty.atomic_size(),
            Self::Bool | Self::Char => 1,
            Self::Half | Self::BFloat16 => 2,
            Self::Text(n) | Self::Raw(n) => *n,
            Self::Wide(n) => n.checked_mul(4)?,
            Self::String | Self::Bytes => return None,
            Self::Complex(part) => 2 * part.atomic_size(),
            Self::Time(_) => 8,
            Self::Struct(fields) => {
                let mut sum = 0usize;
                for (_, field) in fields {
                    sum = sum.checked_add(field.size()?)?;
                }
                sum
            }
        })
    }

    /// Bytes of one number, whose order the codec `bytes` gives: 1 where there is no order. That of a structure is 2 or more
    /// if any of its fields has an order.
    pub fn unit(&self) -> usize {
        match self {
            Self::Number(ty) => ty.atomic_size(),
            Self::Bool | Self::Char | Self::Text(_) | Self::Raw(_) | Self::String | Self::Bytes => 1,
            Self::Half | Self::BFloat16 => 2,
            Self::Wide(_) => 4,
            Self::Complex(part) => part.atomic_size(),
            Self::Time(_) => 8,
            Self::Struct(fields) => fields.iter().map(|(_, field)| field.unit()).max().unwrap_or(1),
        }
    }

    /// The member `data_type`.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Number(_)
            | Self::Bool
            | Self::Half
            | Self::BFloat16
            | Self::String
            | Self::Bytes
            | Self::Complex(_) => self.name().into(),
            Self::Char => self.extension().with("length_bytes", 1u64).to_json(),
            Self::Text(n) | Self::Raw(n) => self.extension().with("length_bytes", *n as u64).to_json(),
            Self::Wide(n) => self.extension().with("length_bytes", *n as u64 * 4).to_json(),
            Self::Time(time) => self
                .extension()
                .with("unit", time.unit.as_str())
                .with("scale_factor", time.scale)
                .to_json(),
            Self::Struct(fields) => {
                let field = |(name, ty): &(String, Self)| {
                    Json::from_iter([("name", Json::from(name.as_str())), ("data_type", ty.to_json())])
                };
                let fields = Json::Array(fields.iter().map(field).collect());
                self.extension().with("fields", fields).to_json()
            }
        }
    }

    fn extension(&self) -> Extension {
        Extension::new(self.name())
    }

    /// The name of the data type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Number(ty) => match ty {
                Type::Byte => "int8",
                Type::Short => "int16",
                Type::Int => "int32",
                Type::Int64 => "int64",
                Type::UByte => "uint8",
                Type::UShort => "uint16",
                Type::UInt => "uint32",
                Type::UInt64 => "uint64",
                Type::Float => "float32",
                _ => "float64",
            },
            Self::Bool => "bool",
            Self::Half => "float16",
            Self::BFloat16 => "bfloat16",
            Self::Char | Self::Text(_) => "null_terminated_bytes",
            Self::Wide(_) => "fixed_length_utf32",
            Self::String => "string",
            Self::Bytes => "variable_length_bytes",
            Self::Raw(_) => "raw_bytes",
            Self::Complex(Type::Float) => "complex64",
            Self::Complex(_) => "complex128",
            Self::Time(time) if time.is_duration => "numpy.timedelta64",
            Self::Time(_) => "numpy.datetime64",
            Self::Struct(_) => "struct",
        }
    }
}

/// The bytes of `r8`, `r16` …, given what follows the `r`.
fn raw_bits(digits: &str) -> Option<usize> {
    let bits: u64 = digits.parse().ok().filter(|_| !digits.starts_with(['+', '0']))?;
    let bytes = bits.is_multiple_of(8).then_some(bits / 8)?;
    (1..=MAX_SIZE).contains(&bytes).then_some(bytes as usize)
}

fn time(extension: &Extension) -> Result<Time, String> {
    let unit = extension
        .get("unit")
        .and_then(Json::as_str)
        .ok_or("has no unit")?;
    let scale = match extension.get("scale_factor") {
        None => 1,
        Some(scale) => scale.as_u64().ok_or("has no scale_factor that is a count")?,
    };
    Time::new(unit, scale, extension.name == "numpy.timedelta64")
        .ok_or_else(|| format!("counts times in {scale} {unit}, which numpy does not have"))
}

/// The fields of a structure: objects, or pairs as zarr-python 3.1 writes them.
fn fields(extension: &Extension, depth: usize) -> Result<Vec<(String, DataType)>, DtypeError> {
    let damaged = |why: &str| DtypeError::Damaged(format!("its data_type {} {why}", extension.name));
    let list = extension
        .get("fields")
        .and_then(Json::as_array)
        .filter(|list| !list.is_empty() && list.len() <= MOST_FIELDS)
        .ok_or_else(|| damaged("has no list of fields"))?;
    let mut fields: Vec<(String, DataType)> = Vec::with_capacity(list.len());
    for field in list {
        let (name, ty) = match field.as_array() {
            Some([name, ty]) => (Some(name), Some(ty)),
            _ => (field.get("name"), field.get("data_type")),
        };
        let name = name.and_then(Json::as_str).filter(|name| !name.is_empty());
        let (Some(name), Some(ty)) = (name, ty) else {
            return Err(damaged("has a field without a name or type"));
        };
        let ty = DataType::parse_nested(ty, depth + 1)?;
        let held = matches!(
            ty,
            DataType::Number(_)
                | DataType::Bool
                | DataType::Char
                | DataType::Text(_)
                | DataType::Raw(_)
                | DataType::Complex(_)
                | DataType::Time(_)
                | DataType::Struct(_)
        );
        if !held {
            return Err(DtypeError::Unheld(format!(
                "has a field {name} of the data type {}, which a compound cannot hold",
                ty.name()
            )));
        }
        fields.push((name.to_owned(), ty));
    }
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() != fields.len() {
        return Err(damaged("has two fields of one name"));
    }
    let size = DataType::Struct(fields.clone()).size();
    match size.is_some_and(|size| size <= MAX_STRUCT) {
        true => Ok(fields),
        false => Err(damaged("is too large")),
    }
}

#[cfg(test)]
mod tests;
