//! [`Slabs`]: one record variable, as target of a write.

use super::place::Place;

/// One variable, as target of a write. Its fill value also fills padding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slabs<'a> {
    pub place: &'a Place,
    /// One element as stored.
    pub fill: &'a [u8],
}
