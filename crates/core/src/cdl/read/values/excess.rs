//! Values for which a variable or a field has no room. As in netCDF-C, those that fit are taken and the rest is left out.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

use crate::cdl::read::syntax::text::Text;
use crate::diagnostic::Diagnostic;

/// How many are kept.
const MOST: usize = 100;

/// The end of a list that is longer than what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// Where the first value stands that is left out, wholly or in part.
    pub at: u64,
    /// What is counted.
    pub unit: Unit,
    /// How many there is room for.
    pub room: u64,
    /// How many are left out.
    pub left_out: u64,
}

/// What a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Values of any type but `char`; also lists along an unlimited dimension.
    Values,
    /// Characters, those included that fill up a row.
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

/// The excesses that are found while values are parsed, from any thread; each once. Of very many the first in the text are kept.
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

    /// Those found so far, in the order of the text.
    ///
    /// # Errors
    /// Where the text cannot be read.
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
