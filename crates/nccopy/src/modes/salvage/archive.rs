//! `--salvage` of an archive: restores what is whole, and tells what is lost.

use ncutils_cli::messages::Messages;
use ncutils_cli::options::Mode;
use ncutils_core::error::Error;
use ncutils_core::format::archive::{self, LostRange, Salvaged};
use ncutils_core::location::Location;
use ncutils_core::store::{Input, InputKind};

use super::LOST;
use crate::arguments::Arguments;

/// Most lines that tell of faults, and of ranges that are lost.
const MOST_LINES: usize = 1000;

/// Salvages the archive that is `opened`. Returns the exit status, or `None` if there is no archive.
///
/// # Errors
/// An option that changes the original, a damaged front, and failures of reading and writing.
pub fn salvage(
    (input, output): (&Location, &Location),
    opened: &Input,
    arguments: &Arguments,
) -> anyhow::Result<Option<u8>> {
    let in_input = |error: Error| error.in_file(input.name());
    let InputKind::Object(object) = opened.kind() else {
        return Ok(None);
    };
    if !archive::is_archive(&**object).map_err(in_input)? {
        return Ok(None);
    }
    arguments.given.refuse_for(Mode::SalvageArchive)?;
    // An archive from a pipe comes as it is read, and its end is needed first.
    opened.read_to_end().map_err(in_input)?;
    ncutils_cli::signals::handle("nccopy");
    let target = output.output();
    arguments.messages.warn_of_opening(output);
    let target = target?;
    let salvaged = archive::salvage(object, &*target).map_err(in_input)?;
    let committed = target.commit().map_err(|e| Error::io("cannot write", e));
    committed.map_err(|error| error.in_file(output.name()))?;
    report(input, &salvaged, arguments.messages);
    // What is damaged and not needed, such as the indexes, loses nothing.
    Ok(Some(match salvaged.lost.is_empty() {
        true => 0,
        false => LOST,
    }))
}

/// Tells what is wrong, and what is lost.
fn report(input: &Location, salvaged: &Salvaged, messages: Messages) {
    let name = |variable: Option<usize>| match variable {
        None => "bytes of no variable".to_owned(),
        Some(n) => match salvaged.variables.get(n) {
            Some(name) => format!("variable {name}"),
            None => format!("variable number {n}"),
        },
    };
    let findings = salvaged
        .findings
        .iter()
        .map(|finding| match (finding.variable, finding.block) {
            (variable, Some(block)) => format!("{}: block {block}: {}", name(variable), finding.what),
            _ => finding.what.clone(),
        });
    let lost = salvaged.lost.iter().map(|LostRange { variable, bytes }| {
        let (first, last) = (bytes.start, bytes.end.saturating_sub(1));
        format!("{}: bytes {first} to {last} are lost", name(*variable))
    });
    tell_some(input, findings, salvaged.findings.len(), messages);
    tell_some(input, lost, salvaged.lost.len(), messages);
    let bytes: u64 = salvaged
        .lost
        .iter()
        .map(|lost| lost.bytes.end - lost.bytes.start)
        .sum();
    if bytes > 0 {
        let all = salvaged.original;
        messages.tell(format_args!(
            "{input}: {bytes} of {all} bytes are lost, and are zeros in the output"
        ));
    }
}

fn tell_some(input: &Location, lines: impl Iterator<Item = String>, count: usize, messages: Messages) {
    for line in lines.take(MOST_LINES) {
        messages.tell(format_args!("{input}: {line}"));
    }
    if count > MOST_LINES {
        messages.tell(format_args!("{input}: and {} more", count - MOST_LINES));
    }
}
