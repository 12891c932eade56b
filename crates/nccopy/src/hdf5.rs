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
use ncutils_core::proof::Promise;
use ncutils_core::store::{Object, Place, PlaceKind};

use crate::engine::Engine;
use crate::flags::Arguments;
use crate::given;

/// The options that this copy applies.
const APPLIED: [&str; 12] = [
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
];

/// Copies the HDF5 file at `place`.
///
/// # Errors
/// The input is not HDF5, or has something that cannot be copied as it is; an option that would leave something out; what
/// reading and writing find wrong.
pub fn copy(input: &Location, output: &Location, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
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
    let mut source = Verbatim::open(object.clone(), registry).map_err(|error| match error {
        Error::UnknownFormat => not_hdf5(input),
        error => in_input(error),
    })?;
    let selection = select_objects(&source, &arguments.copy).map_err(in_input)?;
    if selection != Selection::default() {
        source = Verbatim::open_selected(object.clone(), registry, selection).map_err(in_input)?;
    }
    let part = match arguments.part.is_empty() {
        true => None,
        false => {
            let neighbours = place.neighbours().cloned();
            let netcdf = Netcdf4Reader::open(object.clone(), neighbours, registry).map_err(in_input)?;
            Some(verbatim::cut(&source, &netcdf, &arguments.part, registry).map_err(in_input)?)
        }
    };
    if let Some(warning) = part.as_ref().and_then(|part| part.warning.as_ref()) {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let plain_part = part.as_ref().map(|part| part.plain.source());
    let addressed: &dyn Reader = match &part {
        Some(part) => &part.addressed,
        None => source.addressed(),
    };
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..for_selected(&source, &arguments.copy)
    };
    let reader: &dyn Reader = match &plain_part {
        Some(part) => part,
        None => source.reader(),
    };
    let (plan, prepared) = engine.planned(reader, part.as_ref().map(|part| &part.plain), &options)?;
    if arguments.dry_run {
        return engine.described(reader, &plan, &prepared);
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
            None => source.reader(),
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
    engine.summarized(&report)
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
        let PlaceKind::Object(object) = place.kind() else {
            return Err(Error::UnknownFormat);
        };
        let registry = &self.arguments.copy.registry;
        let input = Netcdf4Reader::open(object.clone(), place.neighbours().cloned(), registry)?;
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
        match self.arguments.part.is_empty() {
            true => self.verify(&promise, &input, &written),
            false => {
                let part = Part::new(&input, &self.arguments.part, registry)?;
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
