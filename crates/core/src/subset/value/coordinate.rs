//! A coordinate: the values of a dimension's cells, and what typed values are among them.

use std::cmp::Ordering;

use super::cell::{Cell, stored};
use super::packing::Packing;
use super::units::{is_longitude, time_format};
use crate::chunk::Region;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{DimId, FILL_VALUE_ATTRIBUTE, Schema, Type, Values, VarId, Variable, default_fill_value};
use crate::subset::shift::degrees_apart;
use crate::time::{Calendar, PartialDate, TimeFormat};

/// Number of cells that are read at once.
const SLAB: u64 = 1 << 16;

/// The coordinate variable of a dimension.
pub struct Coordinate<'a> {
    reader: &'a dyn Reader,
    /// The variable: of one dimension, whose name it has.
    pub var: VarId,
    pub variable: &'a Variable,
    length: u64,
    pub packing: Option<Packing>,
    /// Values that stand for none, as bytes of one element.
    pub missing: Vec<Vec<u8>>,
    /// Its dates, if it is a time.
    time: Option<(TimeFormat, Calendar)>,
    /// True if it counts modulo 360 degrees.
    pub is_longitude: bool,
}

/// A value as a user typed it, in terms of a coordinate.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// A number, rounded to the coordinate's type; where it is a whole one, that is exact.
    Number {
        rounded: f64,
        whole: Option<i128>,
    },
    Date(PartialDate),
    Text(Vec<u8>),
}

/// The coordinate variable of a dimension: it has the dimension's name, and no other dimension.
pub fn variable(schema: &Schema, dim: DimId) -> Option<VarId> {
    let dimension = schema.dim(dim);
    let mut vars = schema.group(dimension.group).vars.iter().copied();
    vars.find(|id| schema.var(*id).name == dimension.name && schema.var(*id).dims == [dim])
}

impl<'a> Coordinate<'a> {
    /// The coordinate of a dimension.
    ///
    /// # Errors
    /// A text that says what is missing.
    pub fn of(reader: &'a dyn Reader, dim: DimId) -> Result<Self, String> {
        let schema = reader.schema();
        let dimension = schema.dim(dim);
        let Some(var) = variable(schema, dim) else {
            return Err(format!(
                "the dimension {} has no one-dimensional coordinate variable of its name; choose its cells by indices",
                dimension.name
            ));
        };
        let variable = schema.var(var);
        if let Type::User(_) = variable.ty {
            return Err(format!(
                "the coordinate {} has a user-defined type, whose values cannot be chosen; choose its cells by indices",
                dimension.name
            ));
        }
        Ok(Self {
            reader,
            var,
            variable,
            length: dimension.length,
            packing: Packing::of(variable),
            missing: missing(variable),
            time: time_format(variable),
            is_longitude: is_longitude(variable),
        })
    }

    pub fn schema(&self) -> &'a Schema {
        self.reader.schema()
    }

    /// Calls `each` with the index and value of every cell.
    ///
    /// # Errors
    /// If reading fails.
    pub fn each(&self, mut each: impl FnMut(u64, Cell)) -> Result<()> {
        let named = |e: crate::Error| e.in_variable(&self.schema().var_path(self.var));
        let size = self.variable.ty.atomic_size();
        let mut first = 0;
        while first < self.length {
            let count = SLAB.min(self.length - first);
            let region = Region {
                start: vec![first],
                count: vec![count],
            };
            let values = self.reader.read_region(self.var, &region).map_err(named)?;
            for (index, n) in (first..first + count).zip(0..) {
                each(index, self.cell(&values, n * size, size));
            }
            first += count;
        }
        Ok(())
    }

    fn cell<'v>(&self, values: &'v Values, at: usize, size: usize) -> Cell<'v> {
        let element = values.bytes.get(at..at + size).unwrap_or_default();
        match self.variable.ty {
            Type::Char => return Cell::Text(element),
            Type::String if element.len() == size => {
                return values.string(at).map_or(Cell::Missing, Cell::Text);
            }
            _ => {}
        }
        let Some(stored) = stored(self.variable.ty, element) else {
            return Cell::Missing;
        };
        if self.missing.iter().any(|missing| missing == element) {
            return Cell::Missing;
        }
        match (&self.packing, stored) {
            (Some(packing), stored) => Cell::Number(packing.unpacked(stored.number().unwrap_or(f64::NAN))),
            (None, stored) => stored,
        }
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// A text that says what is wrong, after the value.
    pub fn typed(&self, text: &str) -> Result<Typed, String> {
        let is_text = matches!(self.variable.ty, Type::Char | Type::String);
        if is_text {
            return Ok(Typed::Text(text.as_bytes().to_vec()));
        }
        let is_numeral = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let (is_raw, numeral) = match text.trim().strip_prefix('@') {
            Some(raw) => (true, raw),
            None => (false, text.trim()),
        };
        if let Ok(number) = numeral.parse::<f64>()
            && numeral.chars().all(is_numeral)
        {
            let is_year = numeral.len() == 4 && numeral.bytes().all(|byte| byte.is_ascii_digit());
            if let Some((format, calendar)) = self.time.as_ref().filter(|_| !is_raw) {
                return match is_year {
                    true => PartialDate::parse(numeral, *calendar).map(Typed::Date),
                    false => Err(self.number_or_date(numeral, number, format)),
                };
            }
            let rounded = match (self.variable.ty, &self.packing) {
                // Not by way of a double, which may round to another number.
                (Type::Float, None) => numeral.parse::<f32>().map_or(number, f64::from),
                _ => self.rounded(number),
            };
            return Ok(Typed::Number {
                rounded,
                whole: numeral.parse().ok(),
            });
        }
        match &self.time {
            Some((_, calendar)) => PartialDate::parse(numeral, *calendar).map(Typed::Date),
            None if let Some((low, high)) = numeral.split_once(':') => {
                Err(format!("is no number; a range of values is {low}..{high}"))
            }
            None => {
                let name = &self.variable.name;
                let calendar = super::units::text(self.variable, "calendar");
                Err(
                    match calendar.filter(|calendar| Calendar::find(calendar.as_bytes()).is_none()) {
                        Some(calendar) => format!(
                            "is no number, and the calendar '{calendar}' of the coordinate {name} is not known"
                        ),
                        None => match super::units::text(self.variable, "units") {
                            Some(units) => format!(
                                "is no number, which the coordinate {name} in units '{}' needs",
                                units.escape_debug()
                            ),
                            None => format!("is no number, which the coordinate {name} needs"),
                        },
                    },
                )
            }
        }
    }

    /// A number in the precision of the coordinate. Of a packed one, a number that lies closer to a packed value than
    /// rounding explains becomes that.
    pub fn rounded(&self, number: f64) -> f64 {
        match (&self.packing, self.variable.ty) {
            (Some(packing), Type::Float | Type::Double) => packing.unpacked(packing.packed(number)),
            (Some(packing), _) => packing.nearest(number),
            (None, Type::Float) => f64::from(number as f32),
            (None, _) => number,
        }
    }

    /// The order of a cell and a typed value. A date's period is `Equal` as a whole. `None` if they cannot be
    /// compared.
    pub fn compare(&self, cell: Cell, typed: &Typed) -> Option<Ordering> {
        match (cell, typed) {
            (Cell::Missing, _) => None,
            (
                Cell::Integer(cell),
                Typed::Number {
                    whole: Some(whole), ..
                },
            ) => Some(cell.cmp(whole)),
            (Cell::Text(cell), Typed::Text(text)) => Some(cell.cmp(text)),
            (cell, Typed::Number { rounded, .. }) => cell.number()?.partial_cmp(rounded),
            (cell, Typed::Date(date)) => {
                let value = cell.number()?;
                let (format, _) = self.time.as_ref()?;
                format.compare(value, self.precision(value), date)
            }
            _ => None,
        }
    }

    /// How far a cell is from a typed value: in hours from the beginning of a date, else in units of the coordinate.
    pub fn distance(&self, cell: Cell, typed: &Typed) -> Option<f64> {
        let value = cell.number()?;
        let distance = match typed {
            Typed::Number { rounded, .. } if self.is_longitude => degrees_apart(value, *rounded),
            Typed::Number { rounded, .. } => (value - rounded).abs(),
            Typed::Date(date) => self.time.as_ref()?.0.distance(value, date)?,
            Typed::Text(_) => return None,
        };
        (!distance.is_nan()).then_some(distance)
    }

    /// The distance from a value to the next one that the coordinate's type holds.
    fn precision(&self, value: f64) -> f64 {
        match (self.variable.ty, &self.packing) {
            (Type::Float, None) => f64::from((value as f32).abs().next_up() - (value as f32).abs()),
            (Type::Float | Type::Double, _) | (_, Some(_)) => value.abs().next_up() - value.abs(),
            _ => 0.0,
        }
    }

    /// The error of a bare number among times, after the number: how it and its date are spelled.
    fn number_or_date(&self, numeral: &str, number: f64, format: &TimeFormat) -> String {
        let units = super::units::text(self.variable, "units").unwrap_or_default();
        let date = date(format, number).unwrap_or_else(|| "2000-02-03".to_owned());
        format!(
            "is a number or a date of the coordinate {}: write @{numeral} for the number in '{}', or a date such as {date}",
            self.variable.name,
            units.escape_debug()
        )
    }

    /// The range of the values, for a message.
    ///
    /// # Errors
    /// If reading fails.
    pub fn range(&self) -> Result<String> {
        let name = &self.variable.name;
        if matches!(self.variable.ty, Type::Char | Type::String) {
            return Ok(format!("the coordinate {name} has {} cells of text", self.length));
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        self.each(|_, cell| {
            if let Some(value) = cell.number() {
                (low, high) = (low.min(value), high.max(value));
            }
        })?;
        if low > high {
            return Ok(format!("the coordinate {name} has no values"));
        }
        let number = |value: f64| match (self.variable.ty, &self.packing) {
            (Type::Float, None) => (value as f32).to_string(),
            (_, Some(packing)) => packing.shown(value),
            _ => value.to_string(),
        };
        let date = |value: f64| date(&self.time.as_ref()?.0, value);
        let dates = match (date(low), date(high)) {
            (Some(low), Some(high)) => format!(" ({low} to {high})"),
            _ => String::new(),
        };
        Ok(format!(
            "the coordinate {name} goes from {} to {}{dates}",
            number(low),
            number(high)
        ))
    }
}

/// The date of a time; `None` if it has none.
fn date(format: &TimeFormat, value: f64) -> Option<String> {
    let mut text = Vec::new();
    let has_date = format.push(&mut text, value);
    has_date.then(|| String::from_utf8_lossy(&text).replace('"', ""))
}

/// Values that stand for none: `_FillValue`, else the default that netCDF fills with where its type is longer than a
/// byte, and `missing_value`.
pub fn missing(variable: &Variable) -> Vec<Vec<u8>> {
    let size = match variable.ty {
        Type::String | Type::Char | Type::User(_) => return Vec::new(),
        ty => ty.atomic_size(),
    };
    let mut missing = Vec::new();
    let mut filled = false;
    for attribute in &variable.attributes {
        let is_fill = attribute.name == FILL_VALUE_ATTRIBUTE;
        if (is_fill || attribute.name == "missing_value") && attribute.ty == variable.ty {
            filled |= is_fill;
            missing.extend(attribute.values.bytes.chunks_exact(size).map(<[u8]>::to_vec));
        }
    }
    if let (false, true, Some(fill)) = (filled, size > 1, default_fill_value(variable.ty)) {
        missing.push(fill.bytes);
    }
    missing
}
