//! [`RemoteUrl`]: the place of a remote dataset, as its URL and fragment say it.

use std::fmt;

use crate::secret::{Login, Secret};

/// The protocol of a remote store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// S3, of Amazon or of another server.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
    /// HTTP without a protocol for objects: read only.
    Http,
}

impl Provider {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::S3 => "S3",
            Self::Gcs => "Google Cloud Storage",
            Self::Azure => "Azure Blob Storage",
            Self::Http => "HTTP",
        }
    }

    /// What it calls a bucket.
    pub fn container(self) -> &'static str {
        match self {
            Self::Azure => "container",
            _ => "bucket",
        }
    }
}

/// Where a request has its bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `https://host/bucket/key`.
    Path,
    /// `https://bucket.host/key`. The server's host has the bucket in front.
    VirtualHost,
}

/// The server that requests go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Scheme, host, port, and a path before the bucket, without a slash at the end. With the bucket in front of the
    /// host in the style [`Style::VirtualHost`]. The host is in lower case, an IPv6 address in brackets.
    pub root: String,
    /// Where the bucket is.
    pub style: Style,
    /// True for Amazon's own servers.
    pub is_aws: bool,
}

/// What the URL leads to, as far as its fragment says it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One object: `mode=bytes`, or a zip file.
    Object,
    /// A tree of keys: a word of Zarr without `zip`.
    Tree,
    /// A server of OPeNDAP, version 2: `dap2`, `dods://`.
    Dap2,
    /// A server of OPeNDAP, version 4: `dap4`, `dap4://`.
    Dap4,
    /// Nothing is said. A reader probes both, a writer makes one object.
    #[default]
    Unsaid,
}

/// Scheme, host, port and path as they were typed: what `[url]` entries of rc files are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The host in lower case; the bucket of `s3://bucket/key`.
    pub host: String,
    /// The port, or the scheme's; `None` if it has none.
    pub port: Option<u16>,
    /// The path with its leading slash; empty if there is none.
    pub path: String,
}

/// What a fragment says about settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// `aws.profile=`.
    pub profile: Option<String>,
    /// `aws.region=`.
    pub region: Option<String>,
    /// `aws.endpoint=`.
    pub endpoint: Option<String>,
}

/// What only URLs of one provider have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderParts {
    /// S3.
    S3 {
        /// The region that the host names.
        region: Option<String>,
    },
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure {
        /// The account that the URL names.
        account: Option<String>,
    },
    /// A plain HTTP server.
    Http {
        /// The query, as it is sent. It may hold a signature.
        query: Option<Secret>,
        /// User and password.
        login: Option<Login>,
    },
}

/// The place of a remote dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteUrl {
    /// The protocol, and what only its URLs have.
    pub parts: ProviderParts,
    /// The server that the URL names; `None` for `s3://bucket/key` and the like, where settings name it.
    pub endpoint: Option<Endpoint>,
    /// The bucket or container; empty for HTTP.
    pub bucket: String,
    /// The key without slashes around it, decoded; empty for a whole bucket. For HTTP, the path as it is sent, with its
    /// leading slash.
    pub key: String,
    /// Object or tree.
    pub form: Form,
    /// What the fragment asks for.
    pub asked: Asked,
    /// What rc files compare.
    pub typed: Typed,
    /// The URL for messages and names: without fragment, password, and values of the query.
    pub shown: String,
}

impl RemoteUrl {
    /// The URL as other programs need it: without fragment and login. `None` if it has a query, which may be a signature.
    pub fn for_readers(&self) -> Option<String> {
        match &self.parts {
            ProviderParts::Http { query: Some(_), .. } => None,
            _ => Some(self.without_query()),
        }
    }

    /// The URL without fragment, login and query.
    pub fn without_query(&self) -> String {
        let scheme = match self.provider() {
            Provider::S3 => "s3",
            Provider::Gcs => "gs",
            Provider::Azure => "az",
            Provider::Http => {
                let root = self.endpoint.as_ref().map_or("", |endpoint| &endpoint.root);
                return format!("{root}{}", self.key);
            }
        };
        format!("{scheme}://{}/{}", self.bucket, self.key)
    }

    /// The protocol.
    pub fn provider(&self) -> Provider {
        match self.parts {
            ProviderParts::S3 { .. } => Provider::S3,
            ProviderParts::Gcs => Provider::Gcs,
            ProviderParts::Azure { .. } => Provider::Azure,
            ProviderParts::Http { .. } => Provider::Http,
        }
    }

    /// The query of an HTTP URL, as it is sent.
    pub fn query(&self) -> Option<&Secret> {
        match &self.parts {
            ProviderParts::Http { query, .. } => query.as_ref(),
            _ => None,
        }
    }

    /// The account of Azure that the URL names.
    pub fn account(&self) -> Option<&str> {
        match &self.parts {
            ProviderParts::Azure { account } => account.as_deref(),
            _ => None,
        }
    }

    /// What the URL was understood as, in a few words: for messages.
    pub fn meaning(&self) -> String {
        let provider = self.provider();
        let mut text = provider.name().to_owned();
        if let Some(endpoint) = &self.endpoint {
            text.push_str(&format!(", server {}", endpoint.root));
        }
        if provider == Provider::Http {
            return text;
        }
        text.push_str(&format!(", {} '{}'", provider.container(), self.bucket));
        if let Some(account) = self.account() {
            text.push_str(&format!(", account '{account}'"));
        }
        match self.key.is_empty() {
            true => text.push_str(", all keys"),
            false => text.push_str(&format!(", key '{}'", self.key)),
        }
        text
    }

    /// The file's name: the last part of the key, or the bucket.
    pub fn file_name(&self) -> &str {
        let path = self.key.trim_end_matches('/');
        match path.rsplit('/').next() {
            Some(name) if !name.is_empty() => name,
            _ => &self.bucket,
        }
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}
