//! What a program tells on standard error.
//!
//! ```text
//! errors, answers that were asked for ─► tell ──┐
//! warnings ─► warn, warn_of, warn_lines ────────┼─► standard error
//! choices of the program ─► note ───────────────┘
//! ```

use std::fmt::Display;

use clap::ArgMatches;
use ncutils_core::location::Location;
use ncutils_core::message;

use crate::options::Program;
use crate::progress::Bar;

/// What a call of a program tells.
#[derive(Debug, Clone, Copy)]
pub struct Messages {
    program: &'static str,
    /// `--quiet`: errors alone.
    quiet: bool,
    /// `--progress json`.
    progress_lines: bool,
}

impl Messages {
    /// The messages of a program of which no call is known.
    pub fn new(program: &'static str) -> Self {
        Self {
            program,
            quiet: false,
            progress_lines: false,
        }
    }

    /// The messages of a call.
    pub fn of(program: &Program, matches: &ArgMatches) -> Self {
        Self {
            program: program.name,
            // Not all programs have the option.
            quiet: matches!(matches.try_get_one::<bool>("quiet"), Ok(Some(true))),
            progress_lines: matches!(matches.try_get_one::<String>("progress"), Ok(Some(_))),
        }
    }

    /// Tells an error, or what the user asked to be told.
    pub fn tell(self, text: impl Display) {
        message::tell(self.program, text);
    }

    /// Tells an error of several lines.
    pub fn tell_lines(self, text: impl Display) {
        message::tell_lines(self.program, text);
    }

    /// The same without warnings and choices.
    #[must_use]
    pub fn quieted(self) -> Self {
        let quiet = true;
        Self { quiet, ..self }
    }

    /// Tells a choice that the program made.
    pub fn note(self, text: impl Display) {
        if !self.quiet {
            message::tell(self.program, text);
        }
    }

    /// Tells a warning.
    pub fn warn(self, text: impl Display) {
        self.note(format_args!("warning: {text}"));
    }

    /// Tells a warning about a dataset.
    pub fn warn_of(self, location: &Location, text: impl Display) {
        self.note(format_args!("{location}: warning: {text}"));
    }

    /// Tells a warning of several lines.
    pub fn warn_lines(self, text: impl Display) {
        if !self.quiet {
            message::tell_lines(self.program, format_args!("warning: {text}"));
        }
    }

    /// Tells the warnings that were found while a location was opened.
    pub fn warn_of_opening(self, location: &Location) {
        for warning in location.take_opening_warnings() {
            self.warn_of(location, warning);
        }
    }

    /// What shows the progress: lines if they are asked for, else a bar if standard error is a terminal.
    pub fn bar(self) -> Option<Bar> {
        match self.progress_lines {
            true => Some(Bar::lines()),
            false => Bar::on_terminal().filter(|_| !self.quiet),
        }
    }
}
