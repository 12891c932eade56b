//! [`KnownSecrets`]: texts that no message may hold, though a server sends them back.
//!
//! ```text
//! URL, settings ──────────────┐
//! keys of a program, a role ──┴─► KnownSecrets ─► hide(message)
//! ```

use std::collections::VecDeque;

use base64::prelude::{BASE64_STANDARD, Engine};
use http::{HeaderMap, header};
use object_store::aws::AwsCredential;
use parking_lot::Mutex;
use percent_encoding::{percent_decode_str, utf8_percent_encode};

use super::failure::clean;
use super::headers::text;
use ncutils_remote_settings::url::ESCAPED;
use ncutils_remote_settings::{Login, Secret};

/// Shorter values would hide words that have nothing to do with them.
const SHORTEST: usize = 6;

/// The most renewed texts that are kept. The oldest is dropped, because keys are renewed every hour.
const MOST: usize = 64;

/// The secrets of a connection, those that are learnt while it lasts included.
#[derive(Default)]
pub(crate) struct KnownSecrets(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Secrets of the URL and of the settings.
    given: Vec<Forms>,
    /// Secrets that are learnt on the way.
    learnt: VecDeque<Forms>,
}

/// The forms in which a server may repeat a secret: in lower case, the longest first.
type Forms = Vec<String>;

/// The forms of a secret: as given, percent-decoded, percent-encoded, and escaped as in messages.
fn forms(text: &str) -> Forms {
    let decoded = percent_decode_str(text).decode_utf8_lossy().into_owned();
    let plus = decoded.replace('+', " ");
    let mut forms: Forms = [text.to_owned(), decoded, plus]
        .into_iter()
        .flat_map(|form| {
            let encoded = utf8_percent_encode(&form, ESCAPED).to_string();
            let escaped = clean(&form);
            [form, encoded, escaped]
        })
        .map(|form| form.to_ascii_lowercase())
        .filter(|form| form.len() >= SHORTEST)
        .collect();
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms.dedup();
    forms
}

impl KnownSecrets {
    /// Adds a text of the URL or of the settings.
    pub(crate) fn add(&self, secret: Secret) {
        let mut known = self.0.lock();
        let new = known.new_forms(&secret);
        known.given.extend(new);
    }

    /// Adds a text that may be replaced by others.
    fn learn(&self, secret: Secret) {
        let mut known = self.0.lock();
        let new = known.new_forms(&secret);
        known.learnt.extend(new);
        if known.learnt.len() > MOST {
            known.learnt.pop_front();
        }
    }

    /// Adds a user's login, also as it is sent.
    pub(crate) fn add_login(&self, login: &Login) {
        self.add(basic(login).into());
        self.add(login.password.clone());
    }

    /// Adds the secret and the token of access keys.
    pub(crate) fn add_keys(&self, keys: &AwsCredential) {
        self.learn(keys.secret_key.as_str().into());
        if let Some(token) = &keys.token {
            self.learn(token.as_str().into());
        }
    }

    /// Adds the login or the bearer token that the headers of a request hold.
    pub(crate) fn add_sent(&self, headers: &HeaderMap) {
        // A signature is of one request only.
        let sent = text(headers, header::AUTHORIZATION).and_then(|sent| sent.split_once(' '));
        if let Some(("Basic" | "Bearer", sent)) = sent {
            self.learn(sent.into());
        }
    }

    /// A message with stars in place of all known secrets and of signatures.
    pub(crate) fn hide(&self, message: String) -> String {
        let known = self.0.lock();
        let forms = known.all().flatten();
        let hidden = forms.fold(message, |text, form| {
            without_a_cut_one(without(&text, form), form)
        });
        without_signatures(&hidden)
    }
}

impl Known {
    /// The forms of a secret that is not known yet, and long enough.
    fn new_forms(&self, secret: &Secret) -> Option<Forms> {
        let forms = forms(secret.expose());
        let is_new = secret.expose().len() >= SHORTEST && self.all().all(|other| *other != forms);
        is_new.then_some(forms)
    }

    fn all(&self) -> impl Iterator<Item = &Forms> {
        self.given.iter().chain(&self.learnt)
    }
}

/// A login as it is sent, in base 64.
pub(crate) fn basic(login: &Login) -> String {
    BASE64_STANDARD.encode(format!("{}:{}", login.user, login.password.expose()))
}

/// A text with stars in place of a secret. The secret is in lower case, and the text in any.
fn without(text: &str, secret: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut hidden = String::with_capacity(text.len());
    let mut end = 0;
    for (at, found) in lower.match_indices(secret) {
        hidden.push_str(&text[end..at]);
        hidden.push_str("***");
        end = at + found.len();
    }
    hidden + &text[end..]
}

/// A text that was cut within a secret, without the part of it. The secret is in lower case.
fn without_a_cut_one(mut text: String, secret: &str) -> String {
    let Some(whole) = text.strip_suffix('…') else {
        return text;
    };
    let lower = whole.to_ascii_lowercase();
    let starts = secret.char_indices().map(|(at, _)| at).rev();
    let cut = starts
        .take_while(|length| *length >= SHORTEST)
        .find(|length| lower.ends_with(&secret[..*length]));
    if let Some(length) = cut {
        text.truncate(whole.len() - length);
        text.push_str("***");
    }
    text
}

/// A text without the signatures of requests, which a server may repeat: `Signature=`, `X-Amz-Signature=`, `sig=`.
fn without_signatures(text: &str) -> String {
    let mut hidden = String::new();
    let mut rest = text;
    while let Some((at, name)) = ["ignature=", "sig="]
        .into_iter()
        .filter_map(|name| Some((rest.find(name)?, name)))
        .min()
    {
        let (before, after) = rest.split_at(at + name.len());
        hidden.push_str(before);
        hidden.push_str("***");
        let is_sent = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '%' | '-' | '_' | '=');
        rest = after.trim_start_matches(is_sent);
    }
    hidden + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_are_sent_are_hidden() {
        let secrets = KnownSecrets::default();
        let mut headers = HeaderMap::new();
        secrets.add_sent(&headers);
        headers.insert(header::AUTHORIZATION, "Bearer ya29.token".parse().unwrap());
        secrets.add_sent(&headers);
        assert_eq!(secrets.hide("of ya29.token".to_owned()), "of ***");
    }

    #[test]
    fn signatures_and_cut_secrets_are_hidden() {
        let secrets = KnownSecrets::default();
        secrets.add("0123456789".into());
        for (text, hidden) in [
            (
                "AWS4 Credential=A/x, Signature=b2f291; end",
                "AWS4 Credential=A/x, Signature=***; end",
            ),
            ("?sig=a%2Bb%3D&x", "?sig=***&x"),
            ("X-Amz-Signature=00 and sig=11", "X-Amz-Signature=*** and sig=***"),
            ("it is 01234567…", "it is ***"),
            ("it is 0123…", "it is 0123…"),
            ("it is 01234567", "it is 01234567"),
        ] {
            assert_eq!(secrets.hide(text.to_owned()), hidden);
        }
    }

    #[test]
    fn secrets_are_hidden_in_each_form() {
        let secrets = KnownSecrets::default();
        secrets.add("Query%2BSecret%3D1".into());
        secrets.add("t0ken/abc+d==".into());
        secrets.add("back\\slash".into());
        secrets.add_login(&Login {
            user: "pu".to_owned(),
            password: "ProxyPass1".into(),
        });
        for text in [
            "Query%2BSecret%3D1",
            "Query+Secret=1",
            "query%2bsecret%3d1",
            "t0ken%2Fabc%2Bd%3D%3D",
            "t0ken/abc+d==",
            "back\\slash",
            "back\\\\slash",
            "cHU6UHJveHlQYXNzMQ==",
            "PROXYPASS1",
        ] {
            assert_eq!(
                secrets.hide(format!("it is {text}, so")),
                "it is ***, so",
                "{text}"
            );
        }
    }

    #[test]
    fn few_and_long_texts_are_kept() {
        let secrets = KnownSecrets::default();
        secrets.add("short".into());
        assert_eq!(secrets.hide("short".to_owned()), "short");
        secrets.add("of the URL".into());
        for n in 0..100 {
            secrets.learn(format!("secret{n:03}").as_str().into());
        }
        assert_eq!(
            secrets.hide("secret099 of the URL, secret000".to_owned()),
            "*** ***, secret000"
        );
        assert_eq!(secrets.0.lock().learnt.len(), MOST);
    }
}
