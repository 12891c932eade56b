//! Cookies of a file, in the form that curl writes.

use std::path::Path;

use reqwest::cookie::Jar;
use url::Url;

use super::named_file::read;
use ncutils_model::Result;

/// A cookie of a file.
pub(crate) struct FileCookie {
    /// Where it goes to.
    url: Url,
    /// Its line in the form of `Set-Cookie`.
    set: String,
    pub(crate) value: String,
}

/// The cookies of a file as curl writes it: lines of domain, flag, path, secure, end, name and value, with tabs between. A
/// file that is not there yet has none.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn cookies_of(path: &Path, from: &str) -> Result<Vec<FileCookie>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&read(path, from)?).into_owned();
    Ok(text.lines().filter_map(cookie).collect())
}

fn cookie(line: &str) -> Option<FileCookie> {
    let line = line.strip_prefix("#HttpOnly_").unwrap_or(line);
    let fields: Vec<&str> = line.split('\t').collect();
    let [domain, subdomains, folder, secure, _, name, value] = fields[..] else {
        return None;
    };
    let host = domain.trim_start_matches('.');
    let is_secure = secure.eq_ignore_ascii_case("true");
    let scheme = if is_secure { "https" } else { "http" };
    let url = Url::parse(&format!("{scheme}://{host}{folder}")).ok()?;
    let mut set = format!("{name}={value}; Path={folder}");
    if subdomains.eq_ignore_ascii_case("true") {
        set.push_str(&format!("; Domain={host}"));
    }
    if is_secure {
        set.push_str("; Secure");
    }
    let value = value.to_owned();
    (!line.starts_with('#')).then_some(FileCookie { url, set, value })
}

/// The cookies of a file, for requests.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn jar(path: &Path, from: &str) -> Result<Jar> {
    let jar = Jar::default();
    for cookie in cookies_of(path, from)? {
        jar.add_cookie_str(&cookie.set, &cookie.url);
    }
    Ok(jar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::cookie::CookieStore;

    #[test]
    fn cookies_of_a_file_go_to_their_hosts() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "# Netscape HTTP Cookie File\n\n.a.org\tTRUE\t/\tFALSE\t0\tn\tv\n#HttpOnly_b.org\tFALSE\t/x\tTRUE\t0\tm\tw\nno line\n";
        std::fs::write(file.path(), text).unwrap();
        let own = jar(file.path(), "rc").unwrap();
        let sent = |url: &str| {
            let found = own.cookies(&Url::parse(url).unwrap());
            found.map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(sent("http://a.org/"), Some("n=v".to_owned()));
        assert_eq!(sent("https://data.a.org/x"), Some("n=v".to_owned()));
        assert_eq!(sent("https://b.org/x/y"), Some("m=w".to_owned()));
        assert_eq!(sent("http://b.org/x"), None);
        assert_eq!(sent("http://c.org/"), None);
        assert_eq!(
            jar(Path::new("/no/such/file"), "rc")
                .unwrap()
                .cookies(&"http://a.org".parse().unwrap()),
            None
        );
    }
}
