//! [`Tls`]: which servers are trusted.

use std::path::PathBuf;

use super::chosen::Chosen;
use super::sources::Sources;
use crate::url::Provider;
use ncutils_model::Result;
use ncutils_model::error::usage;

/// Certificates of authorities that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// Those of the system.
    System,
    /// Those in a file of PEM.
    File(PathBuf),
    /// Those in the files of a folder.
    Folder(PathBuf),
}

/// A certificate of the user's, with its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate, a file of PEM.
    pub certificate: PathBuf,
    /// Its key, a file of PEM; `None` if it is in the certificate's file.
    pub key: Option<PathBuf>,
}

/// Which servers are trusted, and how the user proves who he is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// Whom to trust.
    pub roots: Chosen<Roots>,
    /// False if any server is trusted.
    pub verify: Chosen<bool>,
    /// The user's certificate.
    pub client: Option<Chosen<ClientCertificate>>,
}

impl Tls {
    /// Settings of a URL: `HTTP.SSL.*`, `AWS_CA_BUNDLE` and `SSL_CERT_FILE`, of which the first counts for S3, the second for others.
    ///
    /// # Errors
    /// A value of `HTTP.SSL.VALIDATE` that says neither yes nor no.
    pub(super) fn of(sources: &Sources<'_>) -> Result<Self> {
        // The better known variable of the two is that of the store's own programs.
        let variables = match sources.url.provider() {
            Provider::S3 => ["AWS_CA_BUNDLE", "SSL_CERT_FILE"],
            _ => ["SSL_CERT_FILE", "AWS_CA_BUNDLE"],
        };
        let file = |file: PathBuf| Roots::File(file);
        let roots = sources.rc_path(&["HTTP.SSL.CAINFO"]).map(|found| found.map(file));
        let roots = roots
            .or_else(|| Some(sources.rc_path(&["HTTP.SSL.CAPATH"])?.map(Roots::Folder)))
            .or_else(|| Some(sources.variable(&variables)?.map(|path| file(path.into()))))
            .unwrap_or_else(|| Chosen::new(Roots::System, "the default"));
        let verify = match sources.rc(&["HTTP.SSL.VALIDATE"]) {
            None => Chosen::new(true, "the default"),
            Some(text) => match text.value.to_ascii_lowercase().as_str() {
                "1" | "2" | "true" | "yes" | "on" => Chosen::new(true, text.from),
                "0" | "false" | "no" | "off" => Chosen::new(false, text.from),
                _ => return usage(format!("{}: the value is 1 or 0", text.from)),
            },
        };
        let key = sources.rc_path(&["HTTP.SSL.KEY"]).map(|key| key.value);
        let client = sources.rc_path(&["HTTP.SSL.CERTIFICATE"]);
        let client = client.map(|found| found.map(|certificate| ClientCertificate { certificate, key }));
        Ok(Self {
            roots,
            verify,
            client,
        })
    }
}
