//! The HTTP client of a session: TLS, proxy, cookies and timeouts as the settings say.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Certificate, Client, Identity, Proxy, redirect};
use rustls::pki_types::CertificateDer;

use super::named_file::read;
use super::resolver::Resolver;
use super::{cookies, named_certificates};
use ncutils_model::Result;
use ncutils_model::error::usage;
use ncutils_remote_settings::settings::{OfProvider, Roots, Settings, Tls};
use ncutils_remote_settings::timeout;

/// Longest time, until a connection is made.
const CONNECT: Duration = Duration::from_secs(10);

/// Longest time in which nothing comes.
const STALL: Duration = Duration::from_secs(20);

/// The client for a session's requests. It follows no redirects and speaks HTTP 1.1: with one connection for each request
/// under way, a line's whole bandwidth is used.
///
/// # Errors
/// Certificates, keys or cookies that cannot be read.
pub(crate) fn client(settings: &Settings, resolver: &Resolver) -> Result<Client> {
    // Fails only if there is one already, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("ncutils/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .connect_timeout(timeout().map_or(CONNECT, |longest| longest.min(CONNECT)))
        .read_timeout(timeout().map_or(STALL, |longest| longest.min(STALL)))
        .dns_resolver(resolver.clone())
        .no_proxy();
    let tls = &settings.tls;
    let own = own_certificate(tls)?;
    builder = match named(tls)? {
        Some(named) if tls.verify.value => {
            let config = named_certificates::config(named, own.as_deref());
            let config = config.or_else(|why| usage(format!("{}: {why}", tls.roots.from)))?;
            builder.tls_backend_preconfigured(config)
        }
        _ => {
            let builder = builder
                .tls_certs_only(system())
                .tls_danger_accept_invalid_certs(!tls.verify.value);
            match own.map(|pem| Identity::from_pem(&pem)) {
                Some(Ok(identity)) => builder.identity(identity),
                _ => builder,
            }
        }
    };
    if let Some(chosen) = &settings.proxy {
        let proxy = Proxy::all(&chosen.value.server);
        let mut proxy = proxy.or_else(|_| usage(format!("{}: not a proxy", chosen.from)))?;
        if let Some(login) = &chosen.value.login {
            proxy = proxy.basic_auth(&login.user, login.password.expose());
        }
        builder = builder.proxy(proxy);
    }
    if let OfProvider::Http {
        cookies: Some(file), ..
    } = &settings.of_provider
    {
        builder = builder.cookie_provider(Arc::new(cookies::jar(&file.value, &file.from)?));
    }
    let built = builder.build();
    built.or_else(|e| usage(format!("cannot make requests: {}", innermost(&e))))
}

/// The text of an error's first cause, which has no URL.
pub(crate) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
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
    let from = &tls.roots.from;
    let (path, found, what) = match &tls.roots.value {
        Roots::System => return Ok(None),
        Roots::File(path) => {
            let found = named_certificates::of_pem(&read(path, from)?);
            (path, found, "no certificates of PEM".to_owned())
        }
        // Such folders also hold files of other kinds.
        Roots::Folder(folder) => {
            let found = rustls_native_certs::load_certs_from_paths(None, Some(folder));
            let why = found.errors.first().map(|e| format!(": {e}"));
            let why = why.unwrap_or_default();
            (
                folder,
                found.certs,
                format!("no file with certificates of PEM{why}"),
            )
        }
    };
    match found.is_empty() {
        true => usage(format!("{}: {what} ({from})", path.display())),
        false => Ok(Some(found)),
    }
}

/// The user's certificate and key, in PEM.
fn own_certificate(tls: &Tls) -> Result<Option<Vec<u8>>> {
    let Some(chosen) = &tls.client else {
        return Ok(None);
    };
    let mut pem = read(&chosen.value.certificate, &chosen.from)?;
    if let Some(key) = &chosen.value.key {
        pem.push(b'\n');
        pem.extend(read(key, &chosen.from)?);
    }
    // What it holds is looked at now, so that the error names the file.
    if Identity::from_pem(&pem).is_err() {
        let file = chosen.value.certificate.display();
        return usage(format!("{file}: no certificate and key of PEM ({})", chosen.from));
    }
    Ok(Some(pem))
}
