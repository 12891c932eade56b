//! The known codecs: by HDF5 id and by Zarr name.
//!
//! ```text
//! CodecSpec ─► Registry ─► Codec           two specs ─► Registry ─► do they make the same stream?
//!                  └─ not built in ─► CodecFinder
//! ```
//!
//! `registered` holds the names of filters that are registered with HDF5, built in or not.

pub mod registered;
pub mod registry;

pub use self::registry::no_hdf5_form;
