//! Whether a variable of an input has the units of the first input's, or times that can be converted to them.

use super::compare::{Pair, quoted};
use crate::error::{Alternative, Error, Result};
use crate::join::change::{Times, times_of};
use crate::model::Variable;
use crate::subset::value::text;
use crate::time::TimeConversion;

impl Pair<'_> {
    /// Checks that units agree. Returns the conversion of times whose units differ.
    ///
    /// # Errors
    /// Units or calendars that differ, with both.
    pub fn check_units(&self) -> Result<Option<TimeConversion>> {
        let (first, other) = self.variables();
        let (ours, theirs) = (
            times_of(self.first.0, self.first.1),
            times_of(self.other.0, self.other.1),
        );
        let own = |variable| text(variable, "units").unwrap_or_default().to_owned();
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => self.conversion(&ours, &theirs),
            (Some(ours), None) => Err(self.units_differ(&own(other), &ours.spelled)),
            (None, Some(theirs)) => Err(self.units_differ(&theirs.spelled, &own(first))),
            (None, None) => {
                let of = |variable, name: &str| text(variable, name).unwrap_or_default().to_owned();
                if of(first, "units") != of(other, "units") {
                    return Err(self.differing_units());
                }
                let (ours, theirs) = (of(first, "calendar"), of(other, "calendar"));
                match ours == theirs {
                    true => Ok(None),
                    false => Err(self.differs(
                        "calendar",
                        &quoted(&theirs),
                        &quoted(&ours),
                        Alternative::OtherVariables,
                    )),
                }
            }
        }
    }

    /// The error for units that differ, as the attributes of the variables spell them.
    pub fn differing_units(&self) -> Error {
        let (first, other) = self.variables();
        let units = |variable| text(variable, "units").unwrap_or_default();
        self.units_differ(units(other), units(first))
    }

    fn units_differ(&self, theirs: &str, ours: &str) -> Error {
        self.differs(
            "units",
            &quoted(theirs),
            &quoted(ours),
            Alternative::OtherVariables,
        )
    }

    fn conversion(&self, ours: &Times, theirs: &Times) -> Result<Option<TimeConversion>> {
        if ours.calendar != theirs.calendar {
            return Err(self.differs(
                "calendar",
                &theirs.calendar_name,
                &ours.calendar_name,
                Alternative::OtherVariables,
            ));
        }
        if ours.spelled == theirs.spelled {
            return Ok(None);
        }
        if ours.has_zone() || theirs.has_zone() {
            return Err(self.differing_units());
        }
        let conversion = TimeConversion::new(theirs.units, ours.units, ours.calendar);
        let conversion = conversion.ok_or_else(|| self.units_differ(&theirs.spelled, &ours.spelled))?;
        // A packed number is no time before it is unpacked.
        let packing = ["scale_factor", "add_offset", "_Unsigned"];
        let is_packed = |variable: &Variable| {
            variable
                .attributes
                .iter()
                .any(|a| packing.contains(&a.name.as_str()))
        };
        match conversion.is_identity() {
            true => Ok(None),
            false if is_packed(self.variables().1) => Err(self.differing_units()),
            false => Ok(Some(conversion)),
        }
    }
}
