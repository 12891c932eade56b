//! Where a type can be named without its path.

use crate::model::{GroupId, Type, TypeId, VisibleNames};

/// Whether the name of a type by itself, in `group`, means that type. That of one of netCDF's own types means that one.
pub fn finds_type(names: &VisibleNames, group: GroupId, id: TypeId) -> bool {
    let name = &names.schema().user_type(id).name;
    Type::from_cdl_name(name).is_none() && names.user_type(group, name) == Some(id)
}
