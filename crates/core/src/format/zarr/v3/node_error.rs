//! Why a document of version 3 makes no group or variable.

use super::super::dtype::DtypeError;
use super::super::keys::NODE;
use crate::error::Error;

/// Why a node makes no group or variable, as a clause that continues its name or that of its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeError {
    /// It has something that netCDF or this library does not know: the node is left out.
    Unheld(String),
    /// It is wrong.
    Damaged(String),
}

impl NodeError {
    /// The error of the root, without which there is nothing to show.
    pub fn of_root(self) -> Error {
        match self {
            Self::Unheld(why) => Error::Usage(format!("{NODE} {why}")),
            Self::Damaged(why) => Error::Damaged(format!("{NODE} {why}")),
        }
    }
}

impl From<String> for NodeError {
    fn from(why: String) -> Self {
        Self::Damaged(why)
    }
}

impl From<&str> for NodeError {
    fn from(why: &str) -> Self {
        Self::Damaged(why.to_owned())
    }
}

impl From<DtypeError> for NodeError {
    fn from(error: DtypeError) -> Self {
        match error {
            DtypeError::Unheld(why) => Self::Unheld(why),
            DtypeError::Damaged(why) => Self::Damaged(format!("is damaged: {why}")),
        }
    }
}
