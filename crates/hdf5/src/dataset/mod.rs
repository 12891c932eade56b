//! Properties of a dataset that reader and writer share: where its elements are, what they read as before they are
//! written, its filters, and the datasets that a virtual dataset is made of.

mod decoder;
mod fill_value;
mod filter;
mod layout;
mod mapped_box;
pub(crate) mod virtual_mapping;
mod virtual_selection;

pub use decoder::{Encoded, FilterDecoder};
pub use fill_value::{AllocationTime, Fill, FillTime, FillValue};
pub use filter::Filter;
pub use layout::{ExternalSegment, Layout, MAX_COMPACT_BYTES, StorageMessages};
pub use mapped_box::MappedBox;
pub use virtual_mapping::VirtualMapping;
pub use virtual_selection::{ElementSelection, Stripe};
