//! Completes command lines in a shell: options, their values, and the names in the dataset on the line.
//!
//! ```text
//! TAB ─► script of the shell ─► PROGRAM --complete-words SHELL INDEX WORD... ─► call ─► line: which value is completed
//!                                                                                       │
//!                          candidates, a line each ◄─ values ◄─ dataset: names ◄────────┘
//! ```
//!
//! The scripts know nothing of options. They pass the words of the line on and show what is printed: a candidate a line, with its
//! explanation behind a tab, or `:files` where names of files belong.

mod call;
mod dataset;
mod line;
mod values;

use std::ffi::OsString;

use clap::Command;
use clap_complete::Shell;

use crate::options::Program;
pub use call::Call;

/// What a script of a shell gets for a call with these arguments, the program's name first; `None` if no script asks.
pub fn asked(program: &Program, arguments: impl Iterator<Item = OsString>) -> Option<String> {
    Call::of(arguments)?.answer(program)
}

/// The script that completes a program's command lines in a shell.
pub fn script(program: &Program, shell: Shell) -> Vec<u8> {
    script_of(&mut program.command(), "--completions", shell)
}

/// The script for a parser's program, which prints it when `printed_by` and the shell's name are its arguments. Scripts of other
/// shells than bash, zsh and fish know what the parser knows.
pub fn script_of(command: &mut Command, printed_by: &str, shell: Shell) -> Vec<u8> {
    let name = command.get_name().to_owned();
    let script = match shell {
        Shell::Bash => include_str!("bash.sh"),
        Shell::Zsh => include_str!("zsh.zsh"),
        Shell::Fish => include_str!("fish.fish"),
        _ => {
            let mut script = Vec::new();
            clap_complete::generate(shell, command, name, &mut script);
            return script;
        }
    };
    script
        .replace("PRINTED_BY", printed_by)
        .replace("PROGRAM", &name)
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::call::ASKED;
    use super::values::FILES;
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
