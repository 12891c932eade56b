//! Levels of a data list: one for the first dimension, and one for each further unlimited dimension.

use crate::model::{Schema, VarId};

/// How the dimensions of a variable fall into levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// For each, the position of its first dimension.
    pub starts: Vec<usize>,
    /// For each: how many elements (of its last dimensions, without the first where that is unlimited) belong together.
    pub inner: Vec<u64>,
    /// How many the first may hold; `None` where its first dimension is unlimited.
    pub most: Option<u64>,
    /// Elements of a row of characters.
    pub row: u64,
}

impl Levels {
    /// Of a variable.
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
