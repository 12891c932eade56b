//! Times: numbers with a unit such as `days since 1990-01-01`, and the dates that they stand for.
//!
//! ```text
//! attributes of a variable ─► variables ─┬─ units:    "days since 1990-01-01" ─► unit, base date
//!                                        ├─ calendar: "noleap", …
//!                                        └─ bounds:   whose units a variable of bounds has
//!                                              ▼
//!                                         TimeFormat: number ─► hours ─► date ─► "1990-01-04 12"
//! ```
//!
//! Which strings are units, how calendars count and what rounding does is netCDF-C's, whose `ncdump -t` users compare with:
//! the same floating-point operations in the same order. Unlike there, a date is found without walking through the years.

mod calendar;
mod format;
mod units;
mod variables;

pub use calendar::{Calendar, Date};
pub use format::{DateSeparator, TimeFormat};
pub use units::{TimeUnit, TimeUnits};
pub use variables::TimeVariables;
