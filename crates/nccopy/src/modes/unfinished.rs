//! `--unfinished`: inputs that their writer has not closed.

use ncutils_core::error::{Error, Result};
use ncutils_core::location::Location;
use ncutils_core::model::Schema;

use crate::arguments::Arguments;

/// Refuses an input that its writer has not closed. Warns of it where the user asks for what is there.
///
/// # Errors
/// Why the copy would lack something, and the option that copies all the same.
pub(crate) fn refuse_unfinished(schema: &Schema, input: &Location, arguments: &Arguments) -> Result<()> {
    let Some(unfinished) = schema.unfinished else {
        return Ok(());
    };
    if arguments.unfinished || arguments.salvage {
        arguments.messages.warn_of(input, unfinished);
        return Ok(());
    }
    let text = format!("{unfinished}, so parts may be missing; --unfinished copies what is there");
    Err(Error::Usage(text).in_file(input.name()))
}
