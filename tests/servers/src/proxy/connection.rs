//! [`Connection`]: the pace of one connection, and its reset.

use std::net::TcpStream as StdStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

/// One connection of a client.
#[derive(Clone)]
pub struct Connection(Arc<State>);

struct State {
    /// A second handle of the socket.
    socket: StdStream,
    /// When the line is free again.
    free: Mutex<Instant>,
}

impl Connection {
    /// The connection of a socket, and the socket.
    pub fn of(stream: TcpStream) -> std::io::Result<(Self, TcpStream)> {
        let socket = stream.into_std()?;
        let state = State {
            socket: socket.try_clone()?,
            free: Mutex::new(Instant::now()),
        };
        Ok((Self(Arc::new(state)), TcpStream::from_std(socket)?))
    }

    /// Waits until `bytes` have passed at `rate` bytes a second.
    pub async fn pass(&self, bytes: usize, rate: Option<f64>) {
        let Some(rate) = rate.filter(|rate| *rate > 0.0) else {
            return;
        };
        let until = {
            let mut free = self.0.free.lock().unwrap_or_else(|e| e.into_inner());
            *free = (*free).max(Instant::now()) + Duration::from_secs_f64(bytes as f64 / rate);
            *free
        };
        sleep_until(until).await;
    }

    /// Makes the end of the connection a reset, which the client sees as an error and not as an end.
    pub fn reset_at_end(&self) {
        let _ = SockRef::from(&self.0.socket).set_linger(Some(Duration::ZERO));
    }
}
