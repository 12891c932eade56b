//! [`ReferenceNames`]: the names that references give to the objects that they lead to.
//!
//! ```text
//! absolute    /data/run/a.nc, s3://b/a.nc ─► the same
//! relative    /data/run/a.nc ──────────────► ../data/run/a.nc, from the folder of the output
//! base        /data/run/a.nc ──────────────► s3://b/x/run/a.nc, where s3://b/x stands for /data
//! ```
//!
//! No name has a login or a query, which may be a signature: references are read by others.

use std::path::{Component, Path, PathBuf};

use super::shape_request::ChunkShapeRequest;
use crate::error::{Alternative, Error, Result};
use crate::remote_settings::url::shown;

/// How references name inputs, and what they are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceNames {
    /// How inputs are named.
    pub form: NameForm,
    /// The chunks that the copy wants of variables in one piece.
    pub chunks: ChunkShapeRequest,
}

/// How references name an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameForm {
    /// By its absolute path or its URL.
    Absolute,
    /// By its path from this folder on.
    From(PathBuf),
    /// By a URL that stands for the folder of all inputs.
    Base {
        /// The URL.
        url: String,
        /// The folder: an absolute path, or a URL.
        folder: String,
    },
}

impl NameForm {
    /// The name of an object that has this absolute path or URL.
    ///
    /// # Errors
    /// A URL with a secret; an object that the form has no name for.
    pub fn name(&self, whole: &str) -> Result<String> {
        match self {
            Self::Absolute if has_secret(whole) => Err(Error::Alternative {
                why: format!(
                    "{} has a login or a query, which may be a secret and is not written",
                    told(whole)
                ),
                alternative: Alternative::OtherPlace,
            }),
            Self::Absolute => Ok(whole.to_owned()),
            Self::From(folder) => {
                let Some(path) = local_path(whole) else {
                    return Err(Error::Usage(format!(
                        "{} is on a remote store, and has no path from a local folder",
                        told(whole)
                    )));
                };
                relative(Path::new(path), folder)
                    .ok_or_else(|| Error::Usage(format!("{} has .. in its path", told(whole))))
            }
            Self::Base { url, folder } => {
                let plain = without_secrets(local_path(whole).unwrap_or(whole));
                let rest = plain.strip_prefix(folder.as_str());
                let rest = rest.and_then(|rest| rest.strip_prefix('/'));
                match rest.filter(|rest| rest.split('/').all(|part| part != "..")) {
                    Some(rest) => Ok(format!("{}/{rest}", url.trim_end_matches('/'))),
                    None => Err(Error::Usage(format!(
                        "{} is not in the folder of the inputs, {}, which {url} stands for",
                        told(whole),
                        told(folder)
                    ))),
                }
            }
        }
    }
}

/// A name for a message.
fn told(name: &str) -> String {
    shown(name).escape_debug().to_string()
}

/// The path of a local file; `None` for a URL of another place.
fn local_path(name: &str) -> Option<&str> {
    match name.split_once("://") {
        None => Some(name),
        Some(("file" | "local", path)) => Some(path),
        Some(_) => None,
    }
}

/// True if a URL has what may be a secret. Of a local file, nothing is one.
fn has_secret(name: &str) -> bool {
    local_path(name).is_none() && (shown(name) != name || name.contains(['?', '#']))
}

/// A URL without login and query.
fn without_secrets(name: &str) -> String {
    let Some((scheme, rest)) = name.split_once("://") else {
        return name.to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    // A container of Azure stands before its account.
    let place = match scheme.starts_with("abfs") {
        true => place,
        false => place.rsplit('@').next().unwrap_or_default(),
    };
    format!("{scheme}://{place}{path}")
}

/// A path from a folder on. Both are absolute.
fn relative(path: &Path, folder: &Path) -> Option<String> {
    let (own, base): (Vec<_>, Vec<_>) = (path.components().collect(), folder.components().collect());
    let same = own
        .iter()
        .zip(&base)
        .take_while(|(one, other)| one == other)
        .count();
    let up = base.len() - same;
    let mut names: Vec<&str> = vec![".."; up];
    for part in own.get(same..)? {
        match part {
            Component::Normal(name) => names.push(name.to_str()?),
            _ => return None,
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_a_folder() {
        let from = |path: &str, folder: &str| NameForm::From(folder.into()).name(path);
        assert_eq!(from("/d/a.nc", "/d").unwrap(), "a.nc");
        assert_eq!(from("/d/x/a.nc", "/d").unwrap(), "x/a.nc");
        assert_eq!(from("file:///d/x/a.nc", "/d/y/z").unwrap(), "../../x/a.nc");
        let error = from("s3://b/a.nc", "/d").unwrap_err();
        assert!(error.to_string().contains("remote store"), "{error}");
        from("/d/x/../a.nc", "/d").unwrap_err();
    }

    #[test]
    fn secrets_are_in_no_name() {
        let name = |whole: &str| NameForm::Absolute.name(whole);
        for plain in [
            "/d/a?b@c.nc",
            "file:///d/a?b.nc",
            "s3://b/a.nc",
            "https://h:81/a@b.nc",
            "abfs://c@account.dfs.core.windows.net/a.nc",
        ] {
            assert_eq!(name(plain).unwrap(), plain);
        }
        for secret in [
            "https://user:SECRET@h.org/a.nc",
            "https://SECRET@h.org/a.nc",
            "s3://b/a.nc?X-Amz-Signature=SECRET",
            "s3://b/a.nc#aws.session_token=SECRET",
            "https://h.org/a.nc;token=SECRET",
        ] {
            let error = name(secret).unwrap_err().to_string();
            assert!(
                error.contains("is not written") && !error.contains("SECRET"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_base_stands_for_a_folder() {
        let base = |folder: &str, whole: &str| {
            let (url, folder) = ("s3://pub/x/".to_owned(), folder.to_owned());
            NameForm::Base { url, folder }.name(whole)
        };
        assert_eq!(base("/d", "/d/a.nc").unwrap(), "s3://pub/x/a.nc");
        assert_eq!(base("/d", "file:///d/e/a.nc").unwrap(), "s3://pub/x/e/a.nc");
        assert_eq!(
            base("https://h/d", "https://u:p@h/d/a.nc?sig=S").unwrap(),
            "s3://pub/x/a.nc"
        );
        for other in ["/e/a.nc", "/da/a.nc", "/d/../e/a.nc", "s3://b/a.nc?sig=SECRET"] {
            let error = base("/d", other).unwrap_err().to_string();
            assert!(error.contains("is not in the folder of the inputs, /d") && !error.contains("SECRET"));
        }
    }
}
