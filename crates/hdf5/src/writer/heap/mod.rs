//! Writing heaps; reading is in `heap`. Encoders: fractal heaps for dense links and attributes, global heap collections for variable-length data,
//! local heaps for the names of external files.

pub(super) mod fractal;
pub(super) mod global;
pub(super) mod local;
