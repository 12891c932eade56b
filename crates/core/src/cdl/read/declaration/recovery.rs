//! Goes on after an error, so that the errors of a text are told together.
//!
//! ```text
//! statement ─► error ─► errors ─► the next statement, if its beginning is certain
//! ```

use crate::error::{Error, Result};

use super::walk::Walk;

/// Maximum number of bytes of a statement whose words are remembered.
const DOUBTED: u64 = 64 << 10;

impl Walk<'_> {
    /// Notes the error of the statement that begins at `self.begun`, and moves to the next statement.
    ///
    /// # Errors
    /// All errors found, if the next statement is not certain. An error that is not one of the text. `error` alone if a name was used
    /// before its declaration: the next walk repeats the search.
    pub(crate) fn go_on_after(&mut self, error: Error) -> Result<()> {
        if self.missing && self.declares_before_use() {
            return Err(error);
        }
        self.errors.add(error)?;
        if !self.is_lost && !self.misspelt && !self.errors.is_full() && self.skip_statement()? {
            return Ok(());
        }
        Err(std::mem::take(&mut self.errors).into_error())
    }

    /// Moves behind the statement that begins at `self.begun`. False if its end is not certain.
    fn skip_statement(&mut self) -> Result<bool> {
        self.statements.seek(self.begun);
        let is_skipped = match self.statements.skip_statement() {
            // A string or a comment has no end.
            Err(Error::Cdl(_)) => return Ok(false),
            skipped => skipped? && self.statements.at() > self.begun,
        };
        if is_skipped && self.is_in_declarations() {
            let length = (self.statements.at() - self.begun).min(DOUBTED);
            let statement = self.text.bytes(self.begun, length as usize)?;
            self.errors.doubt(&String::from_utf8_lossy(&statement));
        }
        Ok(is_skipped)
    }
}
