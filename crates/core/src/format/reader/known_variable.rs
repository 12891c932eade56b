//! [`KnownVariable`]: what is known of a variable whose reader may be closed.

use std::sync::Arc;

use super::reader::Reader;
use crate::error::Result;
use crate::filter::Pipeline;
use crate::format::written::Written;
use crate::model::{SharedLayout, Type, VarId};

/// What a copy must know of a variable before it reads it. The variable's reader may be closed.
#[derive(Debug, Clone)]
pub struct KnownVariable {
    /// Its type.
    pub ty: Type,
    /// Its storage.
    pub layout: SharedLayout,
    /// The parts of it that were ever written.
    pub written: Written,
    /// True if it lies in other datasets.
    pub is_virtual: bool,
    /// True if the reader's kind has filter masks.
    pub filter_masks: bool,
    /// Its codecs, bound to its chunks.
    pub pipeline: Arc<Pipeline>,
}

impl KnownVariable {
    /// A variable of an open reader.
    ///
    /// # Errors
    /// A chunk index that cannot be read.
    pub fn of(reader: &dyn Reader, var: VarId) -> Result<Self> {
        Ok(Self {
            ty: reader.schema().var(var).ty,
            layout: reader.layout(var).clone().into(),
            written: reader.written(var)?,
            is_virtual: reader.is_virtual(var),
            filter_masks: reader.schema().kind.can().filter_masks,
            pipeline: reader.pipeline(var)?,
        })
    }
}
