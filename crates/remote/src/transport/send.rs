//! Passes the requests of `object_store` to the client, and its answers back.

use http_body_util::BodyExt;
use object_store::client::{HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody};
use reqwest::{Body, Client};

/// Makes a request. Returns once the head of the answer is there.
///
/// `object_store` can do this itself, but its feature for it brings HTTP/2, which is never spoken.
///
/// # Errors
/// Why there is no answer. An error in the middle of the body comes with the body.
pub(crate) async fn send(client: &Client, request: HttpRequest) -> Result<HttpResponse, HttpError> {
    let request = request.map(|body| match body.as_bytes() {
        Some(bytes) => Body::from(bytes.clone()),
        None => Body::wrap(body),
    });
    let request = request.try_into().map_err(transport_error)?;
    let answer = client.execute(request).await.map_err(transport_error)?;
    let (head, body) = http::Response::<Body>::from(answer).into_parts();
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
