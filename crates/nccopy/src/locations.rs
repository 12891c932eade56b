//! The two locations that a copy names.

use ncutils_core::location::Location;

use crate::arguments::Arguments;

/// Input and output of a copy, with the options of remote stores and of other files. Warns of their names.
///
/// # Errors
/// A name that means no location; an output that the option for its kind does not go with, or that is the input.
pub fn locations(arguments: &Arguments) -> anyhow::Result<(Location, Location)> {
    let input = arguments
        .remote
        .of(arguments.messages, Location::parse_input(Some(&arguments.input))?)?
        .with_access(arguments.access.clone())
        .with_reference_paths(arguments.reference_paths);
    let output = arguments
        .remote
        .of(arguments.messages, Location::parse_output(&arguments.output)?)?;
    let one_file = [
        (arguments.archive.pack, "-k archive"),
        (arguments.archive.restore, "--restore"),
        (arguments.plain_zst, "-k zst"),
        (arguments.as_hdf5, "-k h5"),
    ];
    for (_, option) in one_file.iter().filter(|(given, _)| *given) {
        output.check_one_file(option)?;
    }
    if arguments.memory.is_some() && (input.is_remote() || output.is_remote()) {
        ncutils_cli::allocator::return_freed_pages();
    }
    for location in [&input, &output] {
        for warning in location.warnings() {
            arguments.messages.warn_of(location, warning);
        }
    }
    input.check_output(&output)?;
    output.check_writer()?;
    Ok((input, output))
}
