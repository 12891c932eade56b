//! Sessions and URLs as tests need them.

use std::sync::Arc;
use std::time::Duration;

use crate::requests::{Limiter, RemoteStore, RetryConfig, Session};
use crate::url::{Form, RemoteUrl, parse};

impl Session {
    /// A session over a store of `object_store`, with short waits.
    pub(crate) fn over(store: Arc<dyn RemoteStore>, shown: impl Into<String>) -> Arc<Self> {
        let retry = RetryConfig {
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(4),
            ..RetryConfig::DEFAULT
        };
        Self::new(store, (), shown.into(), Arc::new(Limiter::new(64)), retry)
    }
}

/// A URL without words about the dataset.
pub(crate) fn parsed(name: &str) -> RemoteUrl {
    parse(name, |_| Ok(Form::Unsaid)).unwrap()
}
