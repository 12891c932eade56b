//! [`parse`]: from the name of a remote dataset to its [`RemoteUrl`].

use std::borrow::Cow;

use super::authority::{self, Authority};
use super::hosts::{self, Named, Operator};
use super::key;
use super::remote_url::{Endpoint, Form, Provider, ProviderParts, RemoteUrl, Style, Typed};
use super::scheme::scheme;
use super::shown::shown;
use super::words::{self, Pair, StoreWords};
use crate::secret::{Login, Secret};
use ncutils_model::Result;
use ncutils_model::error::usage;

/// Longest name, in bytes. Servers refuse longer URLs.
const LONGEST_NAME: usize = 16 << 10;

/// Writes `[key=value]…` in front of a URL as a fragment. Other names stay as they are.
pub fn with_fragment(name: &str) -> Cow<'_, str> {
    let mut rest = name;
    let mut pairs = Vec::new();
    while let Some((pair, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        pairs.push(pair);
        rest = behind;
    }
    if pairs.is_empty() || scheme(rest).is_none() {
        return Cow::Borrowed(name);
    }
    let pairs = pairs.join("&");
    Cow::Owned(match rest.split_once('#') {
        Some((url, fragment)) => format!("{url}#{pairs}&{fragment}"),
        None => format!("{rest}#{pairs}"),
    })
}

/// Parses the URL of a remote store. `dataset` gets the pairs of the fragment that say nothing about the store, and tells the
/// form that they ask for. It is not called without a fragment.
///
/// # Errors
/// An unknown scheme, a malformed URL, a secret in the fragment, words that contradict each other or the URL; those of `dataset`.
/// No message holds a secret.
pub fn parse(name: &str, dataset: impl FnOnce(Vec<Pair<'_>>) -> Result<Form>) -> Result<RemoteUrl> {
    if name.len() > LONGEST_NAME {
        return usage(format!("the URL has more than {LONGEST_NAME} bytes"));
    }
    let shown = without_fragment(&shown(name)).to_owned();
    let name = with_fragment(name);
    let (url, fragment) = name.split_once('#').unwrap_or((&name, ""));
    let Some((scheme, rest)) = url.split_once("://") else {
        return usage("the name is no URL");
    };
    let scheme = scheme.to_ascii_lowercase();
    // The words come first, as a refused protocol or a secret says more than a malformed URL.
    if scheme == "zoh" {
        return Err(words::zoh());
    }
    let mut words = StoreWords::parse(fragment, dataset)?;
    match scheme.as_str() {
        "dods" => words.take_dap(Form::Dap2)?,
        "dap4" => words.take_dap(Form::Dap4)?,
        _ => false,
    };
    let url = match scheme.as_str() {
        "s3" | "gs" | "gs3" | "az" | "abfs" | "abfss" if matches!(words.form, Form::Dap2 | Form::Dap4) => {
            usage("OPeNDAP is asked by http:// or https://")
        }
        "s3" => bucket_url(rest, Provider::S3, words),
        "gs" | "gs3" => bucket_url(rest, Provider::Gcs, words),
        "az" => bucket_url(rest, Provider::Azure, words),
        "abfs" | "abfss" => abfs_url(rest, words),
        "http" | "https" | "dods" | "dap4" => http_url(scheme == "https", rest, words),
        _ => usage(format!(
            "the scheme {scheme}:// is unknown; remote datasets begin with s3://, gs://, az://, abfss://, https:// or http://"
        )),
    }?;
    Ok(RemoteUrl { shown, ..url })
}

fn without_fragment(text: &str) -> &str {
    let front = text.split('#').next().unwrap_or_default();
    // Brackets in front of the scheme are a fragment too.
    match front.split_once("://") {
        Some((scheme, _)) => &front[scheme.rfind(']').map_or(0, |at| at + 1)..],
        None => front,
    }
}

/// `s3://bucket/key` and the like. A dotted name is a bucket, unless it has a port or is a host of AWS or Google.
fn bucket_url(rest: &str, provider: Provider, words: StoreWords) -> Result<RemoteUrl> {
    expect_protocol(provider, &words)?;
    let (front, path) = key::split(rest);
    let host = front.to_ascii_lowercase();
    let names_host = provider != Provider::Azure
        && (front.contains(':')
            || hosts::of_operator(&host).is_some_and(|named| speaks(named.operator, provider)));
    if names_host {
        // Without a scheme of its own, the host is asked by HTTPS.
        return hosted(
            true,
            authority::parse(front)?,
            path_of(rest),
            false,
            provider,
            words,
        );
    }
    let typed = Typed {
        host,
        port: None,
        path: path_of(rest).to_owned(),
    };
    stored(provider, Named::default(), None, (front, path), words, typed)
}

/// `abfss://container@account.dfs.core.windows.net/key`.
fn abfs_url(rest: &str, words: StoreWords) -> Result<RemoteUrl> {
    expect_protocol(Provider::Azure, &words)?;
    let (front, path) = key::split(rest);
    let authority = authority::parse(front)?;
    let named = hosts::of_operator(&authority.host).filter(|named| named.account.is_some());
    let (Some(container), Some(named), None) = (authority.user, named, authority.port) else {
        return usage("this scheme has the form abfss://container@account.dfs.core.windows.net/key");
    };
    let typed = typed(None, &authority, path_of(rest));
    let server = Some((true, authority));
    stored(Provider::Azure, named, server, (container, path), words, typed)
}

/// `http://` and `https://`: an object store if the host or a word says so, and plain HTTP otherwise.
fn http_url(is_https: bool, rest: &str, words: StoreWords) -> Result<RemoteUrl> {
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (front, behind) = rest.split_at(end);
    let authority = authority::parse(front)?;
    let (path, query) = match behind.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (behind, None),
    };
    let by_host = hosts::of_operator(&authority.host).map(|named| match named.operator {
        Operator::Google => Provider::Gcs,
        Operator::Microsoft => Provider::Azure,
        Operator::Aws | Operator::Other => Provider::S3,
    });
    let is_bucket_tree = by_host.is_some() && words.form == Form::Tree;
    let provider = match (words.protocol, by_host, query) {
        _ if matches!(words.form, Form::Dap2 | Form::Dap4) => Provider::Http,
        (Some(Provider::Gcs), Some(Provider::S3 | Provider::Azure), _)
        | (Some(Provider::S3), Some(Provider::Azure), _) => {
            return usage("the host speaks another protocol than the one of mode=");
        }
        (Some(protocol), _, None) => protocol,
        (None, Some(provider), None) => provider,
        // A signed URL is one request, and stays as it is.
        (None, _, Some(_)) if !is_bucket_tree => Provider::Http,
        (None, None, _) => Provider::Http,
        _ => {
            return usage(
                "the URL has a query, which keys of an object store have not; without mode=s3 and mode=zarr it is sent as it is",
            );
        }
    };
    if provider != Provider::Http {
        return hosted(is_https, authority, path, true, provider, words);
    }
    let path_sent = if path.is_empty() { "/" } else { path };
    Ok(RemoteUrl {
        parts: ProviderParts::Http {
            query: query.map(key::sendable).transpose()?.map(Secret::from),
            login: authority.user.map(login).transpose()?,
        },
        endpoint: Some(Endpoint {
            root: origin(is_https, &authority.host, authority.port),
            style: Style::Path,
            is_aws: false,
        }),
        bucket: String::new(),
        key: key::sendable(path_sent)?,
        form: words.form,
        asked: words.asked,
        typed: typed(Some(is_https), &authority, path),
        shown: String::new(),
    })
}

/// An object store at a host that the URL names.
fn hosted(
    is_https: bool,
    authority: Authority<'_>,
    path: &str,
    is_escaped: bool,
    provider: Provider,
    words: StoreWords,
) -> Result<RemoteUrl> {
    if authority.user.is_some() {
        return usage(
            "a URL of an object store has no user and password; its keys come from profiles and variables",
        );
    }
    let of_operator = hosts::of_operator(&authority.host);
    let named = match of_operator.filter(|named| speaks(named.operator, provider)) {
        Some(named) => named,
        None if provider == Provider::S3 => hosts::of_other(&authority.host),
        None => Named::default(),
    };
    let typed = typed(is_escaped.then_some(is_https), &authority, path);
    let path = path.strip_prefix('/').unwrap_or(path);
    let of_host = named.bucket.clone();
    let (bucket, key) = match &of_host {
        Some(bucket) => (Cow::Borrowed(bucket.as_str()), path),
        None => {
            let (bucket, key) = key::split(path);
            (unescaped(bucket, is_escaped)?, key)
        }
    };
    // An escaped slash is no end of a part: the checks see what the server sees.
    let key = unescaped(key, is_escaped)?;
    stored(
        provider,
        named,
        Some((is_https, authority)),
        (&bucket, &key),
        words,
        typed,
    )
}

/// Bucket and key of an object store, whose server has this authority if the URL names one. Only hosts of S3 name regions, and only
/// those of Azure accounts.
fn stored(
    provider: Provider,
    named: Named,
    server: Option<(bool, Authority<'_>)>,
    (bucket, path): (&str, &str),
    words: StoreWords,
    typed: Typed,
) -> Result<RemoteUrl> {
    key::check_bucket(bucket, provider)?;
    let endpoint = server.map(|(is_https, authority)| {
        // Files are blobs: both hosts of an account of Azure lead to the same data.
        let blobs = named
            .account
            .as_ref()
            .map(|account| format!("{account}.blob.core.windows.net"));
        Endpoint {
            root: origin(is_https, &blobs.unwrap_or(authority.host), authority.port),
            style: match named.bucket {
                Some(_) => Style::VirtualHost,
                None => Style::Path,
            },
            is_aws: named.operator == Operator::Aws,
        }
    });
    Ok(RemoteUrl {
        parts: match provider {
            Provider::S3 => ProviderParts::S3 { region: named.region },
            Provider::Azure => ProviderParts::Azure {
                account: named.account,
            },
            Provider::Gcs => ProviderParts::Gcs,
            Provider::Http => ProviderParts::Http {
                query: None,
                login: None,
            },
        },
        endpoint,
        bucket: bucket.to_owned(),
        key: key::key(path)?,
        form: words.form,
        asked: words.asked,
        typed,
        shown: String::new(),
    })
}

fn speaks(operator: Operator, provider: Provider) -> bool {
    match provider {
        // Google's server speaks S3, too.
        Provider::S3 => matches!(operator, Operator::Aws | Operator::Google),
        Provider::Gcs => operator == Operator::Google,
        Provider::Azure => operator == Operator::Microsoft,
        Provider::Http => false,
    }
}

fn expect_protocol(provider: Provider, words: &StoreWords) -> Result<()> {
    match words.protocol {
        Some(protocol) if protocol != provider => usage(format!(
            "the scheme stands for {}, and the fragment for {}; leave the word out",
            provider.name(),
            protocol.name()
        )),
        _ => Ok(()),
    }
}

/// What was typed. Only `http` and `https` have a port of their own.
fn typed(is_https: Option<bool>, authority: &Authority<'_>, path: &str) -> Typed {
    let of_scheme = is_https.map(|is_https| if is_https { 443 } else { 80 });
    Typed {
        host: authority.host.clone(),
        port: authority.port.or(of_scheme),
        path: path.to_owned(),
    }
}

/// `scheme://host:port`, without a slash behind it.
fn origin(is_https: bool, host: &str, port: Option<u16>) -> String {
    let scheme = if is_https { "https" } else { "http" };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}")
}

/// The path with its leading slash; empty if there is none.
pub(crate) fn path_of(rest: &str) -> &str {
    rest.find('/').map_or("", |at| &rest[at..])
}

fn unescaped(text: &str, is_escaped: bool) -> Result<Cow<'_, str>> {
    match is_escaped {
        true => key::decoded(text).map(Cow::Owned),
        false => Ok(Cow::Borrowed(text)),
    }
}

fn login(user: &str) -> Result<Login> {
    let Some((user, password)) = user.split_once(':') else {
        return usage("the URL has a user without a password; the form is https://user:password@host/path");
    };
    let user = key::decoded(user)?;
    if user.is_empty() || user.contains(':') {
        return usage("the user's name in the URL is empty or has a colon");
    }
    Ok(Login {
        user,
        password: key::decoded(password)?.into(),
    })
}
