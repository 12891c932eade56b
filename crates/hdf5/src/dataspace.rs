//! [`Dataspace`]: the shape of a dataset or attribute (specification section IV.A.2.b).

/// A dataspace (specification section IV.A.2.b): the shape of a dataset or attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dataspace {
    /// No elements at all.
    Null,
    /// One element.
    Scalar,
    /// A hyper-rectangle, slowest dimension first.
    Simple {
        /// Present lengths, in elements.
        dims: Vec<u64>,
        /// Maximum lengths; `None` for an unlimited dimension. Same rank as `dims`.
        max_dims: Vec<Option<u64>>,
    },
}

impl Dataspace {
    /// A shape that cannot grow.
    pub fn fixed(dims: &[u64]) -> Self {
        Self::Simple {
            dims: dims.to_vec(),
            max_dims: dims.iter().copied().map(Some).collect(),
        }
    }

    /// The present shape; empty for scalar and null.
    pub fn dims(&self) -> &[u64] {
        match self {
            Self::Simple { dims, .. } => dims,
            _ => &[],
        }
    }

    /// Number of elements; `None` if it overflows.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Null => Some(0),
            Self::Scalar => Some(1),
            Self::Simple { dims, .. } => {
                if dims.contains(&0) {
                    return Some(0);
                }
                dims.iter().try_fold(1u64, |n, d| n.checked_mul(*d))
            }
        }
    }
}
