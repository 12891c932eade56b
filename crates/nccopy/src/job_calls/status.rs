//! `--status`: which parts of a job are done.

use std::time::{SystemTime, UNIX_EPOCH};

use ncutils_core::distributed::{PartList, PartStates};
use ncutils_core::location::JobPhase;
use serde_json::json;

use super::job_arguments::JobArguments;
use crate::modes::job_steps::{TELLS_EVERY, notes_of};

/// Seconds after which a part that was begun and tells nothing counts as stopped.
const SILENT: u64 = 3 * TELLS_EVERY.as_secs() + 10;

/// Tells which parts are done, running and missing; with `missing`, only the numbers of those that are not done. Returns the exit
/// status.
///
/// # Errors
/// The store of the job fails; standard output fails.
pub fn tell(arguments: &JobArguments<'_>, missing: bool, as_json: bool) -> anyhow::Result<u8> {
    let job = arguments.job;
    let parts = job.parts.len() as u64;
    // What is over has no notes.
    let (state, states) = match arguments.phase()? {
        JobPhase::Open(stage) => ("open", notes_of(job, &stage).states(parts)?),
        JobPhase::Published => ("finished", all(parts)),
        JobPhase::Over => ("abandoned", PartStates::default()),
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs());
    let is_running = |at: u64| now.saturating_sub(at) < SILENT;
    let left = match state {
        "open" => PartList::of((0..parts).filter(|part| !states.done.contains(part))),
        _ => PartList::default(),
    };
    let bytes = |of: &mut dyn Iterator<Item = u64>| -> u64 {
        of.filter_map(|part| job.parts.get(usize::try_from(part).ok()?))
            .fold(0, |sum, part| sum.saturating_add(part.bytes))
    };
    let (done_bytes, all_bytes) = (bytes(&mut states.done.iter().copied()), bytes(&mut (0..parts)));
    let done = PartList::of(states.done.iter().copied());
    let text = if as_json {
        let running = states.begun.iter().map(|(part, begun)| {
            json!({
                "part": part,
                "host": begun.host,
                "process": begun.process,
                "seconds": now.saturating_sub(begun.at),
                "running": begun.failed.is_none() && is_running(begun.at),
                "failed": begun.failed,
            })
        });
        let value = json!({
            "state": state,
            "parts": parts,
            "done": done.to_string(),
            "missing": left.to_string(),
            "begun": running.collect::<Vec<_>>(),
            "bytes": all_bytes,
            "bytes_done": done_bytes,
        });
        format!("{value}\n")
    } else if missing {
        format!("{left}\n")
    } else {
        let mut lines = vec![format!("{state}: {} of {parts} parts done", done.len())];
        for (part, begun) in &states.begun {
            let seconds = now.saturating_sub(begun.at);
            lines.push(match is_running(begun.at) {
                _ if let Some(why) = &begun.failed => format!("part {part} failed on {}: {why}", begun.host),
                true => format!("part {part} runs on {}, process {}", begun.host, begun.process),
                false => format!(
                    "part {part} was begun on {}, and tells nothing since {seconds} seconds",
                    begun.host
                ),
            });
        }
        if !left.is_empty() {
            lines.push(format!("not done: {left}"));
        }
        lines.join("\n") + "\n"
    };
    ncutils_cli::print(text)?;
    Ok(0)
}

/// All parts, done.
fn all(parts: u64) -> PartStates {
    PartStates {
        done: (0..parts).collect(),
        ..PartStates::default()
    }
}
