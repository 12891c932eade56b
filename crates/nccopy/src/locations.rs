//! The two places that a copy names.

use ncutils_core::location::Location;

use crate::flags::Arguments;

/// Input and output of a copy, with the options of remote stores and of other files.
///
/// # Errors
/// A name that means no place.
pub fn locations(arguments: &Arguments) -> anyhow::Result<(Location, Location)> {
    let input = arguments
        .remote
        .of("nccopy", Location::parse_input(Some(&arguments.input))?)?
        .with_access(arguments.access.clone());
    let output = arguments
        .remote
        .of("nccopy", Location::parse(&arguments.output)?)?;
    Ok((input, output))
}
