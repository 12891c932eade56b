//! Fragments of remote URLs: words for stores, and settings.
//!
//! ```text
//! mode=s3 | gs3    the protocol         aws.profile=  aws.region=  aws.endpoint=
//! mode=bytes       one object           the rest: as in fragments of local names
//! dap2, dap4, protocol=dap2             a server of OPeNDAP
//! ```

use std::borrow::Cow;

use url::form_urlencoded;

use ncutils_model::error::usage;
use ncutils_model::{Error, Result};

use super::remote_url::{Asked, Form, Provider};

/// Parts of a key that name something secret. netCDF-C takes `aws.access_key_id`, `aws.secret_access_key`.
const SECRET_KEYS: [&str; 6] = [
    "access_key",
    "secret",
    "password",
    "token",
    "credential",
    "signature",
];

/// A key and a value of a fragment, decoded. A key without `=` has an empty value.
pub type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// What a fragment says about the store.
#[derive(Debug, Default)]
pub(super) struct StoreWords {
    /// The protocol that a word names.
    pub(super) protocol: Option<Provider>,
    pub(super) form: Form,
    pub(super) asked: Asked,
    is_bytes: bool,
    /// The version of OPeNDAP that a word or the scheme names.
    dap: Option<Form>,
}

impl StoreWords {
    /// Parses a fragment, which may be empty. The pairs that say nothing about the store go to `dataset`, which tells the form
    /// that they ask for.
    ///
    /// # Errors
    /// A secret; a protocol that is not supported by name; words that contradict each other; those of `dataset`.
    pub(super) fn parse<'a>(
        text: &'a str,
        dataset: impl FnOnce(Vec<Pair<'a>>) -> Result<Form>,
    ) -> Result<Self> {
        let mut words = Self::default();
        let mut rest: Vec<Pair<'_>> = Vec::new();
        let pairs = form_urlencoded::parse(text.as_bytes());
        for (key, value) in pairs.filter(|(key, value)| !key.is_empty() || !value.is_empty()) {
            let name = key.to_ascii_lowercase();
            match name.as_str() {
                "mode" => {
                    let mut others = Vec::new();
                    for word in value.split(',').map(str::trim) {
                        if !words.take(word)? {
                            others.push(word);
                        }
                    }
                    rest.push((Cow::Borrowed("mode"), Cow::Owned(others.join(","))));
                }
                "aws.profile" => set(&mut words.asked.profile, &name, &value)?,
                "aws.region" => set(&mut words.asked.region, &name, &value)?,
                "aws.endpoint" => set(&mut words.asked.endpoint, &name, &value)?,
                "protocol" if !words.take(value.trim())? => {
                    return usage(format!(
                        "protocol={value}: the protocols are dap2, dap4, s3 and gs3"
                    ));
                }
                "protocol" => {}
                _ if is_secret(&name) => {
                    return usage(format!(
                        "#{name}: secrets do not belong into a name, which others see; put them into a profile of ~/.aws/credentials and name it by aws.profile="
                    ));
                }
                _ if value.is_empty() && words.take(&name)? => {}
                _ => rest.push((key, value)),
            }
        }
        if !text.is_empty() {
            words.form = dataset(rest)?;
        }
        if words.is_bytes {
            words.form = Form::Object;
        }
        words.check_dap()?;
        Ok(words)
    }

    /// Takes a word of remote stores. Returns false if it is none.
    fn take(&mut self, word: &str) -> Result<bool> {
        let word = word.to_ascii_lowercase();
        let protocol = match word.as_str() {
            "s3" => Provider::S3,
            "gs3" => Provider::Gcs,
            "bytes" => {
                self.is_bytes = true;
                return Ok(true);
            }
            "dap2" | "dods" => return self.take_dap(Form::Dap2),
            "dap4" => return self.take_dap(Form::Dap4),
            "zoh" => return Err(zoh()),
            _ => return Ok(false),
        };
        if self.protocol.replace(protocol).is_some_and(|set| set != protocol) {
            return usage("mode=s3,gs3: these words contradict each other; give one of them");
        }
        Ok(true)
    }

    /// Notes that a server of OPeNDAP is meant.
    ///
    /// # Errors
    /// If another version was named before.
    pub(super) fn take_dap(&mut self, form: Form) -> Result<bool> {
        if self.dap.replace(form).is_some_and(|set| set != form) {
            return usage("mode=dap2,dap4: these words contradict each other; give one of them");
        }
        self.check_dap()?;
        Ok(true)
    }

    /// Makes the form that of OPeNDAP, if it is named.
    ///
    /// # Errors
    /// If another form or another protocol is named as well.
    fn check_dap(&mut self) -> Result<()> {
        let Some(form) = self.dap else {
            return Ok(());
        };
        if self.protocol.is_some()
            || self.is_bytes
            || !matches!(self.form, Form::Unsaid | Form::Dap2 | Form::Dap4)
        {
            return usage("the fragment names OPeNDAP and another protocol or format; give one of them");
        }
        self.form = form;
        Ok(())
    }
}

/// True for a key whose value must not be printed.
pub(super) fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRET_KEYS.iter().any(|part| key.contains(part))
}

fn set(to: &mut Option<String>, key: &str, value: &str) -> Result<()> {
    let value = value.trim();
    if value.is_empty() {
        return usage(format!("{key}= has no value"));
    }
    if to.replace(value.to_owned()).is_some_and(|set| set != value) {
        return usage(format!("{key}= is given twice, with different values"));
    }
    Ok(())
}

pub(super) fn zoh() -> Error {
    Error::Usage(
        "zoh: netCDF-C's protocol of Zarr over HTTP is not supported; mode=zarr reads consolidated Zarr over HTTP"
            .to_owned(),
    )
}
