//! Prints datasets as text: CDL, JSON and NcML.
//!
//! ```text
//! DumpOptions ─► selection: which variables ─┐
//! Schema, Reader ────────────────────────────┴─┬─► cdl  ─┐
//!                                              ├─► json ─┼─► out
//!                                              └─► ncml ─┘
//! ```
//!
//! Each format has a folder, and none uses another. What several of them use lies beside the folders:
//!
//! | what | where |
//! | --- | --- |
//! | options, and the variables they select | [`options`], `selection` |
//! | decimal text of integers and floats | `number` |
//! | one element of any type, in CDL's spelling, which NcML's attributes also have | `element`, `spelling`, `char_row` |
//! | members of enums; bytes | `enums`, `bytes` |
//! | special attributes (`-s`) | `special` |
//! | types that can be named without a path | `type_name` |

mod bytes;
pub mod cdl;
mod char_row;
mod element;
mod enums;
pub mod json;
pub mod ncml;
pub(crate) mod number;
pub mod options;
mod selection;
mod special;
mod spelling;
mod type_name;

pub use options::{Annotations, DataOf, DumpOptions, IndexOrder, LineLength, Overrides, Precision};
pub use spelling::push_name;
