//! [`CodecFinder`]: codecs that a registry asks for when it needs them.

use std::sync::Arc;

use crate::codec::codec::Codec;
use ncutils_model::CodecSpec;

/// Finds codecs outside of the registry, such as those of plugins.
///
/// A registry asks its finder only for a spec that a variable needs, so a finder can load libraries when it is asked.
pub trait CodecFinder: Send + Sync {
    /// The codec that `spec` names; `None` if there is none.
    fn find(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>>;

    /// The codec that its plugin names so; `None` if there is none.
    fn find_by_name(&self, name: &str) -> Option<&Arc<dyn Codec>> {
        let _ = name;
        None
    }

    /// The names of all codecs that it can find, for messages about wrong names.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if the finder's codecs take precedence over the registry's own.
    fn preferred(&self) -> bool {
        false
    }

    /// Tells where the codec `spec` was looked for, and what a user can do to have it found. The text continues
    /// "filter 511 is not built in".
    fn searched(&self, spec: &CodecSpec) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::deflate::Deflate;
    use crate::shuffle::shuffle::Shuffle;
    use crate::{ChunkType, Registry, UNKNOWN_ID};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Has shuffle under every id but [`UNKNOWN_ID`], and counts how often it is asked.
    struct Shuffles {
        codec: Arc<dyn Codec>,
        preferred: bool,
        asked: AtomicUsize,
    }

    impl CodecFinder for Shuffles {
        fn find(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            (spec.hdf5_id() != Some(UNKNOWN_ID)).then_some(&self.codec)
        }

        fn preferred(&self) -> bool {
            self.preferred
        }

        fn searched(&self, _: &CodecSpec) -> String {
            "and not among shuffles".to_owned()
        }
    }

    fn registry(preferred: bool) -> (Registry, Arc<Shuffles>) {
        let finder = Arc::new(Shuffles {
            codec: Arc::new(Shuffle),
            preferred,
            asked: AtomicUsize::new(0),
        });
        let mut registry = Registry::builtin();
        registry.set_finder(Arc::clone(&finder) as Arc<dyn CodecFinder>);
        (registry, finder)
    }

    #[test]
    fn a_finder_is_asked_for_what_was_not_added() {
        let (registry, finder) = registry(false);
        let name = |id: u32| registry.find(&CodecSpec::hdf5(id, [])).map(|codec| codec.name());
        assert_eq!(name(1), Some(Deflate.facts().name));
        assert_eq!(finder.asked.load(Ordering::Relaxed), 0);
        assert_eq!(name(40000), Some(Shuffle.facts().name));
        assert_eq!(finder.asked.load(Ordering::Relaxed), 1);
        assert_eq!(name(UNKNOWN_ID), None);
    }

    #[test]
    fn a_preferred_finder_is_asked_first() {
        let (registry, _) = registry(true);
        let deflate = registry.find(&CodecSpec::hdf5(1, [5])).unwrap();
        assert_eq!(deflate.name(), Shuffle.facts().name);
    }

    #[test]
    fn what_is_not_found_is_told_with_where_it_was_looked_for() {
        let (registry, _) = registry(false);
        let spec = CodecSpec::hdf5(UNKNOWN_ID, []);
        let pipeline = registry.bind(&[spec], &ChunkType::of_bytes(4)).unwrap();
        let error = pipeline.check_known().unwrap_err().to_string();
        assert!(
            error.starts_with("filter 511 is not built in, and not among shuffles; a copy"),
            "{error}"
        );
    }
}
