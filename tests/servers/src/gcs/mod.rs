//! A stand-in for Google Cloud Storage: its XML API, as far as clients of object stores use it, in memory.
//!
//! ```text
//! PUT    /bucket                       makes a bucket
//! GET    /bucket?list-type=2           lists: prefix, delimiter, start-after, continuation-token, max-keys
//! GET    /bucket?uploads               lists uploads that are not completed
//! GET    /bucket/key                   Range, If-Match, If-None-Match, ?generation=
//! PUT    /bucket/key                   x-goog-if-generation-match, x-goog-hash, x-goog-copy-source
//! PUT    /bucket/key?partNumber&uploadId
//! POST   /bucket/key?uploads, ?uploadId
//! DELETE /bucket/key, ?uploadId
//! POST   /token                        an access token, where the server wants one
//! ```

mod objects;
mod read;
mod reply;
mod upload;
mod write;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use percent_encoding::percent_decode_str;

use crate::listen;
use objects::Store;
use reply::error;

/// An answer.
type Answer = Response<Full<Bytes>>;

/// The server.
struct Server {
    /// The token that each request must bring.
    token: Option<String>,
    store: Mutex<Store>,
}

/// What a request names.
struct Asked {
    method: Method,
    bucket: String,
    /// Empty for a bucket.
    key: String,
    query: HashMap<String, String>,
    parts: Parts,
    body: Bytes,
}

impl Asked {
    /// A header as text.
    fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }
}

/// Starts the server, without buckets. With a token, each request must bring it. Returns the port.
///
/// # Errors
/// If no port can be listened on.
pub async fn start(token: Option<&str>) -> Result<u16> {
    let server = Server {
        token: token.map(str::to_owned),
        store: Mutex::default(),
    };
    listen::requests(Arc::new(server), answer).await
}

async fn answer(server: Arc<Server>, request: Request<Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        return error(400, "IncompleteBody");
    };
    if parts.method == Method::POST && parts.uri.path() == "/token" {
        return reply::token(server.token.as_deref().unwrap_or("any"));
    }
    let bearer = parts
        .headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if server.token.is_some() && bearer != server.token.as_deref() {
        return match bearer {
            Some(_) => error(401, "AuthenticationRequired"),
            None => error(403, "AccessDenied"),
        };
    }
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let path = parts.uri.path().trim_start_matches('/');
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    let query = parts.uri.query().unwrap_or_default();
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(&value.replace('+', " ")))
    });
    let asked = Asked {
        method: parts.method.clone(),
        bucket: decoded(bucket),
        key: decoded(key),
        query: pairs.collect(),
        body: body.to_bytes(),
        parts,
    };
    let mut store = server.store.lock().unwrap_or_else(|e| e.into_inner());
    carry_out(&mut store, &asked)
}

fn carry_out(store: &mut Store, asked: &Asked) -> Answer {
    if asked.key.is_empty() && asked.method == Method::PUT {
        store.buckets.entry(asked.bucket.clone()).or_default();
        return reply::empty(200);
    }
    if !store.buckets.contains_key(&asked.bucket) {
        return error(404, "NoSuchBucket");
    }
    let has = |name: &str| asked.query.contains_key(name);
    match (asked.method.as_str(), asked.key.is_empty()) {
        ("GET", true) if has("uploads") => upload::list(store, asked),
        ("GET", true) => read::list(store, asked),
        ("HEAD", true) => reply::empty(200),
        ("GET" | "HEAD", false) => read::object(store, asked),
        ("POST", false) if has("uploads") => upload::begin(store, asked),
        ("POST", false) if has("uploadId") => upload::complete(store, asked),
        ("PUT", false) if has("uploadId") => upload::part(store, asked),
        ("DELETE", false) if has("uploadId") => upload::abort(store, asked),
        ("PUT", false) => write::put(store, asked),
        ("DELETE", false) => write::delete(store, asked),
        _ => error(405, "MethodNotAllowed"),
    }
}
