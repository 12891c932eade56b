//! The locations that a copy names.

use std::ffi::OsStr;

use ncutils_core::location::Location;

use crate::arguments::Arguments;

/// An input, with the options of remote stores and of other files.
///
/// # Errors
/// A name that means no location.
pub fn input(arguments: &Arguments, name: &OsStr) -> anyhow::Result<Location> {
    let location = arguments
        .remote
        .of(arguments.messages, Location::parse_input(Some(name))?)?;
    Ok(location
        .with_access(arguments.access.clone())
        .with_reference_paths(arguments.reference_paths))
}

/// An output, with the options of remote stores.
///
/// # Errors
/// Settings of a remote store that are malformed; an output that the option for its kind does not go with.
pub fn output(arguments: &Arguments, location: Location) -> anyhow::Result<Location> {
    let output = arguments.remote.of(arguments.messages, location)?;
    let one_file = [
        (arguments.archive.pack, "-k archive"),
        (arguments.archive.restore, "--restore"),
        (arguments.plain_zst, "-k zst"),
        (arguments.as_hdf5, "-k h5"),
    ];
    for (_, option) in one_file.iter().filter(|(given, _)| *given) {
        output.check_one_file(option)?;
    }
    Ok(output)
}

/// Warns of the names of a copy, and checks that the output may be written.
///
/// # Errors
/// An output that is the input, unless that is asked for, or that cannot be written.
pub fn check((input, output): (&Location, &Location), arguments: &Arguments) -> anyhow::Result<()> {
    for location in [input, output] {
        for warning in location.warnings() {
            arguments.of_plan().warn_of(location, warning);
        }
    }
    if !arguments.files.in_place && !arguments.files.append {
        input.check_output(output)?;
    }
    output.check_writer()?;
    Ok(())
}
