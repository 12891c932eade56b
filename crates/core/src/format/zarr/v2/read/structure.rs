//! Structured types of version 2: named fields one behind the other.
//!
//! ```text
//! [["a", "<i4"], ["b", ">f8", [2, 3]], ["c", [["x", "|b1"]]], ["", "|V4"]]
//! ```
//!
//! | field | netCDF |
//! | --- | --- |
//! | a number, `\|b1`, `<f2`, `<c8`, `<M8[s]` | as the type of an array |
//! | `\|Sn`, `<Un` | chars, with NULs after the text |
//! | `\|Vn` | opaque |
//! | a list | a compound of its own |
//! | `\|Vn` without a name | padding, which is left out |
//!
//! numpy, "Array interface", `descr`.

use crate::format::zarr::dtype::{Dtype, DtypeError, Stored};
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::json::Json;
use crate::format::zarr::read::{Elements, Unit, UserTypes};
use crate::format::zarr::structure_limits::{DEEPEST, MAX_STRUCT, MOST_FIELDS};
use crate::model::{Endian, Field, GroupId, Schema, Type, TypeClass, Values};
use crate::store::base64;

/// Most dimensions of a field. HDF5 and numpy have the same limit.
const MOST_DIMS: usize = 32;

/// A structured type.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    fields: Vec<StructureField>,
    /// Bytes of an element in a decoded chunk.
    size: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct StructureField {
    /// Empty for padding.
    name: String,
    ty: FieldType,
    dims: Vec<usize>,
    /// Number of elements.
    count: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum FieldType {
    Plain(Dtype),
    Opaque(usize),
    Structure(Structure),
}

impl FieldType {
    fn size(&self) -> usize {
        match self {
            Self::Plain(dtype) => dtype.size,
            Self::Opaque(size) => *size,
            Self::Structure(structure) => structure.size,
        }
    }
}

impl Structure {
    /// Parses the list of fields.
    ///
    /// # Errors
    /// A field that netCDF cannot hold, or what is no list of fields.
    pub fn parse(fields: &[Json]) -> Result<Self, DtypeError> {
        Self::parse_nested(fields, 0, &mut 0)
    }

    fn parse_nested(list: &[Json], depth: usize, known: &mut usize) -> Result<Self, DtypeError> {
        let damaged = |why: &str| DtypeError::Damaged(format!("the dtype is a structure that {why}"));
        if depth > DEEPEST {
            return Err(damaged("is nested too deeply"));
        }
        *known += list.len();
        if *known > MOST_FIELDS {
            return Err(damaged("has too many fields"));
        }
        let mut fields: Vec<StructureField> = Vec::with_capacity(list.len());
        let mut size = 0usize;
        for json in list {
            let field = StructureField::parse(json, depth, known)?;
            if !field.name.is_empty() && fields.iter().any(|other| other.name == field.name) {
                return Err(damaged("has two fields of one name"));
            }
            let end = field
                .ty
                .size()
                .checked_mul(field.count)
                .and_then(|n| n.checked_add(size));
            size = end
                .filter(|end| *end <= MAX_STRUCT)
                .ok_or_else(|| DtypeError::Unheld(format!("has elements of more than {MAX_STRUCT} bytes")))?;
            fields.push(field);
        }
        match fields.iter().any(|field| !field.name.is_empty()) {
            true => Ok(Self { fields, size }),
            false => Err(damaged("has no fields")),
        }
    }

    /// Bytes of an element in a decoded chunk.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The compound, which is made where there is none like it.
    pub fn ty(&self, schema: &mut Schema, types: &mut UserTypes, group: GroupId, variable: &str) -> Type {
        let mut fields = Vec::with_capacity(self.fields.len());
        let mut size = 0;
        for field in self.fields.iter().filter(|field| !field.name.is_empty()) {
            let mut dims = field.dims.clone();
            let ty = match &field.ty {
                FieldType::Plain(dtype) => match dtype.stored {
                    Stored::Complex => types.complex(schema, dtype.ty),
                    Stored::Bool => types.boolean(schema),
                    Stored::Bytes | Stored::Ucs4 => {
                        dims.push(dtype.size);
                        Type::Char
                    }
                    _ => dtype.ty,
                },
                FieldType::Opaque(bytes) => types.raw(schema, *bytes),
                FieldType::Structure(inner) => {
                    inner.ty(schema, types, group, &format!("{variable}_{}", field.name))
                }
            };
            let element = schema.type_size(ty);
            let count: usize = dims.iter().product();
            fields.push(Field {
                name: field.name.clone(),
                offset: size,
                ty,
                dims,
            });
            size += element * count;
        }
        let class = TypeClass::Compound { size, fields };
        types.of_class(schema, group, format!("{variable}_t"), class)
    }

    /// How elements are stored.
    pub fn elements(&self) -> Elements {
        let units = self.units();
        match units.iter().all(|unit| matches!(unit, Unit::Bytes(_))) {
            true => Elements::Plain,
            false => Elements::Fields(units),
        }
    }

    fn units(&self) -> Box<[Unit]> {
        self.fields.iter().map(StructureField::unit).collect()
    }

    /// The fill value as an element of netCDF: the bytes of an element in base64, or zeros. `None` for `null`.
    ///
    /// # Errors
    /// A value of another size, as a clause.
    pub fn fill(&self, json: &Json) -> Result<Option<Values>, String> {
        let stored = match json {
            Json::Null => return Ok(None),
            Json::String(text) => base64::decode(text).filter(|bytes| bytes.len() == self.size),
            // zarr-python's default for any type.
            _ if json.as_whole() == Some(0) => Some(vec![0; self.size]),
            _ => None,
        };
        let bytes = stored.and_then(|bytes| self.elements().convert(&bytes, 1, &mut Vec::new()).ok());
        match bytes {
            Some(bytes) => Ok(Some(Values::from_bytes(bytes))),
            None => Err(format!(
                "the fill_value {} is no structure of {} bytes",
                json.shown(),
                self.size
            )),
        }
    }
}

impl StructureField {
    fn parse(json: &Json, depth: usize, known: &mut usize) -> Result<Self, DtypeError> {
        let damaged = || DtypeError::Damaged("the dtype has a field that is no name with a type".to_owned());
        let (name, ty, shape) = match json.as_array() {
            Some([name, ty]) => (name, ty, None),
            Some([name, ty, shape]) => (name, ty, Some(shape)),
            _ => return Err(damaged()),
        };
        let name = name.as_str().ok_or_else(damaged)?.to_owned();
        let ty = match ty {
            Json::Array(fields) => FieldType::Structure(Structure::parse_nested(fields, depth + 1, known)?),
            _ => Self::parse_type(ty.as_str().ok_or_else(damaged)?, &name)?,
        };
        if name.is_empty() && !matches!(ty, FieldType::Opaque(_)) {
            return Err(damaged());
        }
        // numpy spells the shape (3,) as 3, too.
        let scalar = shape.map(std::slice::from_ref);
        let lengths = shape.and_then(Json::as_array).or(scalar).unwrap_or_default();
        let length = |json: &Json| {
            json.as_u64()
                .and_then(|n| usize::try_from(n).ok())
                .filter(|n| *n > 0)
        };
        let dims: Option<Vec<usize>> = lengths.iter().map(length).collect();
        let dims = dims.filter(|dims| dims.len() < MOST_DIMS).ok_or_else(damaged)?;
        let count = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim));
        Ok(Self {
            name,
            ty,
            dims,
            count: count.ok_or_else(damaged)?,
        })
    }

    fn parse_type(text: &str, name: &str) -> Result<FieldType, DtypeError> {
        let digits = text.trim_start_matches(['|', '<', '>', '=']).strip_prefix('V');
        if let Some(size) = digits.and_then(|digits| digits.parse::<usize>().ok()) {
            return match (1..=MAX_STRUCT).contains(&size) {
                true => Ok(FieldType::Opaque(size)),
                false => Err(DtypeError::Damaged(format!(
                    "the dtype has the field {name} of type {text}"
                ))),
            };
        }
        match Dtype::parse_text(text, Flavor::Zarr) {
            Ok(dtype) if dtype.stored == Stored::Objects => Err(DtypeError::Unheld(format!(
                "has a structured type whose field {name} is an object"
            ))),
            Ok(dtype) => Ok(FieldType::Plain(dtype)),
            Err(DtypeError::Unheld(_)) => Err(DtypeError::Unheld(format!(
                "has a structured type whose field {name} has the type {text}, which netCDF cannot hold"
            ))),
            Err(damaged) => Err(damaged),
        }
    }

    /// How the field is stored.
    fn unit(&self) -> Unit {
        let (count, size) = (self.count, self.ty.size());
        let dtype = match &self.ty {
            _ if self.name.is_empty() => return Unit::Skip(count * size),
            FieldType::Opaque(_) => return Unit::Bytes(count * size),
            FieldType::Structure(inner) => {
                let units = inner.units();
                return match units.iter().all(|unit| matches!(unit, Unit::Bytes(_))) {
                    true => Unit::Bytes(count * size),
                    false => Unit::Nested(count, units),
                };
            }
            FieldType::Plain(dtype) => dtype,
        };
        match (dtype.stored, dtype.endian) {
            (Stored::Half, endian) => Unit::Half(count, endian),
            (Stored::Ucs4, endian) => Unit::Wide(count, size / 4, endian),
            (Stored::Number, Endian::Big) => Unit::Reversed(count, size),
            (Stored::Complex, Endian::Big) => Unit::Reversed(2 * count, size / 2),
            _ => Unit::Bytes(count * size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(text: &str) -> Result<Structure, DtypeError> {
        Structure::parse(Json::parse(text.as_bytes()).unwrap().as_array().unwrap())
    }

    /// `np.array([(1, 'é', [2, 3], (4,), 0.5)], dtype)` of numpy, in which padding is 7.
    #[test]
    fn fields_become_those_of_a_compound() {
        let dtype = r#"[["a", ">i2"], ["u", "<U2"], ["", "|V3"], ["p", "<i4", [2]], ["n", [["q", ">u2"]]], ["h", "<f2"]]"#;
        let structure = structure(dtype).unwrap();
        let mut schema = Schema::new(crate::model::Kind::Zarr2);
        let mut types = UserTypes::default();
        let ty = structure.ty(&mut schema, &mut types, Schema::ROOT, "v");
        let Type::User(id) = ty else { panic!("{ty:?}") };
        let TypeClass::Compound { size, fields } = &schema.user_type(id).class else {
            panic!()
        };
        let offsets: Vec<(&str, usize)> = fields.iter().map(|field| (&*field.name, field.offset)).collect();
        assert_eq!((*size, structure.size()), (24, 25));
        assert_eq!(offsets, [("a", 0), ("u", 2), ("p", 10), ("n", 18), ("h", 20)]);
        let stored = b"\0\x01\xe9\0\0\0\0\0\0\0\x07\x07\x07\x02\0\0\0\x03\0\0\0\0\x04\0\x38";
        let found = structure.elements().convert(stored, 1, &mut Vec::new()).unwrap();
        assert_eq!(
            found,
            b"\x01\0\xc3\xa9\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\0\x3f"
        );
        assert!(
            structure
                .elements()
                .convert(&stored[..24], 1, &mut Vec::new())
                .is_err()
        );
        assert_eq!(structure.fill(&Json::Integer(0)).unwrap().unwrap().bytes, [0; 24]);
        assert!(structure.fill(&Json::from("AAAA")).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (dtype, why) in [
            (r#"[["o", "|O"]]"#, "whose field o is an object"),
            (r#"[["g", "<f16"]]"#, "whose field g has the type <f16"),
            (r#"[["a", "|V2000000"]]"#, "the field a of type"),
            (r#"[["a", "<i8", [400000]]]"#, "more than"),
            (r#"[["a", "<i8", [0]]]"#, "no name with a type"),
            (
                r#"[["a", "<i8", [18446744073709551615, 2]]]"#,
                "no name with a type",
            ),
            (r#"[["a", "<i8"], ["a", "<i4"]]"#, "two fields of one name"),
            (r#"[["", "|V4"]]"#, "has no fields"),
            (r#"[["", "<i4"]]"#, "no name with a type"),
            (r#"[["a"]]"#, "no name with a type"),
            ("[]", "has no fields"),
        ] {
            let error = structure(dtype).unwrap_err().to_string();
            assert!(error.contains(why), "{dtype}: {error}");
        }
        let nested = (0..20).fold("\"<i4\"".to_owned(), |inner, _| format!("[[\"a\", {inner}]]"));
        assert!(structure(&nested).unwrap_err().to_string().contains("too deeply"));
    }
}
