//! The dataset that a call names, and the part of it that the call asks for.

use ncutils_cli::options::NCDUMP;
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::Schema;
use ncutils_core::subset::Subset;

use crate::arguments::Arguments;

/// Where the input lies. Warns of its name.
///
/// # Errors
/// A name that means no location.
pub fn location(arguments: &Arguments) -> anyhow::Result<Location> {
    let input = arguments
        .remote
        .of(arguments.messages, Location::parse_input(Some(&arguments.input))?)?
        .with_access(arguments.access.clone())
        .with_reference_paths(arguments.reference_paths);
    for warning in input.warnings() {
        arguments.messages.warn_of(&input, warning);
    }
    Ok(input)
}

/// An input that was opened whole.
pub struct OpenedInput {
    pub input: Location,
    pub reader: Box<dyn Reader>,
    /// Bytes of the compressed file that the dataset is the content of.
    pub compressed_file: Option<u64>,
}

/// Opens the input whole, to look at it without its values. Warns of what is unusual.
///
/// # Errors
/// A name that means no location, and what cannot be read.
pub fn opened(arguments: &Arguments) -> anyhow::Result<OpenedInput> {
    let input = location(arguments)?;
    let place = input.input()?;
    let compressed_file = place.compressed_size();
    let reader = input.open_input(place, &arguments.registry)?;
    arguments.messages.warn_of_opening(&input);
    warn_of_unfinished(&*reader, &input, arguments);
    warn_of_schema(&*reader, &input, arguments);
    Ok(OpenedInput {
        input,
        reader,
        compressed_file,
    })
}

/// Warns of what netCDF cannot hold, and of what is unusual.
pub fn warn_of_schema(reader: &dyn Reader, input: &Location, arguments: &Arguments) {
    for warning in &reader.schema().warnings {
        arguments.messages.warn_of(input, warning);
    }
}

/// Warns of a dataset that its writer has not closed.
pub fn warn_of_unfinished(reader: &dyn Reader, input: &Location, arguments: &Arguments) {
    if let Some(unfinished) = reader.schema().unfinished {
        arguments.messages.warn_of(input, unfinished);
    }
}

/// Warns of what was found while data was read: other files that their writers have not closed, and missing sources.
pub fn warn_of_data(reader: &dyn Reader, input: &Location, arguments: &Arguments) {
    for (name, unfinished) in reader.unfinished_sources() {
        let text = format!("it refers to {}: {unfinished}", name.escape_debug());
        arguments.messages.warn_of(input, text);
    }
    for warning in reader.data_warnings() {
        arguments.messages.warn_of(input, warning);
    }
}

/// Tells what the schema leaves out, after all else was printed: damaged items, and items in files that may not be read.
///
/// # Errors
/// Something was left out. Items in files that may not be read count only with `all_asked`.
pub fn check_all_printed(schema: &Schema, input: &Location, all_asked: bool) -> Result<(), Error> {
    let told = |items: &[String]| format!("{} (all else was printed)", items.join("; "));
    let error = match (&schema.refused[..], &schema.faults[..]) {
        (refused @ [_, ..], _) if all_asked => Error::Usage(told(refused)),
        (_, faults @ [_, ..]) => Error::Damaged(told(faults)),
        _ => return Ok(()),
    };
    Err(error.in_file(input.name()))
}

/// The part of the input that was asked for; `None` for all of it.
///
/// # Errors
/// Cells that the input does not have.
pub fn part_of<'r>(
    reader: &'r dyn Reader,
    arguments: &Arguments,
    input: &Location,
) -> anyhow::Result<Option<Subset<'r>>> {
    let part = (!arguments.part.is_empty())
        .then(|| Subset::new(reader, &arguments.part, &arguments.registry))
        .transpose();
    Ok(part.map_err(|error| NCDUMP.name_options(error).in_file(input.name()))?)
}
