//! The list of a program's options in its page of the reference.

use std::fmt::Write;

use super::opt::{Opt, Value};
use super::program::Program;

impl Program {
    /// The options as Markdown: a list for each group, then what each mode takes. The name of an option links to its section.
    /// The options of a group that `other` has too share a line: the rest is on that program's page.
    pub fn page(&self, other: Option<&Self>) -> String {
        let mut page = String::new();
        let of_other: Vec<String> = other
            .into_iter()
            .flat_map(Self::options)
            .map(description)
            .collect();
        for (heading, options) in &self.groups {
            let _ = write!(page, "\n**{heading}**\n\n");
            let (shared, own): (Vec<&Opt>, Vec<&Opt>) = options
                .iter()
                .partition(|option| !option.is_accepted && of_other.contains(&description(option)));
            // Options that mean the same share a line.
            for same in own.chunk_by(|one, next| description(one) == description(next)) {
                let names: Vec<_> = same.iter().map(|option| self.linked(option)).collect();
                let _ = writeln!(page, "- {}: {}", names.join(", "), description(same[0]));
            }
            if let (false, Some(other)) = (shared.is_empty(), other) {
                let names: Vec<_> = shared.iter().map(|option| self.linked(option)).collect();
                let _ = writeln!(page, "- As in [{0}]({0}.md): {1}", other.name, names.join(", "));
            }
        }
        if let Some((_, modes)) = self.modes.split_first() {
            let _ = write!(
                page,
                "\n**Options of each mode, besides those of every mode, such as `-m` and `--quiet`**\n\n"
            );
            let everywhere = |option: &Opt| self.modes.iter().all(|(mode, _)| option.applies_to(*mode));
            for (mode, name) in modes {
                let here = |option: &Opt| option.applies_to(*mode) && !everywhere(option);
                let _ = writeln!(page, "- {name}: {}", self.shortest_names(here));
            }
        }
        page
    }

    fn shortest_names(&self, which: impl Fn(&Opt) -> bool) -> String {
        let names = self
            .options()
            .filter(|option| which(option))
            .map(|option| match option.short {
                Some(letter) => format!("`-{letter}`"),
                None => format!("`--{}`", option.long.unwrap_or_default()),
            });
        names.collect::<Vec<_>>().join(", ")
    }

    /// The option as it is typed, as a link to its section.
    fn linked(&self, option: &Opt) -> String {
        let own = format!("{}.md", self.name);
        match option.section.strip_prefix(&own).unwrap_or(option.section) {
            "" => names(option),
            section => format!("[{}]({section})", names(option)),
        }
    }
}

fn description(option: &Opt) -> String {
    match &*option.more {
        "" => sentence(&option.line()),
        more => format!(
            "{} {}",
            sentence(&option.line()),
            sentence(&more.replace('\n', " "))
        ),
    }
}

/// The text as Markdown, with a full stop.
fn sentence(text: &str) -> String {
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{}{stop}", text.replace('*', "\\*"))
}

/// The option as it is typed, with its value after the last name.
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
    match (option.short, option.long) {
        (Some(letter), Some(word)) => format!("`-{letter}`, `--{word}{value}`"),
        (Some(letter), None) => format!("`-{letter}{value}`"),
        (None, word) => format!("`--{}{value}`", word.unwrap_or_default()),
    }
}
