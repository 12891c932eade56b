//! Fragments of remote URLs: words for stores, and settings.
//!
//! ```text
//! mode=s3 | gs3    the protocol         aws.profile=  aws.region=  aws.endpoint=
//! mode=bytes       one object           the rest: as in fragments of local names
//! ```

use std::borrow::Cow;

use super::super::fragment::{self, Mode, StoreKind};
use crate::error::{Error, Result};
use crate::remote::{Asked, Form, Provider};

/// Parts of a key that name something secret. netCDF-C takes `aws.access_key_id`, `aws.secret_access_key`.
const SECRET_KEYS: [&str; 6] = [
    "access_key",
    "secret",
    "password",
    "token",
    "credential",
    "signature",
];

/// What a fragment says.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The protocol that a word names.
    pub(super) protocol: Option<Provider>,
    pub(super) bytes: bool,
    pub(super) asked: Asked,
    /// The rest; `None` without a fragment.
    pub(super) mode: Option<Mode>,
}

impl Words {
    pub(super) fn form(&self) -> Form {
        let mode = self.mode.as_ref();
        if self.bytes || mode.is_some_and(|mode| mode.store == Some(StoreKind::Zip)) {
            return Form::Object;
        }
        match mode.is_some_and(Mode::is_zarr) {
            true => Form::Tree,
            false => Form::Unsaid,
        }
    }
}

/// Parses a fragment, which may be empty.
///
/// # Errors
/// A secret; a protocol that is not supported by name; words that contradict each other.
pub(super) fn parse(text: &str) -> Result<Words> {
    let mut words = Words::default();
    let mut rest: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    for (key, value) in fragment::pairs(text).filter(|(key, value)| !key.is_empty() || !value.is_empty()) {
        let name = key.to_ascii_lowercase();
        match name.as_str() {
            "mode" => {
                let mut others = Vec::new();
                for word in value.split(',').map(str::trim) {
                    if !take(&mut words, word)? {
                        others.push(word);
                    }
                }
                rest.push((Cow::Borrowed("mode"), Cow::Owned(others.join(","))));
            }
            "aws.profile" => set(&mut words.asked.profile, &name, &value)?,
            "aws.region" => set(&mut words.asked.region, &name, &value)?,
            "aws.endpoint" => set(&mut words.asked.endpoint, &name, &value)?,
            "protocol" => return Err(opendap("protocol=")),
            _ if is_secret(&name) => {
                return Err(Error::Usage(format!(
                    "#{name}: secrets do not belong into a name, which others see; put them into a profile of ~/.aws/credentials and name it by aws.profile="
                )));
            }
            _ if value.is_empty() && take(&mut words, &name)? => {}
            _ => rest.push((key, value)),
        }
    }
    if !text.is_empty() {
        let mode = fragment::parse(rest.into_iter())?;
        if mode.store == Some(StoreKind::Directory) {
            return Err(Error::Usage(
                "mode=file stands for a folder, but this is a URL; leave the word out".to_owned(),
            ));
        }
        words.mode = Some(mode);
    }
    Ok(words)
}

/// True for a key whose value must not be printed.
pub(super) fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRET_KEYS.iter().any(|part| key.contains(part))
}

/// Takes a word of remote stores. Returns false if it is none.
fn take(words: &mut Words, word: &str) -> Result<bool> {
    let word = word.to_ascii_lowercase();
    let protocol = match word.as_str() {
        "s3" => Provider::S3,
        "gs3" => Provider::Gcs,
        "bytes" => {
            words.bytes = true;
            return Ok(true);
        }
        "dap2" | "dap4" => return Err(opendap(&word)),
        "zoh" => return Err(zoh()),
        _ => return Ok(false),
    };
    if words.protocol.is_some_and(|set| set != protocol) {
        return Err(Error::Usage(
            "mode=s3,gs3: these words contradict each other; give one of them".to_owned(),
        ));
    }
    words.protocol = Some(protocol);
    Ok(true)
}

fn set(to: &mut Option<String>, key: &str, value: &str) -> Result<()> {
    let value = value.trim();
    if value.is_empty() {
        return Err(Error::Usage(format!("{key}= has no value")));
    }
    if to.as_ref().is_some_and(|set| set != value) {
        return Err(Error::Usage(format!(
            "{key}= is given twice, with different values"
        )));
    }
    *to = Some(value.to_owned());
    Ok(())
}

pub(super) fn opendap(word: &str) -> Error {
    Error::Usage(format!(
        "{word}: OPeNDAP is not supported; many servers also give the file itself, as THREDDS does below /fileServer/"
    ))
}

pub(super) fn zoh() -> Error {
    Error::Usage(
        "zoh: netCDF-C's protocol of Zarr over HTTP is not supported; mode=zarr reads consolidated Zarr over HTTP"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    #[test]
    fn words_and_keys_ignore_case() {
        for fragment in ["mode=zarr,s3", "MODE=Zarr,S3", "zarr&s3", "mode=s3&Mode=zarr"] {
            let words = parse(fragment).unwrap();
            assert_eq!(words.protocol, Some(Provider::S3), "{fragment}");
            let mode = words.mode.as_ref().unwrap();
            assert_eq!((mode.format, mode.warnings.len()), (Some(Kind::Zarr2), 0));
            assert_eq!(words.form(), Form::Tree);
        }
        let words = parse("AWS.Profile=a&aws.REGION=b&aws.endpoint=http://h:1/").unwrap();
        let asked = [words.asked.profile, words.asked.region, words.asked.endpoint];
        assert_eq!(asked.map(Option::unwrap), ["a", "b", "http://h:1/"]);
    }

    #[test]
    fn the_form_follows_from_the_words() {
        for (fragment, form) in [
            ("", Form::Unsaid),
            ("mode=s3", Form::Unsaid),
            ("aws.profile=x", Form::Unsaid),
            ("bytes", Form::Object),
            ("mode=bytes,s3", Form::Object),
            ("mode=bytes,zarr", Form::Object),
            ("mode=zarr,zip", Form::Object),
            ("mode=nczarr", Form::Tree),
            ("mode=v3", Form::Tree),
            ("consolidated", Form::Tree),
        ] {
            assert_eq!(parse(fragment).unwrap().form(), form, "{fragment}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (fragment, says) in [
            ("aws.access_key_id=AKIA", "#aws.access_key_id: secrets"),
            ("AWS.SECRET_ACCESS_KEY=hunter2", "#aws.secret_access_key: secrets"),
            ("aws.session_token=hunter2", "secrets do not belong"),
            ("http.credentials.password=hunter2", "secrets do not belong"),
            ("dap4", "OPeNDAP is not supported"),
            ("mode=dap2", "OPeNDAP is not supported"),
            ("protocol=dap2", "OPeNDAP is not supported"),
            ("mode=zoh", "zoh: "),
            ("mode=s3,gs3", "contradict"),
            ("mode=zarr,file", "mode=file stands for a folder"),
            ("aws.profile=", "aws.profile= has no value"),
            ("aws.region=a&aws.region=b", "given twice"),
            ("mode=zarr,v2,v3", "contradict"),
        ] {
            let error = parse(fragment).unwrap_err().to_string();
            assert!(error.contains(says), "{fragment}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn unknown_words_are_told() {
        let words = parse("mode=s3,fast&log").unwrap();
        assert_eq!(words.mode.unwrap().warnings.len(), 2);
    }
}
