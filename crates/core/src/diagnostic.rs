//! A message about a place in a text.

use std::fmt;

use crate::message::one_line;

/// What is wrong in a text, and where. Its message shows the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The name of the text: its file, or `stdin`.
    pub name: String,
    /// From 1.
    pub line: u64,
    /// From 1, in characters (in bytes where the line is not UTF-8).
    pub column: u64,
    /// What is wrong there.
    pub what: String,
    /// The line, or the part of a long one around the place.
    pub shown: String,
    /// How many characters of `shown` stand before the place.
    pub caret: usize,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            line,
            column,
            what,
            shown,
            caret,
        } = self;
        // The breaks of these lines are the only ones.
        let (name, what) = (one_line(name), one_line(what));
        write!(f, "{name}:{line}:{column}: {what}\n  {shown}\n  {:caret$}^", "")
    }
}
