//! Types of attributes in the form of NCZarr.

use crate::format::zarr::dtype::Dtype;
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::json::Json;
use crate::model::{Endian, Type};

/// The type of an attribute in the form of NCZarr.
pub(super) fn nczarr_type(ty: Type) -> Json {
    let ty = match ty {
        Type::String => Dtype::string(1),
        ty => Dtype::number(ty, Endian::Little),
    };
    ty.text(Flavor::Nczarr).into()
}
