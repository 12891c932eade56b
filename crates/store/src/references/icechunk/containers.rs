//! [`Containers`]: the folders that virtual chunks may lie in, as the settings of a repository name them.

use super::flatbuffer_reader::Wrong;
use super::flexbuffer::FlexValue;
use crate::references::read::JsonText;

/// What a location in a container begins with: `vcc://NAME/path`.
const BY_NAME: &str = "vcc://";

/// The member of settings that has the containers.
pub const MEMBER: &str = "virtual_chunk_containers";

/// The containers of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Containers {
    /// The name of each, if it has one, and the beginning of the URLs of its chunks.
    all: Vec<(Option<String>, String)>,
}

impl Containers {
    /// The containers in the settings of a specification 2 repository.
    pub fn of(settings: &FlexValue) -> Self {
        let text = |container: &FlexValue, name: &str| container.get(name)?.as_text().map(str::to_owned);
        let all = match settings.get(MEMBER) {
            Some(FlexValue::Map(members)) => members
                .iter()
                .filter_map(|(_, container)| Some((text(container, "name"), text(container, "url_prefix")?)))
                .collect(),
            _ => Vec::new(),
        };
        Self { all }
    }

    /// The containers in `config.yaml`, in the form in which programs write it: one member a line.
    pub fn of_yaml(settings: &str) -> Self {
        let mut all = Vec::new();
        let (mut name, mut prefix) = (None, None);
        for line in settings.lines().map(str::trim).chain(["end:"]) {
            if let Some(value) = line.strip_prefix("name:") {
                let is_none = matches!(value.trim(), "null" | "~" | "");
                name = (!is_none).then(|| scalar(value));
            } else if let Some(value) = line.strip_prefix("url_prefix:") {
                prefix = Some(scalar(value));
            } else if line.ends_with(':') {
                // The key of the next container.
                all.extend(prefix.take().map(|prefix| (name.take(), prefix)));
                name = None;
            }
        }
        Self { all }
    }

    /// The beginnings of the URLs of chunks.
    pub fn prefixes(&self) -> impl Iterator<Item = &String> {
        self.all.iter().map(|(_, prefix)| prefix)
    }

    /// True if a folder is in one of the containers.
    pub fn contains(&self, folder: &str) -> bool {
        self.prefixes().any(|prefix| folder.starts_with(prefix.as_str()))
    }

    /// True if a location needs containers to be found.
    pub fn is_container_location(location: &str) -> bool {
        location.starts_with(BY_NAME)
    }

    /// The URL of a location.
    ///
    /// # Errors
    /// The settings have no container of this name.
    pub fn url_of(&self, location: &str) -> Result<String, Wrong> {
        let Some(rest) = location.strip_prefix(BY_NAME) else {
            return Ok(location.to_owned());
        };
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        let found = self.all.iter().find(|(known, _)| known.as_deref() == Some(name));
        match found {
            Some((_, prefix)) => Ok(format!("{prefix}{path}")),
            None => Err(format!(
                "a chunk lies in the virtual chunk container {}, which the repository's settings do not have; add it by icechunk",
                name.escape_debug()
            )),
        }
    }
}

/// The text of a value in a line of YAML. In double quotes it is what JSON has, too.
fn scalar(value: &str) -> String {
    let value = value.trim();
    if let Some(inner) = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    let mut text = Vec::new();
    let read = JsonText::new(value.as_bytes()).string(&mut text, value.len());
    match read.ok().and_then(|()| String::from_utf8(text).ok()) {
        Some(text) => text,
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_are_decoded() {
        for (value, text) in [
            (r#""file:///a\"b\\c\u00e9/""#, "file:///a\"b\\cé/"),
            ("'it''s \"x\"'", "it's \"x\""),
            (" s3://b/ ", "s3://b/"),
            ("\"open", "\"open"),
            ("'", "'"),
            ("''", ""),
        ] {
            assert_eq!(scalar(value), text);
        }
        let yaml = "a:\n  name: 'null'\n  url_prefix: s3://b/\n";
        assert_eq!(
            Containers::of_yaml(yaml).url_of("vcc://null/x").unwrap(),
            "s3://b/x"
        );
    }

    #[test]
    fn locations_in_containers_are_found_by_name() {
        let yaml = "virtual_chunk_containers:\n  a:\n    name: null\n    url_prefix: \"file:///a/\"\n    store: !local_file_system \"/a\"\n  s3://b/:\n    name: bucket\n    url_prefix: s3://b/\n    store: !s3\n      region: null\nmanifest: null\n";
        let found = Containers::of_yaml(yaml);
        assert_eq!(found.prefixes().collect::<Vec<_>>(), ["file:///a/", "s3://b/"]);
        assert_eq!(found.url_of("vcc://bucket/x/y.nc").unwrap(), "s3://b/x/y.nc");
        assert_eq!(found.url_of("s3://c/z").unwrap(), "s3://c/z");
        let error = found.url_of("vcc://other/x").unwrap_err();
        assert!(error.contains("container other"), "{error}");
        let mut container = FlexValue::Null;
        container.set("name", FlexValue::Text("bucket".to_owned()));
        container.set("url_prefix", FlexValue::Text("s3://b/".to_owned()));
        let (mut all, mut settings) = (FlexValue::Null, FlexValue::Null);
        all.set("s3://b/", container);
        settings.set(MEMBER, all);
        let found = Containers::of(&settings);
        assert_eq!(found.url_of("vcc://bucket/x/y.nc").unwrap(), "s3://b/x/y.nc");
        assert!(found.contains("s3://b/q/") && !found.contains("s3://c/"));
    }
}
