//! Modes that print nothing of a dataset's content, and the options that each of them cannot apply.

use clap::Command;

/// Options that say what is printed of the content, or how it looks.
const OF_PRINTING: [&str; 18] = [
    "header",
    "coordinates",
    "groups",
    "rows",
    "elements",
    "line-length",
    "precision",
    "digits",
    "special",
    "filters",
    "ncml",
    "times",
    "iso-times",
    "extra",
    "format",
    "kind",
    "name",
    "sources",
];

/// Each mode, and what it refuses besides [`OF_PRINTING`].
const REFUSED: [(&str, &[&str]); 4] = [
    ("check", &["digest", "diff", "exact", "isel", "sel"]),
    ("digest", &["diff", "exact", "json"]),
    ("diff", &["json"]),
    ("sources", &["exact", "isel", "json", "sel", "vars"]),
];

/// Makes the parser refuse options that a mode would ignore.
pub fn refuse_ignored(mut command: Command) -> Command {
    for (mode, others) in REFUSED {
        let all = OF_PRINTING.iter().chain(others).filter(|name| **name != mode);
        let all: Vec<&str> = all.copied().collect();
        command = command.mut_arg(mode, |arg| arg.conflicts_with_all(all));
    }
    command
}
