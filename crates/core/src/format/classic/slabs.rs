//! [`Slabs`]: one record variable, as target of a write.

use super::header::variable_position::VariablePosition;

/// One variable, as target of a write. Its fill value also fills padding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slabs<'a> {
    pub place: &'a VariablePosition,
    /// One element as stored.
    pub fill: &'a [u8],
}
