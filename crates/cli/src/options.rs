//! Makes options of the kinds that all programs have.

use clap::{Arg, ArgAction, Command};

/// A program that parses its options like getopt: they may be clustered or attached to their values, and the last of
/// several counts. The short option `-h` is free for the program.
pub fn program(
    name: &'static str,
    version: &'static str,
    about: &'static str,
    examples: &'static str,
) -> Command {
    Command::new(name)
        .version(version)
        .about(about)
        .after_help(examples)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args_override_self(true)
}

/// An option without a value.
pub fn flag(name: &'static str, short: char, help: &'static str) -> Arg {
    Arg::new(name).short(short).action(ArgAction::SetTrue).help(help)
}

/// An option with a value, which may begin with `-`.
pub fn value(name: &'static str, short: char, metavar: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .short(short)
        .value_name(metavar)
        .help(help)
        .allow_hyphen_values(true)
}

/// `--help`.
pub fn help() -> Arg {
    Arg::new("help")
        .long("help")
        .action(ArgAction::Help)
        .help("Print this help")
}

/// `--version`.
pub fn version() -> Arg {
    Arg::new("version")
        .long("version")
        .action(ArgAction::Version)
        .help("Print the version")
}

/// The options of `command` that the text of a page does not name, spelled as they are typed.
pub fn missing_in(page: &str, command: &Command) -> Vec<String> {
    let names_long = |long: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        page.match_indices(long)
            .any(|(at, found)| ends(&page[at + found.len()..]))
    };
    // A short option may have its value attached.
    let names_short = |short: &str| {
        ["`", " "]
            .iter()
            .any(|before| page.contains(&format!("{before}{short}")))
    };
    let mut missing = Vec::new();
    for option in command.get_arguments() {
        let short = option.get_short().map(|short| format!("-{short}"));
        let long = option.get_long().map(|long| format!("--{long}"));
        missing.extend(short.filter(|short| !names_short(short)));
        missing.extend(long.filter(|long| !names_long(long)));
    }
    missing
}
