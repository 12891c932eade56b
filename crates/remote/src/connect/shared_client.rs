//! [`Line`]: what all sessions with one server share.
//!
//! ```text
//! session of a.nc ─┐
//! session of b.nc ─┼─► Line: connections, certificates, requests under way, when the server wants to be asked again
//! session of c.nc ─┘
//! ```
//!
//! A session has one URL of a plain server, or one bucket with the settings of one URL, and a program opens thousands of them. To read
//! the certificates of the system takes a millisecond, and a new connection two round trips.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use reqwest::Client;

use crate::requests::Limiter;
use crate::settings::{Chosen, OfProvider, Proxy, Settings, Tls};
use crate::transport::{Resolver, client};
use ncutils_model::Result;

/// Most lines that are kept. The oldest goes first.
const MOST: usize = 16;

/// The lines of this process.
static LINES: Mutex<Vec<(Server, Arc<Line>)>> = Mutex::new(Vec::new());

/// What all sessions with one server share.
pub(super) struct Line {
    pub(super) client: Client,
    pub(super) resolver: Resolver,
    pub(super) limiter: Arc<Limiter>,
    /// When the server wants to be asked again.
    pub(super) not_before: Arc<Mutex<Option<Instant>>>,
}

/// A server, and how it is reached.
#[derive(PartialEq)]
struct Server {
    root: String,
    tls: Tls,
    proxy: Option<Chosen<Proxy>>,
    cookies: Option<Chosen<PathBuf>>,
    /// The most requests under way.
    requests: usize,
}

impl Line {
    /// The line to the server of these settings, with at most `requests` requests under way.
    ///
    /// # Errors
    /// Certificates, keys or cookies that cannot be read.
    pub(super) fn of(settings: &Settings, requests: usize) -> Result<Arc<Self>> {
        let server = Server {
            root: settings.endpoint.value.root.clone(),
            tls: settings.tls.clone(),
            proxy: settings.proxy.clone(),
            cookies: match &settings.of_provider {
                OfProvider::Http { cookies, .. } => cookies.clone(),
                _ => None,
            },
            requests,
        };
        // Held while a line is made: other threads want the same one.
        let mut lines = LINES.lock();
        if let Some((_, line)) = lines.iter().find(|(of, _)| *of == server) {
            return Ok(Arc::clone(line));
        }
        let resolver = Resolver::default();
        let line = Arc::new(Self {
            client: client(settings, &resolver)?,
            resolver,
            limiter: Arc::new(Limiter::new(requests)),
            not_before: Arc::default(),
        });
        if lines.len() == MOST {
            lines.remove(0);
        }
        lines.push((server, Arc::clone(&line)));
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::ProcessEnvironment;
    use crate::tests::fixtures::parsed;

    #[test]
    fn sessions_with_one_server_share_a_line() {
        let line = |url: &str, requests| {
            let settings = Settings::of(&parsed(url), &ProcessEnvironment).unwrap();
            Line::of(&settings, requests).unwrap()
        };
        let first = line("http://line.test:1/a/b.nc", 7);
        assert!(Arc::ptr_eq(&first, &line("http://line.test:1/c.nc", 7)));
        assert!(!Arc::ptr_eq(&first, &line("http://line.test:1/c.nc", 8)));
        assert!(!Arc::ptr_eq(&first, &line("http://line.test:2/c.nc", 7)));
    }
}
