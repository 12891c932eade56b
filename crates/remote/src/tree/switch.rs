//! The switch: a dataset that was built beside an older one takes its place.
//!
//! ```text
//! mark: nothing opens ─► delete the old, its root first ─► copy values ─► copy metadata, the root last
//!                     ─► delete the mark: the new opens ─► tidy: delete the mark of building, then what was built
//! ```
//!
//! Everything before the mark's end can be done again by another run: the built dataset stays whole until then.

use std::io;

use object_store::{PutMode, UpdateVersion};

use super::mark::{BUILDING, Doing, Mark, get_mark, is_reserved, notes, stage};
use super::metadata_order::arrays_first;
use crate::write::{Listed, TreeObjects};
use ncutils_store::keys::key::PARTIAL;
use ncutils_store::new_run;

/// Puts the mark after which the tree does not open, and returns it. The built dataset is complete.
///
/// # Errors
/// Those of the store; another mark that is there.
pub(crate) fn begin(tree: &TreeObjects, run: &str) -> io::Result<Mark> {
    let mark = Mark::new(Doing::Switching, run);
    match tree.put_mark(PARTIAL, mark.text().as_bytes(), PutMode::Create)? {
        true => Ok(mark),
        false => Err(io::Error::other(format!(
            "another run writes here: {PARTIAL} is there"
        ))),
    }
}

/// Ends the switch of another run, which loses it if it lives.
///
/// # Errors
/// Those of [`switch`]; another run that took the switch over first.
pub(crate) fn take_over(tree: &TreeObjects, mark: Mark, seen: UpdateVersion) -> io::Result<()> {
    let mark = Mark {
        by: new_run(),
        ..mark
    };
    match tree.put_mark(PARTIAL, mark.text().as_bytes(), PutMode::Update(seen))? {
        true => switch(tree, &mark)?,
        false => return Err(taken_over()),
    }
    // What stays is cleared by who claims the tree next.
    let _ = tidy(tree, &mark.run, false);
    Ok(())
}

fn taken_over() -> io::Error {
    io::Error::other(format!(
        "another run took over, and replaces the dataset: {PARTIAL} is not as it was"
    ))
}

/// Ends the switch of `mark`, which is in the tree. Whoever has put another mark ends it instead: the mark is looked at before
/// anything is deleted.
///
/// # Errors
/// Those of the store. The mark stays, and a later call ends the switch.
pub(crate) fn switch(tree: &TreeObjects, mark: &Mark) -> io::Result<()> {
    let run = mark.run.as_str();
    let check = || match get_mark(tree, PARTIAL)? {
        Some((found, _)) if found == *mark => Ok(()),
        _ => Err(taken_over()),
    };
    let (values, metadata) = (format!("{}d/", stage(run)), format!("{}m/", stage(run)));
    let new_metadata = tree.list(&metadata)?;
    if new_metadata.is_empty() {
        let stage = stage(run);
        let why = format!(
            "{PARTIAL} tells of a dataset in {stage}, which is not there; delete what is below this prefix"
        );
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let all = tree.list("")?;
    tree.clear("", |key| !is_reserved(key), check)?;
    for value in all.iter().filter(|object| object.key.starts_with(&values)) {
        tree.copy(value, &value.key[values.len()..])?;
    }
    tree.sending.wait()?;
    for group in arrays_first(new_metadata, |object: &Listed| &object.key[metadata.len()..]) {
        for document in group {
            tree.copy(&document, &document.key[metadata.len()..])?;
        }
        tree.sending.wait()?;
    }
    check()?;
    tree.delete_mark(PARTIAL, &mark.text())
}

/// Deletes a run's mark of building, then the dataset it built. The mark goes first: while it is there, another process may end the
/// switch again and needs all values. With `keeps_notes`, notes of the run's processes stay.
///
/// # Errors
/// Those of the store. What stays is no part of the dataset.
pub(crate) fn tidy(tree: &TreeObjects, run: &str, keeps_notes: bool) -> io::Result<()> {
    // Another run may build already.
    if get_mark(tree, BUILDING)?.is_some_and(|(mark, _)| mark.run == run) {
        tree.delete([BUILDING])?;
    }
    let notes = notes(run);
    let built = tree.list(&stage(run))?;
    let keys = built.iter().map(|object| object.key.as_str());
    tree.delete(keys.filter(|key| !(keeps_notes && key.starts_with(&notes))))
}
