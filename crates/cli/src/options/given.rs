//! The options of a call, and those among them that its mode does not apply.

use clap::parser::ValueSource;
use clap::{ArgMatches, Id};
use ncutils_core::error::{Error, Result};

use super::mode::Mode;
use super::opt::Opt;
use super::program::Program;

/// The options that a call gave, in the order of the table.
#[derive(Debug, Clone)]
pub struct Given(Vec<&'static Opt>);

impl Program {
    /// The options of a call.
    pub fn given(&'static self, matches: &ArgMatches) -> Given {
        let is_typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let typed: Vec<&str> = matches.ids().map(Id::as_str).filter(is_typed).collect();
        let options = self.options().filter(|option| typed.contains(&option.id));
        Given(options.collect())
    }
}

impl Given {
    /// Fails if an option was given that is none of `allowed`, which are ids. The message begins with `why`, and names the option.
    ///
    /// # Errors
    /// The first such option.
    pub fn refuse_others(&self, allowed: &[&str], why: &str) -> Result<()> {
        match self
            .0
            .iter()
            .find(|option| !option.is_operand() && !allowed.contains(&option.id))
        {
            None => Ok(()),
            Some(option) => Err(Error::Usage(format!("{why}; leave out {}", option.told_as()))),
        }
    }

    /// Fails if an option was given that a mode does not apply. The message says why, and names the option.
    ///
    /// # Errors
    /// The first such option.
    pub fn refuse_for(&self, mode: Mode) -> Result<()> {
        match self.0.iter().find(|option| !option.applies_to(mode)) {
            None => Ok(()),
            Some(option) => Err(Error::Usage(format!(
                "{}; leave out {}",
                mode.refusal(),
                option.told_as()
            ))),
        }
    }
}
