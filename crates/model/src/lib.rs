#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
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
//!         └─ vars ── each stored as a VariableLayout says: chunk shape, codecs, fill
//!
//! kind ─► layout ─► types        schema ─► kind, layout, types        chunk, time, error stand beside them
//! ```
//!
//! - `types`: types, and the values of typed elements
//! - `layout`: how a variable is stored
//! - `kind`: the kinds of datasets, and the table of what each can hold and do
//! - `schema`: the structure of a dataset
//! - [`chunk`]: chunk grids and regions
//! - [`time`]: units, calendars and dates
//! - [`error`], `request`, [`message`]: errors, what they say of options, and how they are told

pub mod chunk;
mod diagnostic;
pub mod error;
mod ids;
mod kind;
mod layout;
pub mod message;
mod not_finite;
mod request;
mod schema;
pub mod similar;
pub mod time;
mod types;

pub use diagnostic::Diagnostic;
pub use error::{Error, Result};
pub use ids::{DimId, GroupId, TypeId, VarId};
pub use kind::{ArchiveStep, Capabilities, CodecNames, Growth, Kind, UnlimitedDimensions};
pub use layout::{
    AllocationTime, ChunkKeys, CodecSpec, Configuration, EdgeChunks, Encoding, Endian, ExternalPart, Fill,
    FillState, FillTime, IndexLocation, KeySeparator, SharedLayout, SharedLayouts, Storage, VariableLayout,
    ZarrVersion,
};
pub use not_finite::not_finite;
pub use schema::{
    ArchiveOrigin, Attribute, Attributes, Dimension, FILL_DOUBLE, FILL_FLOAT, FILL_VALUE_ATTRIBUTE, Group,
    Item, MAX_NAME, NamePattern, Provenance, Referring, Schema, SizesInC, Unclosed, Variable, VisibleNames,
    default_fill_value, fill_value_attribute, move_heap, name_fault, unescape,
};
pub use types::{Field, NIL, SLOT_SIZE, Slot, Type, TypeClass, UserType, Values};
