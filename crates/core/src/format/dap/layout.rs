//! The storage of variables of a server: it gives the elements of regions, and neither bytes nor chunks.

use crate::model::{
    Encoding, Fill, FillTime, Schema, VarId, VariableLayout, default_fill_value, fill_value_attribute,
};

/// The layout of a variable.
pub fn layout(schema: &Schema, id: VarId) -> VariableLayout {
    let var = schema.var(id);
    VariableLayout {
        fill: Fill {
            value: fill_value_attribute(var)
                .cloned()
                .or_else(|| default_fill_value(var.ty)),
            explicit: true,
            time: FillTime::IfSet,
            ..Fill::default()
        },
        ..VariableLayout::contiguous(schema.shape(id), schema.type_size(var.ty), Encoding::Structured)
    }
}
