//! [`CommandLine`]: what is typed, and what belongs at the cursor.

use crate::options::{Opt, Program};

/// A command line that is completed.
pub(super) struct CommandLine<'p> {
    /// What belongs at the cursor.
    pub(super) place: CursorPlace<'p>,
    /// The beginning of the word, which candidates keep.
    pub(super) before: String,
    /// What was typed of the candidate.
    pub(super) typed: String,
    /// The operands besides the word at the cursor.
    pub(super) operands: Vec<String>,
}

/// What belongs at the cursor.
pub(super) enum CursorPlace<'p> {
    /// The name of an option.
    Option,
    /// An operand.
    Operand,
    /// The value of an option.
    Value(&'p Opt),
}

impl<'p> CommandLine<'p> {
    /// The line of these words, the program's name first, of which one is completed. With `splits_values`, `--option=value` is
    /// three words, as bash has it. `None` if there is no such word.
    pub(super) fn of(
        program: &'p Program,
        words: &[String],
        index: usize,
        splits_values: bool,
    ) -> Option<Self> {
        // A cursor at the end of the line may have no word.
        let current = match words.get(index) {
            Some(word) => word.as_str(),
            None if index == words.len() && index > 0 => "",
            None => return None,
        };
        let mut line = Self {
            place: CursorPlace::Operand,
            before: String::new(),
            typed: current.to_owned(),
            operands: Vec::new(),
        };
        let mut expected: Option<&'p Opt> = None;
        let mut has_ended = false;
        for (n, word) in words.iter().enumerate().skip(1) {
            if n == index {
                line.stand(program, current, expected, has_ended, splits_values);
            }
            if let Some(option) = expected.take() {
                if splits_values && word == "=" {
                    expected = Some(option);
                }
            } else if has_ended || !word.starts_with('-') || word == "-" {
                if n != index {
                    line.operands.push(word.clone());
                }
            } else if word == "--" {
                has_ended = n != index;
            } else {
                expected = match named(program, word) {
                    Some((option, None)) => Some(option),
                    _ => None,
                };
            }
        }
        if index == words.len() {
            line.stand(program, "", expected, has_ended, splits_values);
        }
        Some(line)
    }

    /// Finds out what belongs at the cursor, whose word is `current` and comes after an option that expects a value.
    fn stand(
        &mut self,
        program: &'p Program,
        current: &str,
        expected: Option<&'p Opt>,
        has_ended: bool,
        splits_values: bool,
    ) {
        if let Some(option) = expected {
            self.place = CursorPlace::Value(option);
            if splits_values && current == "=" {
                self.typed.clear();
            }
            return;
        }
        if has_ended || !current.starts_with('-') {
            return;
        }
        self.place = CursorPlace::Option;
        if let Some((option, Some(at))) = named(program, current) {
            self.place = CursorPlace::Value(option);
            self.before = current[..at].to_owned();
            self.typed = current[at..].to_owned();
        }
    }
}

/// The option with a value that a word names, and where the value begins if the word has it, too.
fn named<'p>(program: &'p Program, word: &str) -> Option<(&'p Opt, Option<usize>)> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, _)) => (name, Some(name.len() + 3)),
            None => (long, None),
        };
        let option = program.options().find(|option| option.word() == Some(name))?;
        return option.has_value().then_some((option, value));
    }
    for (at, letter) in word.char_indices().skip(1) {
        let option = program.options().find(|option| option.letter() == Some(letter))?;
        if option.has_value() {
            let value = at + letter.len_utf8();
            return Some((option, (value < word.len()).then_some(value)));
        }
    }
    None
}
