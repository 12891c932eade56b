//! Longitudes, which count modulo 360 degrees.

use super::cell::Cell;
use super::coordinate::{Coordinate, Typed};
use crate::error::Result;
use crate::subset::shift::TURN;

/// The most by which two longitudes differ that are equal but for rounding, in degrees.
const ROUNDING: f64 = 1e-9;

/// Most cells of a longitude across whose seam a run can go.
const MOST_CELLS: u64 = 1 << 24;

/// A range of longitudes from the west to the east.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arc {
    low: f64,
    high: f64,
}

impl Arc {
    /// The range from `low` to `high`; where `low` is above `high`, from a turn or more before it.
    pub fn new(low: f64, high: f64) -> Self {
        let turns = ((low - high) / TURN).ceil().max(0.0);
        Self {
            low: low - turns * TURN,
            high,
        }
    }

    /// The fewest turns that bring `cell` into the range; `None` if it is outside. The ends are rounded as the
    /// coordinate's values are.
    pub fn turns(&self, coordinate: &Coordinate, cell: Cell) -> Option<i32> {
        let value = cell.number().filter(|value| value.is_finite())?;
        let least = ((self.low - value) / TURN).floor();
        if least.abs() > 1e6 {
            return None;
        }
        (0..3).map(|n| least as i32 + n).find(|turns| {
            let end = |end: f64| coordinate.rounded(end - f64::from(*turns) * TURN);
            let near = if *turns == 0 { 0.0 } else { ROUNDING };
            value >= end(self.low) - near && value <= end(self.high) + near
        })
    }
}

/// True if a cell has a typed longitude, whole turns aside.
pub fn is_equal(coordinate: &Coordinate, cell: Cell, typed: &Typed) -> bool {
    match typed {
        Typed::Number { rounded, .. } => Arc::new(*rounded, *rounded).turns(coordinate, cell).is_some(),
        _ => false,
    }
}

/// The cells of a range in one run, and the turns of each where the run crosses the seam.
#[derive(Debug, PartialEq)]
pub struct LongitudeRun {
    /// Indices, in the new order.
    pub cells: Vec<u64>,
    /// Turns of each; `None` if no value changes.
    pub turns: Option<Vec<i32>>,
}

/// The cells within a range. If the coordinate goes once around, rising or falling, they are one run, across the seam if
/// need be. Else they are in the order of the dimension, and no value changes.
///
/// # Errors
/// If reading fails.
pub fn run(coordinate: &Coordinate, arc: Arc, step: u64) -> Result<LongitudeRun> {
    let mut found: Vec<(u64, i32, f64)> = Vec::new();
    let mut all = Vec::new();
    coordinate.each(|index, cell| {
        if index < MOST_CELLS {
            all.push(cell.number().unwrap_or(f64::NAN));
        }
        if let Some(turns) = arc.turns(coordinate, cell) {
            let value = cell.number().unwrap_or(0.0) + f64::from(turns) * TURN;
            found.push((index, turns, value));
        }
    })?;
    let around = Around::of(&all).filter(|_| found.last().is_none_or(|(index, ..)| *index < MOST_CELLS));
    match around {
        Some(Around::Rising) => found.sort_by(|a, b| a.2.total_cmp(&b.2)),
        Some(Around::Falling) => found.sort_by(|a, b| b.2.total_cmp(&a.2)),
        None => {}
    }
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    let found: Vec<_> = found.into_iter().step_by(step).collect();
    let crosses = around.is_some() && found.windows(2).any(|pair| pair[0].1 != pair[1].1);
    Ok(LongitudeRun {
        cells: found.iter().map(|(index, ..)| *index).collect(),
        turns: crosses.then(|| found.iter().map(|(_, turns, _)| *turns).collect()),
    })
}

/// The direction of a coordinate that goes at most once around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    Rising,
    Falling,
}

impl Around {
    /// The direction of these values; `None` if they have none, go around more than once, or some are missing.
    fn of(values: &[f64]) -> Option<Self> {
        let (first, last) = (values.first()?, values.last()?);
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let pairs = || {
            values
                .windows(2)
                .map(|pair| (pair[0], pair[1]))
                .chain([(*last, *first)])
        };
        let (rises, falls) = (
            pairs().filter(|(a, b)| a < b).count(),
            pairs().filter(|(a, b)| a > b).count(),
        );
        // In one direction, all steps but the one at the seam go the same way.
        let direction = match (rises, falls) {
            // Of two values, the step back to the first says nothing.
            (1, 1) if first > last => Self::Falling,
            (_, 0..=1) => Self::Rising,
            (0..=1, _) => Self::Falling,
            _ => return None,
        };
        let way = |(a, b): (f64, f64)| match direction {
            Self::Rising => (b - a).rem_euclid(TURN),
            Self::Falling => (a - b).rem_euclid(TURN),
        };
        let whole: f64 = values.windows(2).map(|pair| way((pair[0], pair[1]))).sum();
        (whole <= TURN + ROUNDING).then_some(direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subset::shift::degrees_apart;

    #[test]
    fn coordinates_that_go_once_around() {
        let of = Around::of;
        assert_eq!(of(&[0.0, 90.0, 180.0, 270.0]), Some(Around::Rising));
        assert_eq!(of(&[180.0, 270.0, 0.0, 90.0]), Some(Around::Rising));
        assert_eq!(of(&[0.0, 90.0, -180.0, -90.0]), Some(Around::Rising));
        assert_eq!(of(&[270.0, 180.0, 90.0, 0.0]), Some(Around::Falling));
        assert_eq!(of(&[270.0, 90.0]), Some(Around::Falling));
        assert_eq!(of(&[90.0, 270.0]), Some(Around::Rising));
        assert_eq!(of(&[0.0, 180.0, 360.0]), Some(Around::Rising));
        assert_eq!(of(&[0.0, 180.0, 360.0, 540.0]), None);
        assert_eq!(of(&[0.0, 10.0, 5.0, 15.0, 7.0]), None);
        assert_eq!(of(&[0.0, f64::NAN]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn half_a_turn_is_the_farthest() {
        assert_eq!(degrees_apart(350.0, 10.0), 20.0);
        assert_eq!(degrees_apart(-170.0, 10.0), 180.0);
        assert_eq!(degrees_apart(-10.0, 710.0), 0.0);
    }

    #[test]
    fn the_lower_end_goes_before_the_higher() {
        assert_eq!(
            Arc::new(350.0, 10.0),
            Arc {
                low: -10.0,
                high: 10.0
            }
        );
        assert_eq!(
            Arc::new(-10.0, 10.0),
            Arc {
                low: -10.0,
                high: 10.0
            }
        );
        assert_eq!(Arc::new(720.0, 0.0), Arc { low: 0.0, high: 0.0 });
    }
}
