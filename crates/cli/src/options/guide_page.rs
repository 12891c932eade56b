//! The table of a program's options in the guide.

use std::fmt::Write;

use super::opt::{Opt, Value};
use super::program::Program;

impl Program {
    /// The options as Markdown: a table for each group. If the program has modes, a column tells to which an option applies.
    pub fn page(&self) -> String {
        let (heads, lines) = match self.modes.is_empty() {
            true => ("", ""),
            false => (" applies to |", " --- |"),
        };
        let mut page = String::new();
        for (heading, options) in &self.groups {
            let _ = write!(page, "\n| {heading} | |{heads}\n| --- | --- |{lines}\n");
            for option in options {
                let modes = match self.modes.is_empty() {
                    true => String::new(),
                    false => format!(" {} |", self.applies_to(option)),
                };
                let _ = writeln!(
                    page,
                    "| {} | {} |{modes}",
                    names(option),
                    self.description(option)
                );
            }
        }
        page
    }

    fn applies_to(&self, option: &Opt) -> String {
        if option.modes.is_empty() {
            return "all".to_owned();
        }
        let all = self.modes.iter().filter(|(mode, _)| option.applies_to(*mode));
        all.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
    }

    fn description(&self, option: &Opt) -> String {
        let mut text = option.line();
        if !option.more.is_empty() {
            text = format!("{text}.<br>{}", option.more.replace('\n', "<br>"));
        }
        if !text.ends_with('.') {
            text.push('.');
        }
        let text = text.replace('|', "\\|").replace('*', "\\*");
        let own = format!("{}.md", self.name);
        match option.section.strip_prefix(&own).unwrap_or(option.section) {
            "" => text,
            section => format!("{text} [More]({section})"),
        }
    }
}

/// The option as it is typed, with its value.
fn names(option: &Opt) -> String {
    let value = match &option.value {
        Value::None | Value::Help | Value::Version => String::new(),
        Value::OneOf(_, words) => format!(" {}", words.join("\\|")),
        Value::Optional(name, _) => format!("[={name}]"),
        Value::Text(name)
        | Value::Texts(name)
        | Value::Path(name)
        | Value::Paths(name)
        | Value::Number(name, _) => {
            format!(" {}", name.replace('|', "\\|"))
        }
    };
    let short = option.short.map(|letter| format!("`-{letter}{value}`"));
    let long = option.long.map(|word| format!("`--{word}{value}`"));
    let all: Vec<_> = short.into_iter().chain(long).collect();
    all.join(", ")
}
