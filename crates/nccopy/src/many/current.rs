//! Whether an output needs no copy: `--update`, and files that `--in-place` leaves.

use std::fs;
use std::path::Path;

use ncutils_core::chunk::Region;
use ncutils_core::copy::CopyPlan;
use ncutils_core::copy::plan::{CopyOptions, plan, plan_subset};
use ncutils_core::error::Result;
use ncutils_core::filter::spec::asked_codec::AskedCodec;
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::DimId;

use crate::arguments::Arguments;
use crate::modes::{dataset, values};

/// True if a local output is newer than its input. With `--preserve`, it has the input's time.
pub fn is_newer(input: &Path, output: &Path, arguments: &Arguments) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified());
    match (modified(input), modified(output)) {
        (Ok(input), Ok(output)) if arguments.files.preserve => output >= input,
        (Ok(input), Ok(output)) => output > input,
        _ => false,
    }
}

/// True if `stored` is stored as a copy of `input` to it would be. Filters that `-F auto` chose count as those that are asked for.
/// False if that is not known: the copy tells what is wrong.
pub fn is_stored_so(input: &Location, stored: &Location, arguments: &Arguments) -> bool {
    // What these modes make follows from no plan of the engine, so the time alone counts.
    if arguments.plain_zst || arguments.as_hdf5 || arguments.archive.pack || arguments.archive.restore {
        return !arguments.files.in_place;
    }
    stored_so(input, stored, arguments).unwrap_or(false)
}

fn stored_so(input: &Location, stored: &Location, arguments: &Arguments) -> Result<bool> {
    let registry = &arguments.copy.registry;
    let reader = input.open_input(input.input()?, registry)?;
    let opened = match input == stored {
        true => None,
        false => Some(stored.open_with(registry)?),
    };
    let kind = stored.output_kind(arguments.copy.kind, Some(reader.schema().kind))?;
    let is_auto = |codec: &AskedCodec| matches!(codec, AskedCodec::Auto(_));
    let mut options = CopyOptions {
        kind,
        ..arguments.copy.clone()
    };
    options
        .filters
        .retain(|request| !request.pipeline.iter().any(is_auto));
    let any_filters = options.filters.len() < arguments.copy.filters.len();
    let view = dataset::view_of(&*reader, kind.unwrap_or(reader.schema().kind), arguments)?;
    let whole: &dyn Reader = match &view {
        Some(view) => view,
        None => &*reader,
    };
    let part = values::part(whole, arguments)?;
    let planned: CopyPlan = match &part {
        Some(part) => plan_subset(part, &options)?,
        None => plan(whole, &options)?,
    };
    let there: &dyn Reader = match &opened {
        Some(opened) => &**opened,
        None => &*reader,
    };
    let same_cells = match &part {
        Some(part) => has_cells_of(there, part, whole)?,
        None => true,
    };
    Ok(same_cells && planned.is_stored_as(whole, there, any_filters))
}

/// True if the coordinates of `stored` are those of `part`, and each dimension along which `part` is shorter than `whole` has one.
/// Without a coordinate nothing tells which cells a dataset has.
fn has_cells_of(stored: &dyn Reader, part: &dyn Reader, whole: &dyn Reader) -> Result<bool> {
    let (schema, of_whole) = (part.schema(), whole.schema());
    for (at, dim) in schema.dims.iter().enumerate() {
        let path = schema.path_in(dim.group, &dim.name);
        let coordinate = schema
            .var_at(&path)
            .filter(|var| schema.var(*var).dims == [DimId(at)]);
        let is_cut = of_whole.dims.get(at).is_none_or(|own| own.length != dim.length);
        let same = match (coordinate, stored.schema().var_at(&path)) {
            (Some(asked), Some(there)) => {
                let extent = &part.layout(asked).extent;
                *extent == stored.layout(there).extent
                    && part.read_region(asked, &Region::whole(extent))?
                        == stored.read_region(there, &Region::whole(extent))?
            }
            (None, _) => !is_cut,
            (Some(_), None) => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
