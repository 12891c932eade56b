//! [`Diagnostic`]: a message about a position in a text.

use std::fmt;

use crate::message::one_line;

/// An error or warning at a position in a text. Its message shows the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the text: its file, or `stdin`.
    pub name: String,
    /// Line number, from 1.
    pub line: u64,
    /// Column, from 1, in characters (in bytes if the line is not UTF-8).
    pub column: u64,
    /// The message.
    pub what: String,
    /// The line, or the part of a long line around the position.
    pub shown: String,
    /// Number of characters of `shown` before the position.
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
        // The message must contain no line breaks but its own.
        let (name, what) = (one_line(name), one_line(what));
        write!(f, "{name}:{line}:{column}: {what}\n  {shown}\n  {:caret$}^", "")
    }
}
