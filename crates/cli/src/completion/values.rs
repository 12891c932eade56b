//! Candidates for the names and the values of options.

use ncutils_core::copy::plan::ReadingProgram;
use ncutils_core::filter::Registry;
use ncutils_core::model::Kind;

use super::dataset::DatasetNames;
use super::line::{CommandLine, CursorPlace};
use crate::options::{Opt, Program, Value};

/// What is printed where the shell completes names of files.
pub(super) const FILES: &str = ":files";

/// The candidates at the cursor of a line.
pub(super) fn at_cursor(program: &Program, line: &CommandLine<'_>) -> Vec<String> {
    let shown = |candidate: &String| candidate.starts_with(&line.typed);
    let mut found = match &line.place {
        CursorPlace::Option => options(program),
        CursorPlace::Operand => vec![FILES.to_owned()],
        CursorPlace::Value(option) => of(program, option, line),
    };
    found.retain(|candidate| candidate == FILES || shown(candidate));
    for candidate in &mut found {
        if candidate != FILES {
            candidate.insert_str(0, &line.before);
        }
    }
    found
}

/// The names of all options, each with its line of the help.
fn options(program: &Program) -> Vec<String> {
    let lines = program.options().flat_map(|option| {
        let letter = option.letter().map(|letter| format!("-{letter}"));
        let word = option.word().map(|word| format!("--{word}"));
        let names = word.into_iter().chain(letter);
        names.map(move |name| format!("{name}\t{}", option.line()))
    });
    lines.collect()
}

/// The candidates for an option's value, by the name of the value in the help. In a list, what precedes the last comma is kept.
fn of(program: &Program, option: &Opt, line: &CommandLine<'_>) -> Vec<String> {
    let names = || DatasetNames::of(&line.operands);
    let with = |names: Vec<String>, end: &str| names.iter().map(|name| format!("{name}{end}")).collect();
    let list = |names: Vec<String>| {
        let (begun, _) = line
            .typed
            .rsplit_once(',')
            .map_or(("", ""), |(begun, rest)| (begun, rest));
        let comma = if begun.is_empty() { "" } else { "," };
        names.iter().map(|name| format!("{begun}{comma}{name}")).collect()
    };
    match &option.value {
        Value::OneOf(_, words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Value::Path(_) | Value::Paths(_) => vec![FILES.to_owned()],
        Value::Text(name) | Value::Texts(name) => match *name {
            "VAR,…" => list(names().variables),
            "GROUP,…" => list(names().groups),
            "DIM,…" => list(names().dimensions),
            "DIM" => names().dimensions,
            "DIM=INDICES" | "DIM=VALUES" => with(names().dimensions, "="),
            "CHUNKS" | "SHARDS" => list(with(names().dimensions, "/")),
            "QUANTIZE" => with(names().variables, ","),
            "FILTER" => filters(names, &line.typed),
            "KIND" => kinds(program),
            "READER" => ReadingProgram::ALL
                .iter()
                .map(|reader| reader.name.to_owned())
                .collect(),
            "c|f" | "p|m|F" => name.split('|').map(str::to_owned).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The kinds that `-k` takes.
fn kinds(program: &Program) -> Vec<String> {
    let kinds = Kind::OF_FILES
        .into_iter()
        .chain(Kind::OF_ZARR)
        .chain(Kind::ARCHIVES);
    let kinds = kinds.map(|kind| format!("{}\t{}", kind.can().short_name, kind.name()));
    let others: &[&str] = match program.name {
        "nccopy" => &["archive", "zst", "h5", "kerchunk", "icechunk"],
        _ => &["archive"],
    };
    kinds
        .chain(others.iter().map(|kind| (*kind).to_owned()))
        .collect()
}

/// The variables and filters that `-F` takes: first who gets filters, then which.
fn filters(names: impl FnOnce() -> DatasetNames, typed: &str) -> Vec<String> {
    let registry = Registry::builtin();
    let codecs = registry.iter().map(|codec| codec.name().to_owned());
    let codecs = codecs.chain(["auto", "none", "keep"].map(str::to_owned));
    match typed.rfind([',', '|']) {
        Some(at) => codecs.map(|codec| format!("{}{codec}", &typed[..=at])).collect(),
        None => {
            let all = codecs.map(|codec| format!("*,{codec}"));
            let variables = names()
                .variables
                .into_iter()
                .map(|variable| format!("{variable},"));
            all.chain(variables).chain(["none".to_owned()]).collect()
        }
    }
}
