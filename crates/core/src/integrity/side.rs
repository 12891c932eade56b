//! [`Side`]: a variable of one of two datasets that are compared.

use crate::format::Reader;
use crate::model::VarId;

/// A variable of one of two datasets that are compared.
pub(super) type Side<'a> = (&'a dyn Reader, VarId);
