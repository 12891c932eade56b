//! [`RemoteTests`]: how much of the tests of remote stores runs.

use std::env;
use std::ffi::OsStr;

use anyhow::{Result, bail};

/// The environment variable that says it. The tests read it too.
const VARIABLE: &str = "NCUTILS_REMOTE";

/// How much of the tests of remote stores runs, where all tests run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteTests {
    /// `own`: the tests that need only the servers of `tests/servers`. Faults and kills meet a sample of the requests.
    Own,
    /// `short`: the tests on all servers, with the same samples.
    Short,
    /// `long`: the tests on all servers. Each fault meets each request, and tests that mostly wait run too.
    Long,
}

impl RemoteTests {
    /// Returns the value of `NCUTILS_REMOTE`. `None` if the variable is not set.
    ///
    /// # Errors
    /// If the value is none of the three words.
    pub fn asked() -> Result<Option<Self>> {
        env::var_os(VARIABLE).map(|word| Self::of(&word)).transpose()
    }

    fn of(word: &OsStr) -> Result<Self> {
        Ok(match word.to_str() {
            Some("own") => Self::Own,
            Some("short") => Self::Short,
            Some("long") => Self::Long,
            _ => bail!(
                "{VARIABLE}={}: expected own, short or long; without the variable, the tests of remote stores are left out",
                word.display()
            ),
        })
    }

    /// Returns the stems of test files that need servers of others, where these do not run.
    pub fn left_out(self) -> &'static [&'static str] {
        match self {
            Self::Own => &["test_remote_clients", "test_remote_http"],
            Self::Short | Self::Long => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RemoteTests;

    #[test]
    fn three_words_are_known() {
        for (word, wanted) in [
            ("own", RemoteTests::Own),
            ("short", RemoteTests::Short),
            ("long", RemoteTests::Long),
        ] {
            assert_eq!(RemoteTests::of(word.as_ref()).ok(), Some(wanted));
        }
    }

    #[test]
    fn another_word_is_refused() {
        for word in ["0", "1", "", "Long", "own "] {
            let error = RemoteTests::of(word.as_ref()).unwrap_err().to_string();
            assert!(error.contains("own, short or long"), "{error}");
        }
    }
}
