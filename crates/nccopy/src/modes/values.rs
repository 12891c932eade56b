//! Copies datasets by their values and chunks.
//!
//! ```text
//! Reader ─► what is left of it ─► the part asked for ─► plan ─► engine ─► Writer ─► compared ─► its name
//!           (--salvage)           (--isel, --sel)                                   (--verify)
//! ```

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::prepare;
use ncutils_core::error::Error;
use ncutils_core::format::archive::PackOptions;
use ncutils_core::format::{self, Reader};
use ncutils_core::location::Location;
use ncutils_core::model::Kind;
use ncutils_core::subset::Subset;

use super::copy_of::CopyOf;
use super::engine::Engine;
use super::planned::{Created, Planned, create, verify};
use crate::arguments::Arguments;

/// The part of `reader` that `arguments` ask for; `None` for all of it.
///
/// # Errors
/// Cells that the input does not have.
pub fn part<'r>(reader: &'r dyn Reader, arguments: &Arguments) -> Result<Option<Subset<'r>>, Error> {
    let asked =
        (!arguments.part.is_empty()).then(|| Subset::new(reader, &arguments.part, &arguments.copy.registry));
    asked.transpose()
}

/// Finds out whether a copy of `reader` can be made: [`Error::UnknownFilter`] if chunks would have to pass a filter that is not known.
///
/// # Errors
/// Requests that the input cannot fulfil.
pub fn can_copy(reader: &dyn Reader, options: &CopyOptions, arguments: &Arguments) -> Result<(), Error> {
    let part = part(reader, arguments)?;
    let copied = CopyOf::new(reader, part.as_ref());
    prepare(copied.readers(), &copied.plan(options)?).map(drop)
}

/// Copies what `options` ask of `copied`. With `blocks`, the output is an archive of these. With `--dry-run`, only the plan is
/// printed.
///
/// # Errors
/// Requests that the input or the output cannot fulfil, and what reading, writing and comparing find wrong. No output appears.
pub fn copy<'a>(
    copied: &'a CopyOf<'a>,
    (input, output): (&'a Location, &'a Location),
    options: &CopyOptions,
    blocks: Option<PackOptions>,
    arguments: &'a Arguments,
) -> anyhow::Result<()> {
    let engine = Engine {
        input,
        output,
        arguments,
    };
    let (plan, prepared) = engine.planned(copied, options)?;
    if plan.schema.kind.can().references {
        refuse_for_references(output, arguments)?;
    }
    let warnings = output.create_warnings(&plan.schema, &prepared.plans)?;
    for warning in options.limits.concerned(warnings)? {
        arguments.of_plan().warn_of(output, warning);
    }
    if arguments.dry_run {
        return engine.described(copied, &plan, &prepared, None);
    }
    let planned = Planned {
        engine,
        copied,
        plan,
        prepared,
        blocks,
    };
    if let Some(step) = &arguments.step {
        return super::job_steps::take(step, planned, arguments);
    }
    ncutils_cli::signals::handle("nccopy");
    let Created { writer, held } = create(&planned, arguments)?;
    // The writer has what it needs of the plan, which takes much memory if there are very many variables.
    let Planned { plan, prepared, .. } = planned;
    drop(plan);
    let report = engine.run(copied, &prepared, writer)?;
    if let Some((held, promise)) = held {
        verify(&held, &promise, copied.asked, (input, output), arguments)
            .map_err(|error| error.in_file(output.name()))?;
    }
    engine.summarized(&report, None)
}

/// Refuses what an output of references does not have: parts, and data to compare where the data is elsewhere.
fn refuse_for_references(output: &Location, arguments: &Arguments) -> Result<(), Error> {
    let why = if arguments.step.is_some() {
        "references are written at once by one process; leave out --plan or --resume"
    } else if arguments.verify && arguments.names.is_elsewhere() {
        "--base names objects that may not be there yet; leave out --verify, and compare them later by ncdump --diff"
    } else {
        return Ok(());
    };
    Err(Error::Usage(why.to_owned()).in_file(output.name()))
}

/// The options of a copy to the first of these kinds that holds the dataset. Filters are for blocks, which the copy does not
/// have.
///
/// # Errors
/// The reason that the last kind does not hold the dataset.
pub fn as_classic(
    reader: &dyn Reader,
    kinds: Vec<Kind>,
    mut options: CopyOptions,
) -> Result<CopyOptions, Error> {
    options.filters.clear();
    options.chunking.clear();
    (options.deflate, options.shuffle) = (None, false);
    let mut failed = None;
    for kind in kinds {
        options.kind = Some(kind);
        let held = plan(reader, &options).and_then(|plan| format::check(&plan.schema));
        match held {
            Ok(()) => return Ok(options),
            // The last kind holds most, so its reason counts.
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| Error::Internal("no kind of archives".to_owned())))
}
