//! Every message that names an option names one that the program has.
//!
//! A message for users of another program names that program before the option: `nccopy -d 1`.

use std::fs;
use std::path::{Path, PathBuf};

use ncutils_cli::options::{NCCOPY, NCDUMP, NCGEN, Program};

const NAMES: [&str; 3] = ["nccopy", "ncdump", "ncgen"];

/// Programs of others that messages name with options.
const OTHERS: [&str; 2] = ["ncks", "cdo"];

/// Sources below `crates`, and the programs that tell their messages.
const SOURCES: [(&str, &[&str]); 12] = [
    ("nccopy/src", &["nccopy"]),
    ("ncdump/src", &["ncdump"]),
    ("ncgen/src", &["ncgen"]),
    ("cli/src/options/mode.rs", &["nccopy"]),
    ("cli/src/options/names.rs", &["nccopy", "ncgen"]),
    ("cli/src/values/kind.rs", &["nccopy", "ncgen"]),
    ("cli/src/values/data_access.rs", &["nccopy", "ncdump"]),
    ("cli/src/run.rs", &NAMES),
    ("plugin/src", &NAMES),
    ("core/src/copy", &["nccopy"]),
    ("core/src/location", &["nccopy", "ncgen"]),
    // Only copies with `-k h5`.
    ("core/src/subset/verbatim.rs", &["nccopy"]),
];

fn program(name: &str) -> &'static Program {
    match name {
        "nccopy" => &NCCOPY,
        "ncdump" => &NCDUMP,
        _ => &NCGEN,
    }
}

/// The options that a text names, each with the program that the word before it names. `-k` has its value.
fn options_in(text: &str) -> Vec<(Option<&str>, String)> {
    let is_gap = |c: char| c.is_whitespace() || "'`\"(),;:/{}[]|=".contains(c);
    let words: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
    let mut before = None;
    let mut found = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let word = word.trim_end_matches('.');
        let is_long = word
            .strip_prefix("--")
            .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        let mut chars = word.chars().skip(1);
        let is_short = word.starts_with('-')
            && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.next().is_none();
        let kind = words.get(n + 1).filter(|_| word == "-k");
        if (is_long || is_short) && !before.is_some_and(|name| OTHERS.contains(&name)) {
            found.push((
                before,
                kind.map_or(word.to_owned(), |kind| format!("{word} {kind}")),
            ));
        }
        before = NAMES.into_iter().chain(OTHERS).find(|name| *name == word);
    }
    found
}

/// The text literals of a source, without comments, escapes and tests.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => {
                let _comment = chars.find(|c| *c == '\n');
            }
            '\'' if chars.peek() == Some(&'"') => {
                chars.next();
            }
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    match c {
                        '\\' => text.extend(chars.next().map(|_| ' ')),
                        c => text.push(c),
                    }
                }
                found.push(text);
            }
            _ => {}
        }
    }
    found
}

/// The Rust sources at or below a path, without those of tests alone.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let wanted = paths.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.starts_with("tests") && (path.is_dir() || name.ends_with(".rs"))
    });
    wanted.flat_map(|path| sources(&path)).collect()
}

#[test]
fn options_in_sources_exist() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut count = 0;
    for (folder, programs) in SOURCES {
        for path in sources(&crates.join(folder)) {
            for text in literals(&fs::read_to_string(&path).unwrap()) {
                for (named, option) in options_in(&text) {
                    for name in named
                        .as_slice()
                        .iter()
                        .chain(programs.iter().filter(|_| named.is_none()))
                    {
                        assert!(
                            has(program(name), &option),
                            "{}: {name} has no {option}: {text}",
                            path.display()
                        );
                        count += 1;
                    }
                }
            }
        }
    }
    assert!(count > 40, "{count} names of options were found");
}

#[test]
fn options_in_the_table_exist() {
    for name in NAMES {
        let program = program(name);
        let help = program.command().render_long_help().to_string();
        let ends = program.messages().collect::<Vec<_>>().join("\n");
        for (named, option) in options_in(&format!("{help}\n{ends}")) {
            let of = named.map_or(program, self::program);
            assert!(
                has(of, &option),
                "the help of {name}: {} has no {option}",
                of.name
            );
        }
    }
}

#[test]
fn names_in_texts_are_found() {
    let found = options_in("use -d 1, '--page'; 'nccopy --salvage' copies; -k zst, -1 and x-y, ncks --jsn");
    let names: Vec<_> = found
        .iter()
        .map(|(named, option)| (*named, option.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            (None, "-d"),
            (None, "--page"),
            (Some("nccopy"), "--salvage"),
            (None, "-k zst")
        ]
    );
    let literals = literals("x('\"', \"-a\\\"b\"); // \"no\"\n\"-c\" #[cfg(test)] \"-d\"");
    assert_eq!(literals, ["-a b", "-c"]);
}

/// True if a program has an option, as it is typed.
fn has(program: &Program, typed: &str) -> bool {
    let (typed, kind) = typed.split_once(' ').unwrap_or((typed, ""));
    let is_kind = program.name == "nccopy" || !["zst", "h5"].contains(&kind);
    let command = program.command();
    is_kind
        && command.get_arguments().any(|arg| {
            arg.get_short()
                .is_some_and(|letter| typed == format!("-{letter}"))
                || arg.get_long().is_some_and(|word| typed == format!("--{word}"))
        })
}
