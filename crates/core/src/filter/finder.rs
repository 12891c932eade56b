//! [`CodecFinder`]: codecs that a registry asks for when it needs them.

use std::sync::Arc;

use super::codec::Codec;
use crate::model::CodecSpec;

/// Finds codecs outside of the registry, such as those of plugins.
///
/// A registry asks its finder only for a spec that a variable needs, so a finder can load libraries when it is asked.
pub trait CodecFinder: Send + Sync {
    /// The codec that `spec` names; `None` if there is none.
    fn find(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>>;

    /// True if the finder's codecs take precedence over the registry's own.
    fn preferred(&self) -> bool {
        false
    }

    /// Tells where the codec `spec` was looked for, and what a user can do to have it found. The text continues
    /// "filter 511 is not built in".
    fn searched(&self, spec: &CodecSpec) -> String;
}
