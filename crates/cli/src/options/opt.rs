//! One row of the table of options.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use ncutils_core::error::{Alternative, Request};

use super::kinds::{self, Applies};
use super::mode::Mode;

/// The value of an option. The texts are its names in the help.
#[derive(Debug, Clone)]
pub enum Value {
    /// The option has no value.
    None,
    /// Text. Of several options, the last counts.
    Text(&'static str),
    /// Text behind `=`, which may be left out: the name of the value, and the text that counts then.
    Optional(&'static str, &'static str),
    /// Text, which adds up if the option is given several times.
    Texts(&'static str),
    /// A path or URL, which need not be UTF-8.
    Path(&'static str),
    /// Paths or URLs, which add up.
    Paths(&'static str),
    /// A number in a range.
    Number(&'static str, RangeInclusive<u64>),
    /// One of several words.
    OneOf(&'static str, Vec<&'static str>),
    /// The option prints the help.
    Help,
    /// The option prints the version.
    Version,
}

/// An option of a program, or one of its operands: everything that the parser, the help, the man page, the completions, the guide
/// and messages know of it.
#[derive(Debug, Clone)]
pub struct Opt {
    /// The name of its value among the parsed arguments.
    pub(crate) id: &'static str,
    pub(crate) short: Option<char>,
    pub(crate) long: Option<&'static str>,
    pub(crate) value: Value,
    /// True if the value may begin with `-`.
    pub(crate) takes_hyphens: bool,
    /// One line.
    pub(crate) help: Cow<'static, str>,
    /// What there is to say besides the one line; may be empty.
    pub(crate) more: Cow<'static, str>,
    /// The section that has all rules, as a link from the program's page of docs/reference; may be empty.
    pub(crate) section: &'static str,
    /// True if the short help has it.
    pub(crate) is_common: bool,
    /// True for a flag of netCDF-C's program that changes nothing.
    pub(crate) is_accepted: bool,
    /// The kinds of outputs to which it applies; `None` for all.
    pub(crate) kinds: Option<Applies>,
    /// The modes of the program to which it applies; empty for all.
    pub(crate) modes: &'static [Mode],
    /// The mode that it selects.
    pub(crate) selects: Option<Mode>,
    /// Its name in messages, if that is not how it is typed.
    told: Option<&'static str>,
    /// The requests of the library that it makes.
    pub(crate) requests: &'static [Request],
    /// The alternatives of the library that it offers, each with the end of the message.
    pub(crate) alternatives: &'static [(Alternative, &'static str)],
    /// Ids of the options that cannot be given beside it.
    pub(crate) conflicts: &'static [&'static str],
    /// Id of the option that must be given beside it.
    pub(crate) requires: Option<&'static str>,
    /// True if it can only be given alone.
    pub(crate) is_alone: bool,
    /// True for an operand that must be given.
    pub(crate) is_required: bool,
    /// Id of the option in whose presence the operand need not be given.
    pub(crate) required_unless: Option<&'static str>,
}

impl Opt {
    const fn new(id: &'static str) -> Self {
        Self {
            id,
            short: None,
            long: None,
            value: Value::None,
            takes_hyphens: false,
            help: Cow::Borrowed(""),
            more: Cow::Borrowed(""),
            section: "",
            is_common: false,
            is_accepted: false,
            kinds: None,
            modes: &[],
            selects: None,
            told: None,
            requests: &[],
            alternatives: &[],
            conflicts: &[],
            requires: None,
            is_alone: false,
            is_required: false,
            required_unless: None,
        }
    }

    /// An option of one letter. As with getopt, its value may begin with `-`.
    pub fn short(letter: char, id: &'static str, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            short: Some(letter),
            takes_hyphens: true,
            help: help.into(),
            ..Self::new(id)
        }
    }

    /// An option of one word, which is its id.
    pub fn long(id: &'static str, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            long: Some(id),
            help: help.into(),
            ..Self::new(id)
        }
    }

    /// An operand: a path or URL, without a name before it.
    pub fn operand(id: &'static str, name: &'static str, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            value: Value::Path(name),
            help: help.into(),
            ..Self::new(id)
        }
    }

    /// The same option by a word, too.
    pub fn or_long(self, long: &'static str) -> Self {
        let long = Some(long);
        Self { long, ..self }
    }

    /// The same option by a letter, too.
    pub fn or_short(self, letter: char) -> Self {
        let short = Some(letter);
        Self { short, ..self }
    }

    /// With a value.
    pub fn value(self, value: Value) -> Self {
        Self { value, ..self }
    }

    /// With a value that may begin with `-`, as negative numbers do.
    pub fn takes_hyphens(self) -> Self {
        Self {
            takes_hyphens: true,
            ..self
        }
    }

    /// With more lines for the long help, the man page and the guide.
    pub fn more(self, more: impl Into<Cow<'static, str>>) -> Self {
        let more = more.into();
        Self { more, ..self }
    }

    /// With the section of docs/reference that has all rules.
    pub fn section(self, section: &'static str) -> Self {
        Self { section, ..self }
    }

    /// In the short help, too. The rest is left to `--help=all`.
    pub fn common(self) -> Self {
        Self {
            is_common: true,
            ..self
        }
    }

    /// Accepted from scripts that were written for netCDF-C's program, without effect.
    pub fn accepted(self) -> Self {
        Self {
            is_accepted: true,
            ..self
        }
    }

    /// For outputs of these kinds only.
    pub fn kinds(self, applies: Applies) -> Self {
        let kinds = Some(applies);
        Self { kinds, ..self }
    }

    /// For these modes only.
    pub fn modes(self, modes: &'static [Mode]) -> Self {
        Self { modes, ..self }
    }

    /// Selects a mode, which is the only one to which it applies.
    pub fn selects(self, mode: &'static [Mode; 1]) -> Self {
        Self {
            modes: mode,
            selects: Some(mode[0]),
            ..self
        }
    }

    /// With another name in messages.
    pub fn told(self, told: &'static str) -> Self {
        let told = Some(told);
        Self { told, ..self }
    }

    /// Makes these requests of the library.
    pub fn requests(self, requests: &'static [Request]) -> Self {
        Self { requests, ..self }
    }

    /// Offers these alternatives of the library.
    pub fn alternatives(self, alternatives: &'static [(Alternative, &'static str)]) -> Self {
        Self { alternatives, ..self }
    }

    /// Cannot be given beside these options.
    pub fn conflicts(self, conflicts: &'static [&'static str]) -> Self {
        Self { conflicts, ..self }
    }

    /// Must be given beside another option.
    pub fn requires(self, id: &'static str) -> Self {
        let requires = Some(id);
        Self { requires, ..self }
    }

    /// Can only be given alone, without operands.
    pub fn alone(self) -> Self {
        Self {
            is_alone: true,
            ..self
        }
    }

    /// The operand must be given.
    pub fn required(self) -> Self {
        Self {
            is_required: true,
            ..self
        }
    }

    /// The operand must be given, unless another option is.
    pub fn required_unless(self, id: &'static str) -> Self {
        let required_unless = Some(id);
        Self {
            required_unless,
            ..self
        }
    }

    /// Its letter.
    pub fn letter(&self) -> Option<char> {
        self.short
    }

    /// Its word.
    pub fn word(&self) -> Option<&'static str> {
        self.long
    }

    /// True if a value follows, in the next word if it is not attached.
    pub fn has_value(&self) -> bool {
        !matches!(
            self.value,
            Value::None | Value::Help | Value::Version | Value::Optional(..)
        )
    }

    /// The option as it is typed: `-d`, or `--shard` if it has no letter.
    pub fn typed(&self) -> String {
        match (self.short, self.long) {
            (Some(letter), _) => format!("-{letter}"),
            (None, long) => format!("--{}", long.unwrap_or(self.id)),
        }
    }

    /// True for an operand: it has neither a letter nor a word.
    pub(crate) fn is_operand(&self) -> bool {
        self.short.is_none() && self.long.is_none()
    }

    /// Its name in messages.
    pub fn told_as(&self) -> String {
        self.told.map_or_else(|| self.typed(), str::to_owned)
    }

    /// True if it applies to a mode.
    pub fn applies_to(&self, mode: Mode) -> bool {
        self.modes.is_empty() || self.modes.contains(&mode)
    }

    /// The one line of the help, after the kinds of outputs to which it applies.
    pub fn line(&self) -> String {
        match self.kinds {
            Some(applies) => format!("{}: {}", kinds::names(applies), self.help),
            None => self.help.to_string(),
        }
    }

    /// All that the help says of it.
    pub fn text(&self) -> String {
        let line = self.line();
        match self.more.is_empty() {
            true => line,
            false => format!("{line}\n\n{}", self.more),
        }
    }
}
