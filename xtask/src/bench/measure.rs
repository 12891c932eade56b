//! Runs a program, and measures its time and memory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::succeed;

/// Measurements of one run.
#[derive(Debug, Clone, Copy)]
pub struct Measurement {
    /// Elapsed time.
    pub time: Duration,
    /// Largest resident set, in bytes.
    pub peak: u64,
}

impl Measurement {
    /// The least time and the largest peak of this run and those before.
    pub fn best_with(self, before: Option<Self>) -> Self {
        before.map_or(self, |before| Self {
            time: self.time.min(before.time),
            peak: self.peak.max(before.peak),
        })
    }
}

/// Runs `command` to its end. Its standard output goes to the file `printed`.
pub fn run(command: &mut Command, printed: &Path) -> Result<Measurement> {
    let stdout = fs::File::create(printed).with_context(|| format!("cannot create {}", printed.display()))?;
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let status = loop {
        peak = peak.max(high_water_mark(&status_file).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let time = begun.elapsed();
    if !status.success() {
        let mut message = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            let _ = std::io::Read::read_to_string(&mut stderr, &mut message);
        }
        bail!("{command:?} failed: {status}: {message}");
    }
    Ok(Measurement { time, peak })
}

/// Makes a netCDF-4 file of CDL.
///
/// # Errors
/// ncgen fails.
pub fn generate(ncgen: &Path, text: String, file: &Path) -> Result<()> {
    let cdl = file.with_extension("cdl");
    fs::write(&cdl, text)?;
    succeed(Command::new(ncgen).args(["-k", "nc4", "-o"]).args([file, &cdl]))?;
    Ok(fs::remove_file(cdl)?)
}

/// `VmHWM` of a process, in bytes.
fn high_water_mark(status_file: &str) -> Option<u64> {
    let status = fs::read_to_string(status_file).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|kib| kib * 1024)
}

/// The median of times, of which there must be one at least. Of an even number, it is the larger of the two in the middle.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
