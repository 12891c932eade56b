//! Names of remote datasets: the URL, and what its fragment says about the dataset. Nothing is looked up, no file is read.
//!
//! ```text
//! name ─► remote_settings::url: place, words of stores ─► RemoteUrl
//!                         └─► the fragment's other words ─► fragment ─► Mode
//! ```

use super::fragment::{self, Mode, StoreKind};
use crate::error::{Error, Result};
use crate::remote_settings::url::{self, Form, RemoteUrl};

pub use crate::remote_settings::url::{hidden, shown, with_fragment};

/// A remote dataset as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteName {
    /// The place.
    pub url: RemoteUrl,
    /// What the fragment says about the dataset, without the words of stores; `None` without a fragment.
    pub mode: Option<Mode>,
}

/// Parses the URL of a remote store.
///
/// # Errors
/// An unknown scheme, a malformed URL, a secret in the fragment, words that contradict each other or the URL. No message
/// holds a secret.
pub fn parse(name: &str) -> Result<RemoteName> {
    let mut mode = None;
    let url = url::parse(name, |pairs| {
        let parsed = fragment::parse(pairs.into_iter())?;
        let form = match parsed.store {
            Some(StoreKind::Directory) => {
                return Err(Error::Usage(
                    "mode=file stands for a folder, but this is a URL; leave the word out".to_owned(),
                ));
            }
            Some(StoreKind::Zip) => Form::Object,
            None if parsed.is_zarr() => Form::Tree,
            None => Form::Unsaid,
        };
        mode = Some(parsed);
        Ok(form)
    })?;
    Ok(RemoteName { url, mode })
}

/// A remote URL with blanks in front, without them.
pub(super) fn behind_blanks(text: &str) -> Option<&str> {
    let url = text.trim_start();
    let scheme = url::scheme(url).filter(|_| url.len() < text.len())?;
    url::is_remote(scheme).then_some(url)
}

/// Scheme and rest of a remote URL that was written with one slash.
pub(super) fn with_one_slash(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(":/")?;
    (url::is_remote(scheme) && !rest.starts_with('/')).then_some((scheme, rest))
}

#[cfg(test)]
mod tests;
