//! [`RemoteInput`]: what was found at a URL.

use std::sync::Arc;

use crate::store::{ExternalFiles, KeyStore, Object, QueryServer};

/// What was found at a URL.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) enum RemoteInput {
    /// One object.
    Object {
        /// The object.
        object: Arc<dyn Object>,
        /// What the user should know about it.
        warning: Option<String>,
        /// The places that it may refer to.
        external_files: Option<Arc<dyn ExternalFiles>>,
    },
    /// A tree of keys.
    Keys(Arc<dyn KeyStore>),
    /// A server of OPeNDAP.
    Queries(Arc<dyn QueryServer>),
}
