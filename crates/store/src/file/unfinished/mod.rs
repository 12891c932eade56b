//! Files that are not finished: without a name, or with one that marks them as partial; and what could not be removed.

pub mod partial;
pub mod remains;
pub mod unnamed;
