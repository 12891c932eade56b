//! [`Leaf`]: an atomic variable, as netCDF shows it.

use super::dds::Atom;
use super::names::decoded;
use crate::chunk::Region;
use crate::format::dap::slice::Slice;

/// An atomic variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its name in netCDF: the names of the structures around it and its own, with dots between.
    pub name: String,
    /// Its type.
    pub atom: Atom,
    /// The nodes from the root to it.
    pub path: Vec<Step>,
    /// Where it stands.
    pub place: Place,
    /// Of a map, the number of the array's dimension whose coordinates it has.
    pub map: Option<usize>,
    /// Dimensions, of structures around it first; that of a sequence before those inside of it.
    pub dims: Vec<LeafDim>,
}

/// A node on the way to an atomic variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name as it stands in the DDS.
    pub raw: String,
    /// Number of its own dimensions.
    pub rank: usize,
    /// True for a sequence, whose rows are its dimension.
    pub is_sequence: bool,
}

/// A dimension of an atomic variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafDim {
    /// Its name; `None` for one without.
    pub name: Option<String>,
    /// Its length after the constraint, in elements. That of a sequence is found later.
    pub length: u64,
    /// What the constraint takes of it.
    pub slice: Slice,
    /// True for the rows of a sequence.
    pub is_rows: bool,
}

/// Where an atomic variable stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the root.
    Root,
    /// The array of a grid.
    GridArray,
    /// A map of a grid.
    GridMap,
    /// In a structure or a sequence.
    Inside,
}

impl Leaf {
    /// The name by which the server knows it, decoded: with all structures and grids.
    pub fn full_name(&self) -> String {
        self.path
            .iter()
            .map(|step| decoded(&step.raw))
            .collect::<Vec<_>>()
            .join(".")
    }

    /// The last part of that name.
    pub fn own_name(&self) -> String {
        self.path
            .last()
            .map(|step| decoded(&step.raw))
            .unwrap_or_default()
    }

    /// The projection of a region of a variable, for a request. The region has the rank of the variable.
    pub fn projection(&self, region: &Region) -> String {
        let mut text = String::new();
        let mut dims = self.dims.iter().zip(region.start.iter().zip(&region.count));
        for (n, step) in self.path.iter().enumerate() {
            if n > 0 {
                text.push('.');
            }
            text.push_str(&step.raw);
            if step.is_sequence {
                dims.next();
            }
            for (dim, (start, count)) in dims.by_ref().take(step.rank) {
                text.push_str(&dim.slice.part(*start, *count));
            }
        }
        text
    }

    /// Number of the sequence on the way, if there is one.
    pub fn sequence(&self) -> Option<usize> {
        self.path.iter().position(|step| step.is_sequence)
    }
}
