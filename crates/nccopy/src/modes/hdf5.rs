//! `-k h5`: copies HDF5 as it is.
//!
//! ```text
//! opened ─► what is left of it ─► the part asked for ─► plan ─► create, engine ─► compared ─► its name
//!           (--salvage)           (--isel, --sel)                                 (--verify)
//! ```

use std::sync::Arc;

use ncutils_cli::options::Mode;
use ncutils_core::copy::plan::{ChunkSpec, CopyOptions, for_selected, select_objects};
use ncutils_core::copy::{CopyPlan, Prepared};
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::format::netcdf4::Netcdf4Reader;
use ncutils_core::format::netcdf4::verbatim::{EmptyShapes, Selection, Variable, Verbatim};
use ncutils_core::integrity::{Compared, Promise, Salvage, check_variables};
use ncutils_core::location::{Location, Staged};
use ncutils_core::model::{Kind, VarId};
use ncutils_core::store::{Destination, Input, InputKind, Object};
use ncutils_core::subset::Subset;
use ncutils_core::subset::value::coordinates;
use ncutils_core::subset::verbatim::{self, VerbatimSubset};

use super::copy_of::CopyOf;
use super::engine::Engine;
use super::planned::compared;
use super::salvage::{self, Salvaged};
use super::unfinished::refuse_unfinished;
use crate::arguments::Arguments;
use crate::locations;
use crate::print::plan_text::Beside;

/// Copies the HDF5 file that is `opened`. Returns the exit status: 3 if anything of a damaged input is lost.
///
/// # Errors
/// The input is not HDF5, or has something that cannot be copied as it is; an option that would leave something out; what
/// reading and writing find wrong.
pub fn copy(
    input: &Location,
    output: &Location,
    opened: &Input,
    arguments: &Arguments,
) -> anyhow::Result<u8> {
    let engine = Engine {
        input,
        output,
        arguments,
    };
    arguments.given.refuse_for(Mode::Hdf5)?;
    let source = open_source(&engine, opened)?;
    let open = || Ok(opened.clone());
    locations::check_sources_of_bytes((input, output), open, arguments)?;
    refuse_unfinished(source.reader().schema().unfinished, input, arguments)?;
    let left = match arguments.salvage {
        true => Some(Left::of(&source, &engine, opened)?),
        false => None,
    };
    let (plain, addressed): (&dyn Reader, &dyn Reader) = match &left {
        Some(left) => (&left.plain.left, &left.addressed.left),
        None => (source.reader(), source.addressed()),
    };
    let part = part_of(&engine, &source, (plain, addressed), opened)?;
    let status = left.as_ref().map_or(0, |left| left.tell(&engine, part.as_ref()));
    let asked = Asked {
        source: &source,
        plain,
        addressed,
        part,
    };
    Ok(asked.copy(&engine, opened)?.max(status))
}

/// Opens the file, and finds the objects that were selected.
fn open_source(engine: &Engine<'_>, opened: &Input) -> anyhow::Result<Verbatim> {
    let Engine { input, arguments, .. } = engine;
    let InputKind::Object(object) = opened.kind() else {
        return Err(not_hdf5(input).into());
    };
    let open = |selection| {
        let open = match arguments.salvage {
            true => Verbatim::open_damaged,
            false => Verbatim::open_selected,
        };
        let opened = open(object.clone(), &arguments.copy.registry, selection);
        opened.map_err(|error| match error {
            Error::UnknownFormat => not_hdf5(input),
            error => engine.in_input(error),
        })
    };
    let all = open(Selection::default())?;
    let selection = select_objects(&all, &arguments.copy).map_err(|error| engine.in_input(error))?;
    match selection == Selection::default() {
        true => Ok(all),
        false => Ok(open(selection)?),
    }
}

/// The part that `--isel` and `--sel` ask for, of what both readers read; `None` for all. Tells what stays whole.
fn part_of<'r>(
    engine: &Engine<'_>,
    source: &Verbatim,
    readers: (&'r dyn Reader, &'r dyn Reader),
    opened: &Input,
) -> anyhow::Result<Option<VerbatimSubset<'r>>> {
    let arguments = engine.arguments;
    if arguments.part.is_empty() {
        return Ok(None);
    }
    let registry = &arguments.copy.registry;
    let in_input = |error| engine.in_input(error);
    let netcdf = as_netcdf(opened, arguments).map_err(in_input)?;
    let left = match arguments.salvage {
        true => Some(left_coordinates(&netcdf, arguments).map_err(in_input)?),
        false => None,
    };
    let coordinates: &dyn Reader = match &left {
        Some(left) => left,
        None => &netcdf,
    };
    let part = verbatim::cut(source, readers, (&netcdf, coordinates), &arguments.part, registry)
        .map_err(in_input)?;
    for warning in &part.warnings {
        engine.arguments.messages.warn_of(engine.input, warning);
    }
    Ok(Some(part))
}

/// What is left of the coordinates whose values `--sel` compares.
fn left_coordinates<'r>(netcdf: &'r Netcdf4Reader, arguments: &Arguments) -> Result<Salvage<'r>, Error> {
    left(
        netcdf,
        coordinates(netcdf.schema(), &arguments.part.values),
        arguments,
    )
}

/// What is left of variables.
///
/// # Errors
/// A store that failed, which is no damage.
fn left<'r>(
    netcdf: &'r Netcdf4Reader,
    vars: Vec<VarId>,
    arguments: &Arguments,
) -> Result<Salvage<'r>, Error> {
    let checked = check_variables(netcdf, vars, &arguments.copy.registry, &arguments.work())?;
    match checked.faults.iter().find(|fault| fault.is_failure) {
        Some(failure) => Err(Error::io(
            "cannot read",
            std::io::Error::other(failure.to_string()),
        )),
        None => Ok(Salvage::new(netcdf, &checked, arguments.keep_suspect)),
    }
}

/// What is left of the datasets of a damaged input.
struct Left<'a> {
    plain: Salvaged<'a>,
    addressed: Salvaged<'a>,
}

impl<'a> Left<'a> {
    /// Checks the datasets of `source`.
    fn of(source: &'a Verbatim, engine: &Engine<'_>, opened: &Input) -> anyhow::Result<Self> {
        let copied = |reader: &dyn Reader, stored: fn(VarId) -> Variable| {
            let all = (0..reader.schema().vars.len()).map(VarId);
            all.filter(|var| !source.is_without_data(stored(*var))).collect()
        };
        let left = |reader: &'a dyn Reader, stored, damage| {
            let vars = copied(reader, stored);
            let left = salvage::salvage_variables(reader, vars, engine.input, damage, engine.arguments)?;
            left.check_store(engine.input)?;
            anyhow::Ok(left)
        };
        Ok(Self {
            plain: left(source.reader(), Variable::Plain, opened.damage())?,
            addressed: left(source.addressed(), Variable::Addressed, None)?,
        })
    }

    /// Lists what is lost of the part that is copied, or of all. Returns the exit status.
    fn tell(&self, engine: &Engine<'_>, part: Option<&VerbatimSubset<'_>>) -> u8 {
        let tell = |left: &Salvaged<'_>, part| left.tell(engine.input, part, engine.arguments);
        let (plain, mut tally) = tell(&self.plain, part.map(|part| &part.plain));
        let (addressed, of_addressed) = tell(&self.addressed, part.map(|part| &part.addressed));
        tally.add(of_addressed);
        let status = plain.max(addressed);
        salvage::tell_whole(engine.input, status, &tally, engine.arguments);
        status
    }
}

/// What is copied: the datasets of both readers, or a part of them.
struct Asked<'a> {
    source: &'a Verbatim,
    plain: &'a dyn Reader,
    addressed: &'a dyn Reader,
    part: Option<VerbatimSubset<'a>>,
}

impl Asked<'_> {
    /// Plans and makes the copy. Returns the exit status: 3 if elements are lost.
    fn copy(&self, engine: &Engine<'_>, opened: &Input) -> anyhow::Result<u8> {
        let part = self.part.as_ref().map(|part| &part.plain);
        let copied = CopyOf::new(self.plain, part);
        let given = &engine.arguments.copy;
        let names_dimensions = |spec: &ChunkSpec| matches!(spec, ChunkSpec::Dimensions(_));
        let netcdf = match given.chunking.iter().any(names_dimensions) {
            true => Some(as_netcdf(opened, engine.arguments).map_err(|error| engine.in_input(error))?),
            false => None,
        };
        let selected = for_selected(self.source, netcdf.as_ref(), given);
        let options = CopyOptions {
            kind: Some(Kind::Netcdf4),
            verbatim: true,
            ..selected.map_err(|error| engine.in_input(error))?
        };
        let (plan, prepared) = engine.planned(&copied, &options)?;
        let addressed: &dyn Reader = match &self.part {
            Some(part) => &part.addressed,
            None => self.addressed,
        };
        let others = match engine.arguments.dry_run || engine.arguments.summary {
            true => self
                .source
                .others(addressed)
                .map_err(|error| engine.in_input(error))?,
            false => Vec::new(),
        };
        let beside = Beside {
            datasets: &others,
            registry: &engine.arguments.copy.registry,
        };
        if engine.arguments.dry_run {
            return engine
                .described(&copied, &plan, &prepared, Some(beside))
                .map(|()| 0);
        }
        ncutils_cli::signals::handle("nccopy");
        let target = self.target(engine, &plan, &prepared);
        engine.arguments.messages.warn_of_opening(engine.output);
        let (target, held) = target?;
        let whole = EmptyShapes::new();
        let empty = self.part.as_ref().map_or(&whole, |part| &part.empty);
        let created = self
            .source
            .create(&target, &plan.schema, &prepared.plans, addressed, empty);
        let writer = created.map_err(|error| engine.in_input(error))?;
        for warning in self.source.warnings() {
            engine.arguments.messages.warn_of(engine.input, warning);
        }
        let lost = self.source.lost_elements();
        let status = salvage::tell_lost(engine.input, &lost, engine.arguments);
        let report = engine.run(&copied, &prepared, writer)?;
        if let Some(held) = held {
            let promise = Promise::of_elements(&plan);
            let verified = self.verified(engine, opened, &held, &promise);
            verified.map_err(|error| error.in_file(engine.output.name()))?;
        }
        engine.summarized(&report, Some(beside))?;
        Ok(status)
    }

    /// Where the copy goes. With `--verify` it is held back until it was compared.
    fn target(
        &self,
        engine: &Engine<'_>,
        plan: &CopyPlan,
        prepared: &Prepared,
    ) -> Result<(Destination, Option<Staged>), Error> {
        let create = engine.create_options();
        let (schema, plans) = (&plan.schema, &prepared.plans);
        match engine.arguments.verify {
            true => {
                let (target, held) = engine.output.stage_destination(schema, plans, &create)?;
                Ok((target, Some(held)))
            }
            false => Ok((engine.output.destination_of(schema, plans, &create)?, None)),
        }
    }

    /// Compares the copy, and lets it take its name.
    fn verified(
        &self,
        engine: &Engine<'_>,
        opened: &Input,
        held: &Staged,
        promise: &Promise,
    ) -> Result<(), Error> {
        let plain: &dyn Reader = match &self.part {
            Some(part) => &part.plain,
            None => self.plain,
        };
        let copied = Copied {
            held,
            input: engine.input,
            output: engine.output,
            arguments: engine.arguments,
        };
        let mut compared = copied.compare(promise, plain)?;
        compared.add(copied.compare_addressed(self.source, opened)?);
        engine
            .arguments
            .messages
            .note(format_args!("{}: {compared}", engine.output));
        held.release()
    }
}

/// The input as netCDF shows it.
fn as_netcdf(opened: &Input, arguments: &Arguments) -> Result<Netcdf4Reader, Error> {
    let InputKind::Object(object) = opened.kind() else {
        return Err(Error::UnknownFormat);
    };
    let open = match arguments.salvage {
        true => Netcdf4Reader::open_salvaged,
        false => Netcdf4Reader::open_with,
    };
    open(
        object.clone(),
        opened.external_files().cloned(),
        &arguments.copy.registry,
        false,
    )
}

/// A copy that was written and has no name yet.
struct Copied<'a> {
    held: &'a Staged,
    input: &'a Location,
    output: &'a Location,
    arguments: &'a Arguments,
}

impl Copied<'_> {
    fn object(&self) -> Result<Arc<dyn Object>, Error> {
        match self.held.input(self.output)?.kind() {
            InputKind::Object(object) => Ok(object.clone()),
            _ => Err(Error::UnknownFormat),
        }
    }

    /// Compares the values of the datasets that the engine copied.
    fn compare(&self, promise: &Promise, asked: &dyn Reader) -> Result<Compared, Error> {
        let opened = self.held.input(self.output)?;
        let external_files = opened.external_files().cloned();
        let written = Verbatim::open_written(self.object()?, external_files, &self.arguments.copy.registry)?;
        self.verify(promise, asked, written.reader())
    }

    /// Compares the values of the datasets whose elements hold addresses, which differ, as netCDF shows them. What netCDF does
    /// not show, such as references, is not compared.
    fn compare_addressed(&self, source: &Verbatim, opened: &Input) -> Result<Compared, Error> {
        let registry = &self.arguments.copy.registry;
        let in_input = |error: Error| error.in_file(self.input.name());
        let input = as_netcdf(opened, self.arguments).map_err(in_input)?;
        // Elements that are lost are null in the copy.
        let input = match self.arguments.salvage {
            true => input.losing_elements(),
            false => input,
        };
        let written = Netcdf4Reader::open(self.object()?, None, registry)?;
        let is_addressed = |var: &VarId| {
            let address = input.object_address(*var);
            let stored = address.and_then(|address| source.variable_at(address));
            stored.is_some_and(|stored| {
                matches!(stored, Variable::Addressed(_)) && !source.is_without_data(stored)
            })
        };
        let variables: Vec<VarId> = (0..input.schema().vars.len())
            .map(VarId)
            .filter(is_addressed)
            .collect();
        let promise = Promise::of_variables(input.schema(), &variables, registry);
        let left = match self.arguments.salvage {
            true => Some(left(&input, variables, self.arguments).map_err(in_input)?),
            false => None,
        };
        let input: &dyn Reader = match &left {
            Some(left) => left,
            None => &input,
        };
        match self.arguments.part.is_empty() {
            true => self.verify(&promise, input, &written),
            false => {
                let part = Subset::new(input, &self.arguments.part, registry).map_err(in_input)?;
                self.verify(&promise, &part, &written)
            }
        }
    }

    fn verify(&self, promise: &Promise, asked: &dyn Reader, written: &dyn Reader) -> Result<Compared, Error> {
        let locations = (self.input, self.output);
        compared(written, promise, asked, locations, self.arguments)
    }
}

fn not_hdf5(input: &Location) -> Error {
    let why = "-k h5 copies HDF5 as it is, and this is not HDF5; -k nc4 makes netCDF-4 of any input";
    Error::Usage(why.to_owned()).in_file(input.name())
}
