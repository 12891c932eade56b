//! The data of variables: where it lies, elements that are converted one by one, and those past a variable's own extent.

pub(super) mod past_extent;
pub(super) mod stored;
pub(super) mod structured;
