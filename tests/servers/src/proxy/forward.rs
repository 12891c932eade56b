//! One request: to the server and back, or to a fault.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderName;
use http::request::Parts;
use http::{HeaderMap, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Incoming};

use super::Proxy;
use super::body::{Body, Dropped};
use super::connection::Connection;
use super::counts;
use super::faults::{Ending, Fault};
use super::settings::Settings;

/// Headers of one connection, which do not go on. `Expect` is answered by this side.
const OF_A_CONNECTION: [&str; 4] = ["connection", "keep-alive", "expect", "transfer-encoding"];

/// Answers a request.
///
/// # Errors
/// If the connection is to end without an answer.
pub async fn answer(
    proxy: &Arc<Proxy>,
    connection: &Connection,
    request: Request<Incoming>,
) -> Result<Response<Body>, Dropped> {
    let settings = proxy.settings();
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Dropped)?.to_bytes();
    let number = proxy.counts(|counts| counts.begin(entry(&parts, body.len())));
    let under_way = UnderWay(Arc::clone(proxy));
    connection.pass(body.len(), settings.bytes_per_second).await;
    tokio::time::sleep(Duration::from_secs_f64(settings.latency_ms.max(0.0) / 1000.0)).await;

    let fault = settings
        .fault(number, &parts)
        .filter(|fault| fault.applies_to(&parts));
    if let Some(fault) = fault.filter(|fault| !matches!(fault, Fault::Unanswered)) {
        proxy.made(number, fault);
    }
    if matches!(fault, Some(Fault::Stall)) {
        // The client ends the connection, and with it this.
        std::future::pending::<()>().await;
    }
    let answered = match fault.and_then(|fault| fault.instead(&parts)) {
        Some(answer) => answer,
        None => ask(proxy, connection, &settings, fault, parts, body, under_way).await,
    };
    if let Some(fault) = fault.filter(|fault| matches!(fault, Fault::Unanswered)) {
        proxy.made(number, fault);
        // The client ends the connection, and with it this.
        std::future::pending::<()>().await;
    }
    match &answered {
        Ok(response) => proxy.counts(|counts| counts.status(number, response.status().as_u16())),
        Err(Dropped) if matches!(fault, Some(Fault::Reset)) => connection.reset_at_end(),
        Err(Dropped) => {}
    }
    answered
}

/// The answer of the server, with what a fault makes of it.
async fn ask(
    proxy: &Arc<Proxy>,
    connection: &Connection,
    settings: &Arc<Settings>,
    fault: Option<&Fault>,
    mut parts: Parts,
    body: Bytes,
    under_way: UnderWay,
) -> Result<Response<Body>, Dropped> {
    let asked = parts.clone();
    let body = match fault {
        Some(fault) => {
            fault.change_request(&mut parts);
            fault.sent_body(body)
        }
        None => body,
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let server = fault.and_then(Fault::other_server).unwrap_or(&proxy.upstream);
    let target: Uri = format!("http://{server}{path}").parse().map_err(|_| Dropped)?;
    parts.uri = target;
    strip(&mut parts.headers);
    let sent = proxy
        .client
        .request(Request::from_parts(parts, Full::new(body)))
        .await;
    let response = sent.map_err(|error| {
        eprintln!("proxy: {}: {error}", proxy.upstream);
        Dropped
    })?;
    let (mut parts, body) = response.into_parts();
    strip(&mut parts.headers);
    if matches!(fault, Some(Fault::LostAnswer | Fault::Unanswered)) {
        // All of it was carried out.
        let _ = body.collect().await;
        return Err(Dropped);
    }
    if let Some(changed) = fault.and_then(|fault| fault.change_head(&asked, &mut parts)) {
        return Ok(changed);
    }
    if fault.is_some_and(Fault::changes_body) {
        let whole = body.collect().await.map_err(|_| Dropped)?.to_bytes();
        let changed = fault.map_or_else(|| whole.clone(), |fault| fault.change_body(&mut parts, &whole));
        return Ok(Response::from_parts(parts, Body::of(changed)));
    }
    let ending = fault.and_then(|fault| fault.ending(&parts.headers));
    if body.is_end_stream() {
        drop(under_way);
        return Ok(Response::from_parts(parts, Body::of(Bytes::new())));
    }
    let (pieces, answer) = Body::new();
    let proxy = Arc::clone(proxy);
    tokio::spawn(pass_on(
        proxy,
        connection.clone(),
        settings.bytes_per_second,
        ending,
        body,
        pieces,
        under_way,
    ));
    Ok(Response::from_parts(parts, answer))
}

/// Passes a body on, at the pace of the connection, to its end or to that of a fault.
async fn pass_on(
    proxy: Arc<Proxy>,
    connection: Connection,
    rate: Option<f64>,
    ending: Option<(usize, Ending)>,
    mut body: Incoming,
    pieces: super::body::Pieces,
    under_way: UnderWay,
) {
    let mut under_way = Some(under_way);
    let mut left = ending.as_ref().map_or(usize::MAX, |(bytes, _)| *bytes);
    while left > 0 {
        let mut data = match body.frame().await {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => data,
                Err(_) => continue,
            },
            Some(Err(_)) => {
                let _ = pieces.send(Err(Dropped)).await;
                return;
            }
            None => break,
        };
        data.truncate(left);
        left -= data.len();
        connection.pass(data.len(), rate).await;
        proxy.counts(|counts| counts.received += data.len() as u64);
        if body.is_end_stream() {
            // With the last byte the client may begin its next request.
            under_way = None;
        }
        if pieces.send(Ok(data)).await.is_err() {
            return;
        }
    }
    let ending = ending.map(|(_, ending)| ending);
    if ending.is_some() {
        // What was sent so far goes out first.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    match ending {
        None | Some(Ending::End) => {}
        Some(Ending::Reset) => {
            connection.reset_at_end();
            let _ = pieces.send(Err(Dropped)).await;
        }
        // Until the client gives up.
        Some(Ending::Silence) => pieces.closed().await,
    }
    drop(under_way);
}

/// Counts a request as under way while it is there.
struct UnderWay(Arc<Proxy>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.counts(counts::Counts::end);
    }
}

fn entry(request: &Parts, sent: usize) -> counts::PassedRequest {
    let header = |name: &str| {
        let value = request.headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    counts::PassedRequest {
        method: request.method.to_string(),
        path: request
            .uri
            .path_and_query()
            .map_or_else(String::new, ToString::to_string),
        range: header("range").or_else(|| header("x-ms-range")),
        if_match: header("if-match"),
        if_none_match: header("if-none-match"),
        headers: request.headers.keys().map(ToString::to_string).collect(),
        sent,
        ..counts::PassedRequest::default()
    }
}

fn strip(headers: &mut HeaderMap) {
    for name in OF_A_CONNECTION {
        headers.remove(HeaderName::from_static(name));
    }
}
