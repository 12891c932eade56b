//! Sessions and URLs as tests need them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use object_store::path::Path;
use object_store::{Attribute, GetResult, GetResultPayload, ObjectMeta};

use crate::requests::{Limiter, RemoteStore, RetryConfig, Session};
use ncutils_remote_settings::url::{Form, RemoteUrl, parse};

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

/// An answer of `text/html` that has these pieces, and tells this length in bytes. After them it ends, or nothing more comes.
pub(crate) fn answer(pieces: &[&'static str], told: Option<u64>, ends: bool) -> GetResult {
    let end = told.unwrap_or(u64::MAX);
    let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::from(*piece))).collect();
    let pieces = stream::iter(pieces);
    GetResult {
        payload: GetResultPayload::Stream(match ends {
            true => pieces.boxed(),
            false => pieces.chain(stream::pending()).boxed(),
        }),
        meta: ObjectMeta {
            location: Path::default(),
            last_modified: Default::default(),
            size: end,
            e_tag: None,
            version: None,
        },
        range: 0..end,
        attributes: [(Attribute::ContentType, "text/html")].into_iter().collect(),
        extensions: Default::default(),
    }
}
