//! A case with both programs, ours and that of netcdf-bin.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::cases::{Case, OUTPUT, remove_dataset};
use super::codecs::alone;
use super::measure::{self, Measurement};

/// Number of runs of each program. The fastest counts.
const REPEATS: usize = 3;

/// A peer that takes longer than this runs only once.
const LONG: Duration = Duration::from_secs(20);

/// Runs a case with both programs in turn, and prints their times and ratio, and the sizes of what they compressed.
///
/// # Errors
/// A program fails.
pub fn pair(case: &Case, binaries: &Path, data: &Path, threads: usize) -> Result<()> {
    let printed = data.join("out.txt");
    let (our_input, our_output) = case.ours(data);
    let (input, output) = (data.join(case.input), data.join(OUTPUT));
    let (peer, their_flags) = case.peer.unwrap_or((case.program, case.flags));
    let theirs_path = Path::new("/usr/bin").join(peer);
    let ours_path = binaries.join(case.program);
    let one_thread = [case.ours, &["--threads", "1"]].concat();
    let ours_run = |extra: &[&str]| {
        let flags = [case.flags, extra].concat();
        measure::run(
            &mut case.command(&ours_path, &flags, &our_input, &our_output),
            &printed,
        )
    };
    case.make_input(&ours_path, data)?;
    let (mut theirs, mut ours, mut single) = (None, None, None);
    let (mut their_size, mut our_size) = (None, None);
    for _ in 0..REPEATS {
        remove_dataset(&output);
        remove_dataset(&our_output);
        if theirs.is_none_or(|run: Measurement| run.time < LONG) {
            keep_best(
                &mut theirs,
                measure::run(
                    &mut case.command(&theirs_path, their_flags, &input, &output),
                    &printed,
                )?,
            );
            their_size = size(&output);
        }
        remove_dataset(&output);
        remove_dataset(&our_output);
        keep_best(&mut ours, ours_run(case.ours)?);
        our_size = size(&our_output);
        if case.program == "nccopy" {
            remove_dataset(&output);
            remove_dataset(&our_output);
            keep_best(&mut single, ours_run(&one_thread)?);
        }
    }
    remove_dataset(&output);
    remove_dataset(&our_output);
    let _ = fs::remove_file(&printed);
    let (Some(theirs), Some(ours)) = (theirs, ours) else {
        return Ok(());
    };
    let ratio = seconds(theirs.time) / seconds(ours.time);
    println!("\n{}", case.name);
    println!(
        "  {:10} {:.3} s, {} MB",
        if case.peer.is_some() { peer } else { "netcdf-bin" },
        seconds(theirs.time),
        theirs.peak / 1_000_000
    );
    let limit = match case.peak {
        Some(peak) if ours.peak > peak => format!(" (wanted: {})  LARGE", peak / 1_000_000),
        Some(peak) => format!(" (wanted: {})", peak / 1_000_000),
        None => String::new(),
    };
    println!(
        "  ncutils    {:.3} s, {} MB{limit}",
        seconds(ours.time),
        ours.peak / 1_000_000
    );
    println!(
        "  ratio      {ratio:.1} (wanted: {:.0}){}",
        case.target,
        if ratio < case.target { "  SHORT" } else { "" }
    );
    if case.encode.is_some()
        && let (Some(theirs), Some(ours)) = (their_size, our_size)
    {
        println!(
            "  outputs    {theirs} and {ours} bytes: ours differs by {:+.1} %",
            100.0 * (ours as f64 / theirs as f64 - 1.0)
        );
    }
    if let Some(single) = single {
        println!(
            "  one thread {:.3} s, ratio {:.1}, scaling {:.2}",
            seconds(single.time),
            seconds(theirs.time) / seconds(single.time),
            seconds(single.time) / seconds(ours.time)
        );
    }
    if let Some(encode) = case.encode {
        let alone = seconds(alone::time(&data.join(case.input), encode, 1)?);
        let together = seconds(alone::time(&data.join(case.input), encode, threads)?);
        println!(
            "  codecs     {alone:.3} s on one thread, {together:.3} s on {threads}; reached {:.0} % of threads x speed, {:.0} % of all together",
            100.0 * alone / threads as f64 / seconds(ours.time),
            100.0 * together / seconds(ours.time)
        );
    }
    Ok(())
}

/// Size of an output, in bytes. `None` if it is not a file.
fn size(output: &Path) -> Option<u64> {
    let found = fs::metadata(output).ok()?;
    found.is_file().then_some(found.len())
}

fn keep_best(best: &mut Option<Measurement>, run: Measurement) {
    let peak = best.map_or(0, |b| b.peak).max(run.peak);
    let time = best.map_or(run.time, |b| b.time.min(run.time));
    *best = Some(Measurement { time, peak });
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
