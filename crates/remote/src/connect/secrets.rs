//! Texts of the URL and of the settings that a server may send back in a refusal.

use crate::transport::cookies_of;
use crate::wire::KnownSecrets;
use ncutils_model::Result;
use ncutils_remote_settings::Secret;
use ncutils_remote_settings::settings::{Configured, Credentials, OfProvider, Settings};
use ncutils_remote_settings::url::RemoteUrl;

/// All secrets of a URL and of its settings. The source of access keys adds its own.
///
/// # Errors
/// A file of cookies that cannot be read.
pub(super) fn secrets(url: &RemoteUrl, settings: &Settings) -> Result<KnownSecrets> {
    let secrets = KnownSecrets::default();
    for pair in url.query().map_or("", Secret::expose).split('&') {
        secrets.add(pair.split_once('=').map_or(pair, |(_, value)| value).into());
    }
    if let Some(login) = settings
        .proxy
        .as_ref()
        .and_then(|proxy| proxy.value.login.as_ref())
    {
        secrets.add_login(login);
    }
    if let OfProvider::Http {
        cookies: Some(file), ..
    } = &settings.of_provider
    {
        for cookie in cookies_of(&file.value, &file.from)? {
            secrets.add(cookie.value.into());
        }
    }
    match &settings.credentials.value {
        Credentials::Login(login) => secrets.add_login(login),
        Credentials::Configured(Configured {
            secret: Some((_, secret)),
            ..
        }) => secrets.add(secret.clone()),
        _ => {}
    }
    Ok(secrets)
}
