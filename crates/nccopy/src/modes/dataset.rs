//! Copies a dataset: by its bytes where nothing of them changes, by its values and chunks else.

use ncutils_core::copy::archive::{ArchiveRoute, archive_route};
use ncutils_core::copy::plan::CopyOptions;
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::format::archive::PackOptions;
use ncutils_core::location::Location;
use ncutils_core::model::Kind;
use ncutils_core::store::Input;
use ncutils_core::threads;
use ncutils_core::view::{View, ViewRequest};

use super::copy_of::CopyOf;
use super::unfinished::refuse_unfinished;
use super::{bytes, salvage, values};
use crate::arguments::Arguments;
use crate::locations;

/// The part of the memory that a reader may take for data that it keeps.
const KEPT: u64 = 8;

/// Copies the dataset that is `opened`. Returns the exit status: 0, or 3 if something of a damaged input is lost.
///
/// # Errors
/// What fails. No output appears then.
pub fn copy(locations: (&Location, &Location), opened: &Input, arguments: &Arguments) -> anyhow::Result<u8> {
    let (input, output) = locations;
    let in_input = |error: Error| error.in_file(input.name());
    let open = match arguments.salvage {
        true => Location::open_salvaged,
        false => Location::open_input,
    };
    let reader = open(input, opened.clone(), &arguments.copy.registry).map_err(in_input)?;
    reader.keep_at_most(arguments.memory_beside(output) / KEPT);
    locations::check_sources((input, output), &*reader, arguments)?;
    refuse_unfinished(reader.schema().unfinished, input, arguments)?;
    refuse_loss(&reader.schema().warnings, arguments).map_err(in_input)?;
    if arguments.files.in_place {
        input.check_no_bound_shards(opened, &*reader)?;
    }
    for warning in &reader.schema().warnings {
        arguments.of_plan().warn_of(input, warning);
    }
    let mut options = CopyOptions {
        kind: output.output_kind(
            arguments.kind_for(reader.schema().kind),
            Some(reader.schema().kind),
        )?,
        ..arguments.copy.clone()
    };
    let kind = options.kind.unwrap_or(reader.schema().kind);
    let route = archive_route(reader.schema(), &options, &arguments.archive).map_err(in_input)?;
    if !matches!(route, ArchiveRoute::Copy | ArchiveRoute::Convert(..)) {
        let made = match route {
            ArchiveRoute::Restore => kind.unpacked().unwrap_or(kind),
            _ => kind.packed().unwrap_or(kind),
        };
        arguments.copy.limits.check_kind(made)?;
        if let Some(warning) = output.misleading_name(made) {
            arguments.messages.warn_of(output, warning);
        }
        drop(reader);
        arguments.refuse_step_of_bytes()?;
        return bytes::copy(locations, opened, route, arguments).map(|()| 0);
    }
    let mut salvaged = match arguments.salvage {
        true => Some(salvage::salvage(&*reader, input, opened, arguments)?),
        false => None,
    };
    if let Some(salvaged) = &mut salvaged {
        salvaged.lose_unchecked(|left| {
            let view = view_of(left, kind, arguments)?;
            let whole = view.as_ref().map_or(left, |view| view as &dyn Reader);
            let options = match &route {
                ArchiveRoute::Convert(kinds, _) => values::as_classic(whole, kinds.clone(), options.clone())?,
                _ => options.clone(),
            };
            values::can_copy(whole, &options, arguments)
        });
    }
    let whole: &dyn Reader = match &salvaged {
        Some(salvaged) => &salvaged.left,
        None => &*reader,
    };
    let view = view_of(whole, kind, arguments).map_err(in_input)?;
    for warning in view.iter().flat_map(View::warnings) {
        arguments.of_plan().warn_of(input, warning);
    }
    let whole: &dyn Reader = match &view {
        Some(view) => view,
        None => whole,
    };
    let blocks = match route {
        ArchiveRoute::Convert(kinds, blocks) => {
            options = values::as_classic(whole, kinds, options).map_err(in_input)?;
            Some(PackOptions {
                threads: threads::count(),
                memory: Some(arguments.memory_beside(output)),
                ..blocks
            })
        }
        _ => None,
    };
    let part = values::part(whole, arguments).map_err(in_input)?;
    let mut status = 0;
    if let Some(salvaged) = &salvaged {
        let (lost, tally) = salvaged.tell(input, part.as_ref(), arguments);
        salvage::tell_whole(input, lost, &tally, arguments);
        status = lost;
    }
    let copied = CopyOf::new(whole, part.as_ref());
    values::copy(&copied, locations, &options, blocks, arguments)?;
    Ok(status)
}

/// Refuses to replace a file of which netCDF does not show all, as `warnings` tell: the rest would be lost.
///
/// # Errors
/// The first warning, and what to do.
fn refuse_loss(warnings: &[String], arguments: &Arguments) -> Result<(), Error> {
    match warnings.first().filter(|_| arguments.files.in_place) {
        None => Ok(()),
        Some(first) => Err(Error::Usage(format!(
            "{first}; --in-place would lose it: add -k h5, or write into a folder"
        ))),
    }
}

/// `reader` as the options show it to a copy of `kind`; `None` if they change nothing.
///
/// # Errors
/// What cannot be shown so.
pub(crate) fn view_of<'r>(
    reader: &'r dyn Reader,
    kind: Kind,
    arguments: &Arguments,
) -> Result<Option<View<'r>>, Error> {
    let request = ViewRequest {
        own_dimensions: kind.can().own_shapes,
        ..arguments.view.clone()
    };
    let asked = request.changes(reader).then(|| View::new(reader, &request));
    asked.transpose()
}
