//! Writes settings: where virtual chunks may lie. Specification 1 has them in `config.yaml`, specification 2 in the file `repo`.

use super::super::containers::MEMBER;
use super::super::flexbuffer::FlexValue;
use crate::references::json_string::push_string;

/// The folders of objects: all up to the last `/`.
pub fn folder_of(object: &str) -> &str {
    match object.rfind('/') {
        Some(end) => &object[..=end],
        None => object,
    }
}

/// The scheme and the host or bucket of a URL.
pub fn server_of(object: &str) -> &str {
    let begin = object.find("://").map_or(0, |end| end + 3);
    let host = object[begin..].find('/').unwrap_or(object.len() - begin);
    &object[..begin + host]
}

/// The folder that two folders of one server are in.
pub fn common_folder<'a>(a: &'a str, b: &str) -> &'a str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let end = a.as_bytes()[..same].iter().rposition(|byte| *byte == b'/');
    a.get(..end.map_or(0, |end| end + 1)).unwrap_or(a)
}

/// The `config.yaml` of a repository whose virtual chunks lie in these folders, which are URLs that end in `/`.
pub fn yaml<'f>(folders: impl Iterator<Item = &'f String>) -> String {
    let mut text = match containers(folders, "  ") {
        none if none.is_empty() => format!("{MEMBER}: null\n"),
        all => format!("{MEMBER}:\n{all}"),
    };
    for other in [
        "inline_chunk_threshold_bytes",
        "get_partial_values_concurrency",
        "compression",
        "max_concurrent_requests",
        "caching",
        "storage",
        "manifest",
    ] {
        text += &format!("{other}: null\n");
    }
    text
}

/// A `config.yaml` with more folders; `None` if its containers are in a form that no program writes.
pub fn yaml_with_folders<'f>(text: &str, folders: impl Iterator<Item = &'f String>) -> Option<String> {
    let begin = match text.strip_prefix(MEMBER) {
        Some(_) => 0,
        None => text.find(&format!("\n{MEMBER}"))? + 1,
    };
    let (line, below) = text[begin..].split_once('\n')?;
    let is_empty = match line.strip_prefix(MEMBER)?.strip_prefix(':')?.trim() {
        "" => false,
        "null" | "~" | "{}" => true,
        _ => return None,
    };
    let indent = &below[..below.len() - below.trim_start_matches(' ').len()];
    let indent = if is_empty { "  " } else { indent };
    let added = containers(folders, Some(indent).filter(|indent| !indent.is_empty())?);
    Some(format!("{}{MEMBER}:\n{added}{below}", &text[..begin]))
}

/// The lines of containers, each behind `indent`.
fn containers<'f>(folders: impl Iterator<Item = &'f String>, indent: &str) -> String {
    let mut text = String::new();
    for folder in folders {
        let quoted = quoted(folder);
        let mut lines = vec![
            format!("{quoted}:"),
            "  name: null".to_owned(),
            format!("  url_prefix: {quoted}"),
        ];
        let (tag, options) = store(folder);
        match options {
            FlexValue::Map(members) if !members.is_empty() => {
                lines.push(format!("  store: !{tag}"));
                let member = |(name, value): &(String, FlexValue)| format!("    {name}: {}", scalar(value));
                lines.extend(members.iter().map(member));
            }
            other => lines.push(format!("  store: !{tag} {}", scalar(&other))),
        }
        for line in lines {
            text += &format!("{indent}{line}\n");
        }
    }
    text
}

/// The settings of specification 2 with a container for each of these folders. All else of them stays.
pub fn with_folders<'f>(mut settings: FlexValue, folders: impl Iterator<Item = &'f String>) -> FlexValue {
    for folder in folders {
        let mut all = settings.get(MEMBER).cloned().unwrap_or(FlexValue::Null);
        let (mut container, mut kind) = (FlexValue::Null, FlexValue::Null);
        let (tag, options) = store(folder);
        kind.set(tag, options);
        container.set("name", FlexValue::Null);
        container.set("url_prefix", FlexValue::Text(folder.clone()));
        container.set("store", kind);
        all.set(folder, container);
        settings.set(MEMBER, all);
    }
    settings
}

/// A string of JSON, which is one of YAML.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    push_string(&mut quoted, text);
    quoted
}

/// A value in a line of YAML.
fn scalar(value: &FlexValue) -> String {
    match value {
        FlexValue::Text(text) => quoted(text),
        FlexValue::Bool(value) => value.to_string(),
        FlexValue::UInt(value) => value.to_string(),
        FlexValue::Map(_) => "{}".to_owned(),
        _ => "null".to_owned(),
    }
}

/// How a folder is reached: the kind of its server, and its options. Regions and credentials are the reader's to give.
fn store(folder: &str) -> (&'static str, FlexValue) {
    if let Some(path) = folder.strip_prefix("file://") {
        return ("local_file_system", FlexValue::Text(path.to_owned()));
    }
    let tag = match folder.split("://").next() {
        Some("s3") => {
            let no = || FlexValue::Bool(false);
            let options = [
                ("region", FlexValue::Null),
                ("endpoint_url", FlexValue::Null),
                ("anonymous", no()),
                ("allow_http", no()),
                ("force_path_style", no()),
                ("network_stream_timeout_seconds", FlexValue::UInt(60)),
                ("requester_pays", no()),
            ];
            let mut all = FlexValue::Null;
            for (name, value) in options {
                all.set(name, value);
            }
            return ("s3", all);
        }
        Some("gs" | "gcs") => "gcs",
        Some("az" | "azure" | "abfs") => "azure",
        _ => "http",
    };
    (tag, FlexValue::Map(Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::super::super::containers::Containers;
    use super::*;

    #[test]
    fn each_folder_is_a_container() {
        assert_eq!(folder_of("s3://b/p/a.nc"), "s3://b/p/");
        assert_eq!(server_of("s3://b/p/a.nc"), "s3://b");
        assert_eq!(server_of("file:///a/b"), "file://");
        assert_eq!(common_folder("file:///a/bc/d/", "file:///a/be/"), "file:///a/");
        assert_eq!(common_folder("s3://b/p/", "s3://b/"), "s3://b/");
        let folders = ["file:///data/".to_owned(), "s3://b/".to_owned()];
        let text = yaml(folders.iter());
        assert!(text.contains("  \"file:///data/\":\n    name: null\n    url_prefix: \"file:///data/\"\n    store: !local_file_system \"/data/\"\n"));
        assert!(text.contains("store: !s3\n      allow_http: false\n"));
        assert!(Containers::of_yaml(&text).prefixes().eq(&folders));
        let one = yaml(folders[1..].iter());
        assert_eq!(yaml_with_folders(&one, folders[..1].iter()).unwrap(), text);
        let none = yaml([].iter());
        assert!(none.starts_with("virtual_chunk_containers: null\n"));
        assert_eq!(yaml_with_folders(&none, folders.iter()).unwrap(), text);
        let other = "storage: null\nvirtual_chunk_containers:\n    a:\n        url_prefix: x\n";
        let more = yaml_with_folders(other, folders.iter()).unwrap();
        assert!(more.starts_with("storage: null\nvirtual_chunk_containers:\n    \"file:///data/\":\n"));
        assert!(more.ends_with("\n    a:\n        url_prefix: x\n"));
        assert_eq!(Containers::of_yaml(&more).prefixes().count(), 3);
        assert!(yaml_with_folders("virtual_chunk_containers: {a: 1}\n", folders.iter()).is_none());
    }

    #[test]
    fn folders_with_any_characters_are_read_back() {
        let folders = ["a\"b", "a\\b", "it's", "t\tab", "é #: x"].map(|name| format!("file:///data/{name}/"));
        let found = Containers::of_yaml(&yaml(folders.iter()));
        assert!(found.prefixes().eq(&folders), "{found:?}");
    }

    #[test]
    fn containers_are_added_to_what_is_there() {
        let mut settings = FlexValue::Null;
        settings.set("caching", FlexValue::UInt(3));
        let folders = ["s3://b/".to_owned(), "file:///data/".to_owned()];
        let first = with_folders(settings, folders[..1].iter());
        let both = with_folders(first, folders[1..].iter());
        assert_eq!(both.get("caching"), Some(&FlexValue::UInt(3)));
        let found = Containers::of(&FlexValue::parse(&both.write()).unwrap());
        assert!(found.contains("s3://b/x/") && found.contains("file:///data/"));
    }
}
