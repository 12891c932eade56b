//! The locations that a copy names.

use std::ffi::OsStr;

use ncutils_core::error::Result;
use ncutils_core::format::Reader;
use ncutils_core::location::{Location, MOST_REQUESTS, OutputPlace};
use ncutils_core::store::Input;
use ncutils_core::threads;

use crate::arguments::Arguments;
use crate::job_step::Step;

/// Local inputs that a thread looks at before it takes more.
const LOOKS: usize = 16;

/// An input, with the options of remote stores and of other files.
///
/// # Errors
/// A name that means no location.
pub fn input(arguments: &Arguments, name: &OsStr) -> anyhow::Result<Location> {
    let location = arguments
        .remote
        .of(arguments.messages, Location::parse_input(Some(name))?)?;
    Ok(location
        .with_access(arguments.access.clone())
        .with_reference_paths(arguments.reference_paths))
}

/// Does `look` for each of many inputs: on all threads, and many at once if one is far away.
///
/// # Errors
/// The error of the first that fails.
pub fn look_at_all<T: Sync, R: Send>(
    items: &[T],
    name: impl Fn(&T) -> &OsStr + Sync,
    look: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let is_far = |item: &T| name(item).to_string_lossy().contains("://");
    match items.iter().any(is_far) {
        true => threads::try_map(MOST_REQUESTS, 1, items, look),
        false => threads::try_map(threads::count(), LOOKS, items, look),
    }
}

/// An output, with the options of remote stores.
///
/// # Errors
/// Settings of a remote store that are malformed; an output that the option for its kind does not go with.
pub fn output(arguments: &Arguments, location: Location) -> anyhow::Result<Location> {
    let output = arguments.remote.of(arguments.messages, location)?;
    let one_file = [
        (arguments.archive.pack, "-k archive"),
        (arguments.archive.restore, "--restore"),
        (arguments.plain_zst, "-k zst"),
        (arguments.as_hdf5, "-k h5"),
    ];
    for (_, option) in one_file.iter().filter(|(given, _)| *given) {
        output.check_one_file(option)?;
    }
    if arguments.copy.shards_as_hdf5 {
        output.check_folder("--as-shards")?;
    }
    Ok(output.with_shards_as_hdf5(arguments.copy.shards_as_hdf5))
}

/// Warns of the names of a copy, and checks that the output may be written.
///
/// # Errors
/// An output that is the input, unless that is asked for, or that cannot be written.
pub fn check((input, output): (&Location, &Location), arguments: &Arguments) -> anyhow::Result<()> {
    for location in [input, output] {
        for warning in location.warnings() {
            arguments.of_plan().warn_of(location, warning);
        }
    }
    if !arguments.files.in_place && !arguments.files.append {
        input.check_output(output)?;
    }
    output.check_not_open()?;
    Ok(())
}

/// Checks that the output replaces no file that the dataset of `reader` leads to.
///
/// # Errors
/// Names the file; the names of files cannot be read.
pub fn check_sources(
    (input, output): (&Location, &Location),
    reader: &dyn Reader,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    // The parts of a job replace nothing.
    let replaces = arguments.step.as_ref().is_none_or(Step::replaces);
    if !arguments.files.in_place && replaces {
        OutputPlace::of(output).check_sources(input, reader)?;
    }
    Ok(())
}

/// The same for an input that is copied as it is, which `open` opens if that is needed.
///
/// # Errors
/// The same.
pub fn check_sources_of_bytes(
    (input, output): (&Location, &Location),
    open: impl FnOnce() -> Result<Input>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    if !arguments.files.in_place {
        let place = OutputPlace::of(output);
        place.check_sources_of_bytes(input, open, &arguments.copy.registry)?;
    }
    Ok(())
}
