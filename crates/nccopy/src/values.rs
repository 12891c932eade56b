//! Copies datasets by their values and chunks.
//!
//! ```text
//! Reader ─► what is left of it ─► the part asked for ─► plan ─► engine ─► Writer ─► compared ─► its name
//!           (--salvage)           (--isel, --sel)                                   (--verify)
//! ```

use ncutils_cli::name_options;
use ncutils_cli::progress::Bar;
use ncutils_core::copy::plan::{CopyOptions, plan, plan_part};
use ncutils_core::copy::{self, Progress, RunOptions, default_budget, prepare};
use ncutils_core::error::Error;
use ncutils_core::format::archive::PackOptions;
use ncutils_core::format::{self, Reader};
use ncutils_core::location::{CreateOptions, Held, Location};
use ncutils_core::message::tell;
use ncutils_core::model::Kind;
use ncutils_core::part::Part;
use ncutils_core::proof::Promise;

use crate::flags::Arguments;
use crate::{plan_text, print, summary};

/// Copies what `options` and the part of `arguments` ask of `reader`. With `blocks`, the output is an archive of these. With
/// `--dry-run`, only the plan is printed.
///
/// # Errors
/// Requests that the input or the output cannot fulfil, and what reading, writing and comparing find wrong. No output appears.
pub fn copy(
    reader: &dyn Reader,
    (input, output): (&Location, &Location),
    options: &CopyOptions,
    blocks: Option<PackOptions>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let in_input = |error: Error| name_options(error).in_file(input.name());
    let part = (!arguments.part.is_empty())
        .then(|| Part::new(reader, &arguments.part, &options.registry).map_err(in_input))
        .transpose()?;
    let source = part.as_ref().map(Part::source);
    let asked: &dyn Reader = match &part {
        Some(part) => part,
        None => reader,
    };
    let (plan, reader): (_, &dyn Reader) = match (&part, &source) {
        (Some(part), Some(source)) => (plan_part(part, options), source),
        _ => (plan(reader, options), reader),
    };
    let plan = plan.map_err(in_input)?;
    for choice in &plan.choices {
        tell("nccopy", format_args!("{choice}"));
    }
    let prepared = prepare(reader, &plan).map_err(in_input)?;
    for warning in output.create_warnings(&plan.schema, &prepared.plans)? {
        tell("nccopy", format_args!("{output}: warning: {warning}"));
    }
    let budget = arguments.memory.unwrap_or_else(default_budget);
    let held = output.memory_of_output(budget);
    let options = RunOptions {
        threads: arguments.threads,
        memory: Some(budget.saturating_sub(held)),
        output: Some(output.name()),
        ..RunOptions::default()
    };
    if arguments.dry_run {
        output.check_create(&plan.schema, &prepared.plans)?;
        let description = prepared.describe(reader, &plan, &options);
        return print(match arguments.json {
            true => plan_text::json(&description),
            false => plan_text::text(&description),
        });
    }
    ncutils_cli::signals::handle();
    let create = CreateOptions {
        memory: Some(held),
        replaces: arguments.replace,
    };
    let (writer, held) = match blocks {
        blocks if arguments.verify => {
            let (writer, held) = output
                .create_held(&plan.schema, &prepared.plans, blocks, &create)
                .map_err(name_options)?;
            (writer, Some((held, Promise::of(&plan))))
        }
        Some(blocks) => (
            output.create_archive(&plan.schema, &prepared.plans, blocks, &create)?,
            None,
        ),
        None => (
            output
                .create_with(&plan.schema, &prepared.plans, &create)
                .map_err(name_options)?,
            None,
        ),
    };
    // The writer has what it needs of the plan, which takes much memory if there are very many variables.
    drop(plan);
    let bar = Bar::on_terminal();
    let options = RunOptions {
        progress: bar.as_ref().map(|bar| bar as &dyn Progress),
        ..options
    };
    let done = copy::run(reader, &prepared, writer, &options);
    if let Some(bar) = &bar {
        bar.clear();
    }
    for warning in reader.data_warnings() {
        tell("nccopy", format_args!("{input}: warning: {warning}"));
    }
    let report = done.map_err(in_input)?;
    if let Some((held, promise)) = held {
        verify(&held, &promise, asked, output, arguments).map_err(|error| error.in_file(output.name()))?;
    }
    if arguments.summary {
        print(match arguments.json {
            true => summary::json(&report),
            false => summary::text(&report),
        })?;
    }
    Ok(())
}

/// Compares the output with what was asked for, and lets it appear.
fn verify(
    held: &Held,
    promise: &Promise,
    asked: &dyn Reader,
    output: &Location,
    arguments: &Arguments,
) -> Result<(), Error> {
    let written = output.open_place(held.place(output)?, &arguments.copy.registry)?;
    promise.verify(asked, &*written, arguments.work(), &mut |line| {
        tell("nccopy", format_args!("{output}: {line}"));
    })?;
    drop(written);
    held.release()
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
