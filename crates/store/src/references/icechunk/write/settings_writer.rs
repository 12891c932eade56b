//! Writes `config.yaml`: where virtual chunks may lie.

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

/// The settings of a repository whose virtual chunks lie in these folders, which are URLs that end in `/`.
pub fn settings<'f>(folders: impl Iterator<Item = &'f String>) -> String {
    let mut folders = folders.peekable();
    let mut text = String::from("virtual_chunk_containers:\n");
    if folders.peek().is_none() {
        text = String::from("virtual_chunk_containers: null\n");
    }
    for folder in folders {
        let quoted = quoted(folder);
        text += &format!(
            "  {quoted}:\n    name: null\n    url_prefix: {quoted}\n    store: {}\n",
            store(folder)
        );
    }
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

/// The folders that settings tell, in the form in which most programs write them; and whether the settings are [those](settings) that are
/// written here, so that they may be written anew.
pub fn told_folders(text: &str) -> (Vec<String>, bool) {
    let prefixes = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("url_prefix:"));
    let folders: Vec<String> = prefixes
        .map(|prefix| prefix.trim().trim_matches(['"', '\'']).to_owned())
        .collect();
    let is_own = settings(folders.iter()) == text;
    (folders, is_own)
}

/// A string of JSON, which is one of YAML.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    push_string(&mut quoted, text);
    quoted
}

/// How a folder is reached. Regions and credentials are the reader's to give.
fn store(folder: &str) -> String {
    if let Some(path) = folder.strip_prefix("file://") {
        return format!("!local_file_system {}", quoted(path));
    }
    match folder.split("://").next() {
        Some("s3") => "!s3\n      region: null\n      endpoint_url: null\n      anonymous: false\n      allow_http: false\n      force_path_style: false\n      network_stream_timeout_seconds: 60\n      requester_pays: false".to_owned(),
        Some("gs" | "gcs") => "!gcs {}".to_owned(),
        Some("az" | "azure" | "abfs") => "!azure {}".to_owned(),
        _ => "!http {}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_is_a_container() {
        assert_eq!(folder_of("s3://b/p/a.nc"), "s3://b/p/");
        assert_eq!(server_of("s3://b/p/a.nc"), "s3://b");
        assert_eq!(server_of("file:///a/b"), "file://");
        assert_eq!(common_folder("file:///a/bc/d/", "file:///a/be/"), "file:///a/");
        assert_eq!(common_folder("s3://b/p/", "s3://b/"), "s3://b/");
        let folders = ["file:///data/".to_owned(), "s3://b/".to_owned()];
        let text = settings(folders.iter());
        assert!(text.contains("  \"file:///data/\":\n    name: null\n    url_prefix: \"file:///data/\"\n    store: !local_file_system \"/data/\"\n"));
        assert!(text.contains("store: !s3\n      region: null\n"));
        assert_eq!(told_folders(&text), (folders.to_vec(), true));
        let changed = text.replace("caching: null", "caching: 1");
        assert_eq!(told_folders(&changed), (folders.to_vec(), false));
        assert!(settings([].iter()).starts_with("virtual_chunk_containers: null\n"));
    }
}
