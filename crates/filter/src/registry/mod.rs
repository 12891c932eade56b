//! The known codecs: by HDF5 id and by Zarr name.
//!
//! ```text
//! CodecSpec ─► Registry ─► Codec           two specs ─► Registry ─► do they make the same stream?
//!                  └─ not built in ─► CodecFinder
//! ```
//!
//! `names_by_format` names a codec as HDF5 or a version of Zarr does.
//! `registered` holds the names of filters that are registered with HDF5, built in or not.

pub mod names_by_format;
pub mod registered;
pub mod registry;

pub use names_by_format::no_hdf5_form;
