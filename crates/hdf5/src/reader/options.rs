//! [`OpenOptions`]: options for opening a file.

use std::sync::Arc;

use crate::dataset::FilterDecoder;
use crate::metadata::Limits;

/// Options for opening a file: the decoder of filters, and the limits.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ncutils_hdf5::{Limits, OpenOptions};
///
/// let mut limits = Limits::default();
/// limits.cache_bytes = Some(1 << 20);
/// let source = std::fs::File::open("tests/data/dense.h5")?;
/// let file = OpenOptions::new().limits(limits).open(source)?;
/// assert_eq!(file.offset_size(), 8);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct OpenOptions {
    pub(super) decoder: Option<Arc<dyn FilterDecoder>>,
    pub(super) limits: Limits,
    pub(super) truncated: bool,
    pub(super) recovers: bool,
}

impl std::fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenOptions")
            .field("decoder", &self.decoder.is_some())
            .field("limits", &self.limits)
            .field("truncated", &self.truncated)
            .field("recovers", &self.recovers)
            .finish()
    }
}

impl OpenOptions {
    /// No decoder, and the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the decoder of filters. Without it, datasets with filters cannot be decoded, nor can the links of groups
    /// with filters.
    #[must_use]
    pub fn decoder(mut self, decoder: impl FilterDecoder + 'static) -> Self {
        self.decoder = Some(Arc::new(decoder));
        self
    }

    /// Sets limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Opens a file that is truncated: its end may lie past the end of the source. Whatever lies there is
    /// [`Error::Truncated`](crate::Error::Truncated) when it is read.
    #[must_use]
    pub fn truncated(mut self, truncated: bool) -> Self {
        self.truncated = truncated;
        self
    }

    /// Finds what no way from the root leads to, in a file that is damaged: its bytes are scanned for the signatures of structures. The
    /// file may be [truncated](Self::truncated), too. Links that were found are among those of their groups, and
    /// objects whose group is lost are links of the group [`recovered`](crate::Recovered), below the root.
    #[must_use]
    pub fn recovering(mut self) -> Self {
        self.truncated = true;
        self.recovers = true;
        self
    }
}
