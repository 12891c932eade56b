//! A small HTTP server for tests, whose answers the test makes.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::connect::connect;
use crate::requests::Session;
use crate::tests::fixtures::parsed;
use ncutils_remote_settings::settings::Settings;
use ncutils_remote_settings::{ConfigurationFile, Environment};

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Path and query.
    pub(crate) target: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a header, whose name is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// First and last position of the range that is asked for.
    pub(crate) fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse().ok()?, last.parse().unwrap_or(usize::MAX)))
    }
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// The connection breaks after this many bytes of the body.
    pub(crate) cut: Option<usize>,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// What a server with ranges answers.
    pub(crate) fn of(request: &Request, data: &[u8]) -> Self {
        let Some((first, last)) = request.range() else {
            return Self {
                body: data.to_vec(),
                ..Self::status(200)
            };
        };
        if first >= data.len() {
            return Self::status(416).with("Content-Range", format!("bytes */{}", data.len()));
        }
        let last = last.min(data.len() - 1);
        let answer = Self {
            body: data[first..=last].to_vec(),
            ..Self::status(206)
        };
        answer.with("Content-Range", format!("bytes {first}-{last}/{}", data.len()))
    }
}

/// A server on this machine that runs until the process ends.
pub(crate) struct TestServer {
    /// `http://127.0.0.1:PORT`.
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl TestServer {
    /// Starts a server. `answer` gets each request and the number of those before it.
    pub(crate) fn start(answer: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (answer, seen) = (Arc::new(answer), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                thread::spawn(move || serve(stream, &*answer, &seen));
            }
        });
        Self { url, requests }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// A session for a URL below this server's, with the fragment and the variables of a test.
    pub(crate) fn session(
        &self,
        below: &str,
        variables: &'static [(&'static str, &'static str)],
    ) -> Arc<Session> {
        let url = parsed(&format!("{}{below}", self.url));
        let settings = Settings::of(&url, &Variables(variables)).unwrap();
        connect(&url, settings, 8).unwrap()
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(&Request, usize) -> Answer, seen: &Mutex<Vec<Request>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(first)) = lines.next() else { return };
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").unwrap_or_default();
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let request = Request { target, headers };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let answer = answer(&request, number);
    let mut head = format!("HTTP/1.1 {} x\r\nConnection: close\r\n", answer.status);
    let has_length = |name: &str| matches!(name, "Content-Length" | "Transfer-Encoding");
    if !answer.headers.iter().any(|(name, _)| has_length(name)) {
        head.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
    }
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let body = &answer.body[..answer.cut.unwrap_or(answer.body.len()).min(answer.body.len())];
    let mut stream = stream;
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(b"\r\n"));
    let _ = stream.write_all(body);
}

/// Surroundings with nothing but variables.
pub(crate) struct Variables(pub(crate) &'static [(&'static str, &'static str)]);

impl Environment for Variables {
    fn variable(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    }
    fn home(&self) -> Option<PathBuf> {
        None
    }
    fn current_folder(&self) -> Option<PathBuf> {
        None
    }
    fn read(&self, _: &Path) -> std::io::Result<ConfigurationFile> {
        Err(std::io::ErrorKind::NotFound.into())
    }
    fn run(&self, _: &str, _: &[String]) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}
