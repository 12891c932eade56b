//! [`RemoteStore`]: what a session needs of a store of `object_store`. [`Behind`]: what a request puts behind the URL of a plain server.

use async_trait::async_trait;
use futures_util::TryStreamExt;
use object_store::aws::AmazonS3;
use object_store::azure::MicrosoftAzure;
use object_store::gcp::GoogleCloudStorage;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::memory::InMemory;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{ListResult, ObjectStore, Result};

/// What a session needs of a store: objects, uploads whose parts come in any order, and lists of keys by pages.
#[async_trait]
pub trait RemoteStore: ObjectStore + MultipartStore {
    /// The store's lists by pages; `None` for a store that lists everything at once.
    fn pages(&self) -> Option<&dyn PaginatedListStore> {
        None
    }

    /// True if keys can be listed from any key on at no cost.
    fn lists_from_anywhere(&self) -> bool {
        true
    }

    /// False for a server that may have no ranges.
    fn has_ranges(&self) -> bool {
        true
    }

    /// True if the store may answer a request to copy before the copy is there.
    fn copies_later(&self) -> bool {
        false
    }

    /// A page of the keys that begin with `prefix`, which ends in `/`.
    ///
    /// # Errors
    /// That of the request.
    async fn page(&self, prefix: Option<&str>, options: PaginatedListOptions) -> Result<PaginatedListResult> {
        if let Some(pages) = self.pages() {
            return pages.list_paginated(prefix, options).await;
        }
        let folder = prefix.map(|prefix| Path::parse(prefix.trim_end_matches('/')));
        let folder = folder.transpose()?;
        let result = match options.delimiter {
            Some(_) => self.list_with_delimiter(folder.as_ref()).await?,
            None => {
                let after = Path::parse(options.offset.unwrap_or_default())?;
                let objects = self.list_with_offset(folder.as_ref(), &after);
                ListResult {
                    common_prefixes: Vec::new(),
                    objects: objects.try_collect().await?,
                    extensions: options.extensions,
                }
            }
        };
        let page_token = None;
        Ok(PaginatedListResult { result, page_token })
    }
}

impl RemoteStore for InMemory {}

impl RemoteStore for AmazonS3 {
    fn pages(&self) -> Option<&dyn PaginatedListStore> {
        Some(self)
    }
}

impl RemoteStore for GoogleCloudStorage {
    fn pages(&self) -> Option<&dyn PaginatedListStore> {
        Some(self)
    }
}

impl RemoteStore for MicrosoftAzure {
    fn pages(&self) -> Option<&dyn PaginatedListStore> {
        Some(self)
    }

    fn lists_from_anywhere(&self) -> bool {
        false
    }

    fn copies_later(&self) -> bool {
        true
    }
}

/// What a request puts behind the URL of a plain server, in place of the URL's query: an extension of its options.
#[derive(Debug, Clone)]
pub(crate) struct Behind {
    /// Behind the path.
    pub(crate) suffix: &'static str,
    /// The query, escaped; empty for none.
    pub(crate) query: String,
}
