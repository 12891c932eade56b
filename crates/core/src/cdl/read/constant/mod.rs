//! Constants: numbers, strings, characters and names of enum members in lists.
//!
//! ```text
//! list ─► lexer ─► Constant ─► convert ─► bytes of an element
//!           └─ integer, number, time_constant, escapes
//! ```
//!
//! `number` also reads plain decimals straight from the text, without a lexer. `enum_members` finds the value of a member's name.

pub mod convert;
pub mod enum_members;
pub mod escapes;
pub mod integer;
pub mod lexer;
pub mod number;
pub mod time_constant;
