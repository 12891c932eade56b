//! [`Service`]: the one place through which every request goes and every answer comes.
//!
//! ```text
//! object_store, HttpStore ─► Service ─► reqwest ─► status: a Failure, but for success
//!                               ▲                  redirect: checked, then followed
//!                               └──────────────────range, encoding, document: checked
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures_util::StreamExt;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, HeaderValue};
use object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use parking_lot::Mutex;

use super::checksums::Checksum;
use super::documents::Document;
use super::failure::{Failure, Meaning, clean, element};
use super::headers::{self, text};
use super::known_secrets::KnownSecrets;
use super::range_answer;
use super::redirect::{Redirects, check_region, is_redirect};
use crate::transport::{Limit, innermost, send};

/// Most bytes of a refusal that are read.
const MOST_OF_A_REFUSAL: usize = 64 << 10;

/// Longest time for the body of a refusal.
const REFUSAL: Duration = Duration::from_secs(10);

/// Longest time for an answer that is held in memory.
const ANSWER: Duration = Duration::from_secs(120);

/// Longest wait, in seconds, that a server may ask for.
const LONGEST_WAIT: u64 = 60;

/// Most bytes of an answer that is held in memory: a page of 5,000 keys of 1,024 bytes, each byte escaped.
const MOST_OF_AN_ANSWER: usize = 32 << 20;

/// Makes requests, and checks answers.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) client: reqwest::Client,
    /// How redirects are followed; `None` for signed requests, whose signature is for one host.
    pub(crate) redirects: Option<Arc<Redirects>>,
    /// When the server wants to be asked again.
    pub(crate) not_before: Arc<Mutex<Option<Instant>>>,
    /// What is sent along with the body of a put.
    pub(crate) checksum: Arc<Checksum>,
    /// What no message may hold. Tokens and passwords that are sent are added.
    pub(crate) secrets: Arc<KnownSecrets>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Service")
    }
}

/// The connector that `object_store` gets.
impl HttpConnector for Service {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        // The kind plays no part, as nothing below retries.
        let answer = self.answer(request).await;
        answer.map_err(|fault| HttpError::new(HttpErrorKind::Unknown, fault))
    }
}

impl Service {
    async fn answer(&self, mut request: HttpRequest) -> Result<HttpResponse, Failure> {
        let document = Document::of(&request);
        let range = text(request.headers(), "range").and_then(|range| range.strip_prefix("bytes="));
        let range = range.map(str::to_owned);
        self.checksum.add(&mut request);
        let headers = request.headers_mut();
        headers
            .entry(ACCEPT_ENCODING)
            .or_insert(HeaderValue::from_static("identity"));
        let response = match &self.redirects {
            Some(redirects) => {
                let send = |request| self.sent(request);
                redirects.followed(&request, &self.secrets, send).await?
            }
            None => self.unredirected(request).await?,
        };
        let date = text(response.headers(), "date").and_then(headers::date);
        self.note_wait(&response, date);
        let mut response = checked_status(response, self.redirects.is_some(), date).await?;
        if let Document::Object | Document::List = document {
            response = range_answer::checked(range.as_deref(), response)?;
        }
        if let Document::Object = document {
            return Ok(response);
        }
        // `object_store` holds these answers in memory.
        let (mut head, body) = response.into_parts();
        let mut bytes = Vec::new();
        read(body, MOST_OF_AN_ANSWER, ANSWER, &mut bytes).await?;
        let body = document.checked(&mut head, bytes.into())?;
        Ok(HttpResponse::from_parts(head, body.into()))
    }

    /// Makes a signed request.
    async fn unredirected(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let response = self.sent(request).await?;
        if !is_redirect(&response) {
            return Ok(response);
        }
        check_region(&response)?;
        Err(Failure::last(format!(
            "the server answered {} (a redirect), which signed requests do not follow; is the endpoint right?",
            response.status().as_u16()
        )))
    }

    async fn sent(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        self.secrets.add_sent(request.headers());
        send(&self.client, request).await.map_err(|e| unsent(&e))
    }

    /// Notes how long a busy server wants to be left alone.
    fn note_wait(&self, response: &HttpResponse, date: Option<DateTime<Utc>>) {
        let told = text(response.headers(), "retry-after")
            .filter(|_| matches!(response.status().as_u16(), 429 | 503));
        if let Some(seconds) = told.and_then(|text| retry_after(text, date)) {
            let wait = Duration::from_secs(seconds.min(LONGEST_WAIT));
            let mut not_before = self.not_before.lock();
            *not_before = (*not_before).max(Instant::now().checked_add(wait));
        }
    }
}

/// Seconds to wait, of `Retry-After`: a number, or a date that is compared with the server's own (RFC 9110, section 10.2.3).
fn retry_after(text: &str, now: Option<DateTime<Utc>>) -> Option<u64> {
    match text.trim().parse() {
        Ok(seconds) => Some(seconds),
        Err(_) => u64::try_from((headers::date(text)? - now?).num_seconds()).ok(),
    }
}

/// Why a request got no answer.
fn unsent(error: &HttpError) -> Failure {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(limit) = cause.downcast_ref::<Limit>() {
            return Failure::last(format!("{limit}, which is not followed"));
        }
        let untrusted = cause
            .downcast_ref::<rustls::Error>()
            .or_else(|| of_tls(cause.downcast_ref()?));
        if let Some(rustls::Error::InvalidMessage(_)) = untrusted {
            return Failure::last(
                "the server speaks no TLS; if it is meant to be asked by http, write http:// in front of its host (for S3: http://host:port/bucket/key#mode=s3, or in AWS_ENDPOINT_URL)",
            );
        }
        if let Some(untrusted) = untrusted {
            return Failure::last(format!(
                "the server's certificate is not trusted: {}; certificates of other authorities are named by SSL_CERT_FILE or HTTP.SSL.CAINFO",
                clean(&untrusted.to_string())
            ));
        }
        source = cause.source();
    }
    Failure::of_transport(error.kind(), &clean(&innermost(error)))
}

/// The error of TLS inside an error of the system, which may be inside others.
fn of_tls(error: &std::io::Error) -> Option<&rustls::Error> {
    let inside = error.get_ref()?;
    inside
        .downcast_ref()
        .or_else(|| inside.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref())
}

/// Passes success, and makes a [`Failure`] of every other status. `date` is the server's time.
///
/// `is_plain` is true for a plain HTTP server, of which 410 says the same as 404. A store has no such answer to a missing key.
async fn checked_status(
    response: HttpResponse,
    is_plain: bool,
    date: Option<DateTime<Utc>>,
) -> Result<HttpResponse, Failure> {
    let status = match response.status() {
        StatusCode::GONE if is_plain => StatusCode::NOT_FOUND,
        status => status,
    };
    if status.is_success() {
        return Ok(response);
    }
    let region = text(response.headers(), "x-amz-bucket-region").map(str::to_owned);
    let mut bytes = Vec::new();
    // What cannot be read, or comes too late, is left out.
    let _ = read(response.into_body(), MOST_OF_A_REFUSAL, REFUSAL, &mut bytes).await;
    let body = String::from_utf8_lossy(&bytes);
    let code = element(&body, "Code").unwrap_or_default();
    if code == "RequestTimeTooSkewed" {
        let ahead = date.map(|date| (date - Utc::now()).num_seconds());
        return Err(Failure::new(
            Meaning::Skewed,
            format!(
                "the server refuses the time of this machine's clock (RequestTimeTooSkewed){}; set the clock",
                difference(ahead)
            ),
        ));
    }
    // Servers tell the bucket's region with many refusals. Only here it is the reason.
    let is_elsewhere =
        code == "AuthorizationHeaderMalformed" || code.starts_with("IllegalLocationConstraint");
    match region.filter(|_| is_elsewhere || (status == StatusCode::BAD_REQUEST && body.is_empty())) {
        Some(region) => Err(Failure::other_region(&region)),
        None => Err(Failure::of_status(status, &body)),
    }
}

/// By how much the server's clock differs, for a message.
fn difference(ahead: Option<i64>) -> String {
    match ahead {
        Some(ahead @ 0..) => format!(": the server's clock is {ahead} s ahead of it"),
        Some(ahead) => format!(": the server's clock is {} s behind it", ahead.unsigned_abs()),
        None => String::new(),
    }
}

/// Reads a body to its end into `bytes`, or its first `most` bytes.
///
/// # Errors
/// Why there are no more bytes.
async fn read(
    body: HttpResponseBody,
    most: usize,
    longest: Duration,
    bytes: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut pieces = body.bytes_stream();
    let end = tokio::time::Instant::now() + longest;
    loop {
        match tokio::time::timeout_at(end, pieces.next()).await {
            Ok(None) => return Ok(()),
            Ok(Some(Ok(piece))) => {
                let room = most - bytes.len();
                bytes.extend_from_slice(&piece[..piece.len().min(room)]);
                if piece.len() > room {
                    return Err(Failure::too_long());
                }
            }
            Ok(Some(Err(e))) => return Err(unsent(&e)),
            Err(_) => return Err(Failure::passing("the server's answer comes too slowly")),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
