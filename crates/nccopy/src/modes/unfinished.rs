//! `--unfinished`: inputs that their writer has not closed.

use ncutils_core::error::{Error, Result};
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::Unclosed;

use crate::arguments::Arguments;

/// Refuses an input that its writer has not closed. Warns of it where the user asks for what is there.
///
/// # Errors
/// Why the copy would lack something, and the option that copies all the same.
pub(crate) fn refuse_unfinished(
    unfinished: Option<Unclosed>,
    input: &Location,
    arguments: &Arguments,
) -> Result<()> {
    match unfinished {
        Some(unfinished) => refuse(unfinished.to_string(), input, arguments),
        None => Ok(()),
    }
}

/// The same for the other files that were opened for the input's data so far.
///
/// # Errors
/// Those of [`refuse_unfinished`].
pub(crate) fn refuse_unfinished_sources(
    reader: &dyn Reader,
    input: &Location,
    arguments: &Arguments,
) -> Result<()> {
    for (name, unfinished) in reader.unfinished_sources() {
        let text = format!("it refers to {}: {unfinished}", name.escape_debug());
        refuse(text, input, arguments)?;
    }
    Ok(())
}

fn refuse(text: String, input: &Location, arguments: &Arguments) -> Result<()> {
    if arguments.unfinished || arguments.salvage {
        arguments.messages.warn_of(input, text);
        return Ok(());
    }
    let text = format!("{text}, so parts may be missing; --unfinished copies what is there");
    Err(Error::Usage(text).in_file(input.name()))
}
