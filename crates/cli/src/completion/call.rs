//! [`Call`]: what the script of a shell asks for.

use std::ffi::OsString;

use super::line::CommandLine;
use super::values;
use crate::options::Program;

/// The first argument of a call by a script.
pub(super) const ASKED: &str = "--complete-words";

/// A call by the script of a shell: the words of a command line, one of which is completed.
#[derive(Debug, Clone)]
pub struct Call {
    words: Vec<String>,
    index: usize,
    /// True if `--option=value` is three words, as bash has it.
    splits_values: bool,
}

impl Call {
    /// The call with these arguments, the program's name first; `None` if no script calls.
    pub fn of(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        if arguments.nth(1)? != ASKED {
            return None;
        }
        Some(Self {
            splits_values: arguments.next()? == "bash",
            index: arguments.next()?.to_str()?.parse().ok()?,
            words: arguments
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        })
    }

    /// The words before the one that is completed, the program's name first.
    pub fn before(&self) -> &[String] {
        self.words.get(..self.index).unwrap_or(&self.words)
    }

    /// The call for a command of the program, without the program's name: `copy a.nc` for `ncutils copy a.nc`.
    pub fn of_command(mut self) -> Self {
        self.words.drain(..self.words.len().min(1));
        self.index = self.index.saturating_sub(1);
        self
    }

    /// What the script gets for a line of this program; `None` if the call has no such word.
    pub fn answer(&self, program: &Program) -> Option<String> {
        let line = CommandLine::of(program, &self.words, self.index, self.splits_values)?;
        Some(lines(values::at_cursor(program, &line)))
    }

    /// What the script gets where these are the candidates: those that begin as the word does.
    pub fn answer_of(&self, candidates: impl IntoIterator<Item = String>) -> String {
        let typed = self.words.get(self.index).map_or("", String::as_str);
        let begins = |candidate: &String| candidate.starts_with(typed);
        lines(candidates.into_iter().filter(begins))
    }
}

fn lines(candidates: impl IntoIterator<Item = String>) -> String {
    let lines = candidates.into_iter().map(|candidate| format!("{candidate}\n"));
    lines.collect()
}
