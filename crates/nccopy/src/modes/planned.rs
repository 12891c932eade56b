//! [`Planned`]: a copy of values and chunks, before its output is begun.
//!
//! ```text
//! Planned ─► create ─► Writer ─► verify: compared before it takes its name
//! ```

use ncutils_core::copy::{CopyPlan, Prepared};
use ncutils_core::error::Error;
use ncutils_core::format::archive::PackOptions;
use ncutils_core::format::{Reader, Writer};
use ncutils_core::integrity::{Compared, Named, Promise};
use ncutils_core::location::{Location, Staged};
use ncutils_core::store::Input;

use super::copy_of::CopyOf;
use super::engine::Engine;
use crate::arguments::Arguments;

/// A copy that is planned, and of which nothing is written.
pub(crate) struct Planned<'a> {
    pub(crate) engine: Engine<'a>,
    pub(crate) copied: &'a CopyOf<'a>,
    pub(crate) plan: CopyPlan,
    pub(crate) prepared: Prepared,
    /// The blocks of an archive.
    pub(crate) blocks: Option<PackOptions>,
}

impl Planned<'_> {
    /// Compares an output that was written with what was asked for, if `--verify` asks for it.
    ///
    /// # Errors
    /// A difference, with the name of the output; what reading finds wrong.
    pub(crate) fn verify(&self, written: impl FnOnce() -> Result<Input, Error>) -> Result<(), Error> {
        let Engine {
            input,
            output,
            arguments,
        } = self.engine;
        if !arguments.verify {
            return Ok(());
        }
        let written = output.open_input(written()?, &arguments.copy.registry)?;
        let promise = Promise::of(&self.plan);
        compare(&*written, &promise, self.copied.asked, (input, output), arguments)
            .map_err(|error| error.in_file(output.name()))
    }
}

/// An output that was begun.
pub(crate) struct Created {
    pub(crate) writer: Box<dyn Writer>,
    /// What is held back until it was compared.
    pub(crate) held: Option<(Staged, Promise)>,
}

/// Begins the output of a planned copy.
///
/// # Errors
/// An output that cannot be written.
pub(crate) fn create(planned: &Planned<'_>, arguments: &Arguments) -> Result<Created, Error> {
    if arguments.verify {
        let (writer, staged) = create_held(planned, arguments)?;
        let held = Some((staged, Promise::of(&planned.plan)));
        return Ok(Created { writer, held });
    }
    let output = planned.engine.output;
    let create = planned.engine.create_options();
    let (schema, plans) = (&planned.plan.schema, &planned.prepared.plans);
    let created = match planned.blocks.clone() {
        Some(blocks) => output.create_archive(schema, plans, blocks, &create),
        None => output.create_with(schema, plans, &create),
    };
    arguments.messages.warn_of_opening(output);
    let held = None;
    created.map(|writer| Created { writer, held })
}

/// Begins the output of a planned copy. It does not appear before it is released.
///
/// # Errors
/// An output that cannot be written.
pub(crate) fn create_held(
    planned: &Planned<'_>,
    arguments: &Arguments,
) -> Result<(Box<dyn Writer>, Staged), Error> {
    let output = planned.engine.output;
    let create = planned.engine.create_options();
    let (schema, plans) = (&planned.plan.schema, &planned.prepared.plans);
    let created = output.create_staged(schema, plans, planned.blocks.clone(), &create);
    arguments.messages.warn_of_opening(output);
    created
}

/// Compares the output with what was asked for, and lets it appear.
///
/// # Errors
/// A difference; what reading finds wrong.
pub(crate) fn verify(
    held: &Staged,
    promise: &Promise,
    asked: &dyn Reader,
    (input, output): (&Location, &Location),
    arguments: &Arguments,
) -> Result<(), Error> {
    let mut found = held.input(output)?;
    if output.makes_references(arguments.copy.kind) {
        found = output.followed(found, input)?;
    }
    let written = output.open_input(found, &arguments.copy.registry)?;
    compare(&*written, promise, asked, (input, output), arguments)?;
    drop(written);
    held.release()
}

/// Compares what was written with what was asked for, and tells how much that was.
///
/// # Errors
/// Those of [`compared`].
pub(crate) fn compare(
    written: &dyn Reader,
    promise: &Promise,
    asked: &dyn Reader,
    locations: (&Location, &Location),
    arguments: &Arguments,
) -> Result<(), Error> {
    let compared = compared(written, promise, asked, locations, arguments)?;
    arguments
        .messages
        .note(format_args!("{}: {compared}", locations.1));
    Ok(())
}

/// Compares what was written with what was asked for. Each difference is told.
///
/// # Errors
/// A difference; what reading finds wrong.
pub(crate) fn compared(
    written: &dyn Reader,
    promise: &Promise,
    asked: &dyn Reader,
    (input, output): (&Location, &Location),
    arguments: &Arguments,
) -> Result<Compared, Error> {
    let names = (input.to_string(), output.to_string());
    let asked = Named {
        reader: asked,
        name: &names.0,
    };
    let found = Named {
        reader: written,
        name: &names.1,
    };
    promise.verify(asked, found, arguments.work(), &mut |line| {
        arguments.messages.tell(format_args!("{output}: {line}"));
    })
}
