//! Times: numbers with units such as `days since 1990-01-01`, and their dates.
//!
//! ```text
//! attributes of a variable ─► variables ─┬─ units:    "days since 1990-01-01" ─► unit, base date
//!                                        ├─ calendar: "noleap", …
//!                                        └─ bounds:   whose units a variable of bounds has
//!                                              ▼
//!                                         TimeFormat: number ─► hours ─► date ─► "1990-01-04 12"
//!
//! two units ─► TimeConversion: number of one ─► number of the other, exactly
//! ```
//!
//! The accepted units, the calendars and the rounding are netCDF-C's, as users compare the output with its `ncdump -t`:
//! the floating-point operations are the same, in the same order. But dates are computed directly, without a loop over
//! years.

mod calendar;
mod conversion;
mod partial_date;
mod short_units;
mod time_format;
mod units;
mod variables;

pub use calendar::{Calendar, Date};
pub use conversion::{TimeConversion, TimeNumber};
pub use partial_date::PartialDate;
pub use short_units::ShortUnits;
pub use time_format::{DateSeparator, TimeFormat};
pub use units::{TimeUnit, TimeUnits};
pub use variables::TimeVariables;
