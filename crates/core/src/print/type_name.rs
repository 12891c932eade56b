//! Types that can be named without a path.

use crate::model::{GroupId, Type, TypeId, VisibleNames};

/// True if the name of a type alone, used in `group`, means that type. A name of one of netCDF's own types
/// never does.
pub fn finds_type(names: &VisibleNames, group: GroupId, id: TypeId) -> bool {
    let name = &names.schema().user_type(id).name;
    Type::from_cdl_name(name).is_none() && names.user_type(group, name) == Some(id)
}
