//! `--join` and `--merge`: one dataset of several inputs.
//!
//! ```text
//! names ─► Inputs, each opened when needed ─► Merged ─► the part asked for ─► values: plan, engine, Writer
//! ```

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, OnceLock};

use ncutils_cli::options::Mode;
use ncutils_core::copy::archive::{ArchiveOptions, ArchiveRoute, archive_route};
use ncutils_core::copy::plan::{CopyOptions, copied};
use ncutils_core::error::Error;
use ncutils_core::format::Reader;
use ncutils_core::format::archive::PackOptions;
use ncutils_core::join::{Inputs, Merged};
use ncutils_core::location::{Location, OutputPlace};
use ncutils_core::message::some_of;
use ncutils_core::model::{NamePattern, VarId};
use ncutils_core::threads;

use super::copy_of::CopyOf;
use super::unfinished::{refuse_unfinished, refuse_unfinished_sources};
use super::values;
use crate::arguments::Arguments;
use crate::job_step::Step;
use crate::locations;
use crate::many::inputs;
use crate::many::job::is_no_dataset;

/// Most inputs that are open at a time, if the system lets a process open so many files.
const MOST_OPEN: usize = 1000;

/// Files that an input may open: itself and one that it refers to.
const FILES: u64 = 2;

/// Inputs that a thread looks at before it takes more.
const RUN: usize = 64;

/// All readers may take the memory divided by this for data that they keep, and as much for their schemas.
const KEPT_SHARE: u64 = 8;

/// Joins or merges the inputs that the arguments name. Returns the exit status.
///
/// # Errors
/// What fails. No output appears then.
pub fn copy(arguments: &Arguments) -> anyhow::Result<u8> {
    if arguments.as_hdf5 {
        arguments.given.refuse_for(Mode::Hdf5)?;
    }
    if arguments.plain_zst {
        arguments.given.refuse_for(Mode::Zst)?;
    }
    let (operands, output) = arguments.files.joined()?;
    let names = input_names(operands, arguments)?;
    let named = arguments.step.is_some().then(|| Arguments {
        files: arguments.files.with_inputs(&names),
        ..arguments.clone()
    });
    let arguments = named.as_ref().unwrap_or(arguments);
    let Some(first) = names.first() else {
        return Err(Error::Usage("no input is named".into()).into());
    };
    let first = locations::input(arguments, first)?;
    let output = locations::output(arguments, Location::parse_output(output)?)?;
    if !arguments.replace {
        arguments.files.refuse_forgotten_output(&output)?;
    }
    locations::check((&first, &output), arguments)?;
    let found = found_inputs(&names, &output, arguments)?;
    let inputs = inputs_of(&names, found, &output, arguments, 0);
    let wanted = |schema: &_| copied(schema, &arguments.copy);
    let (request, registry) = (&arguments.join, &arguments.copy.registry);
    let joined = match arguments.step.as_ref().and_then(Step::kept) {
        Some(kept) => Merged::of_kept(inputs, request, registry, kept)?,
        None if arguments.step.is_some() => Merged::new(inputs.keeping(), request, registry, wanted)?,
        None => Merged::new(inputs, request, registry, wanted)?,
    };
    tell(&joined, &first, arguments);
    write(&joined, (&first, &output), arguments)?;
    joined.tell_of_data();
    // The process ends now, and with it all that is open. To close thousands of inputs one by one would take a tenth of the time.
    std::mem::forget(joined);
    Ok(0)
}

/// The names of the inputs. Other files, which are left out, are told.
///
/// # Errors
/// A list of names that cannot be read; an input that does not exist.
pub(super) fn input_names(operands: &[OsString], arguments: &Arguments) -> anyhow::Result<Vec<OsString>> {
    let mut names = Vec::new();
    let mut left = Vec::new();
    for input in inputs::all(operands, &arguments.files)? {
        match input.found && is_no_dataset(&locations::input(arguments, &input.name)?, arguments) {
            true => left.push(input.name.display().to_string()),
            false => names.push(input.name),
        }
    }
    if !left.is_empty() {
        arguments.messages.warn(format_args!(
            "files that are no datasets are left out: {}",
            some_of(&left, left.len())
        ));
    }
    Ok(names)
}

/// An input, as it was before anything was read.
#[derive(Debug)]
pub(super) struct FoundInput {
    location: Location,
    /// `None` for what is no local file. Not known before the input is looked at.
    stamp: OnceLock<Option<Stamp>>,
}

impl FoundInput {
    /// An input by its name.
    ///
    /// # Errors
    /// A name that means no location.
    pub(super) fn of(name: &OsString, arguments: &Arguments) -> anyhow::Result<Self> {
        let found = Self::named(name, arguments)?;
        found.look();
        Ok(found)
    }

    /// An input that is looked at later.
    fn named(name: &OsString, arguments: &Arguments) -> anyhow::Result<Self> {
        Ok(Self::at(locations::input(arguments, name)?))
    }

    /// The input at a location, which is looked at later.
    fn at(location: Location) -> Self {
        Self {
            location,
            stamp: OnceLock::new(),
        }
    }

    /// Looks at the input, if it was not looked at before. Returns what its path leads to.
    fn look(&self) -> Option<Metadata> {
        let found = self.location.path().and_then(|path| fs::metadata(path).ok());
        let stamp = found.as_ref().filter(|_| !self.location.is_standard_input());
        self.stamp.get_or_init(|| stamp.map(stamp_of));
        found
    }

    /// Checks that the input has not changed.
    ///
    /// # Errors
    /// It has.
    fn check(&self) -> Result<(), Error> {
        let Some(Some(before)) = self.stamp.get() else {
            return Ok(());
        };
        let now = self.location.path().and_then(|path| fs::metadata(path).ok());
        if now.is_some_and(|now| stamp_of(&now) == *before) {
            return Ok(());
        }
        let told = "changed while it was read; join it again".to_owned();
        Err(Error::Usage(told).in_file(self.location.name()))
    }
}

/// The inputs of these names, of which none is the output. A process that makes a part of a job looks at an input when it opens it.
///
/// # Errors
/// A name that means no location; an input that is the output.
pub(super) fn found_inputs(
    names: &[OsString],
    output: &Location,
    arguments: &Arguments,
) -> anyhow::Result<Vec<FoundInput>> {
    if arguments.step.as_ref().and_then(Step::looks_late).is_some() {
        return names
            .iter()
            .map(|name| FoundInput::named(name, arguments))
            .collect();
    }
    let place = OutputPlace::of(output);
    let locations = names.iter().map(|name| locations::input(arguments, name));
    let locations = locations.collect::<anyhow::Result<Vec<_>>>()?;
    let referenced = arguments.names.names(
        &locations,
        output,
        &arguments.copy,
        &arguments.part,
        arguments.files.dim.as_deref(),
    )?;
    threads::try_map(threads::count(), RUN, &locations, |location| {
        let input = FoundInput::at(location.clone().with_reference_names(referenced.clone()));
        place.check_input(&input.location, input.look().as_ref())?;
        Ok(input)
    })
}

/// Tells what the user should know of a join.
pub(super) fn tell(joined: &Merged, first: &Location, arguments: &Arguments) {
    for warning in joined.warnings() {
        arguments.of_plan().warn(warning);
    }
    let differing: Vec<_> = joined.differing_attributes().collect();
    if !differing.is_empty() {
        arguments.of_plan().note(format_args!(
            "attributes differ between the inputs, and are those of {first}: {}",
            some_of(&differing, differing.len())
        ));
    }
}

/// The state of a local file: size, time of the last change, number.
type Stamp = (u64, i64, i64, u64);

fn stamp_of(found: &Metadata) -> Stamp {
    (found.len(), found.mtime(), found.mtime_nsec(), found.ino())
}

/// What is known of the inputs that were opened.
#[derive(Default)]
struct OpenedInputs {
    numbers: Mutex<HashSet<usize>>,
    /// The warnings that were told, each with the number of its input.
    told: Mutex<HashSet<(usize, String)>>,
}

impl OpenedInputs {
    /// Notes that an input is opened. Returns true the first time.
    fn note(&self, n: usize) -> bool {
        let numbers = self.numbers.lock();
        numbers.map_or(true, |mut numbers| numbers.insert(n))
    }

    /// True if a warning of an input was not told before.
    fn is_news(&self, n: usize, warning: &str) -> bool {
        let told = self.told.lock();
        told.is_ok_and(|mut told| told.insert((n, warning.to_owned())))
    }
}

/// The inputs, each opened as the options say. Those before number `checked_from` may change while the others
/// are read, and their warnings were told.
pub(super) fn inputs_of(
    names: &[OsString],
    found: Vec<FoundInput>,
    output: &Location,
    arguments: &Arguments,
    checked_from: usize,
) -> Inputs {
    let shown = names.iter().map(|name| name.display().to_string()).collect();
    let wanted = MOST_OPEN.min(names.len());
    threads::allow_jobs_with_files(wanted as u64, FILES);
    // Inputs, the output, and files beside each other.
    let most = wanted.min(threads::jobs_with_files(FILES)).max(2);
    let memory = arguments.memory_beside(output) / KEPT_SHARE;
    let kept = memory / most as u64;
    let (arguments, output) = (arguments.clone(), output.clone());
    let found: Arc<[FoundInput]> = found.into();
    let opened = Arc::new(OpenedInputs::default());
    let (all, named, looked) = (Arc::clone(&found), Arc::clone(&found), Arc::clone(&found));
    let of_plan = arguments.of_plan();
    let (news, messages) = (Arc::clone(&opened), arguments.messages);
    let requests = found.iter().filter_map(|input| input.location.remote_requests());
    let requests = requests.max();
    let inputs = Inputs::new(shown, most, move |n| {
        let found = found
            .get(n)
            .ok_or_else(|| Error::Internal(format!("input {n} of a join")))?;
        let is_new = opened.note(n);
        match arguments.step.as_ref().and_then(Step::looks_late) {
            Some(making) if is_new => {
                found.look();
                making.check(n, &found.location)?;
            }
            _ if is_new => {}
            _ => found.check()?,
        }
        let input = &found.location;
        let reader = input.open_input(input.input()?, &arguments.copy.registry)?;
        reader.keep_at_most(kept);
        // An input is opened again when others needed its room.
        if is_new {
            // A dataset that grows is the output itself. The parts of a job replace nothing.
            if n >= checked_from && arguments.step.as_ref().is_none_or(Step::replaces) {
                OutputPlace::of(&output).check_sources(input, &*reader)?;
            }
            refuse_unfinished(reader.schema().unfinished, input, &arguments)?;
            for var in (0..reader.schema().vars.len()).map(VarId) {
                if reader.is_virtual(var) {
                    reader.resolve_sources(var)?;
                }
            }
            refuse_unfinished_sources(&*reader, input, &arguments)?;
        }
        Ok(reader)
    })
    .within(memory)
    .with_schema_warnings(move |n, warnings| {
        let Some(input) = looked.get(n).filter(|_| n >= checked_from) else {
            return;
        };
        for warning in warnings {
            of_plan.warn_of(&input.location, warning);
        }
    })
    .told_by(move |n, warnings| {
        let Some(input) = named.get(n) else { return };
        for warning in warnings.iter().filter(|warning| news.is_news(n, warning)) {
            messages.warn_of(&input.location, warning);
        }
    })
    .checked_by(move || {
        let all = all.get(checked_from..).unwrap_or_default();
        threads::try_map(threads::count(), RUN, all, FoundInput::check).map(drop)
    });
    match requests {
        Some(requests) => inputs.on_slow_store(requests),
        None => inputs,
    }
}

/// Writes the join to a new output.
///
/// # Errors
/// What fails. No output appears then.
pub(super) fn write(
    joined: &Merged,
    (input, output): (&Location, &Location),
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let schema = joined.schema();
    let mut options = CopyOptions {
        kind: output.output_kind(arguments.kind_for(schema.kind), Some(schema.kind))?,
        ..arguments.copy.clone()
    };
    if let (Some(listed), false) = (&mut options.variables, arguments.join.labels.is_empty()) {
        listed.names.push(NamePattern::from(arguments.join.dim.as_str()));
    }
    // The bytes of one input are not those of the join.
    let asked = ArchiveOptions {
        of_part: true,
        ..arguments.archive.clone()
    };
    let blocks = match archive_route(schema, &options, &asked)? {
        ArchiveRoute::Copy => None,
        ArchiveRoute::Convert(kinds, blocks) => {
            options = values::as_classic(joined, kinds, options)?;
            Some(PackOptions {
                threads: threads::count(),
                memory: Some(arguments.memory_beside(output)),
                ..blocks
            })
        }
        _ => {
            return Err(Error::Internal("bytes of an input as those of a join".into()).into());
        }
    };
    let part = values::part(joined, arguments)?;
    let copied = CopyOf::joined(joined, part.as_ref());
    values::copy(&copied, (input, output), &options, blocks, arguments)
}
