//! [`Behind`]: what a request puts behind the URL of a plain server.

/// What a request puts behind the URL of a plain server, in place of the URL's query: an extension of its options.
#[derive(Debug, Clone)]
pub(crate) struct Behind {
    /// Behind the path.
    pub(crate) suffix: &'static str,
    /// The query, escaped; empty for none.
    pub(crate) query: String,
}
