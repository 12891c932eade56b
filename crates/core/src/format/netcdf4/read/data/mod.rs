//! The data of variables: where it lies, for references too, elements that are converted one by one, and those past a variable's own extent.

pub(super) mod past_extent;
mod places;
pub(super) mod stored;
pub(super) mod structured;
