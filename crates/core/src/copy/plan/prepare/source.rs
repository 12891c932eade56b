//! A source of a variable, as the choice of its route asks for it.

use super::further_sources::FurtherSource;
use crate::copy::geometry::FurtherInput;
use crate::error::Result;
use crate::format::{Reader, Written};
use crate::model::{Type, VarId, VariableLayout};

/// A variable of the input, of which a route asks.
pub enum VariableSource<'a> {
    /// A variable of the main reader.
    Main(&'a dyn Reader, VarId),
    /// A variable of a further reader.
    Further(&'a FurtherSource),
}

impl VariableSource<'_> {
    /// The variable in its reader's schema.
    pub fn var(&self) -> VarId {
        match self {
            Self::Main(_, var) => *var,
            Self::Further(source) => source.var,
        }
    }

    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Self::Main(reader, var) => reader.schema().var(*var).ty,
            Self::Further(source) => source.known.ty,
        }
    }

    /// Its storage.
    pub fn layout(&self) -> &VariableLayout {
        match self {
            Self::Main(reader, var) => reader.layout(*var),
            Self::Further(source) => &source.known.layout,
        }
    }

    /// The parts of it that were ever written.
    ///
    /// # Errors
    /// If a chunk index cannot be read.
    pub fn written(&self) -> Result<Written> {
        match self {
            Self::Main(reader, var) => reader.written(*var),
            Self::Further(source) => Ok(source.known.written.clone()),
        }
    }

    /// What jobs must know of a variable of a further reader.
    pub fn further(&self) -> Option<Box<FurtherInput>> {
        match self {
            Self::Main(..) => None,
            Self::Further(source) => Some(source.input()),
        }
    }
}
