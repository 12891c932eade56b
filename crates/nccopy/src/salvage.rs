//! `--salvage` of a dataset: tells what is lost, and copies the rest.

use ncutils_core::copy::plan::copied;
use ncutils_core::format::{Fault, Reader};
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::proof::{Salvage, check_variables};

use crate::flags::Arguments;

/// The exit status of a copy that lacks what could not be read.
pub(crate) const LOST: u8 = 3;

/// Checks those variables of a damaged input whose data is copied, and lists what is lost, first the damage of a compressed file.
/// Returns what is left of the input, and the exit status: 3 if anything is lost.
///
/// # Errors
/// A variable or group that the input does not have; an input that cannot be read at all.
pub(crate) fn salvage<'r>(
    reader: &'r dyn Reader,
    input: &Location,
    damage: Option<&str>,
    arguments: &Arguments,
) -> anyhow::Result<(Salvage<'r>, u8)> {
    let schema = reader.schema();
    let copied = copied(schema, &arguments.copy).map_err(|error| error.in_file(input.name()))?;
    let mut checked = check_variables(reader, copied, &arguments.copy.registry, &arguments.work())
        .map_err(|error| error.in_file(input.name()))?;
    checked.faults.splice(0..0, damage.map(Fault::new));
    let mut status = 0;
    for fault in &checked.faults {
        let is_kept = fault.only_checksum && arguments.keep_suspect;
        let kept = match (fault.is_replaced, is_kept) {
            (true, _) => " (another copy of it was read)",
            (_, true) => " (kept)",
            _ => "",
        };
        if !fault.is_replaced && !is_kept {
            status = LOST;
        }
        tell("nccopy", format_args!("{input}: {fault}{kept}"));
    }
    Ok((Salvage::new(reader, &checked, arguments.keep_suspect), status))
}
