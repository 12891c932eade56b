//! [`Sought`]: a place that names in the content of an input are compared with.

use std::ffi::OsStr;
use std::path::Path;

/// A place that names in the content of an input may lead to: one that a copy would replace.
pub struct Sought<'a> {
    /// The path without symbolic links, or the URL, of the place or of a folder that it is in. `None` if names elsewhere may lead there,
    /// too: a file may have several hard links.
    pub within: Option<&'a str>,
    /// True for the path or URL of a file that is replaced.
    pub is_at: &'a (dyn Fn(&OsStr) -> bool + Sync),
}

impl Sought<'_> {
    /// False if nothing below `prefix`, an absolute path or a URL, is at the place.
    pub fn may_be_below(&self, prefix: &str) -> bool {
        let Some(within) = self.within else {
            return true;
        };
        let overlap = |prefix: &str| within.starts_with(prefix) || prefix.starts_with(within);
        let resolved = Path::new(prefix).canonicalize().ok();
        let resolved = resolved.as_deref().and_then(Path::to_str);
        overlap(prefix) || prefix.starts_with('/') && resolved.is_some_and(overlap)
    }
}
