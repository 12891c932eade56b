//! A proxy in front of an HTTP server: it makes the line long and thin, breaks it, and counts.
//!
//! ```text
//! client ─► number, log ─► latency ─► fault instead of an answer?
//!                                       └─► the server ─► fault of its answer? ─► pace of the connection ─► client
//! ```
//!
//! A second port takes orders:
//!
//! ```text
//! PUT  /settings   JSON of `Settings`; counts begin anew
//! GET  /counts     requests by method, bytes each way, most requests at once
//! GET  /faults     counts, as soon as a fault was made since the settings
//! GET  /log        each request: number, method, path, range, names of headers, status, fault
//! ```
//!
//! Requests go on as they came, so that signatures, which hold the host and port that the client sees, stay right.

mod body;
mod connection;
mod control;
mod counts;
mod faults;
mod forward;
mod settings;

use std::sync::{Arc, Mutex};

use anyhow::Result;
use bytes::Bytes;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::sync::Notify;

use crate::listen;
use connection::Connection;
use counts::Counts;
use faults::Fault;
use settings::Settings;

/// A proxy and what it was told.
pub struct Proxy {
    /// Host and port of the server.
    upstream: String,
    client: Client<HttpConnector, Full<Bytes>>,
    settings: Mutex<Arc<Settings>>,
    counts: Mutex<Counts>,
    /// Wakes who waits for a fault.
    fault: Notify,
}

impl Proxy {
    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.lock().unwrap_or_else(|e| e.into_inner()))
    }

    fn counts<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        change(&mut self.counts.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// Counts a fault of a request, and wakes who waits for one.
    fn made(&self, number: u64, fault: &Fault) {
        self.counts(|counts| counts.fault(number, fault.name()));
        self.fault.notify_waiters();
    }

    /// Waits until a fault was made. Returns the counts.
    async fn after_a_fault(&self) -> Counts {
        loop {
            let next = self.fault.notified();
            let counts = self.counts(|counts| counts.clone());
            if !counts.faults.is_empty() {
                return counts;
            }
            next.await;
        }
    }
}

/// Starts a proxy in front of a server. Returns its port, and the port that takes orders.
///
/// # Errors
/// If no port can be listened on.
pub async fn start(upstream: &str) -> Result<(u16, u16)> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let proxy = Arc::new(Proxy {
        upstream: upstream.to_owned(),
        client: Client::builder(TokioExecutor::new()).build(connector),
        settings: Mutex::default(),
        counts: Mutex::default(),
        fault: Notify::new(),
    });
    let served = Arc::clone(&proxy);
    let port = listen::connections(move |stream| {
        let proxy = Arc::clone(&served);
        async move {
            let Ok((connection, stream)) = Connection::of(stream) else {
                return;
            };
            let service = service_fn(|request| forward::answer(&proxy, &connection, request));
            let _ = listen::builder()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        }
    })
    .await?;
    let control = listen::requests(proxy, control::answer).await?;
    Ok((port, control))
}
