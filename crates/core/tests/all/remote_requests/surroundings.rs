//! Surroundings of a process that exist only in a test.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ncutils_core::location::remote_url;
use ncutils_core::remote_settings::settings::{Credentials, Settings};
use ncutils_core::remote_settings::{ConfigurationFile, Environment};

/// Variables and files. Home is `/home/u`, the current folder `/data`.
#[derive(Default)]
pub struct Surroundings {
    variables: BTreeMap<String, String>,
    files: BTreeMap<PathBuf, String>,
    /// Files that another user owns.
    foreign: Vec<PathBuf>,
    /// What a program prints; without it there are no programs.
    printed: Option<String>,
}

impl Surroundings {
    /// `NAME=value` is a variable, `/path: text` a file, `!/path: text` a foreign file.
    pub fn of(items: &[&str]) -> Self {
        let mut made = Self::default();
        for item in items {
            match item
                .split_once(": ")
                .filter(|(path, _)| path.starts_with(['/', '!']))
            {
                Some((path, text)) => {
                    let plain = path.trim_start_matches('!');
                    if plain != path {
                        made.foreign.push(plain.into());
                    }
                    made.files.insert(plain.into(), text.to_owned());
                }
                None => {
                    let (name, value) = item.split_once('=').unwrap();
                    made.variables.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        made
    }

    pub fn printing(mut self, text: &str) -> Self {
        self.printed = Some(text.to_owned());
        self
    }
}

impl Environment for Surroundings {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn home(&self) -> Option<PathBuf> {
        Some("/home/u".into())
    }

    fn current_folder(&self) -> Option<PathBuf> {
        Some("/data".into())
    }

    fn read(&self, path: &Path) -> io::Result<ConfigurationFile> {
        let text = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        match text.as_str() {
            "UNREADABLE" => Err(io::ErrorKind::PermissionDenied.into()),
            text => Ok(ConfigurationFile {
                text: text.to_owned(),
                is_own: !self.foreign.iter().any(|foreign| foreign == path),
            }),
        }
    }

    fn run(&self, program: &str, arguments: &[String]) -> io::Result<String> {
        match &self.printed {
            Some(text) => Ok(text.replace("ARGUMENTS", &format!("{program} {}", arguments.join(" ")))),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// The settings of a name.
pub fn settings(name: &str, around: &Surroundings) -> Result<Settings, String> {
    let parsed = remote_url::parse(name).map_err(|e| e.to_string())?;
    Settings::of(&parsed.url, around).map_err(|e| e.to_string())
}

/// The request for a name: `GET URL`, the region and the credentials of its signature, and a proxy. Or the error.
pub fn request(name: &str, around: &Surroundings) -> String {
    let found = settings(name, around).and_then(|settings| {
        let url = remote_url::parse(name).map_err(|e| e.to_string())?.url;
        Ok((url, settings))
    });
    let (url, settings) = match found {
        Ok(found) => found,
        Err(error) => return error,
    };
    let mut text = format!("GET {}", settings.request_url(&url, "").expose());
    match &settings.credentials.value {
        Credentials::Anonymous => {}
        Credentials::Keys(keys) => {
            let region = settings.region();
            text += &format!(" signed {}:{} for {region}", keys.id, keys.secret.expose());
            if let Some(token) = &keys.token {
                text += &format!(" with {}", token.expose());
            }
        }
        Credentials::Login(login) => text += &format!(" by {}:{}", login.user, login.password.expose()),
        other => text += &format!(" by {other}"),
    }
    if let Some(proxy) = &settings.proxy {
        text += &format!(" through {}", proxy.value.server);
    }
    text
}

/// The text of all that may be printed of a name and its settings.
pub fn all_that_is_printed(name: &str, around: &Surroundings) -> String {
    let parsed = remote_url::parse(name);
    let mut text = format!("{} {parsed:?}\n", remote_url::shown(name));
    if let Ok(parsed) = parsed {
        text += &format!("{} {}\n", parsed.url, parsed.url.meaning());
        match Settings::of(&parsed.url, around) {
            Ok(settings) => {
                text += &format!("{settings:?}\n{}\n", settings.explanation().join("\n"));
                text += &settings.warnings.join("\n");
                text += &format!("{:?}", settings.request_url(&parsed.url, ""));
            }
            Err(error) => text += &format!("{error} {error:?}"),
        }
    }
    text
}
