//! [`Secret`]: a text that no message, log or name may show.

use std::fmt;

/// A text that is never printed: a password, a key, a token, the query of a URL. `Debug` and `Display` print `***`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text, for a request and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A user's name and password.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: Secret,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed() {
        let login = Login {
            user: "u".to_owned(),
            password: "hunter2".into(),
        };
        let printed = format!("{login:?} {:#?} {}", login.password, login.password);
        assert!(
            !printed.contains("hunter2") && printed.contains("***"),
            "{printed}"
        );
        assert_eq!(login.password.expose(), "hunter2");
    }
}
