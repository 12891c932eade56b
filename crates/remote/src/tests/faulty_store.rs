//! A store in memory for tests, whose requests can be made to fail, wait or lose their answers.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::StatusCode;
use object_store::list::{PaginatedListOptions, PaginatedListResult};
use object_store::memory::InMemory;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use tokio::sync::Semaphore;

use crate::requests::RemoteStore;

/// What happens to the requests of a [`FaultyStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    Never,
    /// From the request with this number on, none is served: as when the process was killed.
    From(usize),
    /// The request with this number is not served once.
    Once(usize),
    /// The request with this number fails, and no other try of it helps.
    Fails(usize),
    /// The request with this number is served, and its answer is lost.
    LostAnswer(usize),
    /// The answers to all puts are lost. What is there can be looked at only if this is true.
    LostPuts(bool),
    /// Each request fails with a chance of one in this many, before or after it is served.
    OneIn(u64),
    /// Conditional puts are not supported.
    NoConditions,
    /// Another program replaces this key by `newer` after each conditional put.
    ReplacedAgain(&'static str),
    /// Another program replaces this key by `newer` after each list.
    ReplacedAfterList(&'static str),
    /// This key stays, though the store says that it deleted it.
    Keeps(&'static str),
    /// Each upload in parts begins when the store is told to [`go_on`](FaultyStore::go_on).
    BeginsLate,
    /// Each page of a list whose number is a multiple of this one breaks off.
    BreaksLists(usize),
}

/// A store in memory, and what was asked of it.
pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<InMemory>,
    pub(crate) fault: Fault,
    requests: AtomicUsize,
    chance: AtomicU64,
    /// What late requests wait for.
    late: Semaphore,
    /// Uploads that were begun, and neither completed nor aborted.
    pub(crate) uploads: AtomicUsize,
    /// The requests in order: operation and key.
    pub(crate) log: Mutex<Vec<String>>,
}

impl FaultyStore {
    pub(crate) fn new(inner: Arc<InMemory>, fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            inner,
            fault,
            requests: AtomicUsize::new(0),
            chance: AtomicU64::new(88_172_645_463_325_252),
            late: Semaphore::new(0),
            uploads: AtomicUsize::new(0),
            log: Mutex::default(),
        })
    }

    /// Serves the requests that wait.
    pub(crate) fn go_on(&self) {
        self.late.close();
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn logged(&self, operation: &str) -> Vec<String> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = log
            .iter()
            .filter_map(|line| line.strip_prefix(operation)?.strip_prefix(' '));
        rest.map(str::to_owned).collect()
    }

    /// Fails before a request, and tells whether to fail after it.
    fn before(&self, operation: &str, key: &str) -> Result<bool> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push(format!("{operation} {key}"));
        drop(log);
        match self.fault {
            Fault::From(from) if number >= from => Err(killed()),
            Fault::Fails(at) if number == at => Err(killed()),
            Fault::Once(at) if number == at => Err(broken()),
            Fault::BreaksLists(every) if operation == "list" && number.is_multiple_of(every) => Err(broken()),
            Fault::LostAnswer(at) => Ok(number == at),
            Fault::LostPuts(_) if operation == "put" => Ok(true),
            Fault::LostPuts(false) => Err(killed()),
            Fault::OneIn(n) => {
                let chance = self.chance.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
                let mixed = (chance ^ (chance >> 31)).wrapping_mul(0x7FB5_D329_728E_A185) >> 20;
                match (mixed % n, mixed / n % 2) {
                    (0, 0) => Err(broken()),
                    (0, _) => Ok(true),
                    _ => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }
}

/// Loses an answer, or makes an error what it is where HTTP brings it.
fn after<T>(lost: bool, done: Result<T>) -> Result<T> {
    let status = match &done {
        _ if lost => return Err(broken()),
        Err(Error::NotFound { .. }) => StatusCode::NOT_FOUND,
        Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => StatusCode::PRECONDITION_FAILED,
        _ => return done,
    };
    Err(crate::wire::Failure::of_status(status, "").into())
}

/// A failure that may pass.
fn broken() -> Error {
    crate::wire::Failure::passing("the connection broke").into()
}

/// A failure that does not pass.
fn killed() -> Error {
    Error::Generic {
        store: "test",
        source: "killed".into(),
    }
}

/// All objects of a store.
pub(crate) fn contents(store: &InMemory) -> BTreeMap<String, Vec<u8>> {
    crate::requests::runtime().unwrap().block_on(async {
        let mut all = BTreeMap::new();
        let mut list = store.list(None);
        while let Some(meta) = list.next().await {
            let path = meta.unwrap().location;
            let bytes = store.get(&path).await.unwrap().bytes().await.unwrap();
            all.insert(path.to_string(), bytes.to_vec());
        }
        all
    })
}

impl fmt::Display for FaultyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("test")
    }
}

impl fmt::Debug for FaultyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("test")
    }
}

#[async_trait]
impl ObjectStore for FaultyStore {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let lost = self.before("put", path.as_ref())?;
        let is_conditional = options.mode != PutMode::Overwrite;
        if is_conditional && self.fault == Fault::NoConditions {
            return Err(crate::wire::Failure::of_status(StatusCode::NOT_IMPLEMENTED, "").into());
        }
        let done = self.inner.put_opts(path, payload, options).await;
        if is_conditional && matches!(self.fault, Fault::ReplacedAgain(key) if key == path.as_ref()) {
            self.inner.put(path, "newer".into()).await?;
        }
        after(lost, done)
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Err(killed())
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let operation = if options.head { "head" } else { "get" };
        let lost = self.before(operation, path.as_ref())?;
        after(lost, self.inner.get_opts(path, options).await)
    }

    async fn get_ranges(&self, path: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let lost = self.before("get", path.as_ref())?;
        after(lost, self.inner.get_ranges(path, ranges).await)
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        // One request for each key, so that a process can be killed between two of them.
        let (inner, mut failed) = (Arc::clone(&self.inner), None);
        let paths: Vec<_> =
            futures_util::FutureExt::now_or_never(paths.collect::<Vec<_>>()).unwrap_or_default();
        let (mut deleted, mut kept) = (Vec::new(), Vec::new());
        for path in paths {
            let key = path.as_ref().map(ToString::to_string).unwrap_or_default();
            match self.before("delete", &key) {
                Ok(lost) => {
                    match self.fault {
                        Fault::Keeps(stays) if stays == key => kept.push(path),
                        _ => deleted.push(path),
                    }
                    if lost {
                        failed = Some(broken());
                        break;
                    }
                }
                Err(e) => {
                    failed = Some(e);
                    break;
                }
            }
        }
        let deleted = inner.delete_stream(futures_util::stream::iter(deleted).boxed());
        let rest = kept.into_iter().chain(failed.map(Err));
        deleted.chain(futures_util::stream::iter(rest)).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let lost = self.before("copy", to.as_ref())?;
        after(lost, self.inner.copy_opts(from, to, options).await)
    }
}

/// Keys on a page of a list.
const PAGE: usize = 1000;

#[async_trait]
impl RemoteStore for FaultyStore {
    async fn page(
        &self,
        prefix: Option<&str>,
        mut options: PaginatedListOptions,
    ) -> Result<PaginatedListResult> {
        let from = options.page_token.take().or(options.offset);
        let shown = from
            .as_deref()
            .or(prefix)
            .unwrap_or_default()
            .trim_end_matches('/');
        let lost = self.before("list", shown)?;
        options.offset = from;
        let mut page = self.inner.page(prefix, options).await?;
        if let Fault::ReplacedAfterList(key) = self.fault {
            self.inner.put(&Path::from(key), "newer".into()).await?;
        }
        let objects = &mut page.result.objects;
        objects.sort_by(|a, b| a.location.cmp(&b.location));
        if objects.len() > PAGE {
            objects.truncate(PAGE);
            page.page_token = objects.last().map(|last| last.location.to_string());
        }
        after(lost, Ok(page))
    }
}

#[async_trait]
impl MultipartStore for FaultyStore {
    async fn create_multipart(&self, path: &Path) -> Result<String> {
        let lost = self.before("begin", path.as_ref())?;
        if self.fault == Fault::BeginsLate {
            let _ = self.late.acquire().await;
        }
        let id = self.inner.create_multipart(path).await;
        // An upload whose name was lost cannot be aborted by anybody.
        if !lost {
            self.uploads.fetch_add(1, Ordering::Relaxed);
        }
        after(lost, id)
    }

    async fn put_part(&self, path: &Path, id: &String, part: usize, payload: PutPayload) -> Result<PartId> {
        let lost = self.before("part", &format!("{path} {part} {}", payload.content_length()))?;
        after(lost, self.inner.put_part(path, id, part, payload).await)
    }

    async fn complete_multipart(&self, path: &Path, id: &String, parts: Vec<PartId>) -> Result<PutResult> {
        let lost = self.before("complete", path.as_ref())?;
        let done = self.inner.complete_multipart(path, id, parts).await;
        if done.is_ok() {
            self.uploads.fetch_sub(1, Ordering::Relaxed);
        }
        after(lost, done)
    }

    async fn abort_multipart(&self, path: &Path, id: &String) -> Result<()> {
        let lost = self.before("abort", path.as_ref())?;
        let done = self.inner.abort_multipart(path, id).await;
        if done.is_ok() {
            self.uploads.fetch_sub(1, Ordering::Relaxed);
        }
        after(lost, done)
    }
}
