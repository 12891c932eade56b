//! What several modules of tests share.

pub mod pooled_object;
pub mod whole_variables;
