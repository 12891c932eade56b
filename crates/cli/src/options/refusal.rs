//! What is printed in place of a run: the help, the version, or what is wrong with the arguments, in one line.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use ncutils_core::model::similar::question;

use super::opt::{Opt, Value};
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
    /// What is printed for an error of the parser, of which some are requests for help. `given` are the arguments.
    pub(super) fn instead(&self, error: &clap::Error, given: &[String]) -> Instead {
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
            _ => Instead::Refuse(self.refusal(error, given)),
        }
    }

    fn refusal(&self, error: &clap::Error, given: &[String]) -> String {
        let name = names(error, ContextKind::InvalidArg);
        let option = self.options().find(|option| is_named(option, &name));
        match (error.kind(), option) {
            (ErrorKind::ValueValidation, Some(option)) if let Value::Number(_, range) = &option.value => {
                let value = text(error, ContextKind::InvalidValue);
                let bounds = match (*range.start(), *range.end()) {
                    (0, u64::MAX) => String::new(),
                    (least, u64::MAX) => format!(" from {least}"),
                    (least, most) => format!(" from {least} to {most}"),
                };
                format!("{name} '{value}': expected a number{bounds}")
            }
            (ErrorKind::MissingRequiredArgument, Some(option)) => {
                // The user has typed the option that asks for this one.
                let mut asking = self.options().filter(|other| other.requires == Some(option.id));
                let is_given = |other: &&Opt| given.iter().any(|word| is_named(other, word));
                match asking.find(is_given) {
                    Some(other) => format!("{} needs {name}", other.told_as()),
                    None => refused(error, &self.command()),
                }
            }
            (ErrorKind::ArgumentConflict, Some(_)) => {
                let typed = |name: &str| self.as_typed(name, given);
                match names(error, ContextKind::PriorArg) {
                    other if other.is_empty() => format!("{} can only be given alone", typed(&name)),
                    other => format!("{} cannot be given beside {}", typed(&name), typed(&other)),
                }
            }
            _ => refused(error, &self.command()),
        }
    }

    /// An option as the user has typed it: by its letter, unless its word is among the arguments.
    fn as_typed(&self, name: &str, given: &[String]) -> String {
        let letter = self
            .options()
            .find(|option| is_named(option, name))
            .and_then(Opt::letter);
        let is_word = |word: &String| word.split('=').next() == Some(name);
        match letter {
            Some(letter) if !given.iter().any(is_word) => format!("-{letter}"),
            _ => name.to_owned(),
        }
    }
}

/// True if a word of the command line, or a name in an error, is the option's.
fn is_named(option: &Opt, word: &str) -> bool {
    let long = word
        .strip_prefix("--")
        .map(|word| word.split('=').next().unwrap_or(word));
    match (long, option.letter()) {
        (Some(long), _) => option.word() == Some(long),
        (None, Some(letter)) => word == format!("-{letter}"),
        (None, None) => false,
    }
}

/// What is wrong with the arguments of a parser's program, in one line.
pub fn refused(error: &clap::Error, command: &Command) -> String {
    let program = command.get_name();
    let name = names(error, ContextKind::InvalidArg);
    let value = text(error, ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let typed = text(error, ContextKind::InvalidArg);
            let words = command.get_arguments().filter_map(Arg::get_long);
            let words: Vec<String> = words.map(|word| format!("--{word}")).collect();
            let meant = match typed.starts_with("--") {
                true => question(&typed, words.iter().map(String::as_str)),
                false => String::new(),
            };
            match meant.as_str() {
                "" => format!("unexpected argument '{typed}'; '{program} --help' lists what it takes"),
                meant => format!("unexpected argument '{typed}'{meant}"),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let typed = text(error, ContextKind::InvalidSubcommand);
            let commands = command.get_subcommands().map(Command::get_name);
            match question(&typed, commands).as_str() {
                "" => format!("unknown command '{typed}'; '{program} --help' lists them"),
                meant => format!("unknown command '{typed}'{meant}"),
            }
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            format!("a command is missing; '{program} --help' lists them")
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            let mut arguments = command.get_arguments();
            let argument = arguments.find(|argument| argument.get_long() == name.strip_prefix("--"));
            // The letter is what may have been typed: that of --help in other programs, too.
            let letter = argument.and_then(Arg::get_short);
            let letter = letter.map_or(String::new(), |letter| format!("-{letter}, "));
            format!("{letter}{name}: a value is missing; '{program} --help' tells what it takes")
        }
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
            format!("{name} is missing; '{program} --help' tells what it takes")
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
        let words: Vec<String> = words.map(str::to_owned).collect();
        let error = program.parser().try_get_matches_from(&words).unwrap_err();
        match program.instead(&error, &words) {
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
            (
                &*NCCOPY,
                "a b -d",
                "-d, --deflate: a value is missing; 'nccopy --help' tells what it takes",
            ),
            (
                &*NCCOPY,
                "--shuffle=3 a b",
                "--shuffle takes no value, and '3' was given",
            ),
            (
                &*NCCOPY,
                "--requests 0 a b",
                "--requests '0': expected a number from 1 to 512",
            ),
            (
                &*NCCOPY,
                "--threads x a b",
                "--threads 'x': expected a number from 1",
            ),
            (
                &*NCCOPY,
                "--shard-index ned a b",
                "--shard-index 'ned': expected start or end: is 'end' meant?",
            ),
            (&*NCCOPY, "--sort a b", "--sort needs --join"),
            (
                &*NCCOPY,
                "--quiet --verbose a b",
                "--quiet cannot be given beside --verbose",
            ),
            (
                &*NCCOPY,
                "-F auto --append a b",
                "-F cannot be given beside --append",
            ),
            (
                &*NCCOPY,
                "--filter=auto --append a b",
                "--filter cannot be given beside --append",
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
