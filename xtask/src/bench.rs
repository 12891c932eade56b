//! Benchmarks against Debian's netcdf-bin (and NCO, for JSON): the same work, with both programs in turn in the same
//! run, and output on tmpfs.
//!
//! For each case, it prints both times and their ratio, both peaks of memory, our time with one thread, and the
//! scaling. It also prints which share of the codecs' own speed is reached. That speed is measured in two ways: one
//! thread that only runs codecs, times the number of threads, and all threads at once, which is what the machine can
//! really give.
//!
//! With `--before FOLDER`, the other program is an older build of ours, and what became slower is marked.
//!
//! With `shards`, it compares work on shards of Zarr: see [`shards`].
//!
//! With `remote`, it compares work on a remote store: see [`remote`].
//!
//! With `archive`, it measures compressed netCDF-3 archives: see [`archive`].
//!
//! With `proof`, it measures checks, digests, comparisons and verified copies, and with `parts` slices and virtual
//! datasets: see [`proof`].
//!
//! With `filters`, it compares each filter with the reference library's: see [`filters`].

mod archive;
mod before;
mod cases;
mod filters;
mod proof;
mod remote;
mod shards;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use cases::{CASES, Case, OUTPUT, remove_dataset};

use crate::measure::{self, Run};
use crate::{build_release, codec, python, root, servers, succeed};

/// Number of runs of each program. The fastest counts.
const REPEATS: usize = 3;

/// A peer that takes longer than this runs only once.
const LONG: Duration = Duration::from_secs(20);

/// Runs the cases whose names contain the argument, against netcdf-bin or, with `--before FOLDER`, an older build. The
/// argument `filters` compares filters instead.
pub fn run(arguments: &[String]) -> Result<()> {
    if let [first, rest @ ..] = arguments
        && first == "filters"
    {
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/filters.py");
        return filters::run(&python, &script, &data, rest.first().map(String::as_str));
    }
    if let [first, rest @ ..] = arguments
        && first == "shards"
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/shards.py");
        return shards::run(
            &binaries,
            &python,
            &script,
            &data,
            rest.first().map(String::as_str),
        );
    }
    if let [first, rest @ ..] = arguments
        && first == "remote"
    {
        let python = python::interpreter()?;
        python::install_remote_stores(&python)?;
        let tools = remote::Tools {
            binaries: build_release()?,
            server: servers::build(servers::RELEASE)?.join("remote_server"),
            python,
            packages: root().join("target/interop/remote"),
            script: root().join("tests/bench/remote.py"),
            folder: data_folder().join("remote"),
        };
        return remote::run(tools, rest.first().map(String::as_str));
    }
    if let [first, rest @ ..] = arguments
        && first == "archive"
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/archives.py");
        succeed(Command::new(&python).arg(script).arg(&data))?;
        return archive::run(&binaries, &data, rest.first().map(String::as_str));
    }
    if let [first, rest @ ..] = arguments
        && (first == "proof" || first == "parts")
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/proof.py");
        succeed(Command::new(&python).arg(script).arg(&data))?;
        let only = rest.first().map(String::as_str);
        return match first.as_str() {
            "proof" => proof::proof(&binaries, &data, only),
            _ => proof::parts(&binaries, &data, only),
        };
    }
    let (older, only) = match arguments {
        [flag, ..] if flag.starts_with('-') && flag != "--before" => {
            let groups = "filters, shards, remote, archive, proof";
            anyhow::bail!("bench takes --before FOLDER, a part of a case's name, or one of {groups}");
        }
        [flag, rest @ ..] if flag == "--before" => {
            let folder = rest
                .first()
                .context("--before takes the folder of the older programs")?;
            (Some(Path::new(folder)), rest.get(1))
        }
        rest => (None, rest.first()),
    };
    if let Some(only) = only {
        let is_any = CASES.iter().any(|case| case.name.contains(only));
        anyhow::ensure!(is_any, "no case has '{only}' in its name");
    }
    let binaries = build_release()?;
    let (_, data) = make_data()?;
    let threads = std::thread::available_parallelism()?.get();
    println!("{threads} threads, data and output in {}", data.display());
    for case in CASES
        .iter()
        .filter(|case| only.is_none_or(|only| case.name.contains(only)))
    {
        match older {
            Some(older) => before::pair(case, older, &binaries, &data),
            None => pair(case, &binaries, &data, threads),
        }
        .with_context(|| case.name)?;
    }
    Ok(())
}

/// Makes the data, where it is missing. Returns the Python interpreter and the folder.
fn make_data() -> Result<(PathBuf, PathBuf)> {
    let (python, data) = (python::interpreter()?, data_folder());
    succeed(
        Command::new(&python)
            .arg(root().join("tests/bench/make.py"))
            .arg(&data),
    )?;
    Ok((python, data))
}

/// The folder of the data: on tmpfs, so that the disk does not matter.
fn data_folder() -> PathBuf {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() {
        shm.join("ncutils-bench")
    } else {
        std::env::temp_dir().join("ncutils-bench")
    }
}

fn pair(case: &Case, binaries: &Path, data: &Path, threads: usize) -> Result<()> {
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
    for _ in 0..REPEATS {
        remove_dataset(&output);
        remove_dataset(&our_output);
        if theirs.is_none_or(|run: Run| run.time < LONG) {
            keep_best(
                &mut theirs,
                measure::run(
                    &mut case.command(&theirs_path, their_flags, &input, &output),
                    &printed,
                )?,
            );
        }
        remove_dataset(&output);
        remove_dataset(&our_output);
        keep_best(&mut ours, ours_run(case.ours)?);
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
    if let Some(single) = single {
        println!(
            "  one thread {:.3} s, ratio {:.1}, scaling {:.2}",
            seconds(single.time),
            seconds(theirs.time) / seconds(single.time),
            seconds(single.time) / seconds(ours.time)
        );
    }
    if let Some(encode) = case.encode {
        let alone = seconds(codec::time(&data.join(case.input), encode, 1)?);
        let together = seconds(codec::time(&data.join(case.input), encode, threads)?);
        println!(
            "  codecs     {alone:.3} s on one thread, {together:.3} s on {threads}; reached {:.0} % of threads x speed, {:.0} % of all together",
            100.0 * alone / threads as f64 / seconds(ours.time),
            100.0 * together / seconds(ours.time)
        );
    }
    Ok(())
}

fn keep_best(best: &mut Option<Run>, run: Run) {
    let peak = best.map_or(0, |b| b.peak).max(run.peak);
    let time = best.map_or(run.time, |b| b.time.min(run.time));
    *best = Some(Run { time, peak });
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
