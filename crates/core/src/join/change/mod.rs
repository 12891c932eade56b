//! How the values of an input's variable become those of the join.

mod times;
mod unpacking;

use crate::error::Result;
use crate::model::{Type, Values};
use crate::time::TimeConversion;

pub use times::{Times, times_of};
pub use unpacking::Unpacking;

/// How the values of an input's variable become those of the join.
#[derive(Debug)]
pub enum Change {
    /// Times become numbers of the first input's units.
    Times {
        /// The conversion.
        conversion: TimeConversion,
        /// Numbers that stand for no time, as bytes.
        missing: Vec<Vec<u8>>,
        /// True if they may be rounded.
        inexact: bool,
    },
    /// Packed numbers are decoded.
    Unpack(Unpacking),
}

impl Change {
    /// The changed elements, of type `to`.
    ///
    /// # Errors
    /// A time that has no exact form, unless it may be rounded.
    pub fn apply(&self, mut values: Values, to: Type) -> Result<Values> {
        match self {
            Self::Unpack(unpacking) => unpacking.unpacked(&values, to),
            Self::Times {
                conversion,
                missing,
                inexact,
            } => {
                times::convert(&mut values, to, conversion, missing, *inexact)?;
                Ok(values)
            }
        }
    }
}
