//! What many workers gain on a store 20 ms away: 64 processes with one request at a time each, on the S3 server of the tests.
//!
//! One worker would write the whole dataset in most of an hour. It does one part of 64, and its time for all is extrapolated.
//! Workers, server and proxy share this machine's cores, so the workers also run without the wait: no more of them would be
//! faster than that.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};

use super::tools::Tools;
use crate::bench::remote::Line;
use crate::process::succeed;
use crate::servers;

/// Workers at once, and parts of the job.
const WORKERS: usize = 64;

/// Wait of each request, in milliseconds.
const LATENCY: f64 = 20.0;

/// Chunks of 2,560 bytes: 107,136 of them in the field of 258 MB.
const CHUNKS: &str = "time/1,lat/32,lon/20";

/// Least gain of 64 workers over one, unless the machine is at its limit.
const WANTED: f64 = 50.0;

/// Share of `LATENCY`'s time that the same work takes without the wait, from which the machine counts as the limit.
const AT_LIMIT: f64 = 0.8;

/// Measures one worker, 64 of them, and 64 of them without the wait.
///
/// # Errors
/// A program fails.
pub fn run(tools: &Tools) -> Result<()> {
    let server = servers::build(servers::RELEASE)?.join("remote_server");
    let folder = tools.data.join("jobs-scaling");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("bucket"))?;
    let bench = Bench {
        line: Line::start(&server, &folder)?,
        nccopy: tools.binaries.join("nccopy"),
        input: tools.data.join("raw.nc"),
        folder,
    };
    println!("107,136 chunks to a store {LATENCY} ms away, by workers of one request at a time");
    let one = bench.work(1, LATENCY)?;
    let alone = one.seconds * WORKERS as f64;
    one.print(&format!("1 worker, one part; all parts {alone:.0} s"));
    let all = bench.work(WORKERS, LATENCY)?;
    all.print(&format!("{WORKERS} workers"));
    let limit = bench.work(WORKERS, 0.0)?;
    limit.print(&format!("{WORKERS} workers, without the wait"));
    let gain = alone / all.seconds;
    let is_at_limit = limit.seconds > AT_LIMIT * all.seconds;
    let remark = match (gain < WANTED, is_at_limit) {
        (true, false) => "  SHORT",
        (_, true) => "; the processors are the limit",
        (false, false) => "",
    };
    println!("  {gain:.1} x one worker (wanted: {WANTED}, or the machine's limit){remark}");
    drop(bench.line);
    Ok(fs::remove_dir_all(bench.folder)?)
}

struct Bench {
    line: Line,
    nccopy: PathBuf,
    input: PathBuf,
    folder: PathBuf,
}

/// What some workers did.
struct Work {
    seconds: f64,
    requests: u64,
}

impl Work {
    fn print(&self, what: &str) {
        let rate = self.requests as f64 / self.seconds;
        println!(
            "  {:6.2} s  {:6} requests, {rate:.0} a second: {what}",
            self.seconds, self.requests
        );
    }
}

impl Bench {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.nccopy);
        command.arg("--quiet").current_dir(&self.folder);
        command.env("AWS_ENDPOINT_URL", self.line.address());
        command
    }

    /// Plans a job, and does its first parts at once. What they made stays: the server lists 10⁵ keys for minutes.
    fn work(&self, workers: usize, latency: f64) -> Result<Work> {
        let _ = fs::remove_file(self.folder.join("job.json"));
        self.line.set(0.0, None)?;
        let mut plan = self.command();
        plan.args(["--plan", "job.json", "--parts", &WORKERS.to_string()]);
        plan.args(["-k", "zarr2", "-c", CHUNKS]).arg(&self.input);
        succeed(plan.arg(format!(
            "s3://bucket/{workers}-{latency}#mode=zarr,s3&aws.profile=no"
        )))?;
        self.line.set(latency, None)?;
        let begun = Instant::now();
        let part = |n: usize| -> Result<Child> {
            let mut command = self.command();
            command.args(["--threads", "1", "--requests", "1", "--part", &n.to_string()]);
            Ok(command.arg("job.json").stdin(Stdio::null()).spawn()?)
        };
        let mut running = (0..workers).map(part).collect::<Result<Vec<_>>>()?;
        for child in &mut running {
            ensure!(child.wait()?.success(), "a part failed");
        }
        let seconds = begun.elapsed().as_secs_f64();
        let requests = self.line.counts()?.requests;
        Ok(Work { seconds, requests })
    }
}
