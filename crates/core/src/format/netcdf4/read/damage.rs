//! [`Damage`]: goes on after what is wrong with a damaged file.

use crate::error::{Error, Result};
use crate::format::Fault;

/// What is wrong with the structure of a file that may be damaged. The first error in any other file ends its reading.
pub struct Damage(Option<Vec<Fault>>);

impl Damage {
    /// For a file that may be damaged, or for another.
    pub fn new(damaged: bool) -> Self {
        Self(damaged.then(Vec::new))
    }

    /// True if the file may be damaged.
    pub fn is_tolerated(&self) -> bool {
        self.0.is_some()
    }

    /// Notes an error, after which the reading goes on.
    ///
    /// # Errors
    /// `error`, if the file may not be damaged.
    pub fn tolerate(&mut self, error: Error) -> Result<()> {
        match &mut self.0 {
            None => Err(error),
            Some(faults) => {
                faults.push(Fault::of(&error));
                Ok(())
            }
        }
    }

    /// Adds faults that were noted elsewhere. They are lost if the file may not be damaged, where there are none.
    pub fn add(&mut self, faults: impl IntoIterator<Item = Fault>) {
        if let Some(noted) = &mut self.0 {
            noted.extend(faults);
        }
    }

    /// All that was noted, in the order in which it was met.
    pub fn into_faults(self) -> Vec<Fault> {
        self.0.unwrap_or_default()
    }
}
