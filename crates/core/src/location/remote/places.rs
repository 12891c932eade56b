//! [`RemotePlaces`]: URLs that references lead to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::find::connect;
use crate::error::{Error, Result};
use crate::location::remote_url;
use crate::remote::{RemoteKeys, RemoteObject};
use crate::remote_settings::url::decoded;
use crate::remote_settings::{Provider, RemoteUrl};
use crate::store::{DataAccess, ExternalFile, Input, KeyObject, KeyStore, NoExternalFile, Object, Requests};

/// Two ranges of one object this many bytes apart are cheaper to read as one.
const GAP: u64 = 128 << 10;

/// The remote places that references of one input may lead to.
pub(in crate::location) struct RemotePlaces {
    /// The URL of a remote input, whose service is allowed.
    from: Option<RemoteUrl>,
    /// What the user allows.
    allowed: Vec<String>,
    advice: &'static str,
    requests: usize,
    /// The store of each bucket or host, made once the first object of it is needed.
    stores: Stores,
}

type Stores = Arc<Mutex<HashMap<String, Arc<dyn KeyStore>>>>;

impl RemotePlaces {
    /// The places of an input at the URL `from`; `None` for a local input.
    pub(in crate::location) fn new(from: Option<&RemoteUrl>, access: &DataAccess, requests: usize) -> Self {
        Self {
            from: from.cloned(),
            allowed: access.urls().to_vec(),
            advice: access.url_advice(),
            requests,
            stores: Arc::default(),
        }
    }

    /// The requests that suit remote objects.
    pub(in crate::location) fn requests(&self) -> Requests {
        Requests::slow(self.requests, GAP)
    }

    /// The object at a URL, which no request has looked for.
    pub(in crate::location) fn find(&self, text: &str) -> Result<ExternalFile, NoExternalFile> {
        let url = parsed(text).map_err(|e| NoExternalFile::Strange(e.to_string()))?;
        let key = key_of(&url).map_err(|e| NoExternalFile::Strange(e.to_string()))?;
        if !self.allows(&url, &key) {
            return Err(NoExternalFile::NotAllowed { advice: self.advice });
        }
        let (stores, requests) = (Arc::clone(&self.stores), self.requests);
        Ok(ExternalFile::new(url.shown.clone(), move || {
            let named = |e: Error| e.in_file(&url.shown);
            let object: Arc<dyn Object> = match url.query() {
                // A signature is for one URL.
                Some(_) => {
                    let (session, _) = connect(&url, requests).map_err(named)?;
                    let opened = RemoteObject::open_key(&session, "");
                    opened
                        .map_err(|e| Error::Remote(e.to_string()))
                        .map_err(named)?
                        .object
                }
                None => Arc::new(KeyObject::new(
                    store(&stores, &url, requests).map_err(named)?,
                    key,
                )),
            };
            Ok(Some(Input::object(&url.shown, object)))
        }))
    }

    /// True if references may lead to a URL, whose key is `key`.
    fn allows(&self, url: &RemoteUrl, key: &str) -> bool {
        let is_own = self.from.as_ref().is_some_and(|from| is_same_service(from, url));
        is_own || self.allowed.iter().any(|allowed| is_below(allowed, url, key))
    }
}

/// The store of the bucket or host of a URL.
fn store(stores: &Stores, url: &RemoteUrl, requests: usize) -> Result<Arc<dyn KeyStore>> {
    let (root, name) = match url.provider() {
        Provider::Http => {
            let origin = url
                .endpoint
                .as_ref()
                .map_or_else(String::new, |endpoint| endpoint.root.clone());
            let shown = format!("{origin}/");
            (
                RemoteUrl {
                    key: "/".to_owned(),
                    shown,
                    ..url.clone()
                },
                origin,
            )
        }
        _ => {
            let name = format!("{:?} {:?} {}", url.provider(), url.endpoint, url.bucket);
            (
                RemoteUrl {
                    key: String::new(),
                    ..url.clone()
                },
                name,
            )
        }
    };
    let mut stores = stores.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(&name) {
        return Ok(Arc::clone(store));
    }
    let (session, _) = connect(&root, requests)?;
    let keys: Arc<dyn KeyStore> =
        RemoteKeys::open(&session, "", &[]).map_err(|e| Error::io("cannot read", e))?;
    stores.insert(name, Arc::clone(&keys));
    Ok(keys)
}

/// The URL of a reference. It has no fragment, which would change settings.
fn parsed(text: &str) -> Result<RemoteUrl> {
    if text.contains(['#', '[']) || text.contains("::") {
        return Err(Error::Usage("it has #, [ or ::".to_owned()));
    }
    let text = match text.split_once("://") {
        Some(("gcs", rest)) => format!("gs://{rest}"),
        _ => text.to_owned(),
    };
    Ok(remote_url::parse(&text)?.url)
}

/// The key of a URL's object in its bucket, or below its host.
fn key_of(url: &RemoteUrl) -> Result<String> {
    let key = match url.provider() {
        Provider::Http => decoded(url.key.trim_start_matches('/'))?,
        _ => url.key.clone(),
    };
    match key.split('/').any(|part| matches!(part, "" | "." | "..")) {
        true => Err(Error::Usage("its path has an empty part, . or ..".to_owned())),
        false => Ok(key),
    }
}

/// True if two URLs are of one service: one provider and endpoint, or one host.
fn is_same_service(a: &RemoteUrl, b: &RemoteUrl) -> bool {
    let server = |url: &RemoteUrl| {
        url.endpoint
            .as_ref()
            .map(|endpoint| (endpoint.root.clone(), url.account().map(str::to_owned)))
    };
    a.provider() == b.provider() && server(a) == server(b)
}

/// True if a URL is the allowed one, or below it.
fn is_below(allowed: &str, url: &RemoteUrl, key: &str) -> bool {
    let Ok(allowed) = parsed(allowed) else {
        return false;
    };
    if !is_same_service(&allowed, url) || allowed.bucket != url.bucket {
        return false;
    }
    let prefix = match allowed.provider() {
        Provider::Http => decoded(allowed.key.trim_matches('/')).unwrap_or_else(|_| allowed.key.clone()),
        _ => allowed.key.trim_matches('/').to_owned(),
    };
    prefix.is_empty()
        || key == prefix
        || key
            .strip_prefix(&prefix)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Checks a URL that a user allows.
///
/// # Errors
/// What is wrong with it.
pub(in crate::location) fn check_allowed(url: &str) -> Result<()> {
    match parsed(url)?.query() {
        Some(_) => Err(Error::Usage(
            "a URL with a query allows nothing below it".to_owned(),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(from: Option<&str>, allowed: &[&str]) -> RemotePlaces {
        let mut access = DataAccess::default();
        for url in allowed {
            check_allowed(url).unwrap();
            access.allow_url(url);
        }
        let from = from.map(|from| parsed(from).unwrap());
        RemotePlaces::new(from.as_ref(), &access, 4)
    }

    fn may(places: &RemotePlaces, url: &str) -> bool {
        match places.find(url) {
            Ok(_) => true,
            Err(NoExternalFile::NotAllowed { .. }) => false,
            Err(other) => panic!("{url}: {other}"),
        }
    }

    #[test]
    fn references_lead_to_the_service_of_the_input_and_to_what_is_allowed() {
        let local = places(None, &[]);
        assert!(!may(&local, "s3://b/k"));
        let allowed = places(None, &["s3://b/data/", "https://h/x"]);
        for (url, is_allowed) in [
            ("s3://b/data/a.nc", true),
            ("s3://b/data", true),
            ("s3://b/database/a.nc", false),
            ("s3://c/data/a.nc", false),
            ("gs://b/data/a.nc", false),
            ("https://h/x/a%20b.nc", true),
            ("https://h/xy", false),
            ("http://h/x/a.nc", false),
            ("https://h:81/x/a.nc", false),
        ] {
            assert_eq!(may(&allowed, url), is_allowed, "{url}");
        }
        let remote = places(Some("s3://refs/r.json"), &[]);
        assert!(may(&remote, "s3://other/k") && !may(&remote, "https://h/k"));
        let http = places(Some("https://h/r.json"), &[]);
        assert!(may(&http, "https://h/other/k?sig=1") && !may(&http, "https://i/k"));
    }

    #[test]
    fn strange_urls_lead_nowhere() {
        let places = places(Some("https://h/r.json"), &["s3://b/data"]);
        for url in [
            "https://h/a/../b",
            "https://h/a/%2e%2e/b",
            "https://h/a#mode=bytes",
            "s3://b/data/../k",
            "s3://b/data/k#aws.endpoint=http://e",
            "[aws.profile=p]s3://b/data/k",
            "zip://a::https://h/x.zip",
            "ftp://h/a",
            "memory://a",
        ] {
            assert!(
                matches!(places.find(url).err(), Some(NoExternalFile::Strange(_))),
                "{url}"
            );
        }
    }
}
