//! netCDF-C's rc files: `.ncrc`, `.daprc`, `.dodsrc`.
//!
//! ```text
//! # comment
//! KEY=value
//! [https://host:port/path]KEY=value      only for URLs of this host and port, and of exactly this path
//! ```

use std::path::{Path, PathBuf};

use url::Url;

use super::chosen::Chosen;
use crate::environment::Environment;
use crate::url::{Typed, path_of};
use ncutils_model::{Error, Result};

/// The files of a folder, in the order in which they are read.
const NAMES: [&str; 3] = [".ncrc", ".daprc", ".dodsrc"];

/// A line of an rc file.
struct RcEntry {
    /// The URL in brackets. An empty path stands for any.
    only: Option<Typed>,
    key: String,
    value: String,
    file: PathBuf,
}

/// All entries of the rc files, in their order.
#[derive(Default)]
pub(super) struct RcFiles {
    entries: Vec<RcEntry>,
    pub(super) warnings: Vec<String>,
}

impl RcFiles {
    /// Reads the files: none with `NCRCENV_IGNORE`; one with `NCRCENV_RC`; else those of `NCRCENV_HOME` or home, then
    /// those of the current folder that the user owns.
    ///
    /// # Errors
    /// A file in the home folder, or named by `NCRCENV_RC`, that cannot be read.
    pub(super) fn read(environment: &dyn Environment) -> Result<Self> {
        let mut rc = Self::default();
        if environment.variable("NCRCENV_IGNORE").is_some() {
            return Ok(rc);
        }
        if let Some(path) = environment.filled("NCRCENV_RC") {
            let path = environment.path(&path);
            let file = environment.read(&path);
            let file = file.map_err(|e| Error::io("cannot read what NCRCENV_RC names", e).in_file(&path))?;
            rc.add(&path, &file.text);
            return Ok(rc);
        }
        let home = match environment.filled("NCRCENV_HOME") {
            Some(home) => Some(environment.path(&home)),
            None => environment.home(),
        };
        let current = environment
            .current_folder()
            .filter(|current| home.as_ref() != Some(current));
        for (folder, must_be_own) in [(home, false), (current, true)] {
            let Some(folder) = folder else { continue };
            for name in NAMES {
                let path = folder.join(name);
                match environment.read_if_there(&path) {
                    Ok(None) => {}
                    // A foreign file in a shared folder could send requests and credentials elsewhere.
                    Ok(Some(file)) if must_be_own && !file.is_own => rc
                        .warnings
                        .push(format!("{}: not read, as another user owns it", path.display())),
                    Ok(Some(file)) => rc.add(&path, &file.text),
                    // Another user may have put it there, so it does not stop the program.
                    Err(e) if must_be_own => rc.warnings.push(format!("{}: not read: {e}", path.display())),
                    Err(e) => return Err(Error::io("cannot read", e).in_file(&path)),
                }
            }
        }
        Ok(rc)
    }

    fn add(&mut self, path: &Path, text: &str) {
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match entry(line, path) {
                Some(entry) => self.entries.push(entry),
                // Never the line itself: it may hold a secret.
                None => self.warnings.push(format!(
                    "{}: line {number} is not understood, and ignored",
                    path.display()
                )),
            }
        }
    }

    /// Returns the value of `key` from the last entry for the URL's path, else for its host, else for all URLs. Without `url`, only
    /// entries for all URLs count.
    pub(super) fn get(&self, key: &str, url: Option<&Typed>) -> Option<Chosen<String>> {
        let fits = |only: &Typed| {
            url.is_some_and(|url| {
                (&only.host, only.port) == (&url.host, url.port)
                    && (only.path.is_empty() || only.path == url.path)
            })
        };
        let applies =
            |entry: &&RcEntry| entry.key.eq_ignore_ascii_case(key) && entry.only.as_ref().is_none_or(fits);
        let rank = |entry: &&RcEntry| entry.only.as_ref().map(|only| !only.path.is_empty());
        // `max_by_key` takes the last of equal ones.
        let entry = self.entries.iter().filter(applies).max_by_key(rank)?;
        let of_url = entry.only.as_ref().map_or("", |_| ", for this URL");
        let from = format!("{} in {}{of_url}", entry.key, entry.file.display());
        (!entry.value.is_empty()).then(|| Chosen::new(entry.value.clone(), from))
    }
}

/// The value that netCDF-C's rc files give a key for every dataset: that of the last line without a URL. `None` if no line has
/// the key, or no value.
///
/// # Errors
/// A file in the home folder, or named by `NCRCENV_RC`, that cannot be read.
pub fn rc_value(key: &str, environment: &dyn Environment) -> Result<Option<String>> {
    let found = RcFiles::read(environment)?.get(key, None);
    Ok(found.map(|found| found.value))
}

/// Parses a line; `None` if it is malformed. `KEY=` without a value is valid, and has no effect.
fn entry(line: &str, path: &Path) -> Option<RcEntry> {
    let (only, rest) = match line.strip_prefix('[') {
        None => (None, line),
        Some(rest) => {
            // The first ] after the host, since an IPv6 address has brackets of its own.
            let host = match rest.find("://[") {
                Some(at) => at + rest[at..].find(']')? + 1,
                None => 0,
            };
            let end = host + rest[host..].find(']')?;
            (Some(typed(&rest[..end])?), &rest[end + 1..])
        }
    };
    let (key, value) = rest.split_once('=')?;
    let key = key.trim();
    (!key.is_empty()).then(|| RcEntry {
        only,
        key: key.to_owned(),
        value: value.trim().to_owned(),
        file: path.to_owned(),
    })
}

/// What is compared of a URL in brackets. Only HTTP has a port of its own.
fn typed(text: &str) -> Option<Typed> {
    let text = text.trim();
    let url = Url::parse(text).ok()?;
    let (_, rest) = text.split_once("://")?;
    let rest = rest.split(['?', '#']).next()?;
    Some(Typed {
        host: url.host_str()?.to_ascii_lowercase(),
        port: url.port_or_known_default(),
        path: path_of(rest).to_owned(),
    })
}
