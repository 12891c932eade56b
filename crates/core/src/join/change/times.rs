//! Times of several inputs: which variables have them, and how they become numbers of the first input's units.

use crate::error::{Alternative, Error, Result};
use crate::model::{Schema, Type, Values, VarId, for_number_type};
use crate::subset::value::{text, time_units};
use crate::time::{Calendar, ShortUnits, TimeConversion, TimeNumber};

/// Units and calendar of a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    pub units: ShortUnits,
    pub calendar: Calendar,
    /// The calendar, as the attribute spells it.
    pub calendar_name: String,
    /// The units, as the attribute spells them.
    pub spelled: String,
}

impl Times {
    /// True if the units name a time zone other than UTC, which is not converted.
    pub fn has_zone(&self) -> bool {
        let Some((_, base)) = self.spelled.split_once("since") else {
            return false;
        };
        // Behind the date.
        let time = base
            .trim_start()
            .split_once([' ', 'T', 't'])
            .map_or("", |(_, time)| time.trim());
        let zone = time.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ' '));
        !["", "UTC", "GMT", "Z", "z", "utc"].contains(&zone)
            && zone.chars().any(|c| !matches!(c, '+' | '-' | '0' | ':'))
    }
}

/// The times in a variable; `None` if its values are no times. Bounds have the units and the calendar of their variable, if they have
/// none of their own, by the CF conventions, section 7.1.
pub fn times_of(schema: &Schema, var: VarId) -> Option<Times> {
    let variable = schema.var(var);
    if !variable.ty.is_number() {
        return None;
    }
    let bounded = |n: &usize| {
        let other = &schema.vars[*n];
        let path = schema.var_path(var);
        let names = |attribute| match text(other, attribute) {
            Some(named) if named.contains('/') => {
                named.trim_start_matches('/') == path.trim_start_matches('/')
            }
            named => named == Some(variable.name.as_str()) && other.group == variable.group,
        };
        names("bounds") || names("climatology")
    };
    let of = |name: &str| {
        let own = text(variable, name);
        own.or_else(|| text(&schema.vars[(0..schema.vars.len()).find(bounded)?], name))
    };
    let spelled = of("units")?;
    let calendar = of("calendar");
    let (units, calendar) = time_units(spelled, calendar)
        .map(|(units, calendar)| (units.into(), calendar))
        .or_else(|| short_units(spelled, calendar))?;
    Some(Times {
        units,
        calendar,
        calendar_name: of("calendar").unwrap_or("standard").to_owned(),
        spelled: spelled.to_owned(),
    })
}

/// Milliseconds and the like, which netCDF-C does not know as times.
fn short_units(units: &str, calendar: Option<&str>) -> Option<(ShortUnits, Calendar)> {
    let calendar = match calendar {
        Some(name) => Calendar::find(name.as_bytes())?,
        None => Calendar::Mixed,
    };
    Some((ShortUnits::parse(units, calendar)?, calendar))
}

/// Converts the times in `values`, elements of type `ty`, as `conversion` says. Fill values, of which `missing` has the bytes,
/// and what is not finite stay as they are.
///
/// # Errors
/// A time that has no exact form in the type, unless `inexact` allows to round it; a rounded one that the type cannot hold.
pub fn convert(
    values: &mut Values,
    ty: Type,
    conversion: &TimeConversion,
    missing: &[Vec<u8>],
    inexact: bool,
) -> Result<()> {
    let size = ty.atomic_size();
    for element in values.bytes.chunks_exact_mut(size.max(1)) {
        if missing.iter().any(|missing| missing == element) {
            continue;
        }
        let converted = of_type(ty, element, conversion, inexact);
        match converted {
            Converted::Bytes(bytes) => element.copy_from_slice(&bytes),
            Converted::NotFinite => {}
            Converted::NotHeld(number) => {
                return Err(Error::Alternative {
                    why: format!("the time {number} has no exact form in the units of the first input"),
                    alternative: Alternative::RoundedTimes,
                });
            }
            Converted::OutOfRange(number) => {
                return Err(Error::Usage(format!(
                    "the time {number} does not fit the variable's type in the units of the first input"
                )));
            }
        }
    }
    Ok(())
}

enum Converted {
    Bytes(Vec<u8>),
    NotFinite,
    NotHeld(String),
    OutOfRange(String),
}

fn of_type(ty: Type, element: &[u8], conversion: &TimeConversion, inexact: bool) -> Converted {
    macro_rules! integer {
        ($ty:ty) => {{
            let Ok(bytes) = element.try_into() else {
                return Converted::NotFinite;
            };
            let number = <$ty>::from_le_bytes(bytes);
            let time = TimeNumber::Integer(number.into());
            let value = match conversion.exact_integer(time) {
                Some(value) => value,
                None if inexact => conversion.rounded(time).round() as i128,
                None => return Converted::NotHeld(number.to_string()),
            };
            match <$ty>::try_from(value) {
                Ok(value) => Converted::Bytes(value.to_le_bytes().to_vec()),
                Err(_) => Converted::OutOfRange(number.to_string()),
            }
        }};
    }
    macro_rules! float {
        ($ty:ty) => {{
            let Ok(bytes) = element.try_into() else {
                return Converted::NotFinite;
            };
            let number = <$ty>::from_le_bytes(bytes);
            if !number.is_finite() {
                return Converted::NotFinite;
            }
            let time = TimeNumber::Float(number.into());
            let value = match conversion.exact_float(time, <$ty>::MANTISSA_DIGITS) {
                Some(value) => value,
                None if inexact => conversion.rounded(time),
                None => return Converted::NotHeld(number.to_string()),
            };
            let value = value as $ty;
            match value.is_finite() {
                true => Converted::Bytes(value.to_le_bytes().to_vec()),
                false => Converted::OutOfRange(number.to_string()),
            }
        }};
    }
    for_number_type!(ty, integer, float, else Converted::NotFinite)
}
