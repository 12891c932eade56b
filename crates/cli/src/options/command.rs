//! The parser of a program's arguments, with help and completions, made of its table.

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::opt::{Opt, Value};
use super::program::Program;
use super::refusal::Instead;
use super::shared::COMPLETIONS;
use crate::arguments;
use crate::version::VERSION;

impl Program {
    /// The parser, with the texts of the help. It takes options as getopt does: they may be clustered or attached to their values,
    /// and the last of several counts.
    pub fn command(&self) -> Command {
        let options = self.options().chain(&self.operands);
        let texts = options.map(|option| (option.id, option.line(), option.text()));
        let parser = self
            .parser()
            .version(VERSION.as_str())
            .about(self.about)
            .after_help((self.after)());
        texts.fold(parser, |parser, (id, line, text)| {
            parser.mut_arg(id, |arg| arg.help(line).long_help(text))
        })
    }

    /// The values of the program's arguments. The texts of the help and of the version are made only when they are asked for.
    ///
    /// # Errors
    /// What is wrong with the arguments; the help or the version, which are printed.
    pub fn matches(&self) -> Result<ArgMatches, Instead> {
        let parsed = self.parser().try_get_matches_from(arguments::given());
        parsed.map_err(|error| {
            let given = arguments::given().map(|argument| argument.to_string_lossy().into_owned());
            self.instead(&error, &given.collect::<Vec<_>>())
        })
    }

    /// The parser without the texts of the help.
    pub(super) fn parser(&self) -> Command {
        let mut command = Command::new(self.name)
            .version(env!("CARGO_PKG_VERSION"))
            .disable_help_flag(true)
            .disable_version_flag(true)
            .args_override_self(true);
        if !self.usage.is_empty() {
            let forms: Vec<_> = self
                .usage
                .iter()
                .map(|form| format!("{} {form}", self.name))
                .collect();
            command = command.override_usage(forms.join("\n       "));
        }
        for (heading, options) in &self.groups {
            let args = options.iter().map(|option| self.arg(option));
            command = command.next_help_heading(*heading).args(args);
        }
        let operands = self.operands.iter().map(|operand| self.arg(operand));
        command.next_help_heading(None).args(operands)
    }

    /// The shell for which a call asks for a script.
    pub fn completions(&self, matches: &ArgMatches) -> Option<Shell> {
        matches.get_one::<String>(COMPLETIONS)?.parse().ok()
    }

    fn arg(&self, option: &Opt) -> Arg {
        let append = |arg: Arg| arg.action(ArgAction::Append);
        let of_paths = value_parser!(OsString);
        let arg = Arg::new(option.id);
        let arg = match &option.value {
            Value::None => arg.action(ArgAction::SetTrue),
            Value::Help => arg.action(ArgAction::Help),
            Value::Version => arg.action(ArgAction::Version),
            Value::Text(name) => arg.value_name(name),
            Value::Optional(name, default) => arg
                .value_name(name)
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value(default),
            Value::Texts(name) => append(arg.value_name(name)),
            Value::Path(name) => arg.value_name(name).value_parser(of_paths),
            Value::Paths(name) if option.is_operand() => {
                append(arg.value_name(name).value_parser(of_paths)).num_args(0..)
            }
            Value::Paths(name) => append(arg.value_name(name).value_parser(of_paths)),
            Value::Number(name, range) => {
                let parser = RangedU64ValueParser::<u64>::new().range(range.clone());
                arg.value_name(name).value_parser(parser)
            }
            Value::OneOf(name, words) => arg
                .value_name(name)
                .value_parser(PossibleValuesParser::new(words)),
        };
        let has_value = !matches!(option.value, Value::None | Value::Help | Value::Version);
        let mut arg = arg
            .allow_hyphen_values(has_value && option.takes_hyphens)
            .conflicts_with_all(option.conflicts)
            .exclusive(option.is_alone)
            .required(option.is_required);
        if let Some(letter) = option.short {
            arg = arg.short(letter);
        }
        if let Some(word) = option.long {
            arg = arg.long(word);
        }
        if let Some(mode) = option.selects {
            let others = self.options().filter(|other| !other.applies_to(mode));
            arg = arg.conflicts_with_all(others.map(|other| other.id));
        }
        if let Some(other) = option.requires {
            arg = arg.requires(other);
        }
        match option.required_unless {
            Some(other) => arg.required_unless_present(other),
            None => arg,
        }
    }
}
