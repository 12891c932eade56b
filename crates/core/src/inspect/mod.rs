//! What takes the bytes of a dataset, as plain data.
//!
//! ```text
//! Reader ─► Space: bytes of each variable ─► sizes: shape, chunks, filters, ratio, share
//!                                              └─► map: chunks, alternatives by samples ─► page: HTML
//! ```

mod bytes_text;
pub mod map;
mod page;
mod sizes;
mod sizes_json;

pub use bytes_text::bytes_text;
pub use map::map;
pub use page::page;
pub use sizes::{DatasetSizes, VariableSizes, sizes};
pub use sizes_json::{failed_sizes_json, sizes_json};
