//! The order of the inputs.
//!
//! ```text
//! values of the coordinate ─► cells: first, last, direction ─► pieces: which cells of which input follow each other
//! ```

mod cells;
mod pieces;

pub use cells::Cells;
pub use pieces::{JoinPiece, Length, pieces};
