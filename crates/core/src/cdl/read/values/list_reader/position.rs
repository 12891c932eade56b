//! State of a walk over a list: the open braces, the position in each level, and which of value, comma and brace may
//! follow.

use crate::error::Result;

use crate::cdl::read::constant::lexer::{Constant, Lexer};
use crate::cdl::read::values::data_list::DataList;
use crate::cdl::read::values::entry::ListEntry;
use crate::cdl::read::values::measure::LIST_EXPECTED;

/// The last item that was passed in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    Nothing,
    Value,
    Comma,
}

/// The next item between values, found by [`Position::between`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A comma, a brace, or a fill value that stands for a whole list. It has been taken.
    Taken,
    /// A value, not taken yet.
    Value,
    /// The end of the window.
    End,
}

/// The open level, and the position in each level.
pub(super) struct Position {
    pub(super) level: usize,
    pub(super) at: Vec<u64>,
    pub(super) sizes: Vec<u64>,
}

impl Position {
    pub(super) fn new(list: &DataList, entry: &ListEntry) -> Self {
        let sizes = list.level_sizes();
        let mut at = vec![0; sizes.len()];
        let mut rest = entry.element;
        for (at, size) in at.iter_mut().zip(&sizes).skip(1).rev() {
            *at = rest % (*size).max(1);
            rest /= (*size).max(1);
        }
        at[0] = rest;
        Self {
            level: entry.place().level.min(sizes.len() - 1),
            at,
            sizes,
        }
    }

    fn is_last(&self) -> bool {
        self.level + 1 == self.sizes.len()
    }

    /// The element at, or beginning at, the current position.
    pub(super) fn element(&self) -> u64 {
        self.at
            .iter()
            .zip(&self.sizes)
            .fold(0u64, |n, (at, size)| n.saturating_mul(*size).saturating_add(*at))
    }

    fn open(&mut self) {
        self.level += 1;
        self.at[self.level] = 0;
    }

    fn close(&mut self) {
        self.at[self.level] = 0;
        self.level -= 1;
    }

    /// Takes one comma, brace or list fill, and returns what it found. `passed` is the item before it. `last` is true
    /// if the list ends with the window.
    ///
    /// # Errors
    /// A comma, brace or value that may not follow `passed`.
    pub(super) fn between(&mut self, lexer: &mut Lexer, last: bool, passed: &mut Passed) -> Result<Next> {
        let next = lexer.peek()?;
        let wrong = match (next, *passed) {
            (None, Passed::Comma) => last,
            (Some(b',' | b'}'), Passed::Comma) | (Some(b','), Passed::Nothing) => true,
            _ => false,
        };
        if wrong {
            return Err(lexer.expected("a value"));
        }
        match next {
            None => return Ok(Next::End),
            Some(b',') => {
                *passed = Passed::Comma;
                self.at[self.level] += 1;
            }
            Some(b'}') if self.level > 0 => {
                self.close();
                *passed = Passed::Value;
            }
            Some(_) if *passed == Passed::Value => {
                return Err(lexer.expected(match self.level {
                    0 => "',' or ';'",
                    _ => "',' or '}'",
                }));
            }
            Some(b'{') if !self.is_last() => {
                self.open();
                *passed = Passed::Nothing;
            }
            Some(_) if !self.is_last() => {
                let start = lexer.at;
                if !matches!(lexer.constant()?, Constant::Fill) {
                    return Err(lexer.error(start, LIST_EXPECTED));
                }
                *passed = Passed::Value;
                return Ok(Next::Taken);
            }
            Some(_) => return Ok(Next::Value),
        }
        lexer.at += 1;
        Ok(Next::Taken)
    }
}
