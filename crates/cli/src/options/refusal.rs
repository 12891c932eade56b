//! What is printed in place of a run: the help, the version, or what is wrong with the arguments, in one line.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use ncutils_core::model::similar::question;

use super::program::Program;
use crate::version::VERSION;

/// What is printed in place of a run.
#[derive(Debug)]
pub enum Instead {
    /// The help or the version, for standard output.
    Print(String),
    /// What is wrong with the arguments, in one line.
    Refuse(String),
}

impl Program {
    /// What is printed for an error of the parser, of which some are requests for help.
    pub(super) fn instead(&self, error: &clap::Error) -> Instead {
        let value = text(error, ContextKind::InvalidValue);
        let all = || Instead::Print(self.command().render_long_help().to_string());
        match error.kind() {
            ErrorKind::DisplayHelp => Instead::Print(self.short_help()),
            ErrorKind::DisplayVersion => Instead::Print(format!("{} {}\n", self.name, *VERSION)),
            // The parser's own help takes no value.
            ErrorKind::TooManyValues if names(error, ContextKind::InvalidArg).contains("help") => {
                match value.as_str() {
                    "all" => all(),
                    other => Instead::Refuse(format!("--help={other}: expected --help or --help=all")),
                }
            }
            _ => Instead::Refuse(self.refusal(error)),
        }
    }

    fn refusal(&self, error: &clap::Error) -> String {
        let name = names(error, ContextKind::InvalidArg);
        let value = text(error, ContextKind::InvalidValue);
        match error.kind() {
            ErrorKind::UnknownArgument => {
                let words: Vec<String> = self
                    .options()
                    .filter_map(|option| option.long)
                    .map(|word| format!("--{word}"))
                    .collect();
                let typed = text(error, ContextKind::InvalidArg);
                let meant = match typed.starts_with("--") {
                    true => question(&typed, words.iter().map(String::as_str)),
                    false => String::new(),
                };
                match meant.as_str() {
                    "" => format!(
                        "unexpected argument '{typed}'; '{} --help' lists what it takes",
                        self.name
                    ),
                    meant => format!("unexpected argument '{typed}'{meant}"),
                }
            }
            ErrorKind::InvalidValue if value.is_empty() => format!("{name}: a value is missing"),
            ErrorKind::InvalidValue => {
                let words = all(error, ContextKind::ValidValue);
                let meant = question(&value, words.iter().map(String::as_str));
                format!("{name} '{value}': expected {}{meant}", or(&words))
            }
            ErrorKind::ValueValidation => {
                let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
                format!("{name} '{value}'{why}")
            }
            ErrorKind::ArgumentConflict => match names(error, ContextKind::PriorArg) {
                other if other.is_empty() => format!("{name} can only be given alone"),
                other => format!("{name} cannot be given beside {other}"),
            },
            ErrorKind::MissingRequiredArgument => {
                format!("{name} is missing; '{} --help' tells what it takes", self.name)
            }
            ErrorKind::TooManyValues => format!("{name} takes no value, and '{value}' was given"),
            // The first line, without the parser's prefix.
            _ => {
                let told = error.to_string();
                let line = told.lines().next().unwrap_or_default();
                line.trim_start_matches("error: ").to_owned()
            }
        }
    }
}

/// All texts of a kind that an error has.
fn all(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> String {
    all(error, kind).into_iter().next().unwrap_or_default()
}

/// The names of arguments, without those of their values: `--deflate` for `--deflate <N>`, and `INPUT` for `[INPUT]...`.
fn names(error: &clap::Error, kind: ContextKind) -> String {
    let texts = all(error, kind);
    let names = texts.iter().map(|text| {
        let begin = match text.starts_with('-') {
            true => text.split([' ', '[', '=']).next().unwrap_or_default(),
            false => text,
        };
        begin
            .trim_end_matches('.')
            .trim_matches(['<', '>', '[', ']'])
            .to_owned()
    });
    names.collect::<Vec<_>>().join(" and ")
}

/// `a, b or c`.
fn or(words: &[String]) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::Instead;
    use crate::options::{NCCOPY, NCDUMP, NCGEN, Program};

    fn told(program: &Program, words: &str) -> String {
        let words = std::iter::once(program.name).chain(words.split(' '));
        let error = program.parser().try_get_matches_from(words).unwrap_err();
        match program.instead(&error) {
            Instead::Print(text) => text,
            Instead::Refuse(why) => why,
        }
    }

    #[test]
    fn wrong_arguments_are_told_in_one_line() {
        for (program, words, expected) in [
            (
                &*NCCOPY,
                "--defalte 5 a b",
                "unexpected argument '--defalte': is '--deflate' meant?",
            ),
            (
                &*NCCOPY,
                "-Q a b",
                "unexpected argument '-Q'; 'nccopy --help' lists what it takes",
            ),
            (
                &*NCGEN,
                "a b",
                "unexpected argument 'b'; 'ncgen --help' lists what it takes",
            ),
            (&*NCCOPY, "a b -d", "--deflate: a value is missing"),
            (
                &*NCCOPY,
                "--shuffle=3 a b",
                "--shuffle takes no value, and '3' was given",
            ),
            (
                &*NCCOPY,
                "--requests 0 a b",
                "--requests '0': 0 is not in 1..=512",
            ),
            (
                &*NCCOPY,
                "--shard-index ned a b",
                "--shard-index 'ned': expected start or end: is 'end' meant?",
            ),
            (
                &*NCCOPY,
                "--sort a b",
                "--join is missing; 'nccopy --help' tells what it takes",
            ),
            (
                &*NCCOPY,
                "--quiet --verbose a b",
                "--quiet cannot be given beside --verbose",
            ),
            (
                &*NCCOPY,
                "--completions bash a",
                "--completions can only be given alone",
            ),
            (
                &*NCDUMP,
                "-k",
                "INPUT is missing; 'ncdump --help' tells what it takes",
            ),
            (
                &*NCDUMP,
                "--help=some",
                "--help=some: expected --help or --help=all",
            ),
        ] {
            assert_eq!(told(program, words), expected);
        }
    }

    #[test]
    fn help_comes_before_what_is_missing_or_wrong() {
        assert_eq!(told(&NCDUMP, "--help"), NCDUMP.short_help());
        assert_eq!(told(&NCGEN, "-h --unknown"), NCGEN.short_help());
        let all = told(&NCCOPY, "-d 5 --help=all");
        assert!(
            all.contains("--fill-missing") && all.contains("Examples:"),
            "{all}"
        );
    }
}
