//! The route of one variable through a copy.
//!
//! | route | when |
//! | --- | --- |
//! | raw | shape, element, byte order and filters agree: encoded chunks pass untouched, or are changed at the outer end of the filters alone |
//! | refilter | the grid of chunks is the same, filters or byte order are not: chunk by chunk |
//! | ranges | contiguous on both sides |
//! | blocks | any other elements of fixed size: input pieces are scattered into blocks of output chunks |
//! | values | strings, sequences, and elements that must be converted: through [`Values`](crate::model::Values) |
//! | records | variables for ranges or blocks that are interleaved in the input: several together, record by record |

use std::fmt;
use std::ops::Range;

use super::band::Band;
use crate::copy::geometry::{AlignedGrids, Tiling};

/// How a variable is copied. Most of very many variables go by ranges, so what takes more is in a box.
#[derive(Debug, Clone)]
pub enum Route {
    /// Encoded chunks pass. The order of output chunks, and their grid.
    Raw(Box<AlignedGrids>),
    /// Chunks are decoded and encoded one by one.
    Refilter(Box<AlignedGrids>),
    /// These bytes of contiguous storage.
    Ranges(Range<u64>),
    Blocks(Box<Tiling>),
    Values(Box<Tiling>),
    /// By the jobs of the band, which the first of its variables has.
    Records(Option<Box<Band>>),
}

/// The route of a variable through a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RouteName {
    /// Nothing is written: the variable reads as fill values.
    Nothing,
    /// Encoded chunks pass untouched.
    Raw,
    /// Chunks are decoded and encoded one by one.
    Refilter,
    /// Bytes of contiguous storage are moved.
    Ranges,
    /// Input pieces are scattered into blocks of output chunks.
    Blocks,
    /// Elements are converted.
    Values,
    /// Records of several variables are moved together.
    Records,
}

impl RouteName {
    /// The name in one lowercase word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Raw => "raw",
            Self::Refilter => "refilter",
            Self::Ranges => "ranges",
            Self::Blocks => "blocks",
            Self::Values => "values",
            Self::Records => "records",
        }
    }
}

impl fmt::Display for RouteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&Route> for RouteName {
    fn from(route: &Route) -> Self {
        match route {
            Route::Raw(_) => Self::Raw,
            Route::Refilter(_) => Self::Refilter,
            Route::Ranges(_) => Self::Ranges,
            Route::Blocks(_) => Self::Blocks,
            Route::Values(_) => Self::Values,
            Route::Records(_) => Self::Records,
        }
    }
}
