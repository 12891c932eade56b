//! [`Errors`]: the errors of a text, so that they are told together.
//!
//! A statement that is left out may declare names. An error about one of its words is taken for a consequence, and is not
//! told. A correct text gives no error, and a wrong one gives at least one.

use std::collections::HashSet;

use crate::Diagnostic;
use crate::error::{Error, Result};

/// Maximum number of errors told.
const MOST: usize = 20;

/// Maximum number of errors found, told or not. To find the column of an error takes as long as to read its line.
const MOST_FOUND: usize = 1000;

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Vec<Diagnostic>,
    /// How many errors there were, also those that are not told.
    count: usize,
    /// Words of the statements that were left out.
    doubtful: HashSet<String>,
}

impl Errors {
    /// Adds what is wrong with the text, unless it is known or may follow from an earlier error.
    ///
    /// # Errors
    /// `error` itself if it is not one of the text.
    pub(crate) fn add(&mut self, error: Error) -> Result<()> {
        let Error::Cdl(all) = error else {
            return Err(error);
        };
        self.count += all.len();
        for new in all {
            if self.is_full() {
                break;
            }
            let place = |known: &Diagnostic| (known.line, known.column);
            let is_known = self.found.iter().any(|known| place(known) == place(&new));
            if !is_known && !self.doubtful.contains(word_at(&new)) {
                self.found.push(new);
            }
        }
        Ok(())
    }

    /// Remembers the words of a statement that is left out. The name and the values of an attribute declare nothing that is
    /// used elsewhere.
    pub(crate) fn doubt(&mut self, statement: &str) {
        let declared = statement.split(':').next().unwrap_or_default();
        let words = declared.split(is_between_words);
        self.doubtful
            .extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }

    /// True if nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// True if more errors were found than are shown.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() > MOST || self.count > MOST_FOUND
    }

    /// All errors as one, in the order of the text.
    pub(crate) fn into_error(mut self) -> Error {
        self.found.sort_by_key(|found| (found.line, found.column));
        let is_full = self.is_full();
        self.found.truncate(MOST);
        if let Some(last) = self.found.last_mut().filter(|_| is_full) {
            last.what.push_str("; further errors are not shown");
        }
        Error::Cdl(self.found)
    }
}

/// The word at which an error points; empty for a sign.
fn word_at(error: &Diagnostic) -> &str {
    let start = error.shown.char_indices().nth(error.caret);
    let rest = start.map_or("", |(at, _)| &error.shown[at..]);
    rest.split(is_between_words).next().unwrap_or_default()
}

fn is_between_words(c: char) -> bool {
    c.is_whitespace() || ",;:(){}[]=*\"'".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: u64, shown: &str, caret: usize) -> Error {
        Error::Cdl(vec![Diagnostic {
            name: "a.cdl".to_owned(),
            line,
            column: 1,
            what: format!("error {line}"),
            shown: shown.to_owned(),
            caret,
        }])
    }

    #[test]
    fn consequences_and_repetitions_are_not_told() {
        let mut errors = Errors::default();
        errors.add(error(3, "int v(ä, y) ;", 9)).unwrap();
        errors.doubt("int v(ä, y) ;");
        errors.add(error(3, "int v(ä, y) ;", 9)).unwrap();
        errors.add(error(5, "v:units", 0)).unwrap();
        errors.add(error(6, "float w(ä)", 8)).unwrap();
        errors.add(error(2, "float w(z)", 8)).unwrap();
        errors.add(error(7, "  ;", 2)).unwrap();
        let Error::Cdl(told) = errors.into_error() else {
            panic!("no errors");
        };
        assert_eq!(told.iter().map(|error| error.line).collect::<Vec<_>>(), [2, 3, 7]);
    }

    #[test]
    fn the_last_of_many_says_that_there_are_more() {
        for (count, is_more) in [(MOST as u64, false), (MOST as u64 + 1, true)] {
            let mut errors = Errors::default();
            (0..count).for_each(|line| errors.add(error(line, "x", 0)).unwrap());
            assert_eq!(errors.is_full(), is_more);
            let text = errors.into_error().to_string();
            assert_eq!(text.lines().count(), 3 * MOST);
            assert_eq!(text.contains("error 19; further errors are not shown"), is_more);
        }
        assert!(Errors::default().is_empty());
        let other = Error::Internal("a".to_owned());
        assert!(Errors::default().add(other).is_err());
    }
}
