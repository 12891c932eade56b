//! Levels of a data list: one begins at the first dimension, and one at each further unlimited dimension.

use crate::model::{Schema, VarId};

/// The division of a variable's dimensions into levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// The first dimension of each level, as an index into the variable's dimensions.
    pub starts: Vec<usize>,
    /// Elements of each item of a level: the product of the level's lengths, without the first if it is unlimited.
    pub inner: Vec<u64>,
    /// Maximum number of elements in the first level; `None` if its first dimension is unlimited.
    pub most: Option<u64>,
    /// Elements per row of characters.
    pub row: u64,
}

impl Levels {
    /// The levels of a variable.
    pub fn new(schema: &Schema, var: VarId) -> Self {
        let dims = &schema.var(var).dims;
        let dim = |n: usize| schema.dim(dims[n]);
        let starts: Vec<usize> = (0..dims.len().max(1))
            .filter(|n| *n == 0 || dim(*n).unlimited)
            .collect();
        let unlimited = |n: usize| n < dims.len() && dim(n).unlimited;
        let inner = starts
            .iter()
            .enumerate()
            .map(|(level, start)| {
                let end = starts.get(level + 1).copied().unwrap_or(dims.len());
                let from = start + usize::from(unlimited(*start));
                (from..end.max(from)).fold(1u64, |n, d| n.saturating_mul(dim(d).length))
            })
            .collect::<Vec<_>>();
        let row = match dims.len() {
            0 | 1 => 1,
            n if unlimited(n - 1) => 1,
            n => dim(n - 1).length.max(1),
        };
        Self {
            most: (!unlimited(0)).then(|| inner[0]),
            starts,
            inner,
            row,
        }
    }
}
