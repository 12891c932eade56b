//! The source of an output variable's data, as a plan names it.

use crate::chunk::Selection;
use crate::copy::readers::ReaderId;
use crate::model::VarId;

/// The source of an output variable's data.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Sources {
    /// No data: the variable is defined but never written, so it reads as fill values.
    #[default]
    Nothing,
    /// One variable of the main reader. Each element keeps its index.
    Whole(VarId),
    /// Parts of variables: a slice, a union, a virtual mapping. A later part overwrites an earlier one.
    /// Elements that no part fills read as fill values.
    Parts(Vec<SourcePart>),
}

impl Sources {
    /// The only input variable. `None` if there is none, or parts are selected.
    pub fn whole(&self) -> Option<VarId> {
        match self {
            Self::Whole(var) => Some(*var),
            _ => None,
        }
    }
}

/// A part of a variable of one of the readers, and its place in the output.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcePart {
    /// The reader that has the variable.
    pub reader: ReaderId,
    /// The variable in the reader's schema.
    pub variable: VarId,
    /// The selected elements, and their place in the output variable.
    pub selection: Selection,
}

impl SourcePart {
    /// A part of a variable of the main reader.
    pub fn new(variable: VarId, selection: Selection) -> Self {
        Self {
            reader: ReaderId::Main,
            variable,
            selection,
        }
    }
}
