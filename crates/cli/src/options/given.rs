//! The options of a call, and those among them that its way does not apply.

use clap::ArgMatches;
use clap::parser::ValueSource;
use ncutils_core::error::{Error, Result};

use super::opt::Opt;
use super::program::Program;
use super::way::Way;

/// The options that a call gave, in the order of the table.
#[derive(Debug, Clone)]
pub struct Given(Vec<&'static Opt>);

impl Program {
    /// The options of a call.
    pub fn given(&'static self, matches: &ArgMatches) -> Given {
        let typed = |option: &&Opt| matches.value_source(option.id) == Some(ValueSource::CommandLine);
        Given(self.options().filter(typed).collect())
    }
}

impl Given {
    /// Fails if an option was given that a way does not apply. The message says why, and names the option.
    ///
    /// # Errors
    /// The first such option.
    pub fn refuse_for(&self, way: Way) -> Result<()> {
        match self.0.iter().find(|option| !option.applies_to(way)) {
            None => Ok(()),
            Some(option) => Err(Error::Usage(format!(
                "{}; leave out {}",
                way.refusal(),
                option.told_as()
            ))),
        }
    }
}
