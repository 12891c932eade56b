//! Digests: one SHA-256 for each variable, of its elements in a form that no format changes.

mod canonical;
mod digest_dataset;

pub(super) use canonical::type_text;
pub(super) use digest_dataset::absolute;
pub use digest_dataset::digest;
