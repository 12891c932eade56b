//! [`Line`]: a server, and the proxy before it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// s3s-fs on a folder, and the proxy before it.
pub struct Line {
    // The proxy ends first.
    _proxy: Server,
    _server: Server,
    port: u16,
    control: u16,
}

/// What passed the proxy since the last [`Line::set`].
pub struct Counts {
    /// Requests.
    pub requests: u64,
    /// The most requests that were under way together.
    pub most: u64,
}

impl Line {
    /// Starts both. `program` is that of `tests/servers`.
    ///
    /// # Errors
    /// If one does not start.
    pub fn start(program: &Path, folder: &Path) -> Result<Self> {
        is_there(program)?;
        let (server, line) = Server::start(Command::new(program).arg("s3").arg(folder))?;
        let upstream = format!("127.0.0.1:{}", port(&line, "port")?);
        let (proxy, line) = Server::start(Command::new(program).args(["proxy", &upstream]))?;
        Ok(Self {
            _proxy: proxy,
            _server: server,
            port: port(&line, "port")?,
            control: port(&line, "control")?,
        })
    }

    /// The URL of the proxy.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Sets the wait of each request, in milliseconds, and the bandwidth of each connection; begins to count anew.
    ///
    /// # Errors
    /// If the proxy refuses.
    pub fn set(&self, latency: f64, bytes_per_second: Option<f64>) -> Result<()> {
        let settings = serde_json::json!({ "latency_ms": latency, "bytes_per_second": bytes_per_second });
        self.order("PUT", "/settings", &settings.to_string()).map(|_| ())
    }

    /// What passed.
    ///
    /// # Errors
    /// If the proxy does not tell.
    pub fn counts(&self) -> Result<Counts> {
        let counts: serde_json::Value = serde_json::from_str(&self.order("GET", "/counts", "")?)?;
        let number = |name: &str| counts[name].as_u64().with_context(|| format!("no {name}"));
        Ok(Counts {
            requests: number("requests")?,
            most: number("most")?,
        })
    }

    /// The answer to an order.
    fn order(&self, method: &str, path: &str, body: &str) -> Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.control))?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no answer of the proxy")?;
        ensure!(
            head.starts_with("HTTP/1.1 200"),
            "the proxy answers {head}: {body}"
        );
        Ok(body.to_owned())
    }
}

/// A server in a process of its own, which ends with this value. The standard library leaves a child alive when its handle is
/// dropped.
pub struct Server(Child);

impl Server {
    /// Starts a server. Returns the line that it prints when it is ready, too.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(command: &mut Command) -> Result<(Self, String)> {
        let mut server = Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?);
        let printed = server.0.stdout.take().context("no standard output")?;
        let mut line = String::new();
        BufReader::new(printed).read_line(&mut line)?;
        ensure!(!line.is_empty(), "{command:?} does not start");
        Ok((server, line))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The port that a program printed, from its line of JSON.
fn port(line: &str, name: &str) -> Result<u16> {
    let ports: serde_json::Value = serde_json::from_str(line)?;
    let port = ports[name].as_u64().and_then(|port| u16::try_from(port).ok());
    port.with_context(|| format!("no {name} in {line}"))
}

/// Fails unless a path is there.
fn is_there(path: &Path) -> Result<()> {
    ensure!(path.exists(), "{} is not there", path.display());
    Ok(())
}
