//! Names of remote datasets without their secrets, for messages.

use super::scheme::is_remote;
use super::words::is_secret;

/// The name without passwords, values of parameters in the path, the query, and values of a fragment's secret keys. It works on any text, so
/// that an error about a malformed URL shows no secret either. A name without secrets stays as it is.
pub fn shown(name: &str) -> String {
    let Some(host) = host(name) else {
        return name.to_owned();
    };
    let (scheme, rest) = name.split_at(host);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (front, fragment) = match rest.split_once('#') {
        Some((front, fragment)) => (front, Some(fragment)),
        None => (rest, None),
    };
    let (path, query) = match front.split_once('?') {
        // A key of s3:// may have a question mark, but then it is no great loss.
        Some((path, query)) => (path, Some(query)),
        None => (front, None),
    };
    let mut text = prefix(scheme);
    // A slash in a password ends the authority too early. What follows is then not shown at all.
    match without_password(authority, scheme) {
        Some(authority) => text.push_str(&authority),
        None => return text + "***",
    }
    // The path of a file goes to no server.
    match scheme.to_ascii_lowercase().ends_with("file://") {
        true => text.push_str(path),
        false => text.push_str(&without_parameters(path)),
    }
    // Nobody knows which words of a query are a signature.
    match query {
        Some("") => text.push('?'),
        Some(_) => text.push_str("?***"),
        None => {}
    }
    if let Some(fragment) = fragment {
        text.push('#');
        text.push_str(&without_secrets(fragment));
    }
    text
}

/// A message without the secrets of a name that it may repeat, as a whole or in part.
pub fn hidden(message: &str, name: &str) -> String {
    let known = shown(name);
    if known == name {
        return message.to_owned();
    }
    let mut text = message.replace(name, &known);
    let behind = &name[host(name).unwrap_or(0)..];
    let front = behind.split('#').next().unwrap_or_default();
    let (path, query) = front.split_once('?').unwrap_or((front, ""));
    if let Some((login, _)) = path.rsplit_once('@').filter(|(login, _)| !login.is_empty()) {
        text = text.replace(&format!("{login}@"), "***@");
    }
    for parameter in path.split('/').flat_map(parameters) {
        text = text.replace(
            &format!(";{parameter}"),
            &format!(";{}", without_value(parameter)),
        );
    }
    if !query.is_empty() {
        text = text.replace(&format!("?{query}"), "?***");
    }
    // Another name may have the same query, and be hidden before.
    if let (Some((_, fragment)), Some((_, known))) = (behind.split_once('#'), known.split_once('#'))
        && fragment != known
    {
        text = text.replace(&format!("#{fragment}"), &format!("#{known}"));
    }
    text
}

/// Where the host of a URL begins, also of one that was mistyped: with one slash, or with others. `None` for what looks like no URL.
fn host(name: &str) -> Option<usize> {
    if let Some(at) = name.find("://") {
        return Some(at + "://".len());
    }
    // A URL that lacks its scheme. Few paths look like one with a password.
    if let Some(rest) = name.trim_start().strip_prefix("//") {
        let authority = rest.split('/').next().unwrap_or_default();
        return (authority.contains(':') && authority.contains('@')).then(|| name.len() - rest.len());
    }
    let (scheme, rest) = name.split_once(':')?;
    let host = rest.trim_start_matches(['/', '\\']);
    (is_remote(scheme.trim_start()) && host.len() < rest.len()).then(|| name.len() - host.len())
}

/// What is in front of a host: `[key=value]…scheme://`.
fn prefix(scheme: &str) -> String {
    let mut text = String::new();
    for part in scheme.split_inclusive(']') {
        match part.strip_suffix(']') {
            Some(pair) => {
                let (open, pair) = pair.split_at(pair.len() - pair.trim_start_matches('[').len());
                text.push_str(open);
                text.push_str(&without_secrets(pair));
                text.push(']');
            }
            None => text.push_str(part),
        }
    }
    text
}

/// `None` if the text after a colon is neither a port nor followed by an `@`.
fn without_password(authority: &str, scheme: &str) -> Option<String> {
    let is_azure = scheme.to_ascii_lowercase().contains("abfs");
    match authority.rsplit_once('@') {
        Some((user, host)) if is_azure && !user.contains(':') => Some(format!("{user}@{host}")),
        Some((_, host)) => Some(format!("***@{host}")),
        None => {
            let behind = authority.rsplit(']').next().unwrap_or_default();
            let port = behind.split_once(':').map_or("", |(_, port)| port);
            port.bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| authority.to_owned())
        }
    }
}

/// The parameters of a segment of a path: `;key=value`, without the semicolon (RFC 3986, section 3.3).
fn parameters(segment: &str) -> impl Iterator<Item = &str> {
    segment.split(';').skip(1)
}

/// A path without the values of its parameters. Servers take session ids and tokens there, under names of their own.
fn without_parameters(path: &str) -> String {
    let segment = |segment: &str| {
        let mut shown = segment.split(';').next().unwrap_or_default().to_owned();
        for parameter in parameters(segment) {
            shown.push(';');
            shown.push_str(&without_value(parameter));
        }
        shown
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// `key=***` for a parameter with a value.
fn without_value(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((key, value)) if !value.is_empty() => format!("{key}=***"),
        _ => parameter.to_owned(),
    }
}

fn is_hidden(key: &str) -> bool {
    // A question mark begins a query that was written behind the fragment.
    is_secret(key) || key.contains(['%', '?'])
}

/// The pairs of a fragment, without the values of secret keys.
fn without_secrets(fragment: &str) -> String {
    let shown = |pair: &str| match pair.split_once('=') {
        Some((key, value)) if !value.is_empty() && (is_hidden(key) || value.contains('@')) => {
            format!("{key}=***")
        }
        _ => pair.to_owned(),
    };
    fragment.split('&').map(shown).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        for (name, text) in [
            ("https://u:hunter2@h/p", "https://***@h/p"),
            ("https://u:hun/ter2@h/p", "https://***"),
            ("https://u:hunt#er2@h/p", "https://***"),
            ("https://hunter2@h:1/p", "https://***@h:1/p"),
            ("http:/u:hunter2@h/p", "http:/***@h/p"),
            (r"https:\\u:hunter2@h/p", r"https:\\***@h/p"),
            (" http://u:hunter2@h/p", " http://***@h/p"),
            ("//u:hunter2@h/p", "//***@h/p"),
            ("https://h/p?hunter2", "https://h/p?***"),
            ("https://h/p?aHVudGVyMg==", "https://h/p?***"),
            ("https://h/p?X-Sig=hunter2&x#bytes", "https://h/p?***#bytes"),
            ("https://h/p;token=hunter2", "https://h/p;token=***"),
            (
                "https://h/p;jsessionid=hunter2;v=1/x?q#bytes",
                "https://h/p;jsessionid=***;v=***/x?***#bytes",
            ),
            (
                "s3://b/k#mode=s3&aws.SECRET_access_key=hunter2",
                "s3://b/k#mode=s3&aws.SECRET_access_key=***",
            ),
            (
                "[mode=s3][aws.session_token=hunter2]s3://b/k",
                "[mode=s3][aws.session_token=***]s3://b/k",
            ),
            ("s3://b/k#%73ecret=hunter2", "s3://b/k#%73ecret=***"),
            ("https://h/p#x?c=hunter2", "https://h/p#x?c=***"),
            (
                "s3://b/k#aws.endpoint=http://u:hunter2@h",
                "s3://b/k#aws.endpoint=***",
            ),
        ] {
            assert_eq!(shown(name), text);
        }
    }

    #[test]
    fn messages_do_not_repeat_secrets() {
        for (name, message, text) in [
            (
                "http://u:hunter2@h/p",
                "no 'http://u:hunter2@h/p' here",
                "no 'http://***@h/p' here",
            ),
            (
                "//u:hunter2@h/o/x",
                "cannot create a file in //u:hunter2@h/o",
                "cannot create a file in //***@h/o",
            ),
            (
                "--d=http://h/p?hunter2#x",
                "'http://h/p?hunter2#x': no",
                "'http://h/p?***#x': no",
            ),
            (
                "-khttp://u:hun/ter2@h/p",
                "-k 'http://u:hun/ter2@h/p'",
                "-k 'http://***@h/p'",
            ),
            (
                "s3://b/k#secret=hunter2",
                "no s3://b/k#secret=hunter2",
                "no s3://b/k#secret=***",
            ),
            (
                "s3://b/k#secret=hunter2",
                "no b/k#secret=hunter2",
                "no b/k#secret=***",
            ),
            (
                "https://h/p;token=hunter2/x",
                "no h/p;token=hunter2/x",
                "no h/p;token=***/x",
            ),
            ("a@b?c", "no a@b?c", "no a@b?c"),
        ] {
            assert_eq!(hidden(message, name), text);
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "x#secret=1",
            "x;token=1",
            "https://h/a;b/c;",
            "file:///a;v=1/b.nc",
            "s3://b/a@b:c",
            "https://[::1]:80/x?#mode=bytes",
            "//home/u@h/x",
            "abfss://c@a.dfs.core.windows.net/k",
            "[mode=zarr,s3]https://h:1/b/k",
        ] {
            assert_eq!(shown(name), name);
        }
    }
}
