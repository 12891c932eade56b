//! [`HttpStore`]: a plain HTTP server as a store that can only be read. Paths and queries go out as they were typed.

use std::fmt;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use http::header::{self, HeaderValue};
use object_store::client::{HttpRequest, HttpRequestBody, HttpService};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult,
    MultipartId, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};

use crate::requests::{Behind, RemoteStore};
use crate::wire::{self, Service, content_range, text};
use ncutils_remote_settings::Secret;
use ncutils_remote_settings::settings::http_url;

/// A plain HTTP server. The path of an object is its key below the URL that was typed; an empty one is the URL itself.
#[derive(Clone)]
pub(crate) struct HttpStore {
    service: Service,
    /// The URL that was typed, up to the query.
    front: Secret,
    query: Option<Secret>,
}

impl HttpStore {
    pub(crate) fn new(service: Service, front: Secret, query: Option<Secret>) -> Self {
        Self {
            service,
            front,
            query,
        }
    }

    fn url(&self, key: &Path, behind: Option<&Behind>) -> String {
        match behind {
            None => http_url(&self.front, key.as_ref(), self.query.as_ref()),
            Some(Behind { suffix, query }) if query.is_empty() => format!("{}{suffix}", self.front.expose()),
            Some(Behind { suffix, query }) => format!("{}{suffix}?{query}", self.front.expose()),
        }
    }
}

impl fmt::Debug for HttpStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpStore")
    }
}

impl fmt::Display for HttpStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HTTP")
    }
}

fn generic(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic {
        store: "HTTP",
        source: Box::new(source),
    }
}

fn read_only(operation: &str) -> Error {
    Error::NotImplemented {
        operation: operation.to_owned(),
        implementer: "HTTP".to_owned(),
    }
}

#[async_trait]
impl ObjectStore for HttpStore {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = self
            .url(location, options.extensions.get())
            .parse()
            .map_err(generic)?;
        let range = options
            .range
            .as_ref()
            .map(|range| (header::RANGE, range.to_string()));
        let condition = options.if_match.map(|tag| (header::IF_MATCH, tag));
        for (name, value) in range.into_iter().chain(condition) {
            let value = HeaderValue::try_from(value).map_err(generic)?;
            request.headers_mut().insert(name, value);
        }
        let response = self.service.call(request).await.map_err(generic)?;
        let (parts, body) = response.into_parts();
        let headers = &parts.headers;
        let length: Option<u64> = text(headers, header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
        let told = text(headers, header::CONTENT_RANGE).and_then(content_range);
        // A whole body without a length: its end is found when it ends.
        let (range, size) = match told.filter(|_| options.range.is_some()) {
            Some((first, last, size)) => (first..last + 1, size),
            None => (0..length.unwrap_or(u64::MAX), length.unwrap_or(u64::MAX)),
        };
        let mut attributes = Attributes::new();
        if let Some(kind) = text(headers, header::CONTENT_TYPE) {
            attributes.insert(Attribute::ContentType, kind.to_owned().into());
        }
        let date = text(headers, header::LAST_MODIFIED).and_then(wire::date);
        let meta = ObjectMeta {
            location: location.clone(),
            last_modified: date.unwrap_or_default(),
            size,
            e_tag: text(headers, header::ETAG).map(str::to_owned),
            version: None,
        };
        let stream = body.bytes_stream().map_err(generic).boxed();
        Ok(GetResult {
            payload: GetResultPayload::Stream(stream),
            meta,
            range,
            attributes,
            extensions: parts.extensions,
        })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        Err(read_only("put"))
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Err(read_only("put"))
    }

    fn delete_stream(&self, _: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        futures_util::stream::once(async { Err(read_only("delete")) }).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        futures_util::stream::once(async { Err(read_only("list")) }).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(read_only("list"))
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(read_only("copy"))
    }
}

impl RemoteStore for HttpStore {
    fn has_ranges(&self) -> bool {
        false
    }
}

#[async_trait]
impl MultipartStore for HttpStore {
    async fn create_multipart(&self, _: &Path) -> Result<MultipartId> {
        Err(read_only("put"))
    }

    async fn put_part(&self, _: &Path, _: &MultipartId, _: usize, _: PutPayload) -> Result<PartId> {
        Err(read_only("put"))
    }

    async fn complete_multipart(&self, _: &Path, _: &MultipartId, _: Vec<PartId>) -> Result<PutResult> {
        Err(read_only("put"))
    }

    async fn abort_multipart(&self, _: &Path, _: &MultipartId) -> Result<()> {
        Err(read_only("put"))
    }
}
