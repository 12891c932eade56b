//! `--salvage` of a dataset: tells what is lost, and copies the rest.

use anyhow::bail;
use ncutils_core::copy::plan::copied;
use ncutils_core::format::{Fault, Reader};
use ncutils_core::integrity::{Checked, Salvage, check_variables};
use ncutils_core::location::Location;
use ncutils_core::model::VarId;
use ncutils_core::store::Input;
use ncutils_core::subset::Subset;

use crate::arguments::Arguments;

/// The exit status of a copy that lacks what could not be read.
pub(crate) const LOST: u8 = 3;

/// A damaged input, and what is left of it.
pub(crate) struct Salvaged<'r> {
    /// What is left.
    pub(crate) left: Salvage<'r>,
    checked: Checked,
    /// The damage of the file that the input lies in, such as a compressed one.
    damage: Option<Fault>,
}

/// Checks those variables of a damaged input whose data is copied. What a disk cannot read is lost.
///
/// # Errors
/// A variable or group that the input does not have; an input that cannot be read at all; a remote store that failed.
pub(crate) fn salvage<'r>(
    reader: &'r dyn Reader,
    input: &Location,
    opened: &Input,
    arguments: &Arguments,
) -> anyhow::Result<Salvaged<'r>> {
    let copied = copied(reader.schema(), &arguments.copy).map_err(|error| error.in_file(input.name()))?;
    let salvaged = salvage_variables(reader, copied, input, opened.damage(), arguments)?;
    if input.is_remote() {
        // The same request may succeed later.
        salvaged.check_store(input)?;
    }
    Ok(salvaged)
}

/// Does the same with variables that were chosen before. `damage` is that of the file which the input lies in.
///
/// # Errors
/// An input that cannot be read at all.
pub(crate) fn salvage_variables<'r>(
    reader: &'r dyn Reader,
    vars: Vec<VarId>,
    input: &Location,
    damage: Option<&str>,
    arguments: &Arguments,
) -> anyhow::Result<Salvaged<'r>> {
    let checked = check_variables(reader, vars, &arguments.copy.registry, &arguments.work())
        .map_err(|error| error.in_file(input.name()))?;
    Ok(Salvaged {
        left: Salvage::new(reader, &checked, arguments.keep_suspect),
        checked,
        damage: damage.map(Fault::new),
    })
}

impl Salvaged<'_> {
    /// Fails if the store of the input failed, which is no damage.
    ///
    /// # Errors
    /// The first failure.
    pub(crate) fn check_store(&self, input: &Location) -> anyhow::Result<()> {
        match self.checked.faults.iter().find(|fault| fault.is_failure) {
            Some(failure) => bail!("{input}: {failure}"),
            None => Ok(()),
        }
    }

    /// Lists what is lost of the part that is copied, or of all, first the damage of the whole file. Returns the exit status: 3
    /// if anything is lost.
    pub(crate) fn tell(&self, input: &Location, part: Option<&Subset<'_>>, arguments: &Arguments) -> u8 {
        let of_part = part.map(|part| self.checked.faults_of(&self.left, part));
        let faults = of_part.as_ref().unwrap_or(&self.checked.faults);
        tell_lost(input, self.damage.iter().chain(faults), arguments)
    }
}

/// Tells what is wrong. Returns the exit status: 3 if anything is lost.
pub(crate) fn tell_lost<'f>(
    input: &Location,
    faults: impl IntoIterator<Item = &'f Fault>,
    arguments: &Arguments,
) -> u8 {
    let mut status = 0;
    for fault in faults {
        let is_kept = fault.only_checksum && arguments.keep_suspect;
        let kept = match (fault.is_replaced, is_kept) {
            (true, _) => " (another copy of it was read)",
            (_, true) => " (kept)",
            _ => "",
        };
        if !fault.is_replaced && !is_kept && !fault.is_summary {
            status = LOST;
        }
        arguments.messages.tell(format_args!("{input}: {fault}{kept}"));
    }
    status
}
