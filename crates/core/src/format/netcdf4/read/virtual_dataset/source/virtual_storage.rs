//! [`VirtualStorage`]: the virtual variable that elements of sources are read for.

use crate::model::{Schema, Type, VariableLayout};

/// What is read of a virtual variable.
#[derive(Clone, Copy)]
pub struct VirtualStorage<'a> {
    /// The schema, for types.
    pub schema: &'a Schema,
    /// The type of elements.
    pub ty: Type,
    /// The storage, as the header tells it.
    pub layout: &'a VariableLayout,
}
