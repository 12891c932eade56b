//! `--append`: a dataset that exists grows.
//!
//! ```text
//! output, inputs ─► Joined, whose first input is the output ─┬─► plan of what is new ─► engine ─► writer that adds where it is
//!                                                            └─► join ─► a new file in its place (zip files, archives)
//! ```

use ncutils_cli::options::Mode;
use ncutils_core::copy::plan::{CopyOptions, added_records, copied};
use ncutils_core::error::{Alternative, Error};
use ncutils_core::join::{JoinRequest, Merged};
use ncutils_core::location::{GrowthLock, Location};
use ncutils_core::model::{Growth, Kind, Schema};

use super::copy_of::CopyOf;
use super::engine::Engine;
use super::join::{self, FoundInput};
use crate::arguments::Arguments;
use crate::locations;

/// Adds the inputs that the arguments name to the output. Returns the exit status.
///
/// # Errors
/// What fails. A file is the old one then. Of keys, what was begun is undone by the next run.
pub fn copy(arguments: &Arguments) -> anyhow::Result<u8> {
    arguments.given.refuse_for(Mode::Append)?;
    let (operands, name) = arguments.files.joined()?;
    let mut names = vec![name.clone()];
    names.extend(join::input_names(operands, arguments)?);
    let old = locations::input(arguments, name)?;
    if old.path().is_some_and(|path| !path.exists()) {
        let told = "--append adds to a dataset that exists, the last name, and there is none; without --append, a copy makes it";
        return Err(Error::Usage(told.to_owned()).in_file(old.name()).into());
    }
    let output = locations::output(arguments, Location::parse_output(name)?)?.growing()?;
    output.check_no_part()?;
    let mut found = join::found_inputs(&names[1..], &output, arguments)?;
    // What others write is looked at behind the lock.
    let lock = match arguments.dry_run {
        true => GrowthLock::None,
        false => output.lock_for_growth(arguments.replace)?,
    };
    found.insert(0, FoundInput::of(name, arguments)?);
    locations::check((&old, &output), arguments)?;
    let input = old.input()?;
    let reader = old
        .open_input(input.clone(), &arguments.copy.registry)
        .map_err(|error| error.in_file(old.name()))?;
    old.check_no_bound_shards(&input, &*reader)?;
    let schema = reader.schema().clone();
    drop((reader, input));
    let request = JoinRequest {
        dim: dimension(&schema, &arguments.join.dim).map_err(|error| error.in_file(old.name()))?,
        ..arguments.join.clone()
    };
    let kind = output.grown_kind(schema.kind);
    refuse_other_kind(kind, arguments).map_err(|error| error.in_file(old.name()))?;
    let grows = output.grows_in_place(kind);
    let inputs = join::inputs_of(&names, found, &output, arguments, usize::from(grows));
    let wanted = |schema: &_| copied(schema, &arguments.copy);
    let joined = Merged::new(inputs, &request, &arguments.copy.registry, wanted)
        .map_err(|error| error.map_bare(without_sort))?;
    join::tell(&joined, &old, arguments);
    if !grows {
        join::write(&joined, (&old, &output), arguments)?;
        return Ok(0);
    }
    grow(&joined.growing(), kind, (&old, &output), &lock, arguments)?;
    Ok(0)
}

/// Refuses another kind than that of the dataset.
fn refuse_other_kind(kind: Kind, arguments: &Arguments) -> Result<(), Error> {
    let is_container = arguments.archive.pack || arguments.plain_zst || arguments.as_hdf5;
    match arguments.copy.kind.is_some_and(|asked| asked != kind) || is_container {
        true => Err(Error::Usage(format!(
            "the dataset is of the kind {}, which --append keeps; leave out -k",
            kind.name()
        ))),
        false => Ok(()),
    }
}

/// Advises a new dataset in place of sorting, which would move what exists.
fn without_sort(error: Error) -> Error {
    match error {
        Error::Alternative {
            why,
            alternative: Alternative::OneOfTwoCells,
        } => {
            let alternative = Alternative::NewDataset;
            Error::Alternative { why, alternative }
        }
        other => other,
    }
}

/// The dimension along which a dataset grows: the one that is asked for, or the only unlimited one.
fn dimension(schema: &Schema, asked: &str) -> Result<String, Error> {
    if !asked.is_empty() {
        return Ok(asked.to_owned());
    }
    let unlimited: Vec<_> = schema.dims.iter().filter(|dim| dim.unlimited).collect();
    match unlimited[..] {
        [dim] => Ok(schema.path_in(dim.group, &dim.name)),
        [] => Err(Error::Usage(
            "no dimension is unlimited; name one by --join, or copy the dataset with --unlimited".to_owned(),
        )),
        _ => {
            let names: Vec<_> = unlimited.iter().map(|dim| dim.name.as_str()).collect();
            Err(Error::Usage(format!(
                "several dimensions are unlimited; name one of {} by --join",
                names.join(", ")
            )))
        }
    }
}

/// Writes what is new.
fn grow(
    joined: &Merged,
    kind: Kind,
    (old, output): (&Location, &Location),
    lock: &GrowthLock,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let engine = Engine {
        input: old,
        output,
        arguments,
    };
    let options = CopyOptions {
        kind: Some(kind),
        ..arguments.copy.clone()
    };
    let (before, now) = joined.first_member().lengths();
    if before == now {
        // Cells of the input would take the place of all that is there.
        joined.first_member().check_first_stays()?;
        arguments
            .messages
            .note(format_args!("{old}: there is nothing to add"));
        return Ok(());
    }
    let records = match kind.can().grows {
        Growth::Records => Some(added_records(joined, &options.registry)?),
        Growth::Chunks | Growth::Anew => None,
    };
    let copied = CopyOf::growing(joined, records.as_ref());
    let (plan, prepared) = engine.planned(&copied, &options)?;
    if arguments.dry_run {
        return engine.described(&copied, &plan, &prepared, None);
    }
    ncutils_cli::signals::handle("nccopy");
    let writer = output.grow(lock, &plan.schema, &prepared.plans, &options.registry)?;
    drop(plan);
    let report = engine.run(&copied, &prepared, writer).inspect_err(|_| {
        if let GrowthLock::Keys(_) = lock {
            let what = "what was begun is undone by the next run of nccopy --append, which goes on then";
            arguments.messages.warn_of(output, what);
        }
    })?;
    engine.summarized(&report, None)
}
