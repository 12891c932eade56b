//! Stores of keys: many named values, as Zarr keeps them.
//!
//! ```text
//! KeyStore ─► open_values: values that are read range by range      joined_gets: ranges that are read as one
//!          └► key_object: one value as an object
//! KeyOutput ─► stage ─► publish
//! ```

pub mod joined_gets;
pub mod key;
pub mod key_object;
pub mod keys;
pub mod memory_keys;
pub mod open_values;
