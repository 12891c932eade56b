//! What a coordinate's attributes say of it: longitudes and times.

use std::borrow::Cow;

use crate::model::{Type, Variable};
use crate::time::{Calendar, DateSeparator, TimeFormat, TimeUnits};

/// Units of longitude in the CF conventions, section 4.2.
const LONGITUDE_UNITS: [&str; 6] = [
    "degrees_east",
    "degree_east",
    "degree_E",
    "degrees_E",
    "degreeE",
    "degreesE",
];

/// Text of an attribute, of characters or of one string, up to a NUL.
pub fn text<'a>(variable: &'a Variable, name: &str) -> Option<&'a str> {
    let attribute = variable.attributes.iter().find(|a| a.name == name)?;
    let bytes = match attribute.ty {
        Type::Char => attribute.values.bytes.as_slice(),
        Type::String if attribute.length == 1 => attribute.values.string(0)?,
        _ => return None,
    };
    std::str::from_utf8(bytes.split(|b| *b == 0).next()?)
        .ok()
        .map(str::trim)
}

/// True for longitudes in degrees, by their units, standard name or axis. An axis X in other units is a distance.
pub fn is_longitude(variable: &Variable) -> bool {
    let units = text(variable, "units").unwrap_or_default();
    let in_degrees = units.is_empty() || units.starts_with("degree");
    LONGITUDE_UNITS.contains(&units)
        || text(variable, "standard_name") == Some("longitude") && in_degrees
        || text(variable, "axis") == Some("X") && units.starts_with("degree")
}

/// Units whose symbol UDUNITS and cftime know, and netCDF-C does not, by the name that it knows.
fn spelled_out(units: &str) -> Cow<'_, str> {
    let units = units.trim_ascii_start();
    let Some((symbol, rest)) = units.split_once(|c: char| c.is_ascii_whitespace()) else {
        return Cow::Borrowed(units);
    };
    match symbol {
        "h" | "hrs" => Cow::Owned(format!("hours {rest}")),
        "d" => Cow::Owned(format!("days {rest}")),
        _ => Cow::Borrowed(units),
    }
}

/// Units and calendar of a time; `None` if the units are not those of a time, or the calendar is not known.
pub fn time_units(units: &str, calendar: Option<&str>) -> Option<(TimeUnits, Calendar)> {
    let calendar = match calendar {
        Some(name) => Calendar::find(name.as_bytes())?,
        None => Calendar::Mixed,
    };
    Some((TimeUnits::parse(&spelled_out(units), calendar)?, calendar))
}

/// The dates of a time; `None` if its units are not those of a time, or its calendar is not known.
pub fn time_format(variable: &Variable) -> Option<(TimeFormat, Calendar)> {
    let (units, calendar) = time_units(text(variable, "units")?, text(variable, "calendar"))?;
    Some((TimeFormat::new(&units, calendar, DateSeparator::T), calendar))
}
