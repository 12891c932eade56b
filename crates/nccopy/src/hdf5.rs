//! `-k h5`: copies HDF5 as it is.

use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, for_selected, select_objects};
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::format::netcdf4::Netcdf4Reader;
use ncutils_core::format::netcdf4::verbatim::{Selection, Variable, Verbatim};
use ncutils_core::location::{Held, Location};
use ncutils_core::message::tell;
use ncutils_core::model::{Kind, VarId};
use ncutils_core::part::{Part, verbatim};
use ncutils_core::proof::{Promise, Salvage, check_variables};
use ncutils_core::store::{Object, Place, PlaceKind};

use crate::engine::Engine;
use crate::flags::Arguments;
use crate::{given, salvage};

/// The options that this copy applies.
const APPLIED: [&str; 14] = [
    "-k h5",
    "-v and -V",
    "-g and -G",
    "--isel and --sel",
    "-u",
    "-c",
    "-M",
    "-d",
    "-s",
    "-F",
    "--skip-fill",
    "--page",
    "--quantize",
    "--salvage",
];

/// Copies the HDF5 file at `place`. Returns the exit status: 3 if anything of a damaged input is lost.
///
/// # Errors
/// The input is not HDF5, or has something that cannot be copied as it is; an option that would leave something out; what
/// reading and writing find wrong.
pub fn copy(input: &Location, output: &Location, place: &Place, arguments: &Arguments) -> anyhow::Result<u8> {
    let engine = Engine {
        input,
        output,
        arguments,
    };
    let in_input = |error: Error| engine.in_input(error);
    let as_it_is = "-k h5 copies everything as it is; copy to -k nc4 for other changes";
    given::refuse_changes(arguments, &APPLIED, as_it_is)?;
    let PlaceKind::Object(object) = place.kind() else {
        return Err(not_hdf5(input).into());
    };
    let registry = &arguments.copy.registry;
    let open = |selection| {
        let open = match arguments.salvage {
            true => Verbatim::open_damaged,
            false => Verbatim::open_selected,
        };
        open(object.clone(), registry, selection).map_err(|error| match error {
            Error::UnknownFormat => not_hdf5(input),
            error => in_input(error),
        })
    };
    let mut source = open(Selection::default())?;
    let selection = select_objects(&source, &arguments.copy).map_err(in_input)?;
    if selection != Selection::default() {
        source = open(selection)?;
    }
    let left = match arguments.salvage {
        true => Some(Left::of(&source, input, place, arguments)?),
        false => None,
    };
    let (plain, addressed): (&dyn Reader, &dyn Reader) = match &left {
        Some(left) => (&left.plain, &left.addressed),
        None => (source.reader(), source.addressed()),
    };
    let part = match arguments.part.is_empty() {
        true => None,
        false => {
            let netcdf = as_netcdf(place, arguments).map_err(in_input)?;
            let readers = (plain, addressed);
            Some(verbatim::cut(&source, readers, &netcdf, &arguments.part, registry).map_err(in_input)?)
        }
    };
    if let Some(warning) = part.as_ref().and_then(|part| part.warning.as_ref()) {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let plain_part = part.as_ref().map(|part| part.plain.source());
    let addressed: &dyn Reader = match &part {
        Some(part) => &part.addressed,
        None => addressed,
    };
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..for_selected(&source, &arguments.copy)
    };
    let reader: &dyn Reader = match &plain_part {
        Some(part) => part,
        None => plain,
    };
    let (plan, prepared) = engine.planned(reader, part.as_ref().map(|part| &part.plain), &options)?;
    if arguments.dry_run {
        return engine.described(reader, &plan, &prepared).map(|()| 0);
    }
    ncutils_cli::signals::handle();
    let create = engine.create_options();
    let (schema, plans) = (&plan.schema, &prepared.plans);
    let (target, held) = match arguments.verify {
        true => {
            let (target, held) = output.hold_destination(schema, plans, &create)?;
            (target, Some((held, Promise::of(&plan))))
        }
        false => (output.destination_of(schema, plans, &create)?, None),
    };
    let writer = source
        .create(&target, schema, plans, addressed)
        .map_err(in_input)?;
    for warning in source.warnings() {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let report = engine.run(reader, &prepared, writer)?;
    if let Some((held, promise)) = held {
        let plain: &dyn Reader = match &part {
            Some(part) => &part.plain,
            None => plain,
        };
        let copied = Copied {
            held: &held,
            output,
            arguments,
        };
        let verified = copied
            .compare(&promise, plain)
            .and_then(|()| copied.compare_addressed(&source, place))
            .and_then(|()| held.release());
        verified.map_err(|error| error.in_file(output.name()))?;
    }
    engine.summarized(&report)?;
    let of_elements = salvage::tell_lost(input, &source.lost_elements(), arguments.keep_suspect);
    Ok(left.map_or(of_elements, |left| left.status.max(of_elements)))
}

/// What is left of the datasets of a damaged input.
struct Left<'a> {
    plain: Salvage<'a>,
    addressed: Salvage<'a>,
    /// The exit status: 3 if anything is lost.
    status: u8,
}

impl<'a> Left<'a> {
    /// Checks the datasets of `source`, and tells what is lost.
    fn of(
        source: &'a Verbatim,
        input: &Location,
        place: &Place,
        arguments: &Arguments,
    ) -> anyhow::Result<Self> {
        let copied = |reader: &dyn Reader, stored: fn(VarId) -> Variable| {
            let all = (0..reader.schema().vars.len()).map(VarId);
            all.filter(|var| !source.is_without_data(stored(*var))).collect()
        };
        let left = |reader: &'a dyn Reader, stored, damage| {
            salvage::salvage_variables(reader, copied(reader, stored), input, damage, arguments)
        };
        let (plain, status) = left(source.reader(), Variable::Plain, place.damage())?;
        let (addressed, of_addressed) = left(source.addressed(), Variable::Addressed, None)?;
        Ok(Self {
            plain,
            addressed,
            status: status.max(of_addressed),
        })
    }
}

/// The input as netCDF shows it.
fn as_netcdf(place: &Place, arguments: &Arguments) -> Result<Netcdf4Reader, Error> {
    let PlaceKind::Object(object) = place.kind() else {
        return Err(Error::UnknownFormat);
    };
    let open = match arguments.salvage {
        true => Netcdf4Reader::open_damaged,
        false => Netcdf4Reader::open,
    };
    open(
        object.clone(),
        place.neighbours().cloned(),
        &arguments.copy.registry,
    )
}

/// A copy that was written and has no name yet.
struct Copied<'a> {
    held: &'a Held,
    output: &'a Location,
    arguments: &'a Arguments,
}

impl Copied<'_> {
    fn object(&self) -> Result<Arc<dyn Object>, Error> {
        match self.held.place(self.output)?.kind() {
            PlaceKind::Object(object) => Ok(object.clone()),
            _ => Err(Error::UnknownFormat),
        }
    }

    /// Compares the values of the datasets that the engine copied.
    fn compare(&self, promise: &Promise, asked: &dyn Reader) -> Result<(), Error> {
        let written = Verbatim::open(self.object()?, &self.arguments.copy.registry)?;
        self.verify(promise, asked, written.reader())
    }

    /// Compares the values of the datasets whose elements hold addresses, which differ, as netCDF shows them. What netCDF does
    /// not show, such as references, is not compared.
    fn compare_addressed(&self, source: &Verbatim, place: &Place) -> Result<(), Error> {
        let registry = &self.arguments.copy.registry;
        let input = as_netcdf(place, self.arguments)?;
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
        let checked = match self.arguments.salvage {
            true => Some(check_variables(
                &input,
                variables,
                registry,
                &self.arguments.work(),
            )?),
            false => None,
        };
        let left = checked.map(|checked| Salvage::new(&input, &checked, self.arguments.keep_suspect));
        let input: &dyn Reader = match &left {
            Some(left) => left,
            None => &input,
        };
        match self.arguments.part.is_empty() {
            true => self.verify(&promise, input, &written),
            false => {
                let part = Part::new(input, &self.arguments.part, registry)?;
                self.verify(&promise, &part, &written)
            }
        }
    }

    fn verify(&self, promise: &Promise, asked: &dyn Reader, written: &dyn Reader) -> Result<(), Error> {
        promise.verify(asked, written, self.arguments.work(), &mut |line| {
            tell("nccopy", format_args!("{}: {line}", self.output));
        })
    }
}

fn not_hdf5(input: &Location) -> Error {
    let why = "-k h5 copies HDF5 as it is, and this is not HDF5; -k nc4 makes netCDF-4 of any input";
    Error::Usage(why.to_owned()).in_file(input.name())
}
