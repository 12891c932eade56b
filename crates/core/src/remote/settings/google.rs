//! Google's settings: its usual variables.

use super::super::environment::Environment;
use super::super::secret::Secret;
use super::super::url::RemoteUrl;
use super::chosen::Chosen;
use super::credentials::Credentials;
use super::endpoint::Endpoint;
use super::profiles::from_home;
use crate::error::Result;

/// Google's server.
const SERVER: &str = "https://storage.googleapis.com";

/// Endpoint and credentials.
///
/// # Errors
/// A malformed endpoint.
pub(super) fn settings(
    url: &RemoteUrl,
    environment: &dyn Environment,
) -> Result<(Chosen<Endpoint>, Chosen<Credentials>)> {
    let endpoint = match &url.server {
        Some(server) => Chosen::new(Endpoint::of_server(server, ""), "the URL"),
        None => match environment.filled("STORAGE_EMULATOR_HOST") {
            // The variable has no scheme in some of Google's programs, and stands for a local server then.
            Some(host) if !host.contains("://") => local(&format!("http://{host}"))?,
            Some(host) => local(&host)?,
            None => Chosen::new(Endpoint::parse(SERVER, "")?, "the scheme"),
        },
    };
    Ok((endpoint, credentials(url, environment)))
}

fn local(text: &str) -> Result<Chosen<Endpoint>> {
    let name = "STORAGE_EMULATOR_HOST";
    Ok(Chosen::new(Endpoint::parse(text, name)?, name))
}

fn credentials(url: &RemoteUrl, environment: &dyn Environment) -> Chosen<Credentials> {
    if let Some(no) = super::asked_for_none(url) {
        return Chosen::new(Credentials::Anonymous, no);
    }
    if environment.is_true("GOOGLE_SKIP_SIGNATURE") {
        return Chosen::new(Credentials::Anonymous, "GOOGLE_SKIP_SIGNATURE");
    }
    if let Some(key) = environment.filled("GOOGLE_SERVICE_ACCOUNT_KEY") {
        return Chosen::new(
            Credentials::GoogleKey(Secret::from(key)),
            "GOOGLE_SERVICE_ACCOUNT_KEY",
        );
    }
    for name in [
        "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SERVICE_ACCOUNT_PATH",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ] {
        if let Some(path) = environment.filled(name) {
            return Chosen::new(Credentials::GoogleFile(from_home(&path, environment)), name);
        }
    }
    let folder = match environment.filled("CLOUDSDK_CONFIG") {
        Some(folder) => Some(from_home(&folder, environment)),
        None => environment.home().map(|home| home.join(".config/gcloud")),
    };
    let file = folder.map(|folder| folder.join("application_default_credentials.json"));
    match file.filter(|file| environment.read(file).is_ok()) {
        Some(file) => Chosen::new(
            Credentials::GoogleFile(file),
            "gcloud auth application-default login",
        ),
        None => Chosen::new(Credentials::Anonymous, "the default, as none were found"),
    }
}
