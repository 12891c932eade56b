//! Access keys of S3, and `credential_process`: a program of the user's that prints them.

use serde_json::Value;

use crate::environment::Environment;
use crate::secret::Secret;
use ncutils_model::Result;
use ncutils_model::error::usage;

/// Access keys of S3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessKeys {
    /// The key's name, which requests show.
    pub id: String,
    /// The key.
    pub secret: Secret,
    /// The token of temporary keys.
    pub token: Option<Secret>,
    /// The end of their validity as RFC 3339 says it; `None` if they do not end, or nobody says when.
    pub expiration: Option<String>,
}

/// A program that prints access keys as JSON. It is run when keys are needed, and again when they end.
#[derive(Clone, PartialEq, Eq)]
pub struct CredentialProcess {
    program: String,
    /// They may hold secrets, and are not printed.
    arguments: Vec<String>,
    /// What to do if the program is not there.
    hint: Option<String>,
}

impl std::fmt::Debug for CredentialProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CredentialProcess")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl CredentialProcess {
    /// The command line of a profile's key. Quotes and backslashes mean what they do in a shell; nothing else does.
    ///
    /// # Errors
    /// No program, or a quote that is not closed.
    pub fn parse(line: &str) -> Result<Self> {
        let Some(mut arguments) = shlex::split(line) else {
            return usage("credential_process has a quote that is not closed");
        };
        if arguments.first().is_none_or(String::is_empty) {
            return usage("credential_process names no program");
        }
        let program = arguments.remove(0);
        Ok(Self {
            program,
            arguments,
            hint: None,
        })
    }

    /// The AWS CLI, for a profile with a role or an SSO session.
    pub(crate) fn aws_cli(profile: &str) -> Self {
        let command = "configure export-credentials --format process --profile";
        let arguments = command.split(' ').chain([profile]);
        Self {
            program: "aws".to_owned(),
            arguments: arguments.map(str::to_owned).collect(),
            hint: Some(format!(
                "profile '{}' has a role or an SSO session, whose keys version 2 of the AWS CLI (aws) finds; install it, or set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
                profile.escape_debug()
            )),
        }
    }

    /// The program's name.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Runs the program.
    ///
    /// # Errors
    /// A program that is not there or fails; output that is not the keys' JSON. No message holds the output.
    pub fn run(&self, environment: &dyn Environment) -> Result<AccessKeys> {
        let printed = environment.run(&self.program, &self.arguments);
        let printed = printed.or_else(|e| {
            let hint = self.hint.as_ref().map(|hint| format!("; {hint}"));
            let hint = hint.unwrap_or_default();
            usage(format!("credential_process: {} {e}{hint}", self.program))
        })?;
        let of = &self.program;
        keys(&printed).or_else(|why| usage(format!("credential_process: the output of {of} {why}")))
    }
}

/// The keys that a program printed.
fn keys(printed: &str) -> std::result::Result<AccessKeys, &'static str> {
    let json: Value = serde_json::from_str(printed).map_err(|_| "is no JSON")?;
    match json.get("Version").and_then(Value::as_u64) {
        Some(1) => AccessKeys::of(&json, "SessionToken"),
        _ => Err("is not of version 1"),
    }
}

impl AccessKeys {
    /// The keys in a document, whose token has this name.
    ///
    /// # Errors
    /// What the document lacks, as the end of a sentence about it.
    pub fn of(json: &Value, token: &str) -> std::result::Result<Self, &'static str> {
        let text = |key: &str| match json.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err("has a value that is no text"),
        };
        Ok(Self {
            id: text("AccessKeyId")?.ok_or("has no AccessKeyId")?,
            secret: text("SecretAccessKey")?.ok_or("has no SecretAccessKey")?.into(),
            token: text(token)?.map(Secret::from),
            expiration: text("Expiration")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_as_a_shell_does() {
        for (line, words) in [
            ("a b  c", vec!["a", "b", "c"]),
            (
                r#""/opt/my tool" -x 'a "b"' c\ d"#,
                vec!["/opt/my tool", "-x", "a \"b\"", "c d"],
            ),
            (r#"a "" "b\"c\\d\e""#, vec!["a", "", "b\"c\\d\\e"]),
            ("a $HOME;b|c", vec!["a", "$HOME;b|c"]),
        ] {
            let process = CredentialProcess::parse(line).unwrap();
            let found = [&[process.program][..], &process.arguments].concat();
            assert_eq!(found, words);
        }
        for line in ["", "  ", "'a", "\"a", "a\\", "''"] {
            assert!(CredentialProcess::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn output_is_checked_and_never_told() {
        let good = r#"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S","SessionToken":"T","Expiration":"2030-01-01T00:00:00Z"}"#;
        let found = keys(good).unwrap();
        assert_eq!((found.id.as_str(), found.secret.expose()), ("A", "S"));
        assert_eq!(found.token.unwrap().expose(), "T");
        assert_eq!(found.expiration.as_deref(), Some("2030-01-01T00:00:00Z"));
        let short = keys(r#"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S"}"#).unwrap();
        assert_eq!((short.token, short.expiration), (None, None));
        for (text, why) in [
            ("hunter2", "is no JSON"),
            ("{}", "is not of version 1"),
            (r#"{"Version":2}"#, "is not of version 1"),
            (r#"{"Version":1,"AccessKeyId":"A"}"#, "has no SecretAccessKey"),
            (r#"{"Version":1,"AccessKeyId":7}"#, "has a value that is no text"),
            (&"[".repeat(100_000), "is no JSON"),
        ] {
            assert_eq!(keys(text).unwrap_err(), why);
        }
        let process = CredentialProcess::parse("tool --password hunter2").unwrap();
        assert!(!format!("{process:?}").contains("hunter2"));
    }
}
