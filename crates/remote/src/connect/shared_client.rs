//! [`SharedClient`]: connections, limits and certificates that all sessions with one server share.
//!
//! ```text
//! session of a.nc ─┐
//! session of b.nc ─┼─► SharedClient: connections, certificates, requests under way, when the server wants to be asked again
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
use crate::transport::{Resolver, client};
use ncutils_model::Result;
use ncutils_remote_settings::settings::{Chosen, OfProvider, Proxy, Settings, Tls};

/// Most clients that are kept. The oldest goes first.
const MOST: usize = 16;

/// The clients of this process.
static SHARED_CLIENTS: Mutex<Vec<(Server, Arc<SharedClient>)>> = Mutex::new(Vec::new());

/// Connections, limits and certificates that all sessions with one server share.
pub(super) struct SharedClient {
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

impl SharedClient {
    /// The client for the server of these settings, with at most `requests` requests under way.
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
        // Held while a client is made: other threads want the same one.
        let mut clients = SHARED_CLIENTS.lock();
        if let Some((_, shared)) = clients.iter().find(|(of, _)| *of == server) {
            return Ok(Arc::clone(shared));
        }
        let resolver = Resolver::default();
        let shared = Arc::new(Self {
            client: client(settings, &resolver)?,
            resolver,
            limiter: Arc::new(Limiter::new(requests)),
            not_before: Arc::default(),
        });
        if clients.len() == MOST {
            clients.remove(0);
        }
        clients.push((server, Arc::clone(&shared)));
        Ok(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixtures::parsed;
    use ncutils_remote_settings::ProcessEnvironment;

    #[test]
    fn sessions_with_one_server_share_a_client() {
        let line = |url: &str, requests| {
            let settings = Settings::of(&parsed(url), &ProcessEnvironment).unwrap();
            SharedClient::of(&settings, requests).unwrap()
        };
        let first = line("http://line.test:1/a/b.nc", 7);
        assert!(Arc::ptr_eq(&first, &line("http://line.test:1/c.nc", 7)));
        assert!(!Arc::ptr_eq(&first, &line("http://line.test:1/c.nc", 8)));
        assert!(!Arc::ptr_eq(&first, &line("http://line.test:2/c.nc", 7)));
    }
}
