//! [`Cells`]: the cells of one input along the joined dimension, as its coordinate counts them.

use std::cmp::Ordering;
use std::fmt;

use crate::error::{Error, Result};
use crate::model::{Type, Values};
use crate::subset::value::{Cell, stored};

/// The value of a coordinate in one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key {
    /// Of an integer type.
    Integer(i128),
    /// Of a float type. Not NaN.
    Number(f64),
}

impl Key {
    /// The order of two keys of one coordinate.
    pub fn order(self, other: Self) -> Ordering {
        let number = |key| match key {
            Self::Integer(number) => number as f64,
            Self::Number(number) => number,
        };
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (a, b) => number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// The coordinate's values in the cells of one input.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// Of the first cell.
    pub first: Key,
    /// Of the last cell.
    pub last: Key,
    /// The direction in which the values go on strictly. `None` if they do not, or there is one cell.
    pub direction: Option<Ordering>,
    /// The values of all cells, if they are asked for.
    pub all: Option<Vec<Key>>,
}

impl Cells {
    /// The cells of a coordinate of a numeric type; `None` for no cells and for other types. `keeps_all` asks for each cell.
    ///
    /// # Errors
    /// A cell that has no value.
    pub fn new(ty: Type, values: &Values, missing: &[Vec<u8>], keeps_all: bool) -> Result<Option<Self>> {
        if !ty.is_number() {
            return Ok(None);
        }
        let mut keys = Vec::new();
        for (n, element) in values.bytes.chunks_exact(ty.atomic_size()).enumerate() {
            let cell = stored(ty, element).filter(|_| !missing.iter().any(|missing| missing == element));
            keys.push(match cell {
                Some(Cell::Integer(number)) => Key::Integer(number),
                Some(Cell::Number(number)) => Key::Number(number),
                _ => {
                    return Err(Error::Usage(format!(
                        "the coordinate has no value in cell {n}, so the inputs cannot be put in order"
                    )));
                }
            });
        }
        let (Some(first), Some(last)) = (keys.first().copied(), keys.last().copied()) else {
            return Ok(None);
        };
        let direction = keys.get(1).map(|second| first.order(*second).reverse());
        let goes_on = |direction: &Ordering| {
            *direction != Ordering::Equal && keys.windows(2).all(|pair| pair[1].order(pair[0]) == *direction)
        };
        Ok(Some(Self {
            first,
            last,
            direction: direction.filter(goes_on),
            all: keeps_all.then_some(keys),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: &[f64]) -> Cells {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let cells = Cells::new(Type::Double, &Values::from_bytes(bytes), &[], false);
        cells.unwrap().unwrap()
    }

    #[test]
    fn values_go_on_strictly_or_not() {
        assert_eq!(cells(&[1.0, 2.0, 3.0]).direction, Some(Ordering::Greater));
        assert_eq!(cells(&[3.0, 2.5]).direction, Some(Ordering::Less));
        assert_eq!(cells(&[1.0, 2.0, 2.0]).direction, None);
        assert_eq!(cells(&[1.0, 3.0, 2.0]).direction, None);
        let one = cells(&[4.0]);
        assert_eq!(
            (one.first, one.last, one.direction),
            (Key::Number(4.0), Key::Number(4.0), None)
        );
    }

    #[test]
    fn cells_without_a_value_are_refused() {
        let two = Values::from_bytes([1.0f64, f64::NAN].iter().flat_map(|n| n.to_le_bytes()).collect());
        let error = Cells::new(Type::Double, &two, &[], false).unwrap_err();
        assert!(error.to_string().contains("no value in cell 1"), "{error}");
        let fill = vec![5i32.to_le_bytes().to_vec()];
        let five = Values::from_bytes(5i32.to_le_bytes().to_vec());
        assert!(Cells::new(Type::Int, &five, &fill, false).is_err());
        assert!(
            Cells::new(Type::Int, &Values::default(), &fill, false)
                .unwrap()
                .is_none()
        );
        assert!(Cells::new(Type::Char, &five, &[], false).unwrap().is_none());
    }

    #[test]
    fn large_integers_differ_by_one() {
        let large = i64::MAX - 1;
        let keys = [large, large + 1].map(|n| Key::Integer(n.into()));
        assert_eq!(keys[0].order(keys[1]), Ordering::Less);
    }
}
