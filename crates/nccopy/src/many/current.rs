//! Whether an output needs no copy: `--update`, and files that `--in-place` leaves.

use std::path::Path;

use ncutils_core::chunk::Region;
use ncutils_core::copy::CopyPlan;
use ncutils_core::copy::plan::{CopyOptions, plan, plan_subset};
use ncutils_core::error::Result;
use ncutils_core::filter::spec::Targets;
use ncutils_core::filter::spec::asked_codec::AskedCodec;
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::{DimId, VarId};
use ncutils_core::subset::Subset;

use super::size::Changed;
use crate::arguments::Arguments;
use crate::modes::{dataset, values};

/// True if a local output is newer than all changes of its input. With `--preserve`, it has the time of the input's content, and
/// was changed after the input.
pub fn is_newer(input: &Path, output: &Path, arguments: &Arguments) -> bool {
    let (Some(input), Some(output)) = (Changed::of(input), Changed::of_itself(output)) else {
        return false;
    };
    match arguments.files.preserve {
        true => output.content >= input.content && output.entry > input.entry,
        false => output.content > input.content.max(input.entry),
    }
}

/// True if `stored` is stored as a copy of `input` to it would be. Filters that `-F auto` chose count as those that are asked for.
/// False if that is not known: the copy tells what is wrong.
pub fn is_stored_so(input: &Location, stored: &Location, arguments: &Arguments) -> bool {
    let is_archive = arguments.copy.kind.is_some_and(|kind| kind.unpacked().is_some());
    let archive = &arguments.archive;
    // References tell nothing of the chunks that a copy would choose.
    let are_references = stored.makes_references(arguments.copy.kind);
    // What these modes make follows from no plan of the engine, so the time alone counts.
    if arguments.plain_zst
        || arguments.as_hdf5
        || archive.pack
        || archive.restore
        || is_archive
        || are_references
    {
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
    let kind = stored.output_kind(
        arguments.kind_for(reader.schema().kind),
        Some(reader.schema().kind),
    )?;
    let is_auto = |codec: &AskedCodec| matches!(codec, AskedCodec::Auto(_));
    let asked = &arguments.copy.filters;
    let by_auto = asked.iter().any(|request| request.pipeline.iter().any(is_auto));
    // Filters that were chosen for all variables of another output count whatever they are. Others are chosen again, which takes
    // samples of the input and gives the same.
    let any_filters = by_auto && asked.len() == 1 && asked[0].targets == Targets::All && opened.is_some();
    let mut options = CopyOptions {
        kind,
        ..arguments.copy.clone()
    };
    if any_filters {
        options.filters.clear();
    }
    let view = dataset::view_of(&*reader, kind.unwrap_or(reader.schema().kind), arguments)?;
    let whole: &dyn Reader = match &view {
        Some(view) => view,
        None => &*reader,
    };
    let part = values::part(whole, arguments)?;
    let planned = planned_as(whole, part.as_ref(), &options)?;
    let there: &dyn Reader = match &opened {
        Some(opened) => &**opened,
        None => &*reader,
    };
    let same_cells = match &part {
        Some(part) => has_cells_of(there, part, whole)?,
        None => true,
    };
    if !same_cells || !planned.is_stored_as(whole, there, any_filters) {
        return Ok(false);
    }
    if any_filters && !has_filters(there) {
        // Perhaps none were asked for when it was made. So they are chosen again, which takes samples of the input.
        options.filters.clone_from(asked);
        let chosen = planned_as(whole, part.as_ref(), &options)?;
        return Ok(chosen.is_stored_as(whole, there, false));
    }
    Ok(true)
}

fn planned_as(whole: &dyn Reader, part: Option<&Subset<'_>>, options: &CopyOptions) -> Result<CopyPlan> {
    match part {
        Some(part) => plan_subset(part, options),
        None => plan(whole, options),
    }
}

/// True if a variable of a dataset has filters.
fn has_filters(stored: &dyn Reader) -> bool {
    let mut all = (0..stored.schema().vars.len()).map(VarId);
    all.any(|var| !stored.layout(var).filters.is_empty())
}

/// Most elements of a coordinate that are compared.
const MOST_ELEMENTS: u64 = 1 << 22;

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
                    && extent.iter().all(|length| *length <= MOST_ELEMENTS)
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
