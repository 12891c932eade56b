//! The two places that a copy names.

use ncutils_core::location::Location;

use crate::flags::Arguments;

/// Input and output of a copy, with the options of remote stores and of other files.
///
/// # Errors
/// A name that means no place, or an output that the option for its kind does not go with.
pub fn locations(arguments: &Arguments) -> anyhow::Result<(Location, Location)> {
    let input = arguments
        .remote
        .of("nccopy", Location::parse_input(Some(&arguments.input))?)?
        .with_access(arguments.access.clone());
    let output = arguments
        .remote
        .of("nccopy", Location::parse_output(&arguments.output)?)?;
    let one_file = [
        (arguments.archive.pack, "-k archive"),
        (arguments.archive.restore, "--restore"),
        (arguments.plain_zst, "-k zst"),
        (arguments.as_hdf5, "-k h5"),
    ];
    for (_, option) in one_file.iter().filter(|(given, _)| *given) {
        output.check_one_file(option)?;
    }
    Ok((input, output))
}
