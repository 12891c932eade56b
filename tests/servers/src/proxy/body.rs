//! [`Body`]: a body whose pieces another task sends.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::Frame;
use tokio::sync::mpsc;

/// The connection ends without what was promised.
#[derive(Debug)]
pub struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection is dropped")
    }
}

impl std::error::Error for Dropped {}

/// The body of an answer.
pub struct Body(mpsc::Receiver<Result<Bytes, Dropped>>);

/// Sends the pieces of a body.
pub type Pieces = mpsc::Sender<Result<Bytes, Dropped>>;

impl Body {
    /// A body, and what sends its pieces. The body ends when that is dropped.
    pub fn new() -> (Pieces, Self) {
        let (sender, receiver) = mpsc::channel(4);
        (sender, Self(receiver))
    }

    /// A body of one piece.
    pub fn of(bytes: impl Into<Bytes>) -> Self {
        let (sender, body) = Self::new();
        // The channel has room for it.
        let _ = sender.try_send(Ok(bytes.into()));
        body
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Dropped;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Dropped>>> {
        self.0
            .poll_recv(context)
            .map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
