//! Accepts connections, and serves each by a function of its requests.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;

use anyhow::Result;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

/// Listens on a free port of the loopback address, and hands each connection to `serve`. Returns the port.
///
/// # Errors
/// If no port can be listened on.
pub async fn connections<F, Serving>(serve: F) -> Result<u16>
where
    F: Fn(TcpStream) -> Serving + Send + Sync + 'static,
    Serving: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        loop {
            if let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve(stream));
            }
        }
    });
    Ok(port)
}

/// Listens, and answers each request by `answer`. Returns the port.
///
/// # Errors
/// If no port can be listened on.
pub async fn requests<S, F, Answering>(state: Arc<S>, answer: F) -> Result<u16>
where
    S: Send + Sync + 'static,
    F: Fn(Arc<S>, Request<Incoming>) -> Answering + Copy + Send + Sync + 'static,
    Answering: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    connections(move |stream| {
        let state = Arc::clone(&state);
        async move {
            let service = service_fn(move |request| {
                let answering = answer(Arc::clone(&state), request);
                async move { Ok::<_, Infallible>(answering.await) }
            });
            let _ = builder().serve_connection(TokioIo::new(stream), service).await;
        }
    })
    .await
}

/// How connections are served: HTTP/1.1, which stays open.
pub fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(None);
    builder
}
