//! [`Variable`]: a dataset as a variable of one of the readers.

use crate::model::VarId;

/// A dataset as a variable of one of the readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// Of `Verbatim::reader`.
    Plain(VarId),
    /// Of `Verbatim::addressed`.
    Addressed(VarId),
}
