//! The types of elements, and values of any type as bytes.
//!
//! ```text
//! Type ─┬─ atomic ─► for_number_type!: one branch a Rust type
//!       └─ User(TypeId) ─► UserType ─► TypeClass: compound, enum, opaque, variable-length
//!
//! Values: elements as bytes ── slots ─► heap, for strings and variable-length lists
//! ```

mod number_type;
#[expect(
    clippy::module_inception,
    reason = "a folder's main file has the folder's name"
)]
mod types;
mod values;

pub use types::{Field, Type, TypeClass, UserType};
pub use values::{NIL, SLOT_SIZE, Slot, Values};
