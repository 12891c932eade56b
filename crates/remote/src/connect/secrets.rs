//! Texts of the URL and of the settings that a server may send back in a refusal.

use crate::settings::{Credentials, OfProvider, Settings};
use crate::transport::cookies_of;
use crate::url::{ProviderParts, RemoteUrl};
use crate::wire::KnownSecrets;
use ncutils_model::Result;

/// All secrets of a URL and of its settings. The source of access keys adds its own.
///
/// # Errors
/// A file of cookies that cannot be read.
pub(super) fn secrets(url: &RemoteUrl, settings: &Settings) -> Result<KnownSecrets> {
    let secrets = KnownSecrets::default();
    for pair in url
        .query()
        .into_iter()
        .flat_map(|query| query.expose().split('&'))
    {
        secrets.add(pair.split_once('=').map_or(pair, |(_, value)| value).into());
    }
    let proxy = settings
        .proxy
        .as_ref()
        .and_then(|proxy| proxy.value.login.as_ref());
    let login = match &url.parts {
        ProviderParts::Http { login, .. } => login.as_ref(),
        _ => None,
    };
    login
        .iter()
        .chain(&proxy)
        .for_each(|login| secrets.add_login(login));
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
        Credentials::Configured(found) => found
            .secret
            .iter()
            .for_each(|(_, secret)| secrets.add(secret.clone())),
        _ => {}
    }
    Ok(secrets)
}
