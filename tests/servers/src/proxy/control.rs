//! Orders to a proxy.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;

use super::Proxy;
use super::settings::Settings;

/// Carries out an order.
pub async fn answer(proxy: Arc<Proxy>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return reply(StatusCode::BAD_REQUEST, error.to_string()),
    };
    match (&parts.method, parts.uri.path()) {
        (&Method::PUT, "/settings") => match serde_json::from_slice::<Settings>(&body) {
            Ok(settings) => {
                *proxy.settings.lock().unwrap_or_else(|e| e.into_inner()) = Arc::new(settings);
                proxy.counts(super::counts::Counts::reset);
                reply(StatusCode::OK, String::new())
            }
            Err(error) => reply(StatusCode::BAD_REQUEST, error.to_string()),
        },
        (&Method::GET, "/counts") => json(&proxy.counts(|counts| counts.clone())),
        (&Method::GET, "/faults") => json(&proxy.after_a_fault().await),
        (&Method::GET, "/log") => json(&proxy.counts(|counts| counts.log.clone())),
        _ => reply(
            StatusCode::NOT_FOUND,
            "PUT /settings, GET /counts, GET /faults, GET /log".to_owned(),
        ),
    }
}

fn json(value: &impl serde::Serialize) -> Response<Full<Bytes>> {
    match serde_json::to_string(value) {
        Ok(text) => reply(StatusCode::OK, text),
        Err(error) => reply(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

fn reply(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response
}
