//! Values for which a variable or field has no room. As in netCDF-C, the values that fit are taken, and the rest is
//! left out with a warning.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

use crate::Diagnostic;
use crate::cdl::read::syntax::text::Text;

/// Maximum number of excesses kept.
const MOST: usize = 100;

/// The part of a list that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// Position of the first value that is left out, wholly or in part.
    pub at: u64,
    /// The unit of `room` and `left_out`.
    pub unit: Unit,
    /// Number of units that fit.
    pub room: u64,
    /// Number of units left out.
    pub left_out: u64,
}

/// The unit in which a list is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Values of any type but `char`, or lists along an unlimited dimension.
    Values,
    /// Characters, including the padding of rows.
    Characters,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Values => "values",
            Self::Characters => "characters",
        })
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = if self.left_out == 1 { "is" } else { "are" };
        write!(
            f,
            "too many {}: there is room for {}, and {} {are} left out",
            self.unit, self.room, self.left_out
        )
    }
}

/// Excesses found while values are parsed, from any thread, each once. If there are more than [`MOST`], the first in
/// the text are kept.
#[derive(Debug, Default)]
pub struct Excesses(Mutex<BTreeMap<u64, Excess>>);

impl Excesses {
    /// Adds one.
    pub fn add(&self, excess: Excess) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(excess.at, excess);
        if found.len() > MOST {
            found.pop_last();
        }
    }

    /// The excesses found so far, in the order of the text.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn diagnostics(&self, text: &Text) -> Result<Vec<Diagnostic>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = found.values();
        all.map(|excess| text.diagnostic(excess.at, excess.to_string()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_first_are_kept_whatever_their_order() {
        let text = Text::new(Arc::new(vec![b' '; 1000]), "a.cdl").unwrap();
        let excesses = Excesses::default();
        for n in (0..500).rev().chain(0..500) {
            excesses.add(Excess {
                at: n,
                unit: Unit::Values,
                room: 2,
                left_out: 1 + n % 2,
            });
        }
        let told = excesses.diagnostics(&text).unwrap();
        assert_eq!(told.len(), MOST);
        assert_eq!(
            told[0].to_string().lines().next(),
            Some("a.cdl:1:1: too many values: there is room for 2, and 1 is left out")
        );
        assert!(told[MOST - 1].to_string().contains("2 are left out"));
    }
}
