//! The cases with an older build of our programs in turn: what became slower, in one run.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::cases::{Case, remove_dataset};
use super::measure;

/// Number of runs of each build. Their medians are compared.
const REPEATS: usize = 7;

/// A median over this many times the older one is marked.
const SLOWER: f64 = 1.05;

/// Runs a case with the programs of the folder `older` and of `newer` in turn.
pub(super) fn pair(case: &Case, older: &Path, newer: &Path, data: &Path) -> Result<()> {
    let (input, output) = case.ours(data);
    let printed = data.join("out.txt");
    let flags = [case.flags, case.ours].concat();
    case.make_input(&newer.join("nccopy"), data)?;
    let mut runs = [Vec::new(), Vec::new()];
    for turn in 0..REPEATS {
        // Take turns at being first: the second finds warmer caches.
        for build in [turn % 2, 1 - turn % 2] {
            let program = [older, newer][build].join(case.program);
            remove_dataset(&output);
            let mut command = case.command(&program, &flags, &input, &output);
            match measure::run(&mut command, &printed) {
                Err(_) if build == 0 => {
                    println!("{:66} not by the older programs", case.name);
                    return Ok(());
                }
                run => runs[build].push(run?),
            }
        }
    }
    remove_dataset(&output);
    let _ = fs::remove_file(&printed);
    let [(old, old_peak), (new, new_peak)] = runs.map(|mut runs| {
        runs.sort_by_key(|run| run.time);
        let peak = runs.iter().map(|run| run.peak).max().unwrap_or(0);
        (runs[REPEATS / 2].time.as_secs_f64(), peak / 1_000_000)
    });
    let mark = if new > old * SLOWER { "  SLOWER" } else { "" };
    println!(
        "{:66} {old:.3} s -> {new:.3} s, {old_peak} MB -> {new_peak} MB{mark}",
        case.name
    );
    Ok(())
}
