//! The mode of a copy, as its options and its input ask.

use ncutils_core::location::Location;

use super::salvage::archive;
use super::{bytes, dataset, hdf5};
use crate::arguments::Arguments;
use crate::locations;

/// Copies one dataset as the arguments say. Returns the exit status: 0, or 3 if something of a damaged input is lost.
///
/// # Errors
/// What fails. No output appears then.
pub fn copy((input, output): (&Location, &Location), arguments: &Arguments) -> anyhow::Result<u8> {
    locations::check((input, output), arguments)?;
    let inputs = std::slice::from_ref(input);
    let names = arguments
        .names
        .names(inputs, output, &arguments.copy, &arguments.part, None)?;
    let input = &input.clone().with_reference_names(names);
    if arguments.plain_zst || arguments.archive.restore || arguments.as_hdf5 {
        arguments.refuse_step_of_bytes()?;
    }
    if arguments.plain_zst {
        return bytes::compress(input, output, arguments).map(|()| 0);
    }
    if arguments.archive.restore && input.is_standard_input() {
        return bytes::restore_stream((input, output), arguments).map(|()| 0);
    }
    let opened = match arguments.salvage {
        true => input.damaged_input(),
        false => input.input(),
    };
    arguments.messages.warn_of_opening(input);
    let opened = opened?;
    if arguments.as_hdf5 {
        return hdf5::copy(input, output, &opened, arguments);
    }
    if arguments.salvage
        && let Some(status) = archive::salvage((input, output), &opened, arguments)?
    {
        return Ok(status);
    }
    dataset::copy((input, output), &opened, arguments)
}
