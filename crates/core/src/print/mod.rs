//! Prints datasets as text: CDL, JSON and NcML.
//!
//! ```text
//! DumpOptions ─► selection: which variables ─┐
//! Schema, Reader ────────────────────────────┴─┬─► cdl  ─┐
//!                                              ├─► json ─┼─► out
//!                                              └─► ncml ─┘
//! ```
//!
//! Each format has a folder, and none uses another. Modules that several formats use are next to the folders:
//!
//! | module | content |
//! | --- | --- |
//! | [`options`], `selection` | options, and the variables they select |
//! | `number` | decimal text of integers and floats |
//! | `element`, `spelling`, `char_row` | one element of any type in CDL's spelling, which NcML's attributes also use |
//! | `excerpt` | one value in a message |
//! | `enums`, `bytes` | members of enums; bytes |
//! | `special` | special attributes (`-s`) |
//! | `type_name` | types that can be named without a path |

mod bytes;
pub mod cdl;
mod char_row;
mod element;
mod enums;
mod excerpt;
pub mod json;
pub mod ncml;
pub(crate) mod number;
pub mod options;
mod selection;
mod special;
mod spelling;
mod type_name;

pub(crate) use excerpt::{attribute_excerpt, element_excerpt, number_excerpt};
pub use options::{Annotations, DataOf, DumpOptions, IndexOrder, LineLength, Overrides, Precision};
pub use spelling::push_name;
