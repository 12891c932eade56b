//! The switch: a dataset that was built beside an older one takes its place.
//!
//! ```text
//! mark: nothing opens ─► delete the old, its root first ─► copy values ─► copy metadata, the root last
//!                     ─► delete the mark: the new opens ─► delete what was built, and the mark of building
//! ```
//!
//! Everything before the mark's end can be done again by another run: the built dataset stays whole until then.

use std::io;

use super::tree_claim::{BUILDING, Doing, Mark, get_mark, is_reserved, stage};
use super::tree_objects::{Listed, TreeObjects};
use crate::store::key::{PARTIAL, RESERVED};

/// Sorts keys into groups that are written one after another: folders before the folder around them. Keys of the root
/// are alone in their groups, by name.
pub(super) fn inner_first<T>(all: Vec<T>, key: impl Fn(&T) -> &str) -> Vec<Vec<T>> {
    let mut all: Vec<(usize, T)> = all
        .into_iter()
        .map(|one| (key(&one).matches('/').count(), one))
        .collect();
    all.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| key(x).cmp(key(y))));
    let mut groups: Vec<(usize, Vec<T>)> = Vec::new();
    for (depth, one) in all {
        match groups.last_mut() {
            Some((of, group)) if *of == depth && depth > 0 => group.push(one),
            _ => groups.push((depth, vec![one])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Puts the mark after which the tree does not open. The built dataset is complete.
///
/// # Errors
/// Those of the store; another mark that is there.
pub(super) fn begin(tree: &TreeObjects, run: &str) -> io::Result<()> {
    let mark = Mark {
        doing: Doing::Switching,
        run: run.to_owned(),
    };
    match tree.put_if(PARTIAL, &mark.text(), object_store::PutMode::Create)? {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "another run writes here: {PARTIAL} is there"
        ))),
    }
}

/// Ends the switch of a run, which may be another process's.
///
/// # Errors
/// Those of the store. The mark stays, and a later call ends the switch.
pub(super) fn switch(tree: &TreeObjects, run: &str) -> io::Result<()> {
    let (values, metadata) = (format!("{}d/", stage(run)), format!("{}m/", stage(run)));
    let new_metadata = tree.list(&metadata)?;
    if new_metadata.is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!(
                "{PARTIAL} tells of a dataset in {}, which is not there",
                stage(run)
            ),
        ));
    }
    let all = tree.list("")?;
    let old: Vec<&str> = all
        .iter()
        .map(|object| object.key.as_str())
        .filter(|key| !is_reserved(key))
        .collect();
    // Without its root, no program opens what is left of the old dataset.
    tree.delete(old.iter().copied().filter(|key| !key.contains('/')))?;
    tree.delete(old.iter().copied().filter(|key| key.contains('/')))?;
    for value in all.iter().filter(|object| object.key.starts_with(&values)) {
        tree.copy(value, &value.key[values.len()..])?;
    }
    tree.sending.wait()?;
    for group in inner_first(new_metadata, |object: &Listed| &object.key[metadata.len()..]) {
        for document in group {
            tree.copy(&document, &document.key[metadata.len()..])?;
        }
        tree.sending.wait()?;
    }
    let is_ours = |mark: &Mark| mark.doing == Doing::Switching && mark.run == run;
    if !get_mark(tree, PARTIAL)?.is_some_and(|(mark, _)| is_ours(&mark)) {
        return Err(io::Error::other(format!(
            "another run took over: {PARTIAL} is not as it was"
        )));
    }
    tree.delete([PARTIAL].into_iter())?;
    let built = tree.list("")?;
    let built = built.iter().map(|object| object.key.as_str());
    tree.delete(built.filter(|key| key.starts_with(RESERVED) && *key != BUILDING))?;
    tree.delete([BUILDING].into_iter())
}
