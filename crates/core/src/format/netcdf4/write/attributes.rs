//! Attributes in the form in which netcdf-c writes them.

use ncutils_hdf5::{
    AttributeSpec, ByteOrder, CharacterSet, Data, Dataspace, Datatype, DatatypeSpec, StringPadding,
};

use super::datatypes::Datatypes;
use super::elements::ElementShape;
use crate::error::{Error, Result};
use crate::model::{Attribute, Schema, Type};

/// An attribute in the file's form. Text becomes one string of its length. Other types become a list, even of
/// a single element. An attribute without elements has a null dataspace.
///
/// # Errors
/// If the values do not fit the attribute's type and length.
pub fn attribute(schema: &Schema, types: &Datatypes<'_>, attribute: &Attribute) -> Result<AttributeSpec> {
    let size = schema.type_size(attribute.ty);
    if attribute.length.checked_mul(size) != Some(attribute.values.bytes.len()) {
        return Err(Error::Damaged(format!(
            "{} values in {} bytes",
            attribute.length,
            attribute.values.bytes.len()
        )));
    }
    let name = attribute.name.clone();
    if attribute.ty == Type::Char {
        let length = u32::try_from(attribute.length)
            .map_err(|_| Error::Unsupported("text of 4 GiB or more in an attribute".to_owned()))?;
        return Ok(AttributeSpec {
            name,
            datatype: DatatypeSpec::Inline(Datatype::string(
                length.max(1),
                StringPadding::NullTerminate,
                CharacterSet::Ascii,
            )),
            dataspace: if length == 0 {
                Dataspace::Null
            } else {
                Dataspace::Scalar
            },
            data: Data::plain(attribute.values.bytes.clone()),
        });
    }
    Ok(AttributeSpec {
        name,
        datatype: types.element(attribute.ty, ByteOrder::Little)?,
        dataspace: if attribute.length == 0 {
            Dataspace::Null
        } else {
            Dataspace::fixed(&[attribute.length as u64])
        },
        data: ElementShape::new(schema, attribute.ty).to_data(&attribute.values)?,
    })
}

/// Text as one string of its length, such as `_NCProperties`.
pub fn text(name: &str, text: &str) -> AttributeSpec {
    let size = u32::try_from(text.len()).unwrap_or(u32::MAX);
    AttributeSpec {
        name: name.to_owned(),
        datatype: DatatypeSpec::Inline(Datatype::string(
            size,
            StringPadding::NullTerminate,
            CharacterSet::Ascii,
        )),
        dataspace: Dataspace::Scalar,
        data: Data::plain(text.as_bytes().to_vec()),
    }
}

/// One integer, such as `_nc3_strict`.
pub fn scalar_int(name: &str, value: i32) -> AttributeSpec {
    AttributeSpec {
        name: name.to_owned(),
        datatype: DatatypeSpec::Inline(Datatype::integer(4, true, ByteOrder::Little)),
        dataspace: Dataspace::Scalar,
        data: Data::plain(value.to_le_bytes().to_vec()),
    }
}
