//! Every option of one letter has a word, and both take values as getopt and getopt_long do.

use clap::ArgMatches;
use ncutils_cli::options::{NCCOPY, NCDUMP, NCGEN, Program};

/// Values that options take, by the name of the value in the help; others take any text.
fn value(name: &str) -> &'static str {
    match name {
        "SHELL" => "zsh",
        "PLACE" => "end",
        "FORM" => "path",
        "WHICH" => "last",
        _ => "7",
    }
}

/// What a call gives for an option; `None` if the parser refuses the call.
fn parsed(program: &Program, id: &str, words: &[String]) -> Option<Vec<String>> {
    let name = [program.name.to_owned()];
    let matches = program
        .command()
        .try_get_matches_from(name.iter().chain(words).chain(&["IN".to_owned()]));
    let raw = |matches: ArgMatches| {
        let values = matches.get_raw(id)?;
        Some(values.map(|value| value.to_string_lossy().into_owned()).collect())
    };
    matches.ok().and_then(raw)
}

#[test]
fn every_name_takes_its_value_in_every_way() {
    let mut count = 0;
    for program in [&*NCCOPY, &*NCDUMP, &*NCGEN] {
        let command = program.command();
        let both = command
            .get_arguments()
            .filter_map(|arg| Some((arg, arg.get_short()?, arg.get_long()?)));
        for (arg, letter, word) in both {
            let id = arg.get_id().as_str();
            let Some(name) = arg.get_value_names().and_then(<[_]>::first) else {
                if ["help", "version"].contains(&id) {
                    continue;
                }
                let given = Some(vec!["true".to_owned()]);
                assert_eq!(parsed(program, id, &[format!("-{letter}")]), given, "-{letter}");
                assert_eq!(parsed(program, id, &[format!("--{word}")]), given, "--{word}");
                assert_eq!(parsed(program, id, &[format!("--{word}=1")]), None, "--{word}=1");
                continue;
            };
            // A value may begin with a hyphen, as in getopt's argument of its own.
            for value in [value(name), "-7"] {
                let given = Some(vec![value.to_owned()]);
                for words in [
                    vec![format!("-{letter}{value}")],
                    vec![format!("-{letter}"), value.to_owned()],
                    vec![format!("--{word}={value}")],
                    vec![format!("--{word}"), value.to_owned()],
                ] {
                    assert_eq!(parsed(program, id, &words), given, "{} {words:?}", program.name);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 150, "{count}");
}

#[test]
fn the_last_of_several_counts_by_whichever_name() {
    for (words, last) in [(["-d1", "--deflate=2"], "2"), (["--deflate=2", "-d1"], "1")] {
        let words = words.map(str::to_owned);
        assert_eq!(parsed(&NCCOPY, "deflate", &words), Some(vec![last.to_owned()]));
    }
}
