//! [`SeenVersions`]: the versions of objects that a session has read, so that two requests for one object never bring the
//! bytes of two versions.
//!
//! ```text
//! first answer for a key ─► noted: hashes, 16 bytes      later answer ─► compared: another one is an error
//! a range ─► the whole version too, for If-Match         list of keys ─► sizes: a shorter value is a broken answer
//! ```

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use parking_lot::Mutex;

use super::version::{Version, is_weak};

/// Most versions that are kept whole. Others are compared by their hashes alone, after the answer has come.
const MOST_WHOLE: usize = 1 << 14;

/// The versions of objects that were read, and the sizes of those that were listed.
#[derive(Default)]
pub(crate) struct SeenVersions {
    /// Keyed, so that no server can choose two versions of one hash.
    hasher: RandomState,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Hash of the key → hashes of the version in its first answer.
    identities: HashMap<u64, Identity>,
    /// The versions of objects that are read range by range.
    whole: HashMap<u64, Version>,
    /// The sizes of objects that a list named.
    listed: HashMap<u64, u64>,
}

/// Hashes of what tells a version from another; 0 for what the server did not tell.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    tag: u32,
    date_and_size: u32,
}

impl SeenVersions {
    fn identity(&self, version: &Version) -> Identity {
        let hash = |hash: u64| hash as u32 | 1;
        Identity {
            tag: version.e_tag().map_or(0, |tag| {
                // Another object may have the same weak tag.
                let beside = is_weak(tag).then(|| version.date_and_size());
                hash(self.hasher.hash_one((tag, beside)))
            }),
            date_and_size: version
                .date_and_size()
                .map_or(0, |told| hash(self.hasher.hash_one(told))),
        }
    }

    /// The version that a request for a range of an object must bring, if the object was read before by ranges.
    pub(crate) fn expected(&self, key: &str) -> Option<Version> {
        self.seen.lock().whole.get(&self.hasher.hash_one(key)).cloned()
    }

    /// Notes the version of an answer. `is_range` is true for a part of an object. Returns false if the object had another
    /// version before.
    pub(crate) fn note(&self, key: &str, version: &Version, is_range: bool) -> bool {
        let key = self.hasher.hash_one(key);
        let now = self.identity(version);
        let mut seen = self.seen.lock();
        let before = *seen.identities.entry(key).or_insert(now);
        let same = |a: u32, b: u32| a == 0 || b == 0 || a == b;
        let fits = match before.tag != 0 && now.tag != 0 {
            true => before.tag == now.tag,
            false => same(before.date_and_size, now.date_and_size),
        };
        if fits && is_range && seen.whole.len() < MOST_WHOLE {
            seen.whole.entry(key).or_insert_with(|| version.clone());
        }
        fits
    }

    /// Notes the size of an object that a list named.
    pub(crate) fn note_listed(&self, key: &str, size: u64) {
        self.seen.lock().listed.insert(self.hasher.hash_one(key), size);
    }

    /// The size that a list told of an object.
    pub(crate) fn listed(&self, key: &str) -> Option<u64> {
        self.seen.lock().listed.get(&self.hasher.hash_one(key)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::ObjectMeta;
    use std::time::{Duration, SystemTime};

    fn version(tag: Option<&str>, seconds: u64, size: u64) -> Version {
        Version::of(&ObjectMeta {
            location: "x".into(),
            last_modified: (SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).into(),
            size,
            e_tag: tag.map(str::to_owned),
            version: None,
        })
    }

    #[test]
    fn a_version_is_known_by_its_tag_else_by_date_and_size() {
        let first = version(Some("a"), 5, 9);
        for (second, fits) in [
            (version(Some("a"), 5, 9), true),
            (version(Some("a"), 6, 9), true),
            (version(Some("b"), 5, 9), false),
            (version(None, 5, 9), true),
            (version(None, 6, 9), false),
            (version(None, 5, 8), false),
            (version(None, 5, u64::MAX), true),
        ] {
            let seen = SeenVersions::default();
            assert!(seen.note("k", &first, false));
            assert!(seen.note("other", &second, false));
            assert_eq!(seen.note("k", &second, false), fits, "{second:?}");
        }
    }

    #[test]
    fn a_weak_tag_counts_with_date_and_size() {
        let first = version(Some("W/a"), 5, 9);
        for (second, fits) in [
            (version(Some("W/a"), 5, 9), true),
            (version(Some("W/a"), 6, 9), false),
            (version(Some("W/a"), 5, 8), false),
            (version(Some("W/b"), 5, 9), false),
        ] {
            let seen = SeenVersions::default();
            assert!(seen.note("k", &first, false));
            assert_eq!(seen.note("k", &second, false), fits, "{second:?}");
            assert_eq!(first.fits(&second), fits, "{second:?}");
        }
    }

    #[test]
    fn only_objects_that_are_read_by_ranges_are_kept_whole() {
        let seen = SeenVersions::default();
        assert!(seen.note("k", &version(Some("a"), 0, 9), false));
        assert_eq!(seen.expected("k"), None);
        assert!(seen.note("k", &version(Some("a"), 0, 9), true));
        assert_eq!(seen.expected("k"), Some(version(Some("a"), 0, 9)));
        for n in 0..2 * MOST_WHOLE {
            assert!(seen.note(&n.to_string(), &version(Some("a"), 0, 9), true));
        }
        assert_eq!(seen.seen.lock().whole.len(), MOST_WHOLE);
        assert!(!seen.note("30000", &version(Some("b"), 0, 9), true));
        seen.note_listed("k", 7);
        assert_eq!((seen.listed("k"), seen.listed("l")), (Some(7), None));
    }
}
