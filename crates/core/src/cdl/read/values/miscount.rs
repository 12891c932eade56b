//! Lists with more or fewer values than their variable or field has room for. As in netCDF-C, the values that fit are
//! taken, and elements without a value are filled. Both give a warning.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

use crate::Diagnostic;
use crate::cdl::read::syntax::text::Text;

/// Maximum number of miscounts kept for warnings.
const MOST: usize = 100;

/// A list whose number of values is not that of its variable or field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Miscount {
    /// Position of the first value that is left out, wholly or in part, or of the end of a list that is too short.
    pub at: u64,
    /// The unit of `room` and `amount`.
    pub unit: Unit,
    /// Number of units that fit.
    pub room: u64,
    /// The difference.
    pub amount: Amount,
}

/// By how much a list has too many or too few values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Number of units left out.
    LeftOut(u64),
    /// Number of units without a value.
    Missing(u64),
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

impl fmt::Display for Miscount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (direction, count, which) = match self.amount {
            Amount::LeftOut(count) => ("many", count, "left out"),
            Amount::Missing(count) => ("few", count, "missing"),
        };
        let are = if count == 1 { "is" } else { "are" };
        write!(
            f,
            "too {direction} {}: there is room for {}, and {count} {are} {which}",
            self.unit, self.room
        )
    }
}

/// Miscounts found while values are parsed, from any thread, each once. If there are more than [`MOST`], the first in
/// the text are kept.
#[derive(Debug, Default)]
pub struct Miscounts(Mutex<BTreeMap<u64, Miscount>>);

impl Miscounts {
    /// Adds one.
    pub fn add(&self, miscount: Miscount) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(miscount.at, miscount);
        if found.len() > MOST {
            found.pop_last();
        }
    }

    /// The miscounts found so far, in the order of the text.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn diagnostics(&self, text: &Text) -> Result<Vec<Diagnostic>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = found.values();
        all.map(|miscount| text.diagnostic(miscount.at, miscount.to_string()))
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
        let miscounts = Miscounts::default();
        for n in (0..500).rev().chain(0..500) {
            miscounts.add(Miscount {
                at: n,
                unit: Unit::Values,
                room: 2,
                amount: Amount::LeftOut(1 + n % 2),
            });
        }
        let told = miscounts.diagnostics(&text).unwrap();
        assert_eq!(told.len(), MOST);
        assert_eq!(
            told[0].to_string().lines().next(),
            Some("a.cdl:1:1: too many values: there is room for 2, and 1 is left out")
        );
        assert!(told[MOST - 1].to_string().contains("2 are left out"));
    }
}
