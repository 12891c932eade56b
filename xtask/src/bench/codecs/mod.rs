//! Benchmarks of codecs: each beside the reference library's (`filters.rs`), the chunks that we deflated beside netcdf-bin's
//! (`inflate.rs`), and the time of a copy that only codecs take (`alone.rs`).

pub mod alone;
pub mod filters;
pub mod inflate;
