//! [`Selection`]: which objects of a file are copied, and which datasets without their data.

use std::collections::HashSet;

/// Objects by their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Groups and datasets that are left out, with the links to them.
    pub left_out: HashSet<u64>,
    /// Datasets that are defined, and whose data is not copied: it reads as fill.
    pub without_data: HashSet<u64>,
}
