//! Google's settings: its usual variables.

use std::path::Path;

use super::chosen::Chosen;
use super::credential_kinds::Credentials;
use super::sources::{Found, OfProvider, Sources};
use crate::environment::Environment;
use crate::url::Endpoint;
use ncutils_model::Result;

/// Google's server.
const SERVER: &str = "https://storage.googleapis.com";

/// Endpoint and credentials.
///
/// # Errors
/// A malformed endpoint.
pub(super) fn settings(sources: &Sources<'_>) -> Result<Found> {
    Ok((OfProvider::Gcs, endpoint(sources)?, credentials(sources)))
}

/// The server: of the URL, of `STORAGE_EMULATOR_HOST`, or Google's own.
fn endpoint(sources: &Sources<'_>) -> Result<Chosen<Endpoint>> {
    if let Some(found) = Endpoint::of_url(sources.url, "") {
        return Ok(found);
    }
    Endpoint::parse(match sources.variable(&["STORAGE_EMULATOR_HOST"]) {
        // The variable has no scheme in some of Google's programs, and stands for a local server then.
        Some(host) if !host.value.contains("://") => host.map(|host| format!("http://{host}")),
        Some(host) => host,
        None => Chosen::new(SERVER.to_owned(), "the scheme"),
    })
}

/// What the requests are signed with.
fn credentials(sources: &Sources<'_>) -> Chosen<Credentials> {
    if let Some(nobody) = sources.anonymous("GOOGLE_SKIP_SIGNATURE") {
        return nobody;
    }
    if let Some(key) = sources.variable(&["GOOGLE_SERVICE_ACCOUNT_KEY"]) {
        let secret = |key: String| Some(("service_account_key", key.into()));
        return key.map(|key| Credentials::configured("service account", Vec::new(), secret(key)));
    }
    let files = [
        "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SERVICE_ACCOUNT_PATH",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ];
    let environment = sources.environment;
    if let Some(path) = sources.variable(&files) {
        return path.map(|path| of_file(&environment.path(&path), environment));
    }
    let folder = match environment.filled("CLOUDSDK_CONFIG") {
        Some(folder) => Some(environment.path(&folder)),
        None => environment.home().map(|home| home.join(".config/gcloud")),
    };
    let file = folder.map(|folder| folder.join("application_default_credentials.json"));
    match file.filter(|file| environment.read(file).is_ok()) {
        Some(file) => Chosen::new(
            of_file(&file, environment),
            "gcloud auth application-default login",
        ),
        None => Credentials::none_found(),
    }
}

/// A service account, or what `gcloud auth application-default login` wrote.
fn of_file(path: &Path, environment: &dyn Environment) -> Credentials {
    // Only files of Google's own programs say what they are.
    let read = environment.read(path);
    let name = match read.is_ok_and(|file| file.text.contains("\"type\"")) {
        true => "application_credentials",
        false => "service_account",
    };
    let plain = vec![(name, path.to_string_lossy().into_owned())];
    Credentials::configured(format!("file {}", path.display()), plain, None)
}
