//! Adds to a hierarchy: cells of arrays along a dimension.
//!
//! ```text
//! undo (of a killed run) ─► note ─► chunks, those at the border whole ─► documents: arrays, coordinates, groups, consolidated
//! ```
//!
//! Several keys cannot change at once. Chunks behind the old shape are not seen until the document of their array has the new one, and
//! a program that goes by the coordinate sees no cell that is not there. So each array is the old or the new one at any time, and a
//! reader of the consolidated document sees all old or all new. A run that is killed leaves its [note](undo), by which the next
//! run undoes what it did, and begins again.

mod array;
mod documents;
mod lengths;
mod undo;

pub use undo::undo;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::array::Array;
use self::documents::Grown;
use self::undo::Note;
use super::keys::{ARRAY, NODE, below};
use super::options::ZarrOptions;
use super::write::{HierarchyDocuments, ZarrWriter};
use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::format::{VariablePlan, Writer};
use crate::model::{KeySeparator, Kind, Schema, SharedLayout, VarId, VariableLayout};
use crate::store::{GetRange, GrowingKeys, KeyStore};

/// A writer that adds to the hierarchy in `store`. `output` is the same store, and `schema` is that of the dataset with its new cells:
/// variables with chunks to write are longer than before.
///
/// # Errors
/// Names an array whose elements this crate does not write as they are stored; a document that is damaged; the store fails.
pub fn grow(
    store: &Arc<dyn KeyStore>,
    output: Arc<dyn GrowingKeys>,
    schema: &Schema,
    plans: &[VariablePlan],
) -> Result<Box<dyn Writer>> {
    let get = |key: &str| {
        let found = store.get(key, GetRange::Whole);
        let bytes = found.map_err(|e| Error::io("cannot read", e).in_key(key))?;
        let parse = |bytes: Vec<u8>| {
            Json::parse_spelled(&bytes).map_err(|e| Error::Damaged(e.to_string()).in_key(key))
        };
        bytes.map(parse).transpose()
    };
    let document = match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => NODE,
        _ => ARRAY,
    };
    let mut plans = plans.to_vec();
    let mut arrays = Vec::new();
    let mut shapes = BTreeMap::new();
    let mut note = Note::default();
    let mut behind = Vec::new();
    let written = written_documents(schema, &plans)?;
    for (n, plan) in plans.iter_mut().enumerate() {
        let var = VarId(n);
        let path = schema.var_path(var);
        let path = path.trim_start_matches('/');
        let key = below(path, document);
        let Some(found) = get(&key)? else {
            if plan.promised.is_nothing() {
                continue;
            }
            return Err(Error::Damaged("its document is not there".to_owned()).in_variable(path));
        };
        let old = documents::shape(&found).map_err(|e| e.in_key(&key))?;
        let now = plan.layout.extent.clone();
        // NCZarr stores a scalar as an array of one element.
        let is_scalar = now.is_empty() && old == [1];
        if plan.promised.is_nothing() && (old == now || is_scalar) {
            continue;
        }
        if old.len() != now.len() || old.iter().zip(&now).any(|(old, now)| old > now) {
            let why = format!("an array of shape {old:?} does not grow to {now:?}");
            return Err(Error::Unsupported(why).in_variable(path));
        }
        if let Some((_, made)) = written.iter().find(|(written, _)| *written == key) {
            documents::check_same_form(&found, made).map_err(|e| e.in_variable(path))?;
        }
        if document == ARRAY {
            plan.layout = with_separator(&plan.layout, &found);
        }
        note.add_array(path, &old, &plan.layout);
        behind.push((path.to_owned(), Array::new(&old, &plan.layout)?));
        shapes.insert(path.to_owned(), (old, now));
        arrays.push((var, key));
    }
    // A reader that goes by the coordinate must not see cells that are not there.
    arrays.sort_by_key(|(var, _)| is_coordinate(schema, *var));
    let grown = Grown::new(schema, &shapes);
    let mut keys: Vec<String> = arrays.into_iter().map(|(_, key)| key).collect();
    keys.extend(documents::of_groups(schema, document == NODE));
    let mut all: Vec<(String, Json)> = Vec::new();
    for key in keys {
        let Some(old) = get(&key)? else { continue };
        let mut new = old.clone();
        grown.change(&key, &mut new);
        if new != old && all.iter().all(|(known, _)| *known != key) {
            note.add_document(&key, &old, &new);
            all.push((key, new));
        }
    }
    output
        .note(note.text().as_bytes())
        .map_err(|e| Error::io("cannot write", e))?;
    // An output of references has no values that it does not lead to.
    let left = behind.into_iter().filter(|_| !output.takes_references());
    for (path, array) in left {
        // What another program has left behind the array would be seen where nothing is written.
        let removed = array.remove_new(store, &*output, &path);
        removed.map_err(|e| Error::io("cannot write", e).in_variable(&path))?;
    }
    let documents = HierarchyDocuments {
        all,
        last: |_| None,
        keys: None,
    };
    Ok(Box::new(ZarrWriter::begin(output, schema, &plans, documents)?))
}

/// True for the coordinate of a dimension: its only dimension has its name.
fn is_coordinate(schema: &Schema, var: VarId) -> bool {
    let var = schema.var(var);
    matches!(var.dims[..], [dim] if schema.dim(dim).name == var.name)
}

/// The documents of the arrays as a new hierarchy would have them.
fn written_documents(schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<(String, Json)>> {
    match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => super::v3::documents(schema, plans),
        kind => super::v2::documents(schema, plans, ZarrOptions::write(kind)),
    }
}

/// The layout of an array of version 2 with the separator that its document tells.
fn with_separator(layout: &VariableLayout, document: &Json) -> SharedLayout {
    let separator = match document.get("dimension_separator").and_then(Json::as_str) {
        Some("/") => KeySeparator::Slash,
        _ => KeySeparator::Dot,
    };
    let mut layout = layout.clone();
    layout.chunk_keys = crate::model::ChunkKeys {
        begin_with_c: false,
        separator,
    };
    layout.into()
}
