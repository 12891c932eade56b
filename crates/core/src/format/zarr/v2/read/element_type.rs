//! The type of an array's elements: that of `dtype`, and of the codec that makes bytes of objects.

use super::super::fill_value;
use super::array_metadata::ArrayMetadata;
use super::structure::Structure;
use crate::filter::{VLEN_ARRAY, VLEN_UTF8};
use crate::format::zarr::dtype::{Dtype, DtypeError, Stored};
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::json::Json;
use crate::format::zarr::read::{Elements, UserTypes};
use crate::model::{CodecSpec, Endian, GroupId, Schema, Type, TypeClass, Values};

/// The type of elements.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementType {
    /// One that a text names, and how elements are stored.
    Plain(Dtype, Elements),
    /// Named fields.
    Structure(Structure),
}

impl ElementType {
    /// The type that the metadata of an array gives.
    ///
    /// # Errors
    /// What netCDF cannot hold, or what is no type.
    pub fn of(metadata: &ArrayMetadata, flavor: Flavor) -> Result<Self, DtypeError> {
        if let Json::Array(fields) = &metadata.dtype {
            return Structure::parse(fields).map(Self::Structure);
        }
        let dtype = Dtype::parse(&metadata.dtype, flavor)?;
        let elements = match &metadata.element_codec {
            Some(codec) if codec.name() == VLEN_ARRAY && dtype.stored == Stored::Objects => {
                let base = list_base(codec)?;
                let elements = Elements::VlenNumbers(base.atomic_size());
                return Ok(Self::Plain(Dtype::list(base), elements));
            }
            Some(codec) => by_codec(&dtype, codec)?,
            None if dtype.stored == Stored::Objects => {
                return Err(DtypeError::Unheld(
                    "has objects, and no codec that is known to store them".to_owned(),
                ));
            }
            None => Elements::of(&dtype),
        };
        Ok(Self::Plain(dtype, elements))
    }

    /// The type in netCDF, which is made if it is a type of its own.
    pub fn ty(&self, schema: &mut Schema, types: &mut UserTypes, group: GroupId, variable: &str) -> Type {
        match self {
            Self::Plain(_, Elements::VlenBytes) => types.bytes(schema),
            Self::Plain(dtype, Elements::VlenNumbers(_)) => {
                let name = format!("{}_list", dtype.ty.cdl_name().unwrap_or_default());
                types.of_class(schema, Schema::ROOT, name, TypeClass::Vlen { base: dtype.ty })
            }
            Self::Plain(dtype, _) if dtype.stored == Stored::Complex => types.complex(schema, dtype.ty),
            Self::Plain(dtype, _) if dtype.stored == Stored::Bool => types.boolean(schema),
            Self::Plain(dtype, _) => dtype.ty,
            Self::Structure(structure) => structure.ty(schema, types, group, variable),
        }
    }

    /// How elements are stored.
    pub fn elements(&self) -> Elements {
        match self {
            Self::Plain(_, elements) => elements.clone(),
            Self::Structure(structure) => structure.elements(),
        }
    }

    /// Bytes of an element in a decoded chunk; 0 if they differ.
    pub fn size(&self) -> usize {
        match self {
            Self::Plain(_, Elements::Labels { size, .. }) => *size,
            Self::Plain(dtype, _) => dtype.size,
            Self::Structure(structure) => structure.size(),
        }
    }

    /// The byte order of numbers and of UCS-4 characters. That of fields differs, and is undone with them.
    pub fn endian(&self) -> Endian {
        match self {
            Self::Plain(dtype, _) => dtype.endian,
            Self::Structure(_) => Endian::Little,
        }
    }

    /// The fill value as one element.
    ///
    /// # Errors
    /// A value that does not fit, as a clause.
    pub fn fill(&self, json: &Json, flavor: Flavor) -> Result<Option<Values>, String> {
        match self {
            // zarr-python 2 writes 0, which is no list.
            Self::Plain(_, Elements::VlenNumbers(_)) => Ok(None),
            Self::Plain(dtype, _) => fill_value::read(json, dtype, flavor),
            Self::Structure(structure) => structure.fill(json),
        }
    }
}

/// How elements are stored by a codec that makes bytes or numbers of them.
fn by_codec(dtype: &Dtype, codec: &CodecSpec) -> Result<Elements, DtypeError> {
    let name = codec.name();
    if name == "categorize" {
        return labels(dtype, codec);
    }
    if dtype.stored != Stored::Objects {
        return Err(DtypeError::Damaged(format!(
            "{name} stores objects, and these are none"
        )));
    }
    match name {
        VLEN_UTF8 => Ok(Elements::Vlen),
        "vlen-bytes" => Ok(Elements::VlenBytes),
        "json2" => Ok(Elements::JsonTexts),
        _ => Err(DtypeError::Unheld(format!(
            "has objects of the codec {name}, which is not read"
        ))),
    }
}

/// The type of the numbers in lists that the codec `vlen-array` stores.
fn list_base(codec: &CodecSpec) -> Result<Type, DtypeError> {
    let dtype = codec.configuration().and_then(|members| members.get("dtype"));
    let text = dtype.and_then(|dtype| dtype.as_str()).unwrap_or_default();
    let dtype = Dtype::parse_text(text, Flavor::Zarr)?;
    let is_held = dtype.stored == Stored::Number && dtype.endian == Endian::Little && dtype.ty.is_number();
    is_held.then_some(dtype.ty).ok_or_else(|| {
        DtypeError::Unheld(format!(
            "has lists of the type {text}, and only those of little-endian numbers are read"
        ))
    })
}

/// Strings as numbers, each the place of its label in a list.
fn labels(dtype: &Dtype, codec: &CodecSpec) -> Result<Elements, DtypeError> {
    let wrong = |what: &str| DtypeError::Damaged(format!("the codec categorize has {what}"));
    if dtype.ty != Type::String {
        return Err(wrong("a dtype that is no text"));
    }
    let member = |name: &str| codec.configuration().and_then(|members| members.get(name));
    let labels = member("labels").and_then(|labels| labels.as_array());
    let labels = labels.ok_or_else(|| wrong("no list of labels"))?;
    let labels: Option<Vec<Box<str>>> = labels.iter().map(|label| Some(label.as_str()?.into())).collect();
    let stored = match member("astype").map(|astype| astype.as_str()) {
        None => "|u1",
        Some(text) => text.unwrap_or_default(),
    };
    let stored = Dtype::parse_text(stored, Flavor::Zarr)
        .ok()
        .filter(|stored| stored.stored == Stored::Number && !matches!(stored.ty, Type::Float | Type::Double))
        .ok_or_else(|| wrong("an astype that is no integer"))?;
    Ok(Elements::Labels {
        labels: labels.ok_or_else(|| wrong("labels that are no texts"))?.into(),
        size: stored.size,
        endian: stored.endian,
    })
}
