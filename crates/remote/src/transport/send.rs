//! Passes the requests of `object_store` to the client, and its answers back. Tells of a host that is silent.

use std::collections::HashSet;
use std::pin::pin;
use std::time::Duration;

use http_body_util::BodyExt;
use object_store::client::{HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody};
use parking_lot::Mutex;
use reqwest::{Body, Client};

use ncutils_remote_settings::tell_silent_host;

/// Time without an answer after which the user is told.
const SILENCE: Duration = Duration::from_secs(5);

/// Hosts that the user was told about. Each is named once.
static TOLD: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Makes a request. Returns once the head of the answer is there.
///
/// `object_store` can do this itself, but its feature for it brings HTTP/2, which is never spoken.
///
/// # Errors
/// Why there is no answer. An error in the middle of the body comes with the body.
pub(crate) async fn send(client: &Client, request: HttpRequest) -> Result<HttpResponse, HttpError> {
    let host = request.uri().host().unwrap_or_default().to_owned();
    let has_body = request.body().content_length() > 0;
    let request = request.map(|body| match body.as_bytes() {
        Some(bytes) => Body::from(bytes.clone()),
        None => Body::wrap(body),
    });
    let request = request.try_into().map_err(transport_error)?;
    let mut answer = pin!(client.execute(request));
    let in_time = tokio::time::timeout(SILENCE, &mut answer).await;
    // A body takes its time to be sent.
    if in_time.is_err() && !has_body && TOLD.lock().get_or_insert_default().insert(host.clone()) {
        tell_silent_host(&host);
    }
    let answer = match in_time {
        Ok(answer) => answer,
        Err(_) => answer.await,
    };
    let (head, body) = http::Response::<Body>::from(answer.map_err(transport_error)?).into_parts();
    let body = HttpResponseBody::new(body.map_err(transport_error));
    Ok(HttpResponse::from_parts(head, body))
}

/// The error of a connection, without the URL: it may hold a signature.
fn transport_error(error: reqwest::Error) -> HttpError {
    let kind = match () {
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if error.is_connect() => HttpErrorKind::Connect,
        () => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error.without_url())
}
