//! [`NetRc`]: users and passwords of hosts, as in `~/.netrc`.

use crate::secret::Login;

/// Users and passwords of hosts. A server that redirects to another host, such as Earthdata's login, needs both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetRc {
    /// The host, `None` for `default`, and its login.
    machines: Vec<(Option<String>, Login)>,
}

impl NetRc {
    /// Parses `machine HOST login USER password PASSWORD`, in any order of lines. What is not understood is left out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut machines: Vec<(Option<String>, Login)> = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut words = line.split_whitespace();
            while let Some(word) = words.next() {
                match word {
                    // A macro ends at an empty line.
                    "macdef" => {
                        lines.by_ref().find(|line| line.trim().is_empty());
                        break;
                    }
                    "machine" | "default" => {
                        let host = if word == "machine" { words.next() } else { None };
                        machines.push((host.map(str::to_ascii_lowercase), Login::default()));
                    }
                    "login" | "password" | "account" => {
                        let value = words.next().unwrap_or_default();
                        match (word, machines.last_mut()) {
                            ("login", Some((_, login))) => login.user = value.to_owned(),
                            ("password", Some((_, login))) => login.password = value.into(),
                            _ => {}
                        }
                    }
                    word if word.starts_with('#') => break,
                    _ => {}
                }
            }
        }
        Self { machines }
    }

    /// The login of a host, without its port; else that of `default`.
    pub fn login(&self, host: &str) -> Option<&Login> {
        self.login_of_host(host).or_else(|| self.of(None))
    }

    /// The login of a host that the file names.
    pub fn login_of_host(&self, host: &str) -> Option<&Login> {
        self.of(Some(&host.to_ascii_lowercase()))
    }

    fn of(&self, wanted: Option<&str>) -> Option<&Login> {
        let is_it =
            |(host, login): &&(Option<String>, Login)| host.as_deref() == wanted && !login.user.is_empty();
        self.machines.iter().find(is_it).map(|(_, login)| login)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_logins() {
        let text = "# machine x login y\nmachine A.org login u password p#w\n\nmacdef m\nmachine b login no\n\n\
            machine c\n  login v\n  password q\nmachine d password only\ndefault login w password z";
        let netrc = NetRc::parse(text);
        for (host, user, password) in [
            ("a.org", "u", "p#w"),
            ("C", "v", "q"),
            ("b", "w", "z"),
            ("d", "w", "z"),
            ("x", "w", "z"),
        ] {
            let login = netrc.login(host).unwrap();
            assert_eq!(
                (login.user.as_str(), login.password.expose()),
                (user, password),
                "{host}"
            );
        }
        assert_eq!(NetRc::parse("login x password y machine").login("h"), None);
        assert_eq!(NetRc::parse("machine h login").login("h"), None);
    }
}
