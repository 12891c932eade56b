//! [`Format`]: how the elements of a variable look as text.

use std::ops::Range;

use crate::format::Region;
use crate::model::Values;

/// Turns elements into text, in any thread.
pub trait Format: Sync {
    /// The text of consecutive elements.
    type Piece: Send;

    /// Formats the elements `range`, counted in C order, of a region whose values are `values`.
    fn piece(&self, region: &Region, values: &Values, range: Range<usize>) -> Self::Piece;

    /// True if zeros give little or no text, so that unwritten elements need not be read one by one.
    fn passes_over_zeros(&self) -> bool;

    /// Formats `count` zeros along the last dimension, starting at `start`. Called only if
    /// [`Format::passes_over_zeros`] is true.
    fn zeros(&self, start: &[u64], count: u64) -> Self::Piece;
}
