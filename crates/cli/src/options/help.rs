//! The short help: the options that most calls need, a line each.

use std::fmt::Write as _;

use super::opt::{Opt, Value};
use super::program::Program;

/// Columns that a name may take with its value. A longer one moves the text of its line to the right.
const NAME: usize = 25;

/// Forms of the command line that the short help has.
const FORMS: usize = 3;

impl Program {
    /// The text of `--help`. Every option is in `--help=all`, which is the parser's long help.
    pub fn short_help(&self) -> String {
        let mut help = format!("{}\n\n", self.about);
        let name = self.name;
        match self.usage {
            [] => {
                let operands = self
                    .operands
                    .iter()
                    .map(|operand| format!(" [{}]", value(operand)));
                let _ = writeln!(help, "Usage: {name} [OPTIONS]{}", operands.collect::<String>());
            }
            forms => forms.iter().take(FORMS).enumerate().for_each(|(n, form)| {
                let begin = if n == 0 { "Usage:" } else { "      " };
                let _ = writeln!(help, "{begin} {name} {form}");
            }),
        }
        let _ = writeln!(help, "\nMost used:");
        for id in self.most_used {
            for option in self.options().filter(|option| option.id == *id) {
                push(&mut help, &names(option), option);
            }
        }
        let is_here = |option: &&Opt| option.is_common && !self.most_used.contains(&option.id);
        for (heading, options) in &self.groups {
            let here: Vec<&Opt> = options.iter().filter(is_here).collect();
            let accepted: Vec<&Opt> = options.iter().filter(|option| option.is_accepted).collect();
            if here.is_empty() && accepted.is_empty() {
                continue;
            }
            let _ = writeln!(help, "{heading}:");
            here.iter()
                .for_each(|option| push(&mut help, &names(option), option));
            if let Some(first) = accepted.first() {
                let letters: Vec<_> = accepted.iter().map(|option| option.typed()).collect();
                push(&mut help, &format!("  {}", letters.join(", ")), first);
            }
        }
        let _ = writeln!(
            help,
            "\n'{name} --help=all' prints every option with its rules, and examples."
        );
        help
    }
}

/// A line of the help.
fn push(help: &mut String, names: &str, option: &Opt) {
    let _ = writeln!(help, "{names:NAME$}  {}", option.line());
}

/// `  -d, --deflate N`, or `      --shard SHARDS`.
fn names(option: &Opt) -> String {
    let names = match (option.short, option.long) {
        (Some(letter), Some(word)) => format!("  -{letter}, --{word}"),
        (Some(letter), None) => format!("  -{letter}"),
        (None, word) => format!("      --{}", word.unwrap_or_default()),
    };
    match &option.value {
        Value::None | Value::Version => names,
        Value::Help => format!("{names}[=all]"),
        Value::Optional(name, _) => format!("{names}[={name}]"),
        _ => format!("{names} {}", value(option)),
    }
}

/// The name of the value.
fn value(option: &Opt) -> &'static str {
    match &option.value {
        Value::None | Value::Help | Value::Version => "",
        Value::Text(name)
        | Value::Texts(name)
        | Value::Path(name)
        | Value::Paths(name)
        | Value::Optional(name, _)
        | Value::Number(name, _)
        | Value::OneOf(name, _) => name,
    }
}

#[cfg(test)]
mod tests {
    use crate::options::{NCCOPY, NCDUMP, NCGEN};

    #[test]
    fn the_short_help_is_short() {
        for program in [&*NCCOPY, &*NCDUMP, &*NCGEN] {
            let help = program.short_help();
            assert!(help.lines().count() <= 60, "{}: {help}", program.name);
            for line in help.lines() {
                assert!(line.chars().count() <= 100, "{}: {line}", program.name);
            }
            assert!(
                help.lines()
                    .last()
                    .is_some_and(|line| line.contains("--help=all"))
            );
        }
    }

    #[test]
    fn the_ten_most_used_options_come_first() {
        for program in [&*NCCOPY, &*NCDUMP, &*NCGEN] {
            assert_eq!(program.most_used.len(), 10);
            let help = program.short_help();
            let most = help.split("Most used:\n").nth(1).unwrap();
            let first: Vec<&str> = most.lines().take(10).collect();
            for (id, line) in program.most_used.iter().zip(first) {
                let option = program.options().find(|option| option.id == *id).unwrap();
                assert!(line.starts_with(&super::names(option)), "{id}: {line}");
            }
        }
    }

    #[test]
    fn every_short_option_has_a_long_name() {
        for program in [&*NCCOPY, &*NCDUMP, &*NCGEN] {
            for option in program.options() {
                assert!(option.long.is_some(), "{}: {}", program.name, option.typed());
            }
        }
    }
}
