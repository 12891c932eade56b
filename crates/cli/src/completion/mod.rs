//! Completes command lines in a shell: options, their values, and the names in the dataset on the line.
//!
//! ```text
//! TAB ─► script of the shell ─► PROGRAM --complete-words SHELL INDEX WORD... ─► line: which value is completed
//!                                                                               │
//!                  candidates, a line each ◄─ values ◄─ dataset: names ◄────────┘
//! ```
//!
//! The scripts know nothing of options. They pass the words of the line on and show what is printed: a candidate a line, with its
//! explanation behind a tab, or `:files` where names of files belong.

mod dataset;
mod line;
mod values;

use std::ffi::OsString;

use clap_complete::Shell;

use crate::options::Program;
use line::{Line, Place};
use values::FILES;

/// The first argument of a call by a script.
const ASKED: &str = "--complete-words";

/// What a script of a shell gets for a call with these arguments, the program's name first; `None` if no script asks.
pub fn asked(program: &Program, mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    if arguments.nth(1)? != ASKED {
        return None;
    }
    let splits_values = arguments.next()? == "bash";
    let index = arguments.next()?.to_str()?.parse().ok()?;
    let words: Vec<String> = arguments
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let candidates = completed(program, &Line::of(program, &words, index, splits_values)?);
    Some(
        candidates
            .iter()
            .map(|candidate| format!("{candidate}\n"))
            .collect(),
    )
}

/// The candidates at a place of a line.
fn completed(program: &Program, line: &Line<'_>) -> Vec<String> {
    let shown = |candidate: &String| candidate.starts_with(&line.typed);
    let mut found = match &line.place {
        Place::Option => values::options(program),
        Place::Operand => vec![FILES.to_owned()],
        Place::Value(option) => values::of(program, option, line),
    };
    found.retain(|candidate| candidate == FILES || shown(candidate));
    for candidate in &mut found {
        if candidate != FILES {
            candidate.insert_str(0, &line.before);
        }
    }
    found
}

/// The script for a shell. Those of other shells than bash, zsh and fish know the options alone.
pub fn script(program: &Program, shell: Shell) -> Vec<u8> {
    let script = match shell {
        Shell::Bash => include_str!("bash.sh"),
        Shell::Zsh => include_str!("zsh.zsh"),
        Shell::Fish => include_str!("fish.fish"),
        _ => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut program.command(), program.name, &mut script);
            return script;
        }
    };
    script.replace("PROGRAM", program.name).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{NCCOPY, NCDUMP, NCGEN};

    fn told(program: &Program, shell: &str, words: &[&str], index: usize) -> Vec<String> {
        let index = index.to_string();
        let call = [program.name, ASKED, shell, &index];
        let call = call.iter().chain(words).map(OsString::from);
        let text = asked(program, call).unwrap();
        let first = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
        text.lines().map(first).collect()
    }

    #[test]
    fn options_and_words_are_completed() {
        for (program, words, expected) in [
            (
                &*NCCOPY,
                &["nccopy", "--fix"][..],
                &["--fix-unlimited", "--fixed"][..],
            ),
            (&*NCCOPY, &["nccopy", "--shard-index", ""], &["start", "end"]),
            (&*NCCOPY, &["nccopy", "--shard-index=e"], &["--shard-index=end"]),
            (&*NCCOPY, &["nccopy", "-k", "nc7"], &["nc7"]),
            (&*NCCOPY, &["nccopy", "-F", "temp,zst"], &["temp,zstd"]),
            (
                &*NCCOPY,
                &["nccopy", "-F", "*,shuffle|defl"],
                &["*,shuffle|deflate"],
            ),
            (&*NCCOPY, &["nccopy", "-d", "5", ""], &[FILES]),
            (&*NCDUMP, &["ncdump", "-b", ""], &["c", "f"]),
            (&*NCDUMP, &["ncdump", "--diff", "x"], &[FILES]),
            (&*NCDUMP, &["ncdump", "-v", ""], &[]),
            (&*NCDUMP, &["ncdump", "--", "-"], &[FILES]),
            (&*NCGEN, &["ncgen", "-4o", "x"], &[FILES]),
            (&*NCGEN, &["ncgen", "-kzarr"], &["-kzarr2", "-kzarr3"]),
        ] {
            assert_eq!(
                told(program, "zsh", words, words.len() - 1),
                expected,
                "{words:?}"
            );
        }
    }

    #[test]
    fn bash_splits_words_at_the_equals_sign() {
        let words = ["nccopy", "--shard-index", "=", "e"];
        assert_eq!(told(&NCCOPY, "bash", &words, 3), ["end"]);
        assert_eq!(told(&NCCOPY, "bash", &words[..3], 2), ["start", "end"]);
    }

    #[test]
    fn other_calls_are_none_of_a_script() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>().into_iter();
        assert_eq!(asked(&NCDUMP, words(&["ncdump", "-h"])), None);
        assert_eq!(asked(&NCDUMP, words(&["ncdump"])), None);
        assert_eq!(
            asked(&NCDUMP, words(&["ncdump", ASKED, "zsh", "9", "ncdump"])),
            None
        );
    }
}
