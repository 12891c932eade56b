//! Variables of user-defined types, which HDF5 and Zarr store as other bytes, where chunks are to be of both.

use crate::copy::plan::notices::Notices;
use crate::copy::plan::select::{Selected, Use};
use crate::error::{Error, Result};
use crate::model::{Item, Schema, Type, VarId};

/// Leaves out variables of user-defined types, and tells it.
///
/// # Errors
/// Names the first one, unless `drops` says that they are left out.
pub fn leave_out(input: &Schema, selected: &mut Selected, drops: bool, notices: &mut Notices) -> Result<()> {
    for (n, used) in selected.vars.iter_mut().enumerate() {
        let var = input.var(VarId(n));
        let Type::User(ty) = var.ty else { continue };
        if *used == Use::Omit {
            continue;
        }
        let (path, ty) = (input.var_path(VarId(n)), &input.user_type(ty).name);
        if !drops {
            return Err(Error::can_be_left_out(format!(
                "variable {path} is of the user-defined type {ty}: shards that are HDF5 files hold numbers and characters"
            ))
            .about(Item::Variable(VarId(n))));
        }
        *used = Use::Omit;
        let sort = "left out, as shards that are HDF5 files cannot hold these variables";
        notices.add(sort.to_owned(), format!("{path} ({ty})"));
    }
    Ok(())
}
