//! [`Service`]: the one place through which every request goes and every answer comes.
//!
//! ```text
//! object_store, HttpStore ─► Service ─► reqwest ─► status: a Fault, but for success
//!                               ▲                  redirect: checked, then followed
//!                               └──────────────────range, encoding: checked
//! ```

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt;
use http::header::{self, AsHeaderName, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use url::Url;

use super::access_keys::KeySource;
use super::checksums::Checksum;
use super::client::innermost;
use super::documents;
use super::fault::Fault;
use super::known_secrets::KnownSecrets;
use super::pages::Pages;
use super::range_answer::Wanted;
use super::redirect::{self, MOST_REDIRECTS, Moved};
use super::resolver::{PrivateAddress, Resolver};
use super::signature::sign_again;
use crate::remote::secret::Login;
use crate::remote::settings::NetRc;

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

/// What answers told besides their bodies.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// When the server wants to be asked again.
    pub(super) not_before: Mutex<Option<Instant>>,
    /// Seconds that the server's clock is ahead of this machine's.
    pub(super) clock_ahead: Mutex<Option<i64>>,
    /// Seconds to add to this machine's clock in signatures.
    pub(super) correction: Mutex<Option<i64>>,
    /// Where redirects from a URL led.
    pub(super) moved: Mutex<Moved>,
}

/// Makes requests, and checks answers.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) client: reqwest::Client,
    pub(super) resolver: Resolver,
    /// True if redirects are followed. A signature is for one host, so signed requests do not.
    pub(super) follows: bool,
    /// The login of the URL's own server.
    pub(super) login: Option<Login>,
    /// Logins of other hosts.
    pub(super) logins: Option<NetRc>,
    pub(super) told: Arc<Told>,
    /// What is sent along with the body of a put.
    pub(super) checksum: Arc<Checksum>,
    /// The keys of signatures, if this process has them.
    pub(super) keys: Option<Arc<KeySource>>,
    /// What no message may hold. Tokens and passwords that are sent are added.
    pub(super) secrets: Arc<KnownSecrets>,
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

fn error(fault: Fault) -> HttpError {
    // The kind plays no part, as nothing below retries.
    HttpError::new(HttpErrorKind::Unknown, fault)
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let wanted = Wanted::of(&request);
        let is_get = request.method() == Method::GET;
        let is_head = request.method() == Method::HEAD;
        let asked = request.uri().path_and_query().map(ToString::to_string);
        let deleted = asked
            .as_ref()
            .filter(|asked| documents::is_deletion(request.method(), asked))
            .map(|_| request.body().as_bytes().cloned().unwrap_or_default());
        let is_copy = documents::is_copy(request.headers());
        let is_whole_put = request.method() == Method::PUT
            && asked.as_ref().is_some_and(|asked| !asked.contains("partNumber="));
        let listed = asked.filter(|asked| is_get && Pages::is_list(asked));
        let response = self.followed(request).await.map_err(error)?;
        self.listen(&response);
        let response = checked_status(response, self.follows).await.map_err(error)?;
        let response = wanted.checked(response).await.map_err(error)?;
        if is_head {
            documents::check_copy_status(response.headers()).map_err(error)?;
        }
        if listed.is_none() && is_get {
            return Ok(response);
        }
        // `object_store` holds these answers in memory.
        let (mut head, body) = response.into_parts();
        // `object_store` takes a put without an ETag for a failure. Nobody asks for the ETag of a whole object.
        if is_whole_put {
            head.headers
                .entry(header::ETAG)
                .or_insert(HeaderValue::from_static("\"-\""));
        }
        let mut body = whole(body).await.map_err(error)?;
        documents::check_refusal(head.status, &body).map_err(error)?;
        if is_copy {
            documents::check_copied(&body).map_err(error)?;
        }
        // Without this a page in place of a list would be a list without keys, and data would read as fill.
        let is_page = !body.is_empty() && text(&head.headers, "content-type").is_some_and(is_html);
        if is_page || (listed.is_some() && !Pages::are_keys(&body)) {
            return Err(error(Fault::WebPage));
        }
        if let Some(listed) = listed {
            documents::check_list(head.status, &body).map_err(error)?;
            Pages::note(&listed, &body).map_err(error)?;
        }
        if let Some(asked) = deleted {
            body = documents::deleted(head.status, &body, &asked).map_err(error)?;
        }
        Ok(HttpResponse::from_parts(head, body.into()))
    }
}

impl Service {
    /// Makes a request, and follows its redirects.
    async fn followed(&self, request: HttpRequest) -> Result<HttpResponse, Fault> {
        let uri = request.uri().to_string();
        let origin =
            Url::parse(&uri).map_err(|_| Fault::Redirect("the URL of a request is malformed".to_owned()))?;
        let repeated = self
            .follows
            .then(|| (request.method().clone(), request.headers().clone()));
        let mut request = request;
        self.checksum.add(&mut request);
        self.correct_clock(&mut request);
        request
            .headers_mut()
            .entry(header::ACCEPT_ENCODING)
            .or_insert(HeaderValue::from_static("identity"));
        if let Some(login) = &self.login {
            request
                .headers_mut()
                .insert(header::AUTHORIZATION, self.basic(login)?);
        }
        let first = match &repeated {
            Some((method, headers)) => self.remembered(&origin, method, headers).await?,
            None => None,
        };
        let mut response = match first {
            Some(response) => return Ok(response),
            None => self.sent(request).await?,
        };
        let mut at = origin.clone();
        for hop in 0.. {
            if !response.status().is_redirection() || response.status() == StatusCode::NOT_MODIFIED {
                return Ok(response);
            }
            if let Some(region) = text(response.headers(), "x-amz-bucket-region") {
                return Err(Fault::OtherRegion(super::failure::clean(region)));
            }
            let Some((method, headers)) = &repeated else {
                return Err(Fault::Redirect(format!(
                    "the server answered {} (a redirect), which signed requests do not follow; is the endpoint right?",
                    response.status().as_u16()
                )));
            };
            if hop == MOST_REDIRECTS {
                return Err(Fault::Redirect(format!(
                    "the server redirects more than {MOST_REDIRECTS} times"
                )));
            }
            let Some(location) = text(response.headers(), "location") else {
                return Err(Fault::Redirect(
                    "the server redirects and does not say where".to_owned(),
                ));
            };
            at = redirect::target(&at, location, &self.resolver).map_err(Fault::Redirect)?;
            response = self.sent(self.led(&origin, &at, method, headers)?).await?;
            if response.status().is_success() {
                lock(&self.told.moved).note(&origin, &at);
            }
        }
        Ok(response)
    }

    /// The answer from where earlier redirects led, if it is a success. What fails there is asked for at the origin again.
    async fn remembered(
        &self,
        origin: &Url,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Option<HttpResponse>, Fault> {
        let Some(at) = lock(&self.told.moved).find(origin) else {
            return Ok(None);
        };
        let response = self.sent(self.led(origin, &at, method, headers)?).await?;
        if response.status().is_success() {
            return Ok(Some(response));
        }
        lock(&self.told.moved).forget(origin);
        Ok(None)
    }

    /// The request to where redirects from `origin` led. Credentials stay with their host.
    fn led(
        &self,
        origin: &Url,
        at: &Url,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<HttpRequest, Fault> {
        let mut next = HttpRequest::new(HttpRequestBody::empty());
        *next.method_mut() = method.clone();
        *next.headers_mut() = headers.clone();
        next.headers_mut()
            .insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        next.headers_mut().remove(header::AUTHORIZATION);
        let login = match redirect::same_server(origin, at) {
            true => self.login.as_ref(),
            // The server chooses the target of a redirect. A login is sent only to a host that the file names, and only over TLS
            // or within this machine.
            false => self
                .logins
                .as_ref()
                .filter(|_| at.scheme() == "https" || redirect::is_this_machine(at))
                .and_then(|logins| logins.login_of_host(at.host_str()?)),
        };
        if let Some(login) = login {
            next.headers_mut()
                .insert(header::AUTHORIZATION, self.basic(login)?);
        }
        let uri = at.as_str().split('#').next().unwrap_or_default();
        *next.uri_mut() = uri
            .parse()
            .map_err(|_| Fault::Redirect("the server redirects to a place that is no URL".to_owned()))?;
        Ok(next)
    }

    /// Signs a request again if the server's clock is known to differ.
    fn correct_clock(&self, request: &mut HttpRequest) {
        let correction = *lock(&self.told.correction);
        if let Some(seconds) = correction
            && let Some(key) = self.keys.as_ref().and_then(|keys| keys.now())
            && let Ok(here) = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)
        {
            sign_again(request, &key, (here.as_secs() as i64).saturating_add(seconds));
        }
    }

    /// The header that names a user to a server.
    fn basic(&self, login: &Login) -> Result<HeaderValue, Fault> {
        self.secrets.add_login(login);
        let request = self
            .client
            .get("http://unused.invalid")
            .basic_auth(&login.user, Some(login.password.expose()));
        let built = request.build().ok();
        let value = built
            .as_ref()
            .and_then(|built| built.headers().get(header::AUTHORIZATION));
        let cannot = || Fault::Redirect("the user's name or password cannot be sent".to_owned());
        value.cloned().ok_or_else(cannot)
    }

    async fn sent(&self, request: HttpRequest) -> Result<HttpResponse, Fault> {
        self.secrets.add_sent(request.headers());
        HttpService::call(&self.client, request)
            .await
            .map_err(|e| unsent(&e))
    }

    /// Notes what an answer tells about the server.
    fn listen(&self, response: &HttpResponse) {
        let note =
            |at: &Mutex<Option<i64>>, value| *at.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        let date = text(response.headers(), "date").and_then(super::date::parse);
        if let (Some(there), Ok(here)) = (date, SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)) {
            note(&self.told.clock_ahead, there - here.as_secs() as i64);
        }
        if matches!(response.status().as_u16(), 429 | 503)
            && let Some(seconds) =
                text(response.headers(), "retry-after").and_then(|text| retry_after(text, date))
        {
            let wait = Duration::from_secs(seconds.min(LONGEST_WAIT));
            let mut not_before = lock(&self.told.not_before);
            *not_before = (*not_before).max(Instant::now().checked_add(wait));
        }
    }
}

/// Seconds to wait, of `Retry-After`: a number, or a date that is compared with the server's own (RFC 9110, section 10.2.3).
fn retry_after(text: &str, now: Option<i64>) -> Option<u64> {
    match text.trim().parse() {
        Ok(seconds) => Some(seconds),
        Err(_) => u64::try_from(super::date::parse(text)?.checked_sub(now?)?).ok(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of a header.
pub(super) fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Why a request got no answer.
fn unsent(error: &HttpError) -> Fault {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(private) = cause.downcast_ref::<PrivateAddress>() {
            return Fault::Redirect(format!("{private}, which is not followed"));
        }
        let untrusted = cause
            .downcast_ref::<rustls::Error>()
            .or_else(|| of_tls(cause.downcast_ref()?));
        if let Some(rustls::Error::InvalidMessage(_)) = untrusted {
            return Fault::NoTls;
        }
        if let Some(untrusted) = untrusted {
            return Fault::Untrusted(super::failure::clean(&untrusted.to_string()));
        }
        source = cause.source();
    }
    let why = super::failure::clean(&innermost(error));
    match error.kind() {
        HttpErrorKind::Connect => Fault::NoConnection(why),
        HttpErrorKind::Timeout => Fault::Broken("the server does not answer".to_owned()),
        _ => Fault::Broken(format!("the connection broke: {why}")),
    }
}

/// The error of TLS inside an error of the system, which may be inside others.
fn of_tls(error: &std::io::Error) -> Option<&rustls::Error> {
    let inside = error.get_ref()?;
    inside
        .downcast_ref()
        .or_else(|| inside.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref())
}

/// Passes success, and makes a [`Fault`] of every other status.
///
/// `is_plain` is true for a plain HTTP server, of which 410 says the same as 404. A store has no such answer to a missing key.
async fn checked_status(response: HttpResponse, is_plain: bool) -> Result<HttpResponse, Fault> {
    let status = match response.status() {
        StatusCode::GONE if is_plain => StatusCode::NOT_FOUND,
        status => status,
    };
    if status.is_success() {
        return Ok(response);
    }
    let region = text(response.headers(), "x-amz-bucket-region").map(str::to_owned);
    let body = beginning(response.into_body()).await;
    // Servers tell the bucket's region with many refusals. Only here it is the reason.
    let is_elsewhere = body.contains("<Code>AuthorizationHeaderMalformed<")
        || body.contains("<Code>IllegalLocationConstraint");
    match region.filter(|_| is_elsewhere || (status == StatusCode::BAD_REQUEST && body.is_empty())) {
        Some(region) => Err(Fault::OtherRegion(super::failure::clean(&region))),
        None => Err(Fault::Status { status, body }),
    }
}

fn is_html(content_type: &str) -> bool {
    content_type.to_ascii_lowercase().starts_with("text/html")
}

/// All of a body that is held in memory.
async fn whole(body: HttpResponseBody) -> Result<Bytes, Fault> {
    let mut bytes = Vec::new();
    let mut pieces = body.bytes_stream();
    let end = tokio::time::Instant::now() + ANSWER;
    let slow = |_| Fault::Broken("the server's answer comes too slowly".to_owned());
    while let Some(piece) = tokio::time::timeout_at(end, pieces.next()).await.map_err(slow)? {
        let piece = piece.map_err(|e| unsent(&e))?;
        if bytes.len() + piece.len() > MOST_OF_AN_ANSWER {
            return Err(Fault::TooLong);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.into())
}

/// The first bytes of a body, as text. What cannot be read is left out.
async fn beginning(body: HttpResponseBody) -> String {
    let mut bytes = Vec::new();
    let mut pieces = body.bytes_stream();
    let end = tokio::time::Instant::now() + REFUSAL;
    // What a slow server has not said by then is not worth waiting for.
    while let Ok(Some(Ok(piece))) = tokio::time::timeout_at(end, pieces.next()).await {
        let room = MOST_OF_A_REFUSAL - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if bytes.len() == MOST_OF_A_REFUSAL {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
pub(super) mod tests;
