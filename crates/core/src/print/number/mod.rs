//! Numbers as decimal text.
//!
//! ```text
//! value ─┬─ general: integers; `%.Ng` of C, by way of digits
//!        └─ shortest: the fewest digits that read back as the same bits
//! ```

mod digits;
pub mod general;
pub mod shortest;
