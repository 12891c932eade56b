//! Runs the rows of `bench remote`, and says what is missed.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::super::cases::remove_dataset;
use super::super::measure::{self, Measurement};
use super::line::Line;
use super::rows::{Limit, ROWS, RemoteRow, Work};

/// Runs of our program. The fastest counts.
const REPEATS: usize = 3;

/// A peer that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(160);

/// Wait of each request, in milliseconds, and that of a longer line.
const LATENCY: [f64; 2] = [20.0, 50.0];

/// Memory with `-m 64M`, in bytes: the budget, the program, and buffers of TLS and HTTP.
const MOST_MEMORY: u64 = 96_000_000;

/// What the benchmark runs, and where.
pub struct Tools {
    /// The folder of our programs.
    pub binaries: PathBuf,
    /// The program of `tests/servers`.
    pub server: PathBuf,
    /// A Python interpreter with the peers.
    pub python: PathBuf,
    /// The folder of the packages s3fs and obstore.
    pub packages: PathBuf,
    /// `tests/bench/remote.py`.
    pub script: PathBuf,
    /// The folder of the data.
    pub folder: PathBuf,
}

/// Runs the rows whose names contain `only`.
///
/// # Errors
/// If a program of ours fails.
pub fn run(tools: Tools, only: Option<&str>) -> Result<()> {
    ran(Command::new(&tools.python)
        .args(["-W", "ignore"])
        .arg(&tools.script)
        .arg("make")
        .arg(&tools.folder))?;
    let bench = Bench {
        line: Line::start(&tools.server, &tools.folder)?,
        tools,
    };
    bench.make_ours()?;
    for row in ROWS
        .iter()
        .filter(|row| only.is_none_or(|only| row.name.contains(only)))
    {
        bench.row(row).with_context(|| row.name)?;
    }
    Ok(())
}

/// Runs a program, which must succeed.
fn ran(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

struct Bench {
    line: Line,
    tools: Tools,
}

/// A run of ours, and the requests that it made.
#[derive(Clone, Copy)]
struct Measured {
    run: Measurement,
    requests: u64,
    most: u64,
}

impl Measured {
    fn seconds(&self) -> f64 {
        self.run.time.as_secs_f64()
    }

    /// The faster of two runs, with the larger peak of memory of both.
    fn faster(one: Option<Self>, other: Self) -> Self {
        let peak = one.map_or(0, |one| one.run.peak).max(other.run.peak);
        let faster = one.filter(|one| one.run.time <= other.run.time).unwrap_or(other);
        Self {
            run: Measurement { peak, ..faster.run },
            ..faster
        }
    }
}

impl Bench {
    fn bucket(&self) -> PathBuf {
        self.tools.folder.join("bucket")
    }

    /// Copies of the data that our programs make: the file of many variables, a tree of the chunks, and an archive.
    fn make_ours(&self) -> Result<()> {
        let bucket = self.bucket();
        let nccopy = self.tools.binaries.join("nccopy");
        if !bucket.join("own.nc").exists() {
            ran(Command::new(&nccopy)
                .arg(bucket.join("many.nc"))
                .arg(bucket.join("own.nc")))?;
        }
        if !bucket.join("tree").exists() {
            let target = format!("{}#mode=zarr", bucket.join("tree").display());
            ran(Command::new(&nccopy).arg(bucket.join("chunks.nc")).arg(target))?;
        }
        if !bucket.join("long.nc3z").exists() {
            ran(Command::new(&nccopy)
                .args(["-k", "archive"])
                .arg(bucket.join("long.nc"))
                .arg(bucket.join("long.nc3z")))?;
        }
        for key in ["own.nc", "tree", "long.nc3z"] {
            ran(Command::new(&self.tools.python)
                .arg(&self.tools.script)
                .arg("note")
                .arg(&self.tools.folder)
                .arg(key))?;
        }
        Ok(())
    }

    /// The fastest of some runs of ours.
    fn ours(&self, row: &RemoteRow, flags: &[&str], latency: f64, repeats: usize) -> Result<Measured> {
        let mut best: Option<Measured> = None;
        for _ in 0..repeats {
            best = Some(Measured::faster(best, self.once(row, flags, latency)?));
        }
        best.context("no run")
    }

    /// The fastest of some runs at each latency, the longer one with more requests. The two run in turn, so that other load on the
    /// machine affects both.
    fn near_and_far(&self, row: &RemoteRow) -> Result<(Measured, Measured)> {
        let (mut near, mut far) = (None, None);
        for _ in 0..REPEATS {
            near = Some(Measured::faster(near, self.once(row, &[], LATENCY[0])?));
            far = Some(Measured::faster(
                far,
                self.once(row, &["--requests", "160"], LATENCY[1])?,
            ));
        }
        near.zip(far).context("no run")
    }

    fn once(&self, row: &RemoteRow, flags: &[&str], latency: f64) -> Result<Measured> {
        let local = self.tools.folder.join("out.nc");
        remove_dataset(&local);
        remove_dataset(&self.bucket().join("out"));
        let remote = |key: &str| match row.is_tree {
            true => format!("s3://bucket/{key}#mode=zarr,s3&aws.profile=no"),
            false => format!("s3://bucket/{key}#mode=bytes&aws.profile=no"),
        };
        let program = match row.work {
            Work::Header => "ncdump",
            _ => "nccopy",
        };
        let mut command = Command::new(self.tools.binaries.join(program));
        command
            .args(row.flags)
            .args(flags)
            .env("AWS_ENDPOINT_URL", self.line.address());
        match row.work {
            Work::Header => command.arg("-h").arg(remote(row.key)),
            Work::Read => command.arg(remote(row.key)).arg(&local),
            Work::Write => command.arg(self.bucket().join(row.key)).arg(remote("out")),
        };
        self.line.set(latency, row.bytes_per_second)?;
        let run = measure::run(&mut command, &self.tools.folder.join("out.txt"))?;
        let counts = self.line.counts()?;
        Ok(Measured {
            run,
            requests: counts.requests,
            most: counts.most,
        })
    }

    /// The time of a peer, and whether it is the whole time. `None` if the peer is not installed.
    fn theirs(&self, row: &RemoteRow, peer: &str) -> Result<Option<(Duration, bool)>> {
        self.line.set(LATENCY[0], row.bytes_per_second)?;
        remove_dataset(&self.bucket().join("out"));
        let (work, key) = match row.work {
            Work::Header => ("header", row.key),
            Work::Read => ("read", row.key),
            Work::Write => ("write", "out"),
        };
        let mut child = Command::new(&self.tools.python)
            .args(["-W", "ignore"])
            .arg(&self.tools.script)
            .args([peer, work, &self.line.address(), key])
            .arg(self.bucket().join(row.key))
            .env("PYTHONPATH", &self.tools.packages)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let begun = Instant::now();
        while child.try_wait()?.is_none() {
            if begun.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Ok(Some((LONGEST, false)));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let done = child.wait_with_output()?;
        if done.status.code() == Some(3) {
            return Ok(None);
        }
        ensure!(
            done.status.success(),
            "{peer}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        let seconds = String::from_utf8_lossy(&done.stdout).trim().parse()?;
        Ok(Some((Duration::from_secs_f64(seconds), true)))
    }

    fn row(&self, row: &RemoteRow) -> Result<()> {
        println!("\n{}", row.name);
        let ours = self.ours(row, &[], LATENCY[0], REPEATS)?;
        println!(
            "  ours        {:.3} s, {} requests, at most {} at once, {} MB",
            ours.seconds(),
            ours.requests,
            ours.most,
            ours.run.peak / 1_000_000
        );
        for limit in row.limits {
            self.check(row, limit, &ours)?;
        }
        if row.work == Work::Header {
            return Ok(());
        }
        let small = self.ours(row, &["-m", "64M"], LATENCY[0], 1)?;
        let large = if small.run.peak > MOST_MEMORY {
            "  SHORT"
        } else {
            ""
        };
        println!(
            "  -m 64M      {:.3} s, {} MB{large}",
            small.seconds(),
            small.run.peak / 1_000_000
        );
        let (near, far) = self.near_and_far(row)?;
        let ratio = far.seconds() / near.seconds();
        println!(
            "  at 50 ms    {:.3} s with 160 requests: {ratio:.2} × {:.3} s, wanted 1.5{}",
            far.seconds(),
            near.seconds(),
            short(ratio > 1.5)
        );
        remove_dataset(&self.tools.folder.join("out.nc"));
        remove_dataset(&self.bucket().join("out"));
        Ok(())
    }

    fn check(&self, row: &RemoteRow, limit: &Limit, ours: &Measured) -> Result<()> {
        match *limit {
            Limit::Requests(most) => {
                let missed = short(ours.requests > most);
                println!("  requests    {} of at most {most}{missed}", ours.requests);
            }
            Limit::Seconds(most) => {
                let missed = short(ours.seconds() > most);
                println!("  seconds     {:.3} of at most {most}{missed}", ours.seconds());
            }
            Limit::Single(wanted) => {
                let single = self.ours(row, &["--requests", "1"], LATENCY[0], 1)?;
                let ratio = single.seconds() / ours.seconds();
                println!(
                    "  one at once {:.3} s: {ratio:.1} ×, wanted {wanted}{}",
                    single.seconds(),
                    short(ratio < wanted)
                );
            }
            Limit::Peer(peer, wanted) => match self.theirs(row, peer)? {
                None => println!("  {peer:11} is not installed"),
                Some((time, is_whole)) => {
                    let ratio = time.as_secs_f64() / ours.seconds();
                    let more = if is_whole { "" } else { "more than " };
                    println!(
                        "  {peer:11} {more}{:.2} s: {more}{ratio:.1} ×, wanted {wanted}{}",
                        time.as_secs_f64(),
                        short(ratio < wanted)
                    );
                }
            },
        }
        Ok(())
    }
}

fn short(is_missed: bool) -> &'static str {
    if is_missed { "  SHORT" } else { "" }
}
