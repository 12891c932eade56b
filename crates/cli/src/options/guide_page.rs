//! The list of a program's options in its page of the reference.

use std::fmt::Write;

use super::opt::{Opt, Value};
use super::program::Program;

impl Program {
    /// The options as Markdown: a list for each group. The name of an option links to its section of the guide, and the modes to
    /// which it applies follow in parentheses, if these are not all.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for (heading, options) in &self.groups {
            let _ = write!(page, "\n**{heading}**\n\n");
            let mut before: Option<(String, String)> = None;
            for option in options {
                let (name, text) = (self.linked(option), self.told(option));
                match before.take() {
                    // Options that mean the same share a line.
                    Some((names, same)) if same == text => before = Some((format!("{names}, {name}"), text)),
                    earlier => {
                        line(&mut page, earlier);
                        before = Some((name, text));
                    }
                }
            }
            line(&mut page, before);
        }
        page
    }

    /// The option as it is typed, as a link to its section.
    fn linked(&self, option: &Opt) -> String {
        let own = format!("{}.md", self.name);
        match option.section.strip_prefix(&own).unwrap_or(option.section) {
            "" => names(option),
            section => format!("[{}]({section})", names(option)),
        }
    }

    fn told(&self, option: &Opt) -> String {
        format!("{}: {}", self.applies_to(option), description(option))
    }

    fn applies_to(&self, option: &Opt) -> String {
        let modes = self.modes.iter().filter(|(mode, _)| option.applies_to(*mode));
        let modes: Vec<_> = modes.map(|(_, name)| *name).collect();
        if option.modes.is_empty() || modes.is_empty() || modes.len() == self.modes.len() {
            return String::new();
        }
        format!(" ({})", modes.join(", "))
    }
}

fn line(page: &mut String, option: Option<(String, String)>) {
    if let Some((names, text)) = option {
        let _ = writeln!(page, "- {names}{text}");
    }
}

fn description(option: &Opt) -> String {
    let mut text = option.line();
    if !option.more.is_empty() {
        text = format!("{text}. {}", option.more.replace('\n', " "));
    }
    if !text.ends_with('.') {
        text.push('.');
    }
    text.replace('*', "\\*")
}

/// The option as it is typed, with its value.
fn names(option: &Opt) -> String {
    let value = match &option.value {
        Value::None | Value::Help | Value::Version => String::new(),
        Value::OneOf(_, words) => format!(" {}", words.join("|")),
        Value::Optional(name, _) => format!("[={name}]"),
        Value::Text(name)
        | Value::Texts(name)
        | Value::Path(name)
        | Value::Paths(name)
        | Value::Number(name, _) => {
            format!(" {name}")
        }
    };
    let short = option.short.map(|letter| format!("`-{letter}{value}`"));
    let long = option.long.map(|word| format!("`--{word}{value}`"));
    let all: Vec<_> = short.into_iter().chain(long).collect();
    all.join(", ")
}
