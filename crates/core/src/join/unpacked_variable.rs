//! How a join stores a variable that it unpacks.

use super::change::Change;
use super::joined::Joined;
use crate::filter::{ChunkType, Registry};
use crate::format::Reader;
use crate::model::{Fill, Storage, Type, VarId, VariableLayout, default_fill_value};
use crate::subset::moved_filters;

impl Joined {
    /// Gives a variable the type, attributes and storage of its unpacked values.
    pub(super) fn unpack(&mut self, var: VarId, registry: &Registry) {
        let Some(changes) = self.changes.get(&var) else {
            return;
        };
        let unpackings = changes.values().filter_map(|change| match change {
            Change::Unpack(unpacking) => Some(unpacking),
            Change::Times { .. } => None,
        });
        let is_double = unpackings.clone().any(|unpacking| unpacking.asks == Type::Double);
        let to = if is_double { Type::Double } else { Type::Float };
        let Some(first) = unpackings.clone().next().cloned() else {
            return;
        };
        let from = self.schema.var(var).ty;
        first.change(&mut self.schema.vars[var.0], to);
        let packed = self.layout(var).clone();
        let mut layout = VariableLayout {
            element_size: to.atomic_size(),
            fill: Fill {
                value: default_fill_value(to),
                ..packed.fill.clone()
            },
            ..packed.clone()
        };
        if let Storage::Chunked { shape } = &packed.storage {
            let of = |ty, layout: &VariableLayout| {
                ChunkType::new(&self.schema, ty, layout, shape).with_fill(&layout.fill)
            };
            let moved = moved_filters(registry, &of(from, &packed), &of(to, &layout), &packed.filters);
            layout.filters = moved.unwrap_or_else(|_| {
                let path = self.schema.var_path(var);
                self.warnings.push(format!(
                    "variable {path}: its filters are for packed numbers, and are left out"
                ));
                Vec::new()
            });
        }
        self.layouts[var.0] = Some(layout.into());
    }
}
