//! The netCDF data model: the parts of a dataset, independent of its file format. No I/O.
//!
//! A [`Schema`] owns flat lists of groups, dimensions, types and variables, which refer to each other by id.
//! So a plan can address any of them without borrowing the tree. The lists of a [`Group`] keep the file's
//! order.
//!
//! ```text
//! Schema ─┬─ groups[0] = root ── dims, types, vars, attributes, children (ids)
//!         ├─ dims ── vars' shapes refer here
//!         ├─ types ── user types
//!         └─ vars
//! ```

mod attributes;
mod capabilities;
mod chunk_keys;
mod codec;
mod external;
mod fill_value;
mod item;
mod kind;
mod layout;
mod lookup;
mod move_heap;
mod name;
mod number_type;
mod schema;
mod shared_layout;
pub(crate) mod similar;
mod sizes_in_c;
mod types;
mod values;
mod visible_names;

pub use attributes::Attributes;
pub use capabilities::{Capabilities, CodecNames, UnlimitedDimensions};
pub use chunk_keys::{ChunkKeys, KeySeparator};
pub use codec::{CodecSpec, Configuration, ZarrVersion};
pub use external::ExternalPart;
pub use fill_value::{
    FILL_DOUBLE, FILL_FLOAT, FILL_VALUE_ATTRIBUTE, default_fill_value, fill_value_attribute,
};
pub use item::Item;
pub use kind::{ArchiveStep, Kind};
pub use layout::{
    AllocationTime, EdgeChunks, Encoding, Endian, Fill, FillState, FillTime, IndexLocation, Storage,
    VariableLayout,
};
pub(crate) use move_heap::move_heap;
pub use name::{MAX_NAME, name_fault, unescape};
pub(crate) use number_type::for_number_type;
pub use schema::{
    ArchiveOrigin, Attribute, DimId, Dimension, Group, GroupId, Provenance, Schema, VarId, Variable,
};
pub use shared_layout::{SharedLayout, SharedLayouts};
pub use sizes_in_c::SizesInC;
pub use types::{Field, Type, TypeClass, TypeId, UserType};
pub use values::{NIL, SLOT_SIZE, Slot, Values};
pub use visible_names::VisibleNames;
