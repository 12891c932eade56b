//! Undoes what a killed run has added to a hierarchy.
//!
//! ```text
//! {"version": 1,
//!  "arrays": {"v": {"old": [10, 5], "new": [17, 5], "chunk": [4, 5], "c": false, "separator": "."}},
//!  "documents": [["v/.zarray", "{…}", "{…}"], …]}       as they were and will be, in the order of their change
//! ```

use std::sync::Arc;

use super::array::Array;
use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::model::VariableLayout;
use crate::store::{GROWING, GetRange, GrowingKeys, KeyStore, SWITCHING};

/// The version of notes.
const VERSION: u64 = 1;

/// What a later run needs to undo this one.
#[derive(Default)]
pub(super) struct Note {
    arrays: Vec<(String, Json)>,
    documents: Vec<Json>,
}

impl Note {
    /// Adds an array as it is before it gets the extent of its layout.
    pub(super) fn add_array(&mut self, path: &str, old: &[u64], layout: &VariableLayout) {
        let list = |lengths: &[u64]| {
            Json::Array(
                lengths
                    .iter()
                    .map(|length| Json::Integer((*length).into()))
                    .collect(),
            )
        };
        let keys = layout.chunk_keys;
        let array = [
            ("old", list(old)),
            ("new", list(&layout.extent)),
            (
                "chunk",
                list(layout.shard.as_deref().unwrap_or(layout.chunk_shape())),
            ),
            ("c", Json::Bool(keys.begin_with_c)),
            ("separator", keys.separator.text().into()),
        ];
        self.arrays.push((path.to_owned(), Json::from_iter(array)));
    }

    /// Adds a document as it is before it is changed, and as it will be.
    pub(super) fn add_document(&mut self, key: &str, old: &Json, new: &Json) {
        let text = |json: &Json| Json::from(json.to_string().as_str());
        self.documents
            .push(Json::Array(vec![key.into(), text(old), text(new)]));
    }

    /// The note's text.
    pub(super) fn text(self) -> String {
        let members = [
            ("version", VERSION.into()),
            ("arrays", Json::Object(self.arrays)),
            ("documents", Json::Array(self.documents)),
        ];
        Json::from_iter(members).to_string()
    }
}

/// Undoes what the note of a killed run tells. A note that is not complete tells that nothing was done.
///
/// # Errors
/// A note of another version; the store fails.
pub fn undo(store: &Arc<dyn KeyStore>, output: &dyn GrowingKeys, note: &[u8]) -> Result<()> {
    let (json, behind) = match note.iter().position(|byte| *byte == b'\n') {
        Some(at) => note.split_at(at),
        None => (note, &[][..]),
    };
    let cannot = |e| Error::io("cannot write", e);
    let Ok(json) = Json::parse(json) else {
        return output.note(&[]).map_err(cannot);
    };
    let (is_switching, note) = (behind == SWITCHING.as_bytes(), json);
    if note.get("version").and_then(Json::as_u64) != Some(VERSION) {
        return Err(Error::Unsupported(
            "what another version of this program has begun to add".to_owned(),
        ));
    }
    let documents = note.get("documents").and_then(Json::as_array).unwrap_or_default();
    for document in documents {
        let Some([key, told @ ..]) = document.as_array() else {
            continue;
        };
        // Before the switch, no document is a new one.
        let known = if is_switching {
            told
        } else {
            &told[..told.len().min(1)]
        };
        check_known(&**store, key.as_str().unwrap_or_default(), known)?;
    }
    for document in documents.iter().rev() {
        if let Some([Json::String(key), Json::String(text), ..]) = document.as_array() {
            output.put(key, text.as_bytes()).map_err(cannot)?;
        }
    }
    for (path, array) in note.get("arrays").and_then(Json::as_object).unwrap_or_default() {
        if let Some(array) = Array::parse(array) {
            array.remove_new(store, output, path).map_err(cannot)?;
        }
    }
    output.note(&[]).map_err(cannot)
}

/// Checks that the document of a key is one of those that a note tells.
///
/// # Errors
/// Another program has changed it since, so that what was begun cannot be undone without it.
fn check_known(store: &dyn KeyStore, key: &str, told: &[Json]) -> Result<()> {
    let found = store.get(key, GetRange::Whole);
    let found = found.map_err(|e| Error::io("cannot read", e).in_key(key))?;
    let found = found.and_then(|bytes| Json::parse_spelled(&bytes).ok());
    let is_known = told.iter().any(|text| {
        let known = text
            .as_str()
            .and_then(|text| Json::parse_spelled(text.as_bytes()).ok());
        known.is_some() && known == found
    });
    match is_known {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "a run of nccopy --append was killed, and another program has changed the dataset since; look at it, and remove {GROWING} if it is as it should be"
        ))
        .in_key(key)),
    }
}
