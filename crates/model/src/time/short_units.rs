//! [`ShortUnits`]: units of time that may be shorter than a second.

use super::calendar::Calendar;
use super::units::{TimeUnit, TimeUnits};

/// A time whose unit may be shorter than a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShortUnits {
    /// The base, and the unit if it is a second or more.
    pub units: TimeUnits,
    /// Nanoseconds of a shorter unit.
    pub nanoseconds: Option<i128>,
}

impl From<TimeUnits> for ShortUnits {
    fn from(units: TimeUnits) -> Self {
        Self {
            units,
            nanoseconds: None,
        }
    }
}

impl ShortUnits {
    /// Names of units shorter than a second, as UDUNITS has them, and their nanoseconds.
    const NAMES: [(&'static [&'static str], i128); 3] = [
        (
            &[
                "ms",
                "msec",
                "msecs",
                "millisec",
                "millisecs",
                "millisecond",
                "milliseconds",
            ],
            1_000_000,
        ),
        (
            &[
                "us",
                "µs",
                "usec",
                "usecs",
                "microsec",
                "microsecs",
                "microsecond",
                "microseconds",
            ],
            1_000,
        ),
        (
            &[
                "ns",
                "nsec",
                "nsecs",
                "nanosec",
                "nanosecs",
                "nanosecond",
                "nanoseconds",
            ],
            1,
        ),
    ];

    /// Parses `milliseconds since 2000-01-01` and the like; `None` for any other unit.
    pub fn parse(text: &str, calendar: Calendar) -> Option<Self> {
        let (name, rest) = text
            .trim_ascii_start()
            .split_once(|c: char| c.is_ascii_whitespace())?;
        let is_named = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
        let (_, nanoseconds) = Self::NAMES.iter().find(|(names, _)| is_named(names))?;
        Some(Self {
            units: TimeUnits::parse(&format!("seconds {rest}"), calendar)?,
            nanoseconds: Some(*nanoseconds),
        })
    }

    /// Nanoseconds of the unit; `None` for calendar months and what is made of them.
    pub(super) fn length(&self) -> Option<i128> {
        self.nanoseconds.or_else(|| length(self.units.unit))
    }
}

/// Nanoseconds of a unit; `None` for calendar months and what is made of them.
fn length(unit: TimeUnit) -> Option<i128> {
    let seconds = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Minute => 60,
        TimeUnit::Hour => 3_600,
        TimeUnit::Day => 86_400,
        TimeUnit::Week => 604_800,
        TimeUnit::Month | TimeUnit::Season | TimeUnit::Year => return None,
    };
    Some(seconds * 1_000_000_000)
}
