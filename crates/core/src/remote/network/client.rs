//! The HTTP client of a session: TLS, proxy, cookies and timeouts as the settings say.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::cookie::Jar;
use reqwest::{Certificate, Client, Identity, Proxy, redirect};
use rustls::pki_types::CertificateDer;

use super::named_certificates;
use super::resolver::Resolver;
use crate::error::{Error, Result};
use crate::remote::settings::{Roots, Settings, Tls};

/// Longest time, until a connection is made.
const CONNECT: Duration = Duration::from_secs(10);

/// Longest time in which nothing comes.
const STALL: Duration = Duration::from_secs(20);

/// Largest file of certificates or cookies, in bytes.
const LARGEST_FILE: u64 = 16 << 20;

/// The client for a session's requests. It follows no redirects and speaks HTTP 1.1: with one connection for each request
/// under way, a line's whole bandwidth is used.
///
/// # Errors
/// Certificates, keys or cookies that cannot be read.
pub(super) fn client(settings: &Settings, resolver: &Resolver) -> Result<Client> {
    // Fails only if there is one already, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("ncutils/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .connect_timeout(CONNECT)
        .read_timeout(STALL)
        .dns_resolver(resolver.clone())
        .no_proxy();
    let tls = &settings.tls;
    let own = own_certificate(tls)?;
    builder = match named(tls)? {
        Some(named) if tls.verify.value => {
            let config = named_certificates::config(named, own.as_deref())
                .map_err(|why| Error::Usage(format!("{}: {why}", tls.roots.from)))?;
            builder.tls_backend_preconfigured(config)
        }
        _ => {
            let builder = builder
                .tls_certs_only(system())
                .tls_danger_accept_invalid_certs(!tls.verify.value);
            match own {
                Some(pem) => builder.identity(identity(tls, &pem)?),
                None => builder,
            }
        }
    };
    if let Some(chosen) = &settings.proxy {
        let mut proxy = Proxy::all(&chosen.value.server)
            .map_err(|_| Error::Usage(format!("{}: not a proxy", chosen.from)))?;
        if let Some(login) = &chosen.value.login {
            proxy = proxy.basic_auth(&login.user, login.password.expose());
        }
        builder = builder.proxy(proxy);
    }
    if let Some(file) = &settings.cookies {
        builder = builder.cookie_provider(Arc::new(cookies(&file.value, &file.from)?));
    }
    builder
        .build()
        .map_err(|e| Error::Usage(format!("cannot make requests: {}", innermost(&e))))
}

/// The text of an error's first cause, which has no URL.
pub(super) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// The content of a file that a setting names. `from` is that setting.
fn read(path: &Path, from: &str) -> Result<Vec<u8>> {
    let read = match fs::metadata(path) {
        // A pipe would block the program, and a device may have no end.
        Ok(found) if !found.is_file() => Err(std::io::Error::other("not a file")),
        Ok(found) if found.len() > LARGEST_FILE => {
            Err(std::io::Error::other("the file is larger than 16 MiB"))
        }
        Ok(_) => fs::read(path),
        Err(e) => Err(e),
    };
    read.map_err(|e| Error::Usage(format!("{}: cannot read: {e} ({from})", path.display())))
}

/// The certificates of the system.
fn system() -> Vec<Certificate> {
    let found = rustls_native_certs::load_native_certs().certs;
    found
        .iter()
        .filter_map(|certificate| Certificate::from_der(certificate).ok())
        .collect()
}

/// The certificates that the user named; `None` if those of the system count.
fn named(tls: &Tls) -> Result<Option<Vec<CertificateDer<'static>>>> {
    let from = tls.roots.from.to_string();
    let in_file = |path: &Path| -> Result<Vec<CertificateDer<'static>>> {
        let found = named_certificates::of_pem(&read(path, &from)?);
        match found.is_empty() {
            true => Err(Error::Usage(format!(
                "{}: no certificates of PEM ({})",
                path.display(),
                tls.roots.from
            ))),
            false => Ok(found),
        }
    };
    match &tls.roots.value {
        Roots::System => Ok(None),
        Roots::File(path) => in_file(path).map(Some),
        Roots::Folder(folder) => {
            let entries = fs::read_dir(folder)
                .map_err(|e| Error::Usage(format!("{}: cannot read: {e} ({from})", folder.display())))?;
            let mut all = Vec::new();
            for path in entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_file())
            {
                // Such folders also hold files of other kinds.
                all.extend(in_file(&path).unwrap_or_default());
            }
            match all.is_empty() {
                true => Err(Error::Usage(format!(
                    "{}: no file with certificates of PEM ({})",
                    folder.display(),
                    tls.roots.from
                ))),
                false => Ok(Some(all)),
            }
        }
    }
}

/// The user's certificate and key, in PEM.
fn own_certificate(tls: &Tls) -> Result<Option<Vec<u8>>> {
    let Some(chosen) = &tls.client else {
        return Ok(None);
    };
    let from = chosen.from.to_string();
    let mut pem = read(&chosen.value.certificate, &from)?;
    if let Some(key) = &chosen.value.key {
        pem.push(b'\n');
        pem.extend(read(key, &from)?);
    }
    // What it holds is looked at now, so that the error names the file.
    identity(tls, &pem)?;
    Ok(Some(pem))
}

fn identity(tls: &Tls, pem: &[u8]) -> Result<Identity> {
    Identity::from_pem(pem).map_err(|_| {
        let (file, from) = match &tls.client {
            Some(chosen) => (
                chosen.value.certificate.display().to_string(),
                chosen.from.to_string(),
            ),
            None => Default::default(),
        };
        Error::Usage(format!("{file}: no certificate and key of PEM ({from})"))
    })
}

/// A cookie of a file.
pub(super) struct FileCookie {
    /// Where it goes to.
    url: url::Url,
    /// Its line in the form of `Set-Cookie`.
    set: String,
    pub(super) value: String,
}

/// The cookies of a file as curl writes it: lines of domain, flag, path, secure, end, name and value, with tabs between. A
/// file that is not there yet has none.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn cookies_of(path: &Path, from: &str) -> Result<Vec<FileCookie>> {
    let mut found = Vec::new();
    if !path.exists() {
        return Ok(found);
    }
    let text = String::from_utf8_lossy(&read(path, from)?).into_owned();
    for line in text.lines() {
        let line = line.strip_prefix("#HttpOnly_").unwrap_or(line);
        let fields: Vec<&str> = line.split('\t').collect();
        let [domain, subdomains, folder, secure, _, name, value] = fields[..] else {
            continue;
        };
        if line.starts_with('#') {
            continue;
        }
        let host = domain.trim_start_matches('.');
        let is_secure = secure.eq_ignore_ascii_case("true");
        let scheme = if is_secure { "https" } else { "http" };
        let Ok(url) = url::Url::parse(&format!("{scheme}://{host}{folder}")) else {
            continue;
        };
        let mut set = format!("{name}={value}; Path={folder}");
        if subdomains.eq_ignore_ascii_case("true") {
            set.push_str(&format!("; Domain={host}"));
        }
        if is_secure {
            set.push_str("; Secure");
        }
        let value = value.to_owned();
        found.push(FileCookie { url, set, value });
    }
    Ok(found)
}

/// The cookies of a file, for requests.
fn cookies(path: &Path, from: &str) -> Result<Jar> {
    let jar = Jar::default();
    for cookie in cookies_of(path, from)? {
        jar.add_cookie_str(&cookie.set, &cookie.url);
    }
    Ok(jar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::cookie::CookieStore;

    #[test]
    fn cookies_of_a_file_go_to_their_hosts() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "# Netscape HTTP Cookie File\n\n.a.org\tTRUE\t/\tFALSE\t0\tn\tv\n#HttpOnly_b.org\tFALSE\t/x\tTRUE\t0\tm\tw\nno line\n";
        fs::write(file.path(), text).unwrap();
        let jar = cookies(file.path(), "rc").unwrap();
        let sent = |url: &str| {
            let found = jar.cookies(&url::Url::parse(url).unwrap());
            found.map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(sent("http://a.org/"), Some("n=v".to_owned()));
        assert_eq!(sent("https://data.a.org/x"), Some("n=v".to_owned()));
        assert_eq!(sent("https://b.org/x/y"), Some("m=w".to_owned()));
        assert_eq!(sent("http://b.org/x"), None);
        assert_eq!(sent("http://c.org/"), None);
        assert_eq!(
            cookies(Path::new("/no/such/file"), "rc")
                .unwrap()
                .cookies(&"http://a.org".parse().unwrap()),
            None
        );
    }
}
