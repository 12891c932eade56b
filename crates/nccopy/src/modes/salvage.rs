//! `--salvage` of a dataset: tells what is lost, and copies the rest.

pub(super) mod archive;
mod report;

use std::collections::BTreeMap;

use anyhow::bail;
use ncutils_core::chunk::ChunkGrid;
use ncutils_core::copy::plan::copied;
use ncutils_core::format::{Fault, Reader, Written};
use ncutils_core::integrity::{Checked, Lost, Salvage, check_variables};
use ncutils_core::location::Location;
use ncutils_core::model::VarId;
use ncutils_core::store::Input;
use ncutils_core::subset::Subset;

use self::report::{Report, Tally};
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

    /// Leaves out chunks that could not be checked, of each variable that `plan` cannot copy as it is stored.
    pub(crate) fn lose_unchecked(&mut self, plan: impl Fn(&dyn Reader) -> ncutils_core::error::Result<()>) {
        let mut unchecked: Vec<VarId> = self.left.unchecked().collect();
        while !unchecked.is_empty() {
            let Err(error) = plan(&self.left) else { break };
            if !error.is_unknown_filter() {
                // The copy will fail for the same reason.
                break;
            }
            let fault = Fault::of(&error);
            let var = fault.variable.and_then(|path| self.left.schema().var_at(&path));
            let at = unchecked.iter().position(|other| Some(*other) == var);
            let var = unchecked.swap_remove(at.unwrap_or(0));
            self.left.lose_unchecked(var);
            let path = self.left.schema().var_path(var);
            let faults = self.checked.faults.iter_mut();
            for fault in faults.filter(|fault| fault.variable.as_ref() == Some(&path)) {
                fault.is_unchecked = false;
            }
        }
    }

    /// Lists what is lost of the part that is copied, or of all, first the damage of the whole file. Returns the exit status, 3
    /// if anything is lost, and how much is left.
    pub(crate) fn tell(
        &self,
        input: &Location,
        part: Option<&Subset<'_>>,
        arguments: &Arguments,
    ) -> (u8, Tally) {
        let of_part = part.map(|part| self.checked.faults_of(&self.left, part));
        let faults = of_part.as_ref().unwrap_or(&self.checked.faults);
        let report = Report::of(self.damage.iter().chain(faults), arguments.keep_suspect);
        let lost = |var: VarId| {
            let losses = self.checked.losses.iter();
            losses
                .filter(|loss| loss.var == var && matches!(loss.part, Lost::Chunk(_)))
                .count()
        };
        let stored = |path: &str| {
            let var = self.left.schema().var_at(path)?;
            let layout = self.left.layout(var);
            let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape()).ok()?;
            let left = self.left.written(var).ok()?.chunks(&grid).len();
            let kept = self.left.kept(var);
            Some(left.saturating_add(lost(var) as u64).saturating_sub(kept as u64))
        };
        for line in report.lines(stored) {
            arguments.messages.tell(format_args!("{input}: {line}"));
        }
        (if report.is_lost { LOST } else { 0 }, self.tally(faults))
    }

    /// How much is left of the variables that have `faults`, and of those that have none.
    fn tally(&self, faults: &[Fault]) -> Tally {
        let mut tally = Tally::default();
        let real = faults
            .iter()
            .filter(|fault| !fault.is_replaced && !fault.is_summary);
        let mut affected: BTreeMap<&str, bool> = BTreeMap::new();
        for fault in real {
            let Some(path) = &fault.variable else { continue };
            *affected.entry(path).or_insert(true) &= fault.is_unchecked;
        }
        let mut known = 0;
        for (path, is_unchecked) in affected {
            let Some(var) = self.left.schema().var_at(path) else {
                let is_group = self.left.schema().group_at(path).is_some();
                tally.lost += u64::from(!is_group);
                continue;
            };
            known += 1;
            let nothing = matches!(self.left.written(var), Ok(Written::Nothing) | Err(_));
            match (is_unchecked, nothing) {
                (true, _) => tally.unchecked += 1,
                (_, true) => tally.lost += 1,
                _ => tally.in_part += 1,
            }
        }
        tally.whole = self.checked.variables.saturating_sub(known);
        tally
    }
}

/// Tells what is wrong. Returns the exit status: 3 if anything is lost.
pub(crate) fn tell_lost<'f>(
    input: &Location,
    faults: impl IntoIterator<Item = &'f Fault>,
    arguments: &Arguments,
) -> u8 {
    let report = Report::of(faults, arguments.keep_suspect);
    for line in report.lines(|_| None) {
        arguments.messages.tell(format_args!("{input}: {line}"));
    }
    if report.is_lost { LOST } else { 0 }
}

/// Tells how much is left, if something is lost or was not checked.
pub(crate) fn tell_whole(input: &Location, status: u8, tally: &Tally, arguments: &Arguments) {
    if status == LOST || tally.is_unchecked() {
        arguments.messages.tell(format_args!("{input}: {}", tally.line()));
    }
}
