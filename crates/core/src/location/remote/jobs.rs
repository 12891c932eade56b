//! Jobs whose output is on a remote store: where their processes write.

use std::io;
use std::sync::Arc;

use super::output::begun_tree;
use crate::error::{Error, Result};
use crate::location::output::job::{JobPhase, JobPlace, JobStage, JobTarget, JobWay, RUN_NOTE};
use crate::remote::{Claim, Session, SharedKeys, TreeOutput};
use crate::remote_settings::RemoteUrl;
use crate::store::{KeyOutput, new_run};

/// Begins a job. A tree of keys is claimed; an object has notes alone.
///
/// # Errors
/// Those of [`begun_tree`](super::output::begun_tree); the store fails.
pub(in crate::location) fn begin_job(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    way: JobWay,
    replaces: bool,
) -> Result<(JobPlace, JobStage)> {
    let mut place = JobPlace {
        run: new_run(),
        is_beside: false,
        way,
    };
    let begin_notes = |notes: &SharedKeys, place: &JobPlace| {
        let begun = notes.put(RUN_NOTE, place.run.as_bytes());
        begun.map_err(|e| Error::io("cannot create", e))
    };
    if way != JobWay::Keys {
        let notes = notes_of_object(session, url, memory, &place);
        begin_notes(&notes, &place)?;
        return Ok((place, object_stage(notes)));
    }
    let tree = Arc::new(begun_tree(session.clone(), url, memory, replaces)?);
    let claim = tree.claim();
    (place.run, place.is_beside) = (claim.name.clone(), claim.is_beside);
    let notes = SharedKeys::of_tree(session, &url.key, memory, claim);
    begin_notes(&notes, &place)?;
    let begun = Arc::clone(&tree);
    let stage = JobStage {
        notes: Arc::new(notes),
        target: JobTarget::Keys(tree),
        keep: Some(Box::new(move || begun.hand_over())),
    };
    Ok((place, stage))
}

/// Joins a job that [`begin_job`] began, maybe in another process.
///
/// # Errors
/// The store fails.
pub(in crate::location) fn join_job(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    place: &JobPlace,
) -> Result<JobPhase> {
    let cannot = |e| Error::io("cannot join the job", e);
    let has_begun = |notes: &SharedKeys| {
        let run = notes.staged(RUN_NOTE).map_err(cannot)?;
        Ok::<_, Error>(run.is_some_and(|run| run == place.run.as_bytes()))
    };
    if place.way != JobWay::Keys {
        let notes = notes_of_object(session, url, memory, place);
        return Ok(match has_begun(&notes)? {
            true => JobPhase::Open(object_stage(notes)),
            false => JobPhase::Over,
        });
    }
    let claim = claim_of(place);
    let notes = SharedKeys::of_tree(session.clone(), &url.key, memory, &claim);
    if !has_begun(&notes)? {
        return Ok(JobPhase::Over);
    }
    let tree = Arc::new(TreeOutput::join(session, &url.key, memory, &claim));
    if !tree.is_open().map_err(cannot)? {
        return Ok(JobPhase::Published);
    }
    Ok(JobPhase::Open(JobStage {
        notes: Arc::new(notes),
        target: JobTarget::Keys(tree),
        keep: None,
    }))
}

/// Removes what a job has left. A dataset that has appeared stays.
///
/// # Errors
/// The store fails.
pub(in crate::location) fn remove_job(
    session: Arc<Session>,
    url: &RemoteUrl,
    memory: u64,
    place: &JobPlace,
) -> io::Result<()> {
    if place.way != JobWay::Keys {
        return notes_of_object(session, url, memory, place).remove();
    }
    let tree = TreeOutput::join(session, &url.key, memory, &claim_of(place));
    if tree.is_open()? {
        tree.abandon()?;
    }
    tree.tidy()
}

fn claim_of(place: &JobPlace) -> Claim {
    Claim {
        name: place.run.clone(),
        is_beside: place.is_beside,
    }
}

fn notes_of_object(session: Arc<Session>, url: &RemoteUrl, memory: u64, place: &JobPlace) -> SharedKeys {
    SharedKeys::of_object(session, url.key.trim_end_matches('/'), memory, &place.run)
}

/// The stage of one object.
fn object_stage(notes: SharedKeys) -> JobStage {
    JobStage {
        notes: Arc::new(notes),
        target: JobTarget::Packs,
        keep: None,
    }
}
