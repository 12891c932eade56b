//! Compounds as structured types of version 2: the fields one behind the other, without gaps.
//!
//! ```text
//! [["a", "<i4"], ["b", "<f8", [2, 3]], ["t", "|S5"], ["c", [["x", "|b1"]]], ["k", "|V4"]]
//! ```
//!
//! numpy, "Array interface", `descr`.

use crate::format::zarr::dtype::Dtype;
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::json::Json;
use crate::format::zarr::structure_limits::{DEEPEST, MAX_STRUCT, MOST_FIELDS};
use crate::format::zarr::write::Packing;
use crate::model::{Endian, Field, Schema, Type, TypeClass, Values};
use crate::store::base64;

/// Most dimensions of a field, with that of text.
const MOST_DIMS: usize = 31;

/// The member `dtype` of an array of compounds. `None` for any other type, and for complex numbers.
///
/// # Errors
/// Why a compound has no such form, as a clause.
pub fn dtype(schema: &Schema, ty: Type) -> Result<Option<Json>, String> {
    let Type::User(id) = ty else { return Ok(None) };
    let user = schema.user_type(id);
    if user.complex_part().is_some() || !matches!(user.class, TypeClass::Compound { .. }) {
        return Ok(None);
    }
    let name = &user.name;
    if !schema.is_plain_compound(ty, MOST_FIELDS) {
        return Err(format!(
            "has the user-defined type {name}, which Zarr cannot hold"
        ));
    }
    if schema.type_size(ty) > MAX_STRUCT {
        return Err(format!(
            "has the type {name}, whose elements take more than {MAX_STRUCT} bytes"
        ));
    }
    match fields(schema, ty, 0) {
        Some(json) => Ok(Some(json)),
        None => Err(format!(
            "has the type {name}, which is nested to a depth of more than {DEEPEST}, or has a field of more than {MOST_DIMS} dimensions"
        )),
    }
}

fn fields(schema: &Schema, ty: Type, depth: usize) -> Option<Json> {
    let Type::User(id) = ty else { return None };
    let TypeClass::Compound { fields, .. } = &schema.user_type(id).class else {
        return None;
    };
    let all: Option<Vec<Json>> = fields.iter().map(|one| field(schema, one, depth)).collect();
    all.filter(|_| depth < DEEPEST).map(Json::Array)
}

fn field(schema: &Schema, field: &Field, depth: usize) -> Option<Json> {
    let mut dims = &field.dims[..];
    let ty = match field.ty {
        Type::Char => {
            // Text is one element, whose length is the last dimension.
            let (length, others) = dims.split_last().unwrap_or((&1, &[]));
            dims = others;
            Json::from(format!("|S{length}"))
        }
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Opaque { size } => Json::from(format!("|V{size}")),
            _ => match Dtype::of_user_type(schema.user_type(id)) {
                Some(dtype) => dtype.text(Flavor::Zarr).into(),
                None => fields(schema, field.ty, depth + 1)?,
            },
        },
        number => Dtype::number(number, Endian::Little).text(Flavor::Zarr).into(),
    };
    let mut members = vec![Json::from(&*field.name), ty];
    if !dims.is_empty() {
        let lengths = dims.iter().map(|length| Json::from(*length as u64));
        members.push(Json::Array(lengths.collect()));
    }
    (dims.len() <= MOST_DIMS).then_some(Json::Array(members))
}

/// The member `fill_value` of such an array: its bytes.
pub fn fill_value(schema: &Schema, ty: Type, value: &Values) -> Json {
    base64::encode(&Packing::of(schema, ty).pack(&value.bytes)).into()
}

/// True if a compound that has such a form has a field that is an array of something else than characters.
pub fn has_arrays(schema: &Schema, ty: Type) -> bool {
    fn any(json: &Json) -> bool {
        let fields = json.as_array().unwrap_or_default().iter();
        fields
            .filter_map(Json::as_array)
            .any(|field| field.len() > 2 || field.get(1).is_some_and(any))
    }
    matches!(dtype(schema, ty), Ok(Some(json)) if any(&json))
}
