//! What checksums cover of a hierarchy besides its codecs.

use crate::chunk::ChunkGrid;
use crate::format::{Fault, OwnCheck, Reader, Written};
use crate::model::VarId;
use crate::store::{GROWING, KeyStore};

/// Most variables of which missing chunks are counted in a note each.
const NOTED: usize = 8;

/// Tells the faults of the schema to `found`. Entries of a zip file have checksums, which are compared where a value is
/// read whole: chunks of shards are not.
pub(super) fn check(reader: &dyn Reader, store: &dyn KeyStore, found: &mut dyn FnMut(Fault)) -> OwnCheck {
    let schema = reader.schema();
    for fault in &schema.faults {
        found(Fault::new(fault));
    }
    for cause in &schema.replaced {
        found(Fault {
            is_replaced: true,
            ..Fault::new(cause)
        });
    }
    match store.size(GROWING) {
        Ok(Some(_)) => found(Fault::new(
            "cells are being added to it, or a run that did so was killed: nccopy --append with the same inputs goes on",
        )),
        Err(e) if e.kind() != std::io::ErrorKind::Unsupported => {
            found(Fault::of(&crate::error::Error::io("cannot read", e)));
        }
        _ => {}
    }
    // Without a directory, what is wrong with the zip is told already.
    if let Err(error) = store.check_keys(&mut |cause| found(Fault::new(cause)))
        && error.is_failure()
    {
        found(Fault::of(&error));
    }
    let mut vars = (0..schema.vars.len()).map(VarId);
    let mut uncovered = Vec::new();
    if !store.verifies() {
        uncovered.push("the metadata".to_owned());
    }
    let lacking = vars
        .clone()
        .filter_map(|var| Some((var, lacking_chunks(reader, var)?)));
    let mut notes: Vec<String> = lacking
        .map(|(var, (lacking, all))| {
            let path = schema.var_path(var);
            format!("variable {path}: {lacking} of {all} chunks are not there, and read as fill values")
        })
        .collect();
    if !notes.is_empty() {
        uncovered.push("chunks that are not there, which read as fill values".to_owned());
    }
    if notes.len() > NOTED {
        let more = notes.len() - NOTED;
        notes.truncate(NOTED);
        notes.push(format!("chunks of {more} other variables are not there"));
    }
    OwnCheck {
        covers_values: store.verifies() && vars.all(|var| reader.layout(var).shard.is_none()),
        uncovered,
        notes,
        ..OwnCheck::default()
    }
}

/// How many chunks of a variable are not stored, and how many it has; `None` if none is missing. Of a store that lists
/// nothing, this is not known.
fn lacking_chunks(reader: &dyn Reader, var: VarId) -> Option<(u64, u64)> {
    let layout = reader.layout(var);
    let written = reader
        .written(var)
        .ok()
        .filter(|written| *written != Written::All)?;
    let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape()).ok()?;
    let there = written.chunks(&grid).len();
    (there < grid.len()).then(|| (grid.len() - there, grid.len()))
}
