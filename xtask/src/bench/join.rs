//! Benchmarks of joins, beside ncrcat: files whose borders are borders of chunks, and files of one time step.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::measure;
use crate::process::succeed;

/// Number of files.
pub(super) const COUNT: usize = 1_000;

/// Numbers of a time step.
const STEP: [usize; 2] = [90, 180];

/// Time steps of a file whose chunks pass.
const STEPS: usize = 4;

/// How often each command runs, in turns.
const TURNS: usize = 5;

/// Measures all.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, data: &Path) -> Result<()> {
    let (many, single) = (data.join("join"), data.join("join-1"));
    make(binaries, &many, &single)?;
    let printed = data.join("out.txt");
    let ours = |folder: &Path, options: &[&str]| {
        let output = data.join("joined.nc");
        let _ = fs::remove_file(&output);
        let mut command = Command::new(binaries.join("nccopy"));
        command.args(["--join", "time", "--quiet"]).args(options);
        command.args(names(folder)).arg(output);
        let measured = measure::run(&mut command, &printed)?;
        anyhow::Ok((measured.time.as_secs_f64(), measured.peak))
    };
    let ncrcat = |folder: &Path, options: &[&str]| {
        let mut command = Command::new("ncrcat");
        command
            .arg("-O")
            .args(options)
            .args(names(folder))
            .arg(data.join("ncrcat.nc"));
        anyhow::Ok(measure::run(&mut command, &printed)?.time.as_secs_f64())
    };
    let told = |what: &str, (time, memory): (f64, u64), peer: f64, wanted: f64| {
        let short = if peer / time < wanted { "  SHORT" } else { "" };
        println!(
            "  {what:36} {time:6.2} s  {:3} MB  {:5.1} x ncrcat (wanted: {wanted}){short}",
            memory / 1_000_000,
            peer / time
        );
    };
    println!("{COUNT} deflated files of {STEPS} time steps, a chunk each");
    // In turns, as the machine may be busy.
    let (mut tested, mut untested, mut peers, mut plain) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        peers.push(ncrcat(&many, &[])?);
        // What takes a tenth of a second varies more than what takes three.
        for _ in 0..TURNS {
            tested.push(ours(&many, &[])?);
            untested.push(ours(&many, &["--no-check"])?);
            let mut cat = Command::new("cat");
            plain.push(measure::run(cat.args(names(&many)), &printed)?.time.as_secs_f64());
        }
    }
    let best = |times: Vec<f64>| times.into_iter().fold(f64::MAX, f64::min);
    let least = |all: Vec<(f64, u64)>| {
        all.into_iter()
            .fold((f64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    let (peer, cat, untested) = (best(peers), best(plain), least(untested));
    told("chunks tested", least(tested), peer, 15.0);
    told("--no-check", untested, peer, 30.0);
    let short = if untested.0 > 2.0 * cat { "  SHORT" } else { "" };
    println!(
        "  {:36} {cat:6.2} s  {:3.1} x its time (wanted: at most 2){short}",
        "cat",
        untested.0 / cat
    );
    println!("{COUNT} files of one time step, into chunks of 100 steps, deflate 4");
    let shape = format!("time/100,lat/{},lon/{}", STEP[0], STEP[1]);
    let (lat, lon) = (format!("lat,{}", STEP[0]), format!("lon,{}", STEP[1]));
    let chunks = [
        "-4",
        "-L",
        "4",
        "--cnk_dmn",
        "time,100",
        "--cnk_dmn",
        &lat,
        "--cnk_dmn",
        &lon,
    ];
    let (mut rechunked, mut peers) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        rechunked.push(ours(&single, &["-d", "4", "-s", "-c", &shape])?);
        peers.push(ncrcat(&single, &chunks)?);
    }
    told("rechunked", least(rechunked), best(peers), 4.0);
    Ok(())
}

pub(super) fn name(n: usize) -> String {
    format!("{n:04}.nc")
}

fn names(folder: &Path) -> Vec<std::path::PathBuf> {
    (0..COUNT).map(|n| folder.join(name(n))).collect()
}

/// Makes the files, where they are missing.
///
/// # Errors
/// A program fails.
pub(super) fn make(binaries: &Path, many: &Path, single: &Path) -> Result<()> {
    if single.join(name(COUNT - 1)).exists() {
        return Ok(());
    }
    let [lat, lon] = STEP;
    let wave = |n: usize| ((n / lon % lat) as f64 / 20.0).sin() * 20.0 + ((n * n) % 4001) as f64 / 1000.0;
    let values: Vec<_> = (0..STEPS * lat * lon)
        .map(|n| ((280.0 + wave(n)) * 64.0).round() / 64.0)
        .map(|value| value.to_string())
        .collect();
    let text = format!(
        "netcdf f {{ dimensions: time = UNLIMITED; lat = {lat}; lon = {lon}; variables: float tas(time, lat, lon); \
         tas:_ChunkSizes = 1, {lat}, {lon}; tas:_DeflateLevel = 4; tas:_Shuffle = \"true\"; data: tas = {}; }}",
        values.join(", ")
    );
    for folder in [many, single] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
    }
    let (first, one) = (many.join(name(0)), single.join(name(0)));
    measure::generate(&binaries.join("ncgen"), text, &first)?;
    let mut nccopy = Command::new(binaries.join("nccopy"));
    succeed(nccopy.args(["--isel", "time=0"]).args([&first, &one]))?;
    for n in 1..COUNT {
        fs::copy(&first, many.join(name(n)))?;
        fs::copy(&one, single.join(name(n)))?;
    }
    Ok(())
}
