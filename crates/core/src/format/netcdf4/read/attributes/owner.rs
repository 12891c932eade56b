//! The attributes of an object that netCDF shows, converted.

use crate::error::Result;
use crate::format::netcdf4::conventions::is_reserved;
use crate::format::netcdf4::read::attributes;
use crate::format::netcdf4::read::damage::Damage;
use crate::format::netcdf4::read::datatype::number::rounded_numbers;
use crate::format::netcdf4::read::datatype::types::{TypeTable, is_rounded};
use crate::format::netcdf4::read::object::found_attribute::{FoundAttribute, stored};
use crate::format::netcdf4::read::object::links::{ObjectId, OpenFile, Unfollowed};
use crate::format::netcdf4::read::reference::reference_text::unknown_object;
use crate::format::netcdf4::read::user_path::user_path;
use crate::model::{Attribute, GroupId, Schema};

/// An object with attributes.
#[derive(Clone, Copy)]
pub struct AttributeOwner<'a> {
    /// Its identity.
    pub id: ObjectId,
    /// The group that it is, or is in.
    pub group: usize,
    /// Its path, for messages.
    pub path: &'a str,
}

/// The attributes of an object that netCDF shows.
pub fn keep_attributes(
    found: Vec<FoundAttribute>,
    owner: AttributeOwner<'_>,
    files: &[OpenFile],
    schema: &mut Schema,
    types: &mut TypeTable,
    damage: &mut Damage,
) -> Result<Vec<Attribute>> {
    let AttributeOwner { id, group, path } = owner;
    let hidden = stored(&found).filter(|a| is_reserved(&a.name)).count();
    let mut kept = Vec::with_capacity(found.len() - hidden);
    let file = (id.file, &files[id.file]);
    for attribute in found {
        let attribute = match attribute {
            FoundAttribute::Converted(attribute) => {
                kept.push(attribute);
                continue;
            }
            FoundAttribute::Stored(stored) if is_reserved(&stored.name) => continue,
            FoundAttribute::Stored(stored) => stored,
        };
        match attributes::convert(&attribute, file, schema, types, GroupId(group)) {
            Ok((converted, unknown)) => {
                let name = || format!("the attribute {path}:{}", attribute.name);
                if is_rounded(&attribute.datatype) {
                    schema.warnings.push(rounded_numbers(&name()));
                }
                if let Some(address) = unknown {
                    schema.warnings.push(unknown_object(&name(), address));
                }
                kept.push(converted);
            }
            Err(Unfollowed::Left(why) | Unfollowed::Refused(why)) => schema.warnings.push(format!(
                "the attribute {path}:{} is left out: {why}",
                attribute.name
            )),
            Err(Unfollowed::Failed(e)) => damage.tolerate(if path.is_empty() {
                e
            } else {
                e.in_variable(&user_path(path))
            })?,
        }
    }
    Ok(kept)
}
