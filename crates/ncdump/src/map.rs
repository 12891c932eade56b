//! `--map`: what takes the bytes of a dataset, as a page.

use ncutils_core::inspect::{map, page};

use crate::arguments::Arguments;
use crate::input::{OpenedInput, check_all_printed, opened};

/// Prints the page of the input.
///
/// # Errors
/// What cannot be read or written, and a store that tells no sizes. Nothing is printed then. What the schema leaves out is told
/// after the page is printed.
pub fn print(arguments: &Arguments) -> anyhow::Result<()> {
    let OpenedInput {
        input,
        reader,
        compressed_file,
    } = opened(arguments)?;
    let mut map = map(&*reader, &arguments.registry).map_err(|error| error.in_file(input.name()))?;
    map.sizes = map.sizes.in_compressed_file(compressed_file);
    let name = input.file_name();
    let name = name.as_deref().unwrap_or(input.name()).to_string_lossy();
    ncutils_cli::print(page(arguments.name.as_deref().unwrap_or(&name), &map))?;
    Ok(check_all_printed(reader.schema(), &input, true)?)
}
