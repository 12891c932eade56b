//! The server that requests go to: of the URL, of a region, of a setting.

use url::Url;

use super::chosen::Chosen;
use crate::url::{Endpoint, RemoteUrl, Style, escaped};
use ncutils_model::Result;
use ncutils_model::error::usage;

impl Endpoint {
    /// The server that a URL names. Where it is Amazon's and names no region, the one of `region`.
    pub(super) fn of_url(url: &RemoteUrl, region: &str) -> Option<Chosen<Self>> {
        let mut endpoint = url.endpoint.clone()?;
        let (_, authority) = endpoint.root.split_once("://")?;
        let host = authority.split(':').next()?;
        let is_bare = host == "s3.amazonaws.com" || host.ends_with(".s3.amazonaws.com");
        // Amazon's server without a region knows buckets of us-east-1 only, and redirects for others.
        if endpoint.is_aws && is_bare && is_label(region) && !region.starts_with("cn-") {
            let host = format!("s3.{region}.amazonaws.com");
            endpoint.root = endpoint.root.replacen("s3.amazonaws.com", &host, 1);
        }
        Some(Chosen::new(endpoint, "the URL"))
    }

    /// Amazon's server of a region.
    ///
    /// # Errors
    /// A region that cannot be part of a host.
    pub(super) fn of_aws(bucket: &str, region: &str) -> Result<Self> {
        if !is_label(region) {
            return usage(format!("'{}' is no region", region.escape_debug()));
        }
        let domain = match region.starts_with("cn-") {
            true => "amazonaws.com.cn",
            false => "amazonaws.com",
        };
        // The certificate is for one label in front of the host, so a dotted bucket goes into the path.
        let (front, style) = match is_label(bucket) && (3..=63).contains(&bucket.len()) {
            true => (format!("{bucket}."), Style::VirtualHost),
            false => (String::new(), Style::Path),
        };
        let root = format!("https://{front}s3.{region}.{domain}");
        Ok(Self {
            root,
            style,
            is_aws: true,
        })
    }

    /// A server that a setting names. Without a scheme it is asked by HTTPS.
    ///
    /// # Errors
    /// Text that is no URL of a server, or has a password.
    pub(super) fn parse(named: Chosen<String>) -> Result<Chosen<Self>> {
        let Chosen { value: text, from } = named;
        let with_scheme = match text.contains("://") {
            true => text,
            false => format!("https://{text}"),
        };
        let url = Url::parse(&with_scheme);
        let url = url.or_else(|e| usage(format!("{from}: not the URL of a server: {e}")))?;
        if !url.username().is_empty() || url.password().is_some() {
            return usage(format!("{from}: the URL of a server has no user and password"));
        }
        let is_server =
            ["http", "https"].contains(&url.scheme()) && url.query().is_none() && url.fragment().is_none();
        let Some(host) = url.host_str().filter(|_| is_server) else {
            return usage(format!(
                "{from}: the URL of a server is http://host:port or https://host:port"
            ));
        };
        let is_aws = host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
        let root = url.as_str().trim_end_matches('/').to_owned();
        let style = Style::Path;
        Ok(Chosen::new(Self { root, style, is_aws }, from))
    }

    /// The URL of a key, or of the bucket if the key is empty. All of a key is escaped but letters, digits and `-._~/`.
    pub fn url_of(&self, bucket: &str, key: &str) -> String {
        let bucket = if self.style == Style::Path { bucket } else { "" };
        let parts = [bucket, key].into_iter().filter(|part| !part.is_empty());
        parts.fold(self.root.clone(), |url, part| url + &escaped(part))
    }
}

/// True for one label of a host in lower case.
fn is_label(text: &str) -> bool {
    let is_valid = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(is_valid) && !text.starts_with('-') && !text.ends_with('-')
}
