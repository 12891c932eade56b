//! Profiles of AWS: `~/.aws/config` and `~/.aws/credentials`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ini;
use crate::environment::Environment;
use crate::settings::chosen::Chosen;
use ncutils_model::error::usage;
use ncutils_model::{Error, Result};

/// The keys of one profile, of both files: key → value, and the file that it is from.
#[derive(Clone, Default)]
pub(super) struct Profile(BTreeMap<String, (String, PathBuf)>);

impl Profile {
    /// The first of several keys that has a value.
    pub(super) fn first(&self, keys: &[&str]) -> Option<Chosen<String>> {
        let found = |key: &&str| {
            let (text, file) = self.0.get(*key).filter(|(text, _)| !text.is_empty())?;
            Some(Chosen::new(text.clone(), format!("{key} in {}", file.display())))
        };
        keys.iter().find_map(found)
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
                Some(path) => environment.path(&path),
                None => match environment.home() {
                    Some(home) => home.join(".aws").join(name),
                    None => continue,
                },
            };
            let file = environment.read_if_there(&path);
            if let Some(file) = file.map_err(|e| Error::io("cannot read", e).in_file(&path))? {
                profiles.add(&path, &file.text);
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
                profile.0.insert(key, (text, path.to_owned()));
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
        let list = |items: Vec<String>, between: &str, none: &str| match items.is_empty() {
            true => none.to_owned(),
            false => items.join(between),
        };
        let files = self.files.iter().map(|file| file.display().to_string()).collect();
        let files = list(files, " and ", "there are no files of profiles");
        let found = self
            .by_name
            .keys()
            .map(|name| format!("'{}'", name.escape_debug()));
        let found = list(found.take(50).collect(), ", ", "no profile");
        usage(format!(
            "{from}: there is no profile '{}' ({files}: {found})",
            name.escape_debug()
        ))
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
