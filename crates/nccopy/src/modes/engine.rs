//! What every copy by the engine does, whatever its writer.
//!
//! ```text
//! planned ─► plan, prepared ─┬─► described           --dry-run
//!                            └─► writer ─► run ─► summarized
//! ```

use anyhow::Context;
use ncutils_core::copy::plan::{CopyOptions, Unreferenced};
use ncutils_core::copy::{
    self, CopyPlan, Packed, Prepared, Progress, Report, RunOptions, default_budget, prepare,
};
use ncutils_core::error::{Error, Result};
use ncutils_core::format::Writer;
use ncutils_core::location::{CreateOptions, Location};
use ncutils_core::model::NamePattern;

use super::copy_of::CopyOf;
use super::unfinished::refuse_unfinished_sources;
use super::without_effect;
use crate::arguments::Arguments;
use crate::print::plan_text::{self, Beside};
use crate::print::{report, summary};

/// A copy by the engine.
#[derive(Clone, Copy)]
pub(crate) struct Engine<'a> {
    pub(crate) input: &'a Location,
    pub(crate) output: &'a Location,
    pub(crate) arguments: &'a Arguments,
}

impl Engine<'_> {
    /// An error of the input, with its name.
    pub(crate) fn in_input(&self, error: Error) -> Error {
        error.in_file(self.input.name())
    }

    /// Plans a copy, and tells what was chosen.
    ///
    /// # Errors
    /// Requests that the input cannot fulfil.
    pub(crate) fn planned(&self, copied: &CopyOf<'_>, options: &CopyOptions) -> Result<(CopyPlan, Prepared)> {
        let plan = copied.plan(options).map_err(|error| self.in_input(error))?;
        let prepared_now = || prepare(copied.readers(), &plan).map_err(|error| self.in_input(error));
        // What becomes no reference is told or left out before anything else is told.
        let mut prepared = None;
        if plan.schema.kind.can().references {
            let found = prepared.insert(prepared_now()?);
            if let Some(options) = self.without_unreferenced(found, options)? {
                return self.planned(copied, &options);
            }
        }
        let messages = self.arguments.of_plan();
        for choice in &plan.choices {
            match self.arguments.of_several {
                true => messages.note(format_args!("{}: {choice}", self.input)),
                false => messages.note(choice),
            }
        }
        for notice in plan.notices.lines() {
            messages.warn_of(self.output, notice);
        }
        for line in without_effect::lines(options, &plan, self.arguments.view.char_strings) {
            messages.warn_of(self.output, line);
        }
        let prepared = prepared.map_or_else(prepared_now, Ok)?;
        refuse_unfinished_sources(copied.main(), self.input, self.arguments)?;
        Ok((plan, prepared))
    }

    /// The options of a copy without the variables that cannot be references; `None` if there are none, or if they are stored as they
    /// are.
    ///
    /// # Errors
    /// Names all these variables, if nobody asked to leave them out.
    fn without_unreferenced(
        &self,
        prepared: &Prepared,
        options: &CopyOptions,
    ) -> Result<Option<CopyOptions>> {
        let found = prepared.unreferenced.iter();
        let found: Vec<_> = found
            .filter(|one| !(one.can_copy_rest() && options.copy_ragged))
            .cloned()
            .collect();
        if found.is_empty() {
            return Ok(None);
        }
        if !options.drop_unsupported {
            return Err(self.in_input(Unreferenced::error(&found)));
        }
        let mut left = options.clone();
        self.arguments.of_plan().warn_of(
            self.output,
            format_args!(
                "left out, as they cannot be references: {}",
                Unreferenced::listed(&found)
            ),
        );
        left.excluded
            .extend(found.iter().map(|one| NamePattern::from(&*one.path)));
        Ok(Some(left))
    }

    /// Prints the plan, with what is copied `beside` it.
    ///
    /// # Errors
    /// What the output cannot hold; failures of standard output.
    pub(crate) fn described(
        &self,
        copied: &CopyOf<'_>,
        plan: &CopyPlan,
        prepared: &Prepared,
        beside: Option<Beside<'_>>,
    ) -> anyhow::Result<()> {
        self.output.check_create(&plan.schema, &prepared.plans)?;
        let description = prepared.describe(copied.readers(), plan, &self.run_options());
        let estimates = copied.estimates(plan, &description);
        let text = || plan_text::text(&description, &estimates, beside);
        let json = || plan_text::json(&description, &estimates, beside);
        report::print("plan", (self.input, self.output), self.arguments, text, json)
    }

    /// The options of the output, with the part of the memory that it may hold.
    pub(crate) fn create_options(&self) -> CreateOptions {
        CreateOptions {
            memory: Some(self.output.memory_of_output(self.budget())),
            replaces: self.arguments.replace,
        }
    }

    fn budget(&self) -> u64 {
        self.arguments.memory.unwrap_or_else(default_budget)
    }

    pub(crate) fn run_options(&self) -> RunOptions<'_> {
        let budget = self.budget();
        RunOptions {
            memory: Some(budget.saturating_sub(self.output.memory_of_output(budget))),
            output: Some(self.output.name()),
            // A check has found the damage that there is, and the rest is salvaged.
            untested: self.arguments.no_check || self.arguments.salvage,
            input_may_change: self.arguments.unfinished || self.arguments.salvage,
            ..RunOptions::default()
        }
    }

    /// Copies the data, with a bar of its progress on a terminal, and tells what is unusual about the input's data.
    ///
    /// # Errors
    /// Failures of reading and writing.
    pub(crate) fn run<'p>(
        &self,
        copied: &CopyOf<'_>,
        prepared: &'p Prepared,
        writer: Box<dyn Writer>,
    ) -> Result<Report<'p>> {
        self.with_progress(copied, |options| {
            copy::run(copied.readers(), prepared, writer, options)
        })
    }

    /// Like [`run`](Self::run), of a copy whose pieces other processes have packed.
    ///
    /// # Errors
    /// Failures of reading and writing; packs that are damaged.
    pub(crate) fn complete<'p>(
        &self,
        copied: &CopyOf<'_>,
        prepared: &'p Prepared,
        writer: Box<dyn Writer>,
        packed: &mut dyn Packed,
    ) -> Result<Report<'p>> {
        self.with_progress(copied, |options| {
            copy::complete(copied.readers(), prepared, writer, options, packed)
        })
    }

    fn with_progress<'p>(
        &self,
        copied: &CopyOf<'_>,
        run: impl FnOnce(&RunOptions<'_>) -> Result<Report<'p>>,
    ) -> Result<Report<'p>> {
        // Of several copies, one bar shows all.
        let bar = match self.arguments.of_several {
            true => None,
            false => self.arguments.messages.bar(),
        };
        let of_file = self
            .arguments
            .progress
            .as_deref()
            .map(|file| file as &dyn Progress);
        let options = RunOptions {
            progress: bar.as_ref().map(|bar| bar as &dyn Progress).or(of_file),
            ..self.run_options()
        };
        let done = run(&options);
        if let Some(bar) = &bar {
            bar.clear();
        }
        for warning in copied.main().data_warnings() {
            self.arguments.messages.warn_of(self.input, warning);
        }
        done.map_err(|error| self.in_input(error))
    }

    /// Prints what was done, with what was copied `beside` the plan, if `--summary` asks for it.
    ///
    /// # Errors
    /// Failures of standard output.
    pub(crate) fn summarized(&self, report: &Report<'_>, beside: Option<Beside<'_>>) -> anyhow::Result<()> {
        let (text, json) = (|| summary::text(report, beside), || summary::json(report, beside));
        let locations = (self.input, self.output);
        let printed = match self.arguments.summary {
            false => Ok(()),
            true => report::print("summary", locations, self.arguments, text, json),
        };
        printed.with_context(|| format!("{} is in place, but its summary is not printed", self.output))
    }
}
