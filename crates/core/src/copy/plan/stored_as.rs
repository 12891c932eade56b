//! Whether a dataset is stored already as a plan would store it.

use std::collections::HashMap;

use super::CopyPlan;
use super::fill_in_place::{has_values, is_whole, leaves_out_fill};
use super::prepare::can_skip;
use crate::copy::geometry::Sources;
use crate::copy::quantization::Algorithm;
use crate::error::Result;
use crate::filter::{ChunkType, Registry};
use crate::format::{Reader, Written};
use crate::model::{Schema, Storage, Type, UnlimitedDimensions, Values, VarId, Variable, VariableLayout};

impl CopyPlan {
    /// True if `stored` is what the plan would make: of the same kind, with the same variables, dimensions, types, chunks and
    /// filters. There is data where the plan copies some from `input`: no more of it is read than tells that, and of attributes
    /// those alone count that the copy adds. With `any_filters`, filters do not count.
    pub fn is_stored_as(&self, input: &dyn Reader, stored: &dyn Reader, any_filters: bool) -> bool {
        let schema = stored.schema();
        let same_dataset = self.schema.kind == schema.kind
            && self.schema.page_size == schema.page_size
            && self.schema.vars.len() == schema.vars.len()
            && self.schema.groups.len() == schema.groups.len()
            && schema.faults.is_empty();
        let all = || (0..schema.vars.len()).map(VarId);
        let by_path: HashMap<String, VarId> = match same_dataset {
            true => all().map(|var| (schema.var_path(var), var)).collect(),
            false => return false,
        };
        self.has_same_dimensions(schema)
            && all().all(|planned| {
                let found = by_path.get(&self.schema.var_path(planned));
                found.is_some_and(|found| {
                    self.is_same_variable(planned, schema, *found)
                        && self.is_same_layout(planned, schema, *found, stored.layout(*found), any_filters)
                        && self.is_written_so(planned, input, stored, *found)
                })
            })
    }

    /// True if a variable has data where the plan copies some, and none where it copies none.
    fn is_written_so(&self, planned: VarId, input: &dyn Reader, stored: &dyn Reader, found: VarId) -> bool {
        let copy = &self.variables[planned.0];
        if copy.layout.extent.contains(&0) {
            return true;
        }
        // Kinds without chunks write fill values in place of data, so the values tell.
        let by_values = !stored.schema().kind.can().chunks;
        let has_data = |reader: &dyn Reader, var| match by_values {
            true => has_values(reader, var),
            false => reader.written(var).map(|written| written != Written::Nothing),
        };
        let same = match copy.sources {
            Sources::Nothing => has_data(stored, found).map(|there| !there),
            Sources::Whole(var) => has_data(stored, found)
                .and_then(|there| Ok(there || !has_data(input, var)?))
                .and_then(|same| Ok(same && self.has_same_chunks(planned, (input, var), (stored, found))?)),
            // Which parts have data is not looked at.
            Sources::Parts(_) => Ok(true),
        };
        same.unwrap_or(false) && (!by_values || is_whole(stored, found))
    }

    /// True if the chunks that are stored are those that the plan writes: without those that hold only fill values, if it leaves
    /// them out, and else all that the input has.
    fn has_same_chunks(
        &self,
        planned: VarId,
        (input, from): (&dyn Reader, VarId),
        (stored, found): (&dyn Reader, VarId),
    ) -> Result<bool> {
        let copy = &self.variables[planned.0];
        if copy.skips_fill && can_skip(&self.schema, planned, &copy.layout) {
            return leaves_out_fill(stored, found);
        }
        let same_grid = input.layout(from).storage == copy.layout.storage;
        Ok(match (input.written(from)?, stored.written(found)?) {
            (Written::All, Written::Chunks(_)) => false,
            (Written::Chunks(asked), Written::Chunks(there)) if same_grid => asked == there,
            _ => true,
        })
    }

    /// True if the dimensions that both have agree. Some kinds leave out those that no variable has.
    fn has_same_dimensions(&self, schema: &Schema) -> bool {
        let tells_unlimited = schema.kind.can().unlimited != UnlimitedDimensions::None;
        let facts = |schema: &Schema| -> HashMap<String, (u64, bool)> {
            let dims = schema.dims.iter();
            dims.map(|dim| {
                let path = schema.path_in(dim.group, &dim.name);
                (path, (dim.length, dim.unlimited && tells_unlimited))
            })
            .collect()
        };
        let there = facts(schema);
        let asked = facts(&self.schema);
        asked
            .iter()
            .all(|(path, asked)| there.get(path).is_none_or(|there| there == asked))
    }

    /// True if the schemas agree about a variable.
    fn is_same_variable(&self, planned: VarId, schema: &Schema, found: VarId) -> bool {
        let (asked, there) = (self.schema.var(planned), schema.var(found));
        let dims = asked.dims.iter().zip(&there.dims);
        asked.dims.len() == there.dims.len()
            && type_name(&self.schema, asked.ty) == type_name(schema, there.ty)
            && dims.into_iter().all(|(a, b)| {
                let (a, b) = (self.schema.dim(*a), schema.dim(*b));
                (&a.name, a.length) == (&b.name, b.length)
            })
            && quantizations(asked).eq(quantizations(there))
    }

    fn is_same_layout(
        &self,
        planned: VarId,
        schema: &Schema,
        found: VarId,
        there: &VariableLayout,
        any_filters: bool,
    ) -> bool {
        let asked: &VariableLayout = &self.variables[planned.0].layout;
        let VariableLayout {
            storage,
            extent,
            shard,
            shard_index,
            string_length,
            // By `same_filters`.
            filters: _,
            array_codecs: _,
            // These follow from the type, which is compared.
            element_size: _,
            encoding: _,
            // These stay as they are in the input, and the writer chooses what the input does not say.
            endian: _,
            edges: _,
            chunk_keys: _,
            fill: _,
        } = asked;
        // Filters that were chosen may have made chunks of what was in one piece.
        let is_chunked = |storage: &Storage| matches!(storage, Storage::Chunked { .. });
        let has_new_chunks = any_filters && !is_chunked(storage) && is_chunked(&there.storage);
        let same_place = (*storage == there.storage || has_new_chunks)
            && *extent == there.extent
            && *shard == there.shard
            && (shard.is_none() || *shard_index == there.shard_index)
            && *string_length == there.string_length;
        let ty = schema.var(found).ty;
        same_place && (any_filters || same_filters(asked, there, schema, ty, &self.registry))
    }
}

fn same_filters(
    asked: &VariableLayout,
    there: &VariableLayout,
    schema: &Schema,
    ty: Type,
    registry: &Registry,
) -> bool {
    match &there.storage {
        Storage::Chunked { shape } => {
            let chunk = ChunkType::new(schema, ty, there, shape);
            registry.same_streams(&asked.filters, &there.filters, &chunk)
        }
        _ => asked.filters == there.filters,
    }
}

/// The attributes that tell how a variable was quantized.
fn quantizations(var: &Variable) -> impl Iterator<Item = (&str, &Values)> {
    let names = Algorithm::ALL.map(Algorithm::attribute);
    let told = var
        .attributes
        .iter()
        .filter(move |a| names.contains(&a.name.as_str()));
    told.map(|attribute| (attribute.name.as_str(), &attribute.values))
}

/// The name of a type, which is the same in two schemas where their numbers of types are not.
fn type_name(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => schema.user_type(id).name.clone(),
        other => format!("{other:?}"),
    }
}
