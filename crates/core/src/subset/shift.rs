//! Longitudes that cross the seam: values that change by whole turns.

use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::model::{Type, Values, for_number_type};

/// Degrees of a turn.
pub const TURN: f64 = 360.0;

/// Degrees between two longitudes, at most half a turn.
pub fn degrees_apart(a: f64, b: f64) -> f64 {
    let apart = (a - b).abs() % TURN;
    apart.min(TURN - apart)
}

/// Adds whole turns to the values of a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Shift {
    /// The position of the longitude among the variable's dimensions.
    pub dimension: usize,
    /// Turns of each chosen cell.
    pub turns: Vec<i32>,
    /// The type of the values: a number.
    pub ty: Type,
    /// Degrees of one unit of the stored values.
    pub unit: f64,
    /// Stored values that stay as they are, as bytes of one element.
    pub missing: Vec<Vec<u8>>,
}

impl Shift {
    /// Changes the values of a region of the cut variable.
    ///
    /// # Errors
    /// If a value does not fit into its type.
    pub fn apply(&self, region: &Region, values: &mut Values) -> Result<()> {
        let size = self.ty.atomic_size();
        let inner = region.count[self.dimension + 1..].iter().product::<u64>() as usize;
        let length = region.count[self.dimension] as usize;
        for (n, row) in values.bytes.chunks_exact_mut((inner * size).max(1)).enumerate() {
            let at = region.start[self.dimension] as usize + n % length.max(1);
            let turns = self.turns.get(at).copied().unwrap_or(0);
            if turns == 0 {
                continue;
            }
            for element in row.chunks_exact_mut(size) {
                if !self.missing.iter().any(|missing| missing == element) {
                    self.turn(element, turns)?;
                }
            }
        }
        Ok(())
    }

    fn turn(&self, element: &mut [u8], turns: i32) -> Result<()> {
        let by = f64::from(turns) * TURN / self.unit;
        macro_rules! float {
            ($ty:ty) => {{
                let value = <$ty>::from_le_bytes(element.try_into().unwrap_or_default());
                element.copy_from_slice(&((f64::from(value) + by) as $ty).to_le_bytes());
            }};
        }
        macro_rules! integer {
            ($ty:ty) => {{
                let value = <$ty>::from_le_bytes(element.try_into().unwrap_or_default());
                let turned = i128::from(value) + by.round() as i128;
                let turned = <$ty>::try_from(turned).map_err(|_| {
                    Error::Usage(format!(
                        "the longitude stored as {value} becomes {turned} across the seam, which its type cannot hold; \
                         select each side of the seam by itself, joined by a comma"
                    ))
                })?;
                element.copy_from_slice(&turned.to_le_bytes());
            }};
        }
        for_number_type!(self.ty, integer, float, else {});
        Ok(())
    }
}
