//! [`parse`]: from the name of a remote dataset to its [`RemoteUrl`].

use std::borrow::Cow;

use super::authority::{self, Authority};
use super::hosts;
use super::key;
use super::remote_url::{Form, Operator, Provider, ProviderParts, RemoteUrl, Server, Style, Typed};
use super::scheme::scheme;
use super::shown::shown;
use super::words::{self, Pair, Words};
use crate::secret::{Login, Secret};
use crate::usage::usage;
use ncutils_model::Result;

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
    let mut words = Words::parse(fragment, dataset)?;
    match scheme.as_str() {
        "dods" => words.take_dap(Form::Dap2)?,
        "dap4" => words.take_dap(Form::Dap4)?,
        _ => false,
    };
    let url = match scheme.as_str() {
        "s3" | "gs" | "gs3" | "az" | "abfs" | "abfss" if matches!(words.form, Form::Dap2 | Form::Dap4) => {
            usage("OPeNDAP is asked by http:// or https://")
        }
        "s3" => bucket_url(rest, Provider::S3, &words),
        "gs" | "gs3" => bucket_url(rest, Provider::Gcs, &words),
        "az" => bucket_url(rest, Provider::Azure, &words),
        "abfs" | "abfss" => abfs_url(rest, &words),
        "http" | "https" | "dods" | "dap4" => http_url(scheme == "https", rest, &words),
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

/// A URL with what is common to all.
fn remote_url(parts: ProviderParts, words: &Words, typed: Typed) -> RemoteUrl {
    RemoteUrl {
        parts,
        server: None,
        bucket: String::new(),
        key: String::new(),
        form: words.form,
        asked: words.asked.clone(),
        typed,
        shown: String::new(),
    }
}

/// `s3://bucket/key` and the like. A dotted name is a bucket, unless it has a port or is a host of AWS or Google.
fn bucket_url(rest: &str, provider: Provider, words: &Words) -> Result<RemoteUrl> {
    expect_protocol(provider, words)?;
    let (front, path) = key::split(rest);
    let host = front.to_ascii_lowercase();
    let names_host = provider != Provider::Azure
        && (front.contains(':')
            || hosts::of_operator(&host).is_some_and(|named| speaks(named.operator, provider)));
    if names_host {
        // Without a scheme of its own, the host is asked by HTTPS.
        let authority = no_login(authority::parse(front)?)?;
        let path = path_of(rest);
        return hosted(true, authority, path, false, provider, words);
    }
    key::check_bucket(front, provider)?;
    let (port, typed_path) = (None, path_of(rest).to_owned());
    let typed = Typed {
        host,
        port,
        path: typed_path,
    };
    Ok(RemoteUrl {
        bucket: front.to_owned(),
        key: key::key(path)?,
        ..remote_url(parts(provider, None, None), words, typed)
    })
}

/// What a URL of an object store has. Only hosts of S3 name regions, and only those of Azure accounts.
fn parts(provider: Provider, region: Option<String>, account: Option<String>) -> ProviderParts {
    match provider {
        Provider::S3 => ProviderParts::S3 { region },
        Provider::Gcs => ProviderParts::Gcs,
        Provider::Azure => ProviderParts::Azure { account },
        Provider::Http => ProviderParts::Http {
            query: None,
            login: None,
        },
    }
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

/// `abfss://container@account.dfs.core.windows.net/key`.
fn abfs_url(rest: &str, words: &Words) -> Result<RemoteUrl> {
    expect_protocol(Provider::Azure, words)?;
    let (front, path) = key::split(rest);
    let authority = authority::parse(front)?;
    let account = hosts::of_operator(&authority.host).and_then(|named| named.account);
    let (Some(container), Some(account), None) = (authority.user, account, authority.port) else {
        return usage("this scheme has the form abfss://container@account.dfs.core.windows.net/key");
    };
    key::check_bucket(container, Provider::Azure)?;
    let typed = typed(None, &authority, path_of(rest));
    Ok(RemoteUrl {
        server: Some(server_of_account(&account)),
        bucket: container.to_owned(),
        key: key::key(path)?,
        ..remote_url(parts(Provider::Azure, None, Some(account)), words, typed)
    })
}

/// Files are blobs: both hosts of an account lead to the same data.
fn server_of_account(account: &str) -> Server {
    Server {
        is_https: true,
        host: format!("{account}.blob.core.windows.net"),
        port: None,
        style: Style::Path,
        operator: Operator::Microsoft,
    }
}

/// `http://` and `https://`: an object store if the host or a word says so, and plain HTTP otherwise.
fn http_url(is_https: bool, rest: &str, words: &Words) -> Result<RemoteUrl> {
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
        return hosted(is_https, no_login(authority)?, path, true, provider, words);
    }
    let typed = typed(Some(is_https), &authority, path);
    let login = authority.user.map(login).transpose()?;
    let query = query.map(key::sendable).transpose()?.map(Secret::from);
    let path = match path {
        "" => "/",
        path => path,
    };
    Ok(RemoteUrl {
        server: Some(Server {
            is_https,
            host: authority.host,
            port: authority.port,
            style: Style::Path,
            operator: Operator::Other,
        }),
        key: key::sendable(path)?,
        ..remote_url(ProviderParts::Http { query, login }, words, typed)
    })
}

/// An object store at a host that the URL names.
fn hosted(
    is_https: bool,
    authority: Authority<'_>,
    path: &str,
    is_escaped: bool,
    provider: Provider,
    words: &Words,
) -> Result<RemoteUrl> {
    let named = hosts::of_operator(&authority.host)
        .filter(|named| speaks(named.operator, provider))
        .unwrap_or_else(|| match provider {
            Provider::S3 => hosts::of_other(&authority.host),
            _ => hosts::of_other(""),
        });
    let typed = typed(is_escaped.then_some(is_https), &authority, path);
    let path = path.strip_prefix('/').unwrap_or(path);
    let (bucket, key) = match &named.bucket {
        Some(bucket) => (bucket.as_str(), path),
        None => key::split(path),
    };
    let bucket = match is_escaped && named.bucket.is_none() {
        true => key::decoded(bucket)?,
        false => bucket.to_owned(),
    };
    key::check_bucket(&bucket, provider)?;
    let key = match is_escaped {
        // An escaped slash is no end of a part: the checks see what the server sees.
        true => key::key(&key::decoded(key)?)?,
        false => key::key(key)?,
    };
    let (style, operator, port) = (named.style(), named.operator, authority.port);
    let host = match &named.account {
        Some(account) => server_of_account(account).host,
        None => authority.host,
    };
    Ok(RemoteUrl {
        server: Some(Server {
            is_https,
            host,
            port,
            style,
            operator,
        }),
        bucket,
        key,
        ..remote_url(parts(provider, named.region, named.account), words, typed)
    })
}

fn expect_protocol(provider: Provider, words: &Words) -> Result<()> {
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

/// The path with its leading slash; empty if there is none.
pub(crate) fn path_of(rest: &str) -> &str {
    rest.find('/').map_or("", |at| &rest[at..])
}

fn no_login(authority: Authority<'_>) -> Result<Authority<'_>> {
    match authority.user {
        None => Ok(authority),
        Some(_) => usage(
            "a URL of an object store has no user and password; its keys come from profiles and variables",
        ),
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
