//! Constants: numbers, strings, characters and names of enum members in lists.
//!
//! ```text
//! list ─► lexer: Constant ─┬─► integer, number ───────┬─► convert: bytes of an element
//!                          ├─► escapes: text ─────────┤
//!                          └─► enum_members ──────────┘
//! ```

pub mod convert;
pub mod enum_members;
pub mod escapes;
pub mod integer;
pub mod lexer;
pub mod number;
pub mod time_constant;
