//! [`Facts`]: what is kept of a source after it was closed.

use std::sync::OnceLock;

use crate::format::Written;
use crate::model::SharedLayout;

/// What is kept of a source.
pub(crate) struct Facts {
    /// Its storage.
    pub layout: SharedLayout,
    /// True if elements have the same bytes in the virtual dataset.
    pub same_type: bool,
    /// Which of its parts are stored, once that was asked.
    pub written: OnceLock<Written>,
}
