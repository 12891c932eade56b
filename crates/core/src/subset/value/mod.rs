//! Cells by values of a coordinate: the argument of `--sel`.
//!
//! | form | cells |
//! | --- | --- |
//! | `DIM=LOW..HIGH/STEP` | from LOW to HIGH, both included; either may be left out; every STEPth cell found |
//! | `DIM=V` | of this value, or in this period |
//! | `DIM~V` | the nearest to this value, of two the first |
//! | `DIM=…,…` | the union, in the order of the dimension, each once |
//! | `DIM=…,DIM~…` | cells of several dimensions |
//!
//! On a time, a number of four digits is a year; other numbers have `@` in front.
//!
//! ```text
//! ValueRequest ─► Coordinate: typed numbers, dates and texts ─► matching cells ─► Cells
//!                                                        longitude: across the seam ─► Shift of coordinate and bounds
//! ```

mod cell;
mod coordinate;
mod longitude;
mod packing;
pub(super) mod ranges;
mod request;
mod units;

use std::cmp::Ordering;

use super::cells::Cells;
use super::shift::Shift;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{DimId, Schema, VarId};
use coordinate::{Coordinate, Typed};
use longitude::Arc;
use packing::Packing;
use request::ValueItem;

pub(crate) use cell::{Cell, attribute_number, stored};
pub(crate) use coordinate::{missing, variable as coordinate_variable};
pub use request::ValueRequest;
pub(crate) use units::{text, time_units};

/// The cells that were chosen, and the variables whose values change with them.
pub(super) struct Chosen {
    pub cells: Cells,
    pub shifted: Vec<(VarId, Shift)>,
}

/// The variables whose values requests compare. A dimension that is unknown or has no coordinate variable is left out.
pub fn coordinates(schema: &Schema, requests: &[ValueRequest]) -> Vec<VarId> {
    let of = |request: &ValueRequest| match schema.dims_named(request.dimension())[..] {
        [dim] => coordinate::variable(schema, dim),
        _ => None,
    };
    requests.iter().filter_map(of).collect()
}

/// Finds the cells of a dimension.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) if the dimension has no coordinate, a value is none of it, or nothing is
/// selected.
pub(super) fn choose(reader: &dyn Reader, dim: DimId, request: &ValueRequest) -> Result<Chosen> {
    let coordinate = Coordinate::of(reader, dim).map_err(|why| request.wrong(why))?;
    let items: Vec<Wanted> = request
        .items
        .iter()
        .map(|item| Wanted::new(&coordinate, item).map_err(|why| request.wrong(why)))
        .collect::<Result<_>>()?;
    let is_number = matches!(items[..], [Wanted::Equal(Typed::Number { .. })]);
    let mut shifted = Vec::new();
    let found = match items[..] {
        [Wanted::Arc(arc, step)] => {
            let run = longitude::run(&coordinate, arc, step)?;
            if let Some(turns) = run.turns {
                shifted = shifts(&coordinate, dim, &turns);
            }
            run.cells
        }
        _ => matching(&coordinate, items)?,
    };
    refuse_ends(&coordinate, request, &found)?;
    if found.is_empty() {
        let range = coordinate.range()?;
        let nearest = match &request.items[..] {
            [ValueItem::Equal(value)] if is_number => {
                format!("; {}~{value} takes the nearest", request.dimension())
            }
            _ => String::new(),
        };
        return Err(request.wrong(format!("selects nothing; {range}{nearest}")));
    }
    Ok(Chosen {
        cells: Cells::listed(&found),
        shifted,
    })
}

/// Refuses two numbers and no range, if cells lie between them: elsewhere `A,B` is the range from A to B.
fn refuse_ends(coordinate: &Coordinate, request: &ValueRequest, found: &[u64]) -> Result<()> {
    let [ValueItem::Equal(first), ValueItem::Equal(second)] = &request.items[..] else {
        return Ok(());
    };
    let number = |text: &str| match coordinate.typed(text) {
        Ok(Typed::Number { rounded, .. }) if !text.starts_with('@') => Some(rounded),
        _ => None,
    };
    let (Some(a), Some(b)) = (number(first), number(second)) else {
        return Ok(());
    };
    let mut between = 0;
    coordinate.each(|index, cell| {
        let is_between = cell.number().is_some_and(|n| n > a.min(b) && n < a.max(b));
        between += u64::from(is_between && found.binary_search(&index).is_err());
    })?;
    if between == 0 {
        return Ok(());
    }
    let (low, high) = match a <= b || coordinate.is_longitude {
        true => (first, second),
        false => (second, first),
    };
    let dimension = request.dimension();
    Err(request.wrong(format!(
        "{between} cells lie between {first} and {second}: write {dimension}={low}..{high} for the range, \
         or {dimension}=@{first},@{second} for these values alone"
    )))
}

/// What one part of a request wants.
enum Wanted {
    Equal(Typed),
    Nearest(Typed),
    Range {
        low: Option<Typed>,
        high: Option<Typed>,
        step: u64,
    },
    /// A range of longitudes, and its step.
    Arc(Arc, u64),
}

impl Wanted {
    fn new(coordinate: &Coordinate, item: &ValueItem) -> Result<Self, String> {
        let typed = |text: &String| coordinate.typed(text).map_err(|why| format!("'{text}' {why}"));
        let no_text = |what: &str, typed: &Typed| match typed {
            Typed::Text(_) => Err(format!(
                "the coordinate {} is text, which has no {what}; give whole values",
                coordinate.variable.name
            )),
            _ => Ok(()),
        };
        match item {
            ValueItem::Equal(text) => typed(text).map(Self::Equal),
            ValueItem::Nearest(text) => {
                let typed = typed(text)?;
                no_text("nearest value", &typed)?;
                Ok(Self::Nearest(typed))
            }
            ValueItem::Range {
                low: low_text,
                high: high_text,
                step,
            } => {
                let low = low_text.as_ref().map(typed).transpose()?;
                let high = high_text.as_ref().map(typed).transpose()?;
                for end in [&low, &high].into_iter().flatten() {
                    no_text("ranges", end)?;
                }
                if let (
                    true,
                    Some(Typed::Number { rounded: low, .. }),
                    Some(Typed::Number { rounded: high, .. }),
                ) = (coordinate.is_longitude, &low, &high)
                {
                    return Ok(Self::Arc(Arc::new(*low, *high), *step));
                }
                let falls = match (&low, &high) {
                    (Some(Typed::Number { rounded: a, .. }), Some(Typed::Number { rounded: b, .. })) => a > b,
                    (Some(Typed::Date(a)), Some(Typed::Date(b))) => a.compare(b) == Ordering::Greater,
                    _ => false,
                };
                if falls {
                    let text = |end: &Option<String>| end.clone().unwrap_or_default();
                    return Err(format!(
                        "the lower end {} is above the upper end {}",
                        text(low_text),
                        text(high_text)
                    ));
                }
                Ok(Self::Range {
                    low,
                    high,
                    step: *step,
                })
            }
        }
    }
}

/// The cells that any part of a request wants, in the order of the dimension.
fn matching(coordinate: &Coordinate, mut items: Vec<Wanted>) -> Result<Vec<u64>> {
    // How many cells each range has found, and the nearest cell of each value with its distance.
    let mut counts = vec![0u64; items.len()];
    let mut nearest: Vec<Option<(f64, u64)>> = vec![None; items.len()];
    let mut found = Vec::new();
    coordinate.each(|index, cell| {
        let mut wanted = false;
        for ((item, count), nearest) in items.iter_mut().zip(&mut counts).zip(&mut nearest) {
            let (inside, step) = match item {
                Wanted::Equal(typed) => (is_equal(coordinate, cell, typed), 1),
                Wanted::Range { low, high, step } => (is_within(coordinate, cell, low, high), *step),
                Wanted::Arc(arc, step) => (arc.turns(coordinate, cell).is_some(), *step),
                Wanted::Nearest(typed) => {
                    if let Some(distance) = coordinate.distance(cell, typed)
                        && nearest.is_none_or(|(least, _)| distance < least)
                    {
                        *nearest = Some((distance, index));
                    }
                    continue;
                }
            };
            if inside {
                wanted |= count.is_multiple_of(step);
                *count += 1;
            }
        }
        if wanted {
            found.push(index);
        }
    })?;
    found.extend(nearest.into_iter().flatten().map(|(_, index)| index));
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn is_equal(coordinate: &Coordinate, cell: Cell, typed: &Typed) -> bool {
    match coordinate.is_longitude {
        true => longitude::is_equal(coordinate, cell, typed),
        false => coordinate.compare(cell, typed) == Some(Ordering::Equal),
    }
}

fn is_within(coordinate: &Coordinate, cell: Cell, low: &Option<Typed>, high: &Option<Typed>) -> bool {
    let order = |end: &Typed| coordinate.compare(cell, end);
    cell != Cell::Missing
        && low
            .as_ref()
            .is_none_or(|end| order(end).is_some_and(Ordering::is_ge))
        && high
            .as_ref()
            .is_none_or(|end| order(end).is_some_and(Ordering::is_le))
}

/// The changes of a longitude and of its bounds, whose cells go around by `turns`.
fn shifts(coordinate: &Coordinate, dim: DimId, turns: &[i32]) -> Vec<(VarId, Shift)> {
    let schema = coordinate.schema();
    let shift = |var: VarId, packing: Option<Packing>| Shift {
        dimension: schema.var(var).dims.iter().position(|d| *d == dim).unwrap_or(0),
        turns: turns.to_vec(),
        ty: schema.var(var).ty,
        unit: packing.map_or(1.0, |packing| packing.scale),
        missing: coordinate::missing(schema.var(var)),
    };
    let mut shifted = vec![(coordinate.var, shift(coordinate.var, coordinate.packing))];
    if let Some(bounds) = bounds(schema, coordinate, dim) {
        let packing = Packing::of(schema.var(bounds)).or(coordinate.packing);
        shifted.push((bounds, shift(bounds, packing)));
    }
    shifted
}

/// The variable of a coordinate's bounds, in its group or a group around.
fn bounds(schema: &Schema, coordinate: &Coordinate, dim: DimId) -> Option<VarId> {
    let name = units::text(coordinate.variable, "bounds")?;
    let found = schema.around(coordinate.variable.group).find_map(|group| {
        let mut vars = schema.group(group).vars.iter().copied();
        vars.find(|id| schema.var(*id).name == name)
    })?;
    let bounds = schema.var(found);
    (bounds.ty.is_number() && bounds.dims.contains(&dim) && found != coordinate.var).then_some(found)
}

#[cfg(test)]
mod tests;
