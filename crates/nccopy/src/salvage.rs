//! `--salvage` of a dataset: tells what is lost, and copies the rest.

use ncutils_core::copy::plan::copied;
use ncutils_core::format::{Fault, Reader};
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::model::VarId;
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
    let copied = copied(reader.schema(), &arguments.copy).map_err(|error| error.in_file(input.name()))?;
    salvage_variables(reader, copied, input, damage, arguments)
}

/// Does the same with variables that were chosen before.
///
/// # Errors
/// An input that cannot be read at all.
pub(crate) fn salvage_variables<'r>(
    reader: &'r dyn Reader,
    vars: Vec<VarId>,
    input: &Location,
    damage: Option<&str>,
    arguments: &Arguments,
) -> anyhow::Result<(Salvage<'r>, u8)> {
    let mut checked = check_variables(reader, vars, &arguments.copy.registry, &arguments.work())
        .map_err(|error| error.in_file(input.name()))?;
    checked.faults.splice(0..0, damage.map(Fault::new));
    let status = tell_lost(input, &checked.faults, arguments.keep_suspect);
    Ok((Salvage::new(reader, &checked, arguments.keep_suspect), status))
}

/// Tells what is wrong. Returns the exit status: 3 if anything is lost.
pub(crate) fn tell_lost(input: &Location, faults: &[Fault], keeps_suspect: bool) -> u8 {
    let mut status = 0;
    for fault in faults {
        let is_kept = fault.only_checksum && keeps_suspect;
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
    status
}
