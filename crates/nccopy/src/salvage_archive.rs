//! `--salvage` of an archive: restores what is whole, and tells what is lost.

use nccopy::flags::Arguments;
use nccopy::locations::locations;
use ncutils_cli::name_options;
use ncutils_core::error::Error;
use ncutils_core::format::archive::{self, LostRange, Salvaged};
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::store::PlaceKind;

/// Exit status of a copy that lost something.
const LOST: u8 = 3;

/// Most lines that tell of faults, and of ranges that are lost.
const MOST_LINES: usize = 1000;

/// Salvages an archive, if that was asked for. Returns the exit status, or `None` if the input is no archive.
pub fn salvage(arguments: &Arguments) -> anyhow::Result<Option<u8>> {
    if !arguments.salvage {
        return Ok(None);
    }
    let (input, output) = locations(arguments)?;
    input.check_output(&output)?;
    let in_input = |error: Error| name_options(error).in_file(input.name());
    let place = input.place()?;
    let PlaceKind::Object(object) = place.kind() else {
        return Ok(None);
    };
    if !archive::is_archive(&**object).map_err(in_input)? {
        return Ok(None);
    }
    ncutils_cli::signals::handle();
    let target = output.output()?;
    let salvaged = archive::salvage(object, &*target).map_err(in_input)?;
    let committed = target.commit().map_err(|e| Error::io("cannot write", e));
    committed.map_err(|error| error.in_file(output.name()))?;
    report(&input, &salvaged);
    Ok(Some(
        match salvaged.lost.is_empty() && salvaged.findings.is_empty() {
            true => 0,
            false => LOST,
        },
    ))
}

/// Tells what is wrong, and what is lost.
fn report(input: &Location, salvaged: &Salvaged) {
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
    tell_some(input, findings, salvaged.findings.len());
    tell_some(input, lost, salvaged.lost.len());
    let bytes: u64 = salvaged
        .lost
        .iter()
        .map(|lost| lost.bytes.end - lost.bytes.start)
        .sum();
    if bytes > 0 {
        let all = salvaged.original;
        tell(
            "nccopy",
            format_args!("{input}: {bytes} of {all} bytes are lost, and are zeros in the output"),
        );
    }
}

fn tell_some(input: &Location, lines: impl Iterator<Item = String>, count: usize) {
    for line in lines.take(MOST_LINES) {
        tell("nccopy", format_args!("{input}: {line}"));
    }
    if count > MOST_LINES {
        tell("nccopy", format_args!("{input}: and {} more", count - MOST_LINES));
    }
}
