//! [`Leaf`]: an atomic variable, as netCDF shows it.

use super::attributes::classic_type;
use super::dds::Atom;
use super::names::decoded;
use crate::format::dap::limits::LARGEST_REQUEST;
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
    pub place: LeafPlace,
    /// Of a map, the number of the array's dimension whose coordinates it has.
    pub map: Option<usize>,
    /// Dimensions, of structures around it first; that of a sequence before those inside of it.
    pub dims: Vec<LeafDim>,
    /// Bytes that netCDF has for each text; 0 for numbers.
    pub width: usize,
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
pub enum LeafPlace {
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

    /// The projection of a box of a variable, for a request. It has a slice for each dimension.
    pub fn projection(&self, slices: &[Slice]) -> String {
        let mut text = String::new();
        let mut dims = self.dims.iter().zip(slices);
        for (n, step) in self.path.iter().enumerate() {
            if n > 0 {
                text.push('.');
            }
            text.push_str(&step.raw);
            if step.is_sequence {
                dims.next();
            }
            for (dim, chosen) in dims.by_ref().take(step.rank) {
                text.push_str(&dim.slice.within(*chosen).written());
            }
        }
        text
    }

    /// A slice for each dimension, with all its indexes.
    pub fn whole(&self) -> Vec<Slice> {
        self.dims.iter().map(|dim| Slice::whole(dim.length)).collect()
    }

    /// Bytes of an element in netCDF: of a text all its characters.
    pub fn size(&self) -> usize {
        match self.atom.is_text() {
            true => self.width,
            false => classic_type(self.atom).atomic_size(),
        }
    }

    /// Bytes of an element as it is sent; a guess for text.
    pub fn size_sent(&self) -> u64 {
        match self.size() {
            1 if !self.atom.is_text() => 1,
            size => (size as u64).clamp(4, LARGEST_REQUEST),
        }
    }

    /// Number of the sequence on the way, if there is one.
    pub fn sequence(&self) -> Option<usize> {
        self.path.iter().position(|step| step.is_sequence)
    }
}
