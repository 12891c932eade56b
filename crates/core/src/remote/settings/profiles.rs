//! Profiles of AWS: `~/.aws/config` and `~/.aws/credentials`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::super::environment::Environment;
use super::ini;
use crate::error::{Error, Result};

/// A value of a profile, and the file that it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Value {
    text: String,
    file: PathBuf,
}

/// The keys of one profile, of both files.
#[derive(Clone, Default)]
pub(super) struct Profile(BTreeMap<String, Value>);

impl Profile {
    /// A value that is not empty.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key)?;
        Some(value.text.as_str()).filter(|text| !text.is_empty())
    }

    /// The first of several keys that has a value.
    pub(super) fn first(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The file that a key is from.
    pub(super) fn file(&self, key: &str) -> String {
        let file = self.0.get(key).map(|value| value.file.display().to_string());
        file.unwrap_or_default()
    }
}

/// All profiles.
#[derive(Clone, Default)]
pub(super) struct Profiles {
    by_name: BTreeMap<String, Profile>,
    /// The files that were looked for.
    files: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
}

impl Profiles {
    /// Reads `config`, then `credentials`, whose keys win.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub(super) fn read(environment: &dyn Environment) -> Result<Self> {
        let mut profiles = Self::default();
        for (variable, name) in [
            ("AWS_CONFIG_FILE", "config"),
            ("AWS_SHARED_CREDENTIALS_FILE", "credentials"),
        ] {
            let path = match environment.filled(variable) {
                Some(path) => from_home(&path, environment),
                None => match environment.home() {
                    Some(home) => home.join(".aws").join(name),
                    None => continue,
                },
            };
            match environment.read(&path) {
                Ok(file) => profiles.add(&path, &file.text),
                Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(e) => return Err(Error::io("cannot read", e).in_file(&path)),
            }
            profiles.files.push(path);
        }
        Ok(profiles)
    }

    fn add(&mut self, path: &Path, text: &str) {
        let ini = ini::parse(text);
        for line in ini.strange_lines {
            // Never the line itself: it may hold a secret.
            self.warnings.push(format!(
                "{}: line {line} is not understood, and ignored",
                path.display()
            ));
        }
        // Where a file has both, [profile x] wins over [x].
        let (marked, plain): (Vec<_>, Vec<_>) = ini
            .sections
            .into_iter()
            .filter_map(|section| Some((profile_name(&section.name)?, section.keys)))
            .partition(|((_, is_marked), _)| *is_marked);
        for ((name, _), keys) in plain.into_iter().chain(marked) {
            let profile = self.by_name.entry(name).or_default();
            for (key, text) in keys {
                let file = path.to_owned();
                profile.0.insert(key, Value { text, file });
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Profile> {
        self.by_name.get(name)
    }

    /// The profile that `from` names.
    ///
    /// # Errors
    /// None of this name: the error lists those that there are.
    pub(super) fn named(&self, name: &str, from: &str) -> Result<&Profile> {
        if let Some(profile) = self.by_name.get(name) {
            return Ok(profile);
        }
        let files: Vec<_> = self.files.iter().map(|file| file.display().to_string()).collect();
        let files = match files.is_empty() {
            true => "there are no files of profiles".to_owned(),
            false => files.join(" and "),
        };
        let found: Vec<_> = self
            .by_name
            .keys()
            .map(|name| format!("'{}'", name.escape_debug()))
            .take(50)
            .collect();
        let found = match found.is_empty() {
            true => "no profile".to_owned(),
            false => found.join(", "),
        };
        Err(Error::Usage(format!(
            "{from}: there is no profile '{}' ({files}: {found})",
            name.escape_debug()
        )))
    }
}

/// The name of a section's profile, and whether the section is marked as one. `None` for sections of other things.
fn profile_name(section: &str) -> Option<(String, bool)> {
    let (name, is_marked) = match section.split_once([' ', '\t']) {
        None => (section, false),
        Some(("profile", name)) => (name.trim(), true),
        // As in [sso-session x], [services x].
        Some(_) if !section.starts_with(['"', '\'']) => return None,
        Some(_) => (section, false),
    };
    let unquoted = ['"', '\''].iter().find_map(|&quote| {
        let inner = name.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(inner)
    });
    let name = unquoted.unwrap_or(name);
    (!name.is_empty()).then(|| (name.to_owned(), is_marked))
}

/// A path as users write it: `~/` is the home folder, anything else is as it stands.
pub(super) fn from_home(path: &str, environment: &dyn Environment) -> PathBuf {
    match (path.strip_prefix("~/"), environment.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
