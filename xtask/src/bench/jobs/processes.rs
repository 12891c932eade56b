//! Several processes that make one dataset, beside one process that makes it; and the plan of a large join.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::bench::measure;
use crate::process::succeed;

/// Number of processes, each of one thread.
const PROCESSES: usize = 4;

/// Threads of the process that works alone.
const THREADS: &str = "2";

/// How often each command runs, in turns.
const TURNS: usize = 5;

/// Inputs of the join that is planned.
const INPUTS: usize = 10_000;

/// Measures all.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, data: &Path) -> Result<()> {
    let bench = Bench {
        nccopy: binaries.join("nccopy"),
        folder: data.join("jobs"),
        printed: data.join("out.txt"),
    };
    let _ = fs::remove_dir_all(&bench.folder);
    fs::create_dir_all(&bench.folder)?;
    println!("{PROCESSES} processes of one thread, beside one of {THREADS}: deflate 5 of 258 MB");
    for (output, kind, wanted) in [("out.zarr", "zarr3", 1.10), ("out.nc", "nc4", 1.15)] {
        let options = ["-k", kind, "-d", "5", "-s"];
        let (mut alone, mut together, mut finish) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TURNS {
            alone.push(bench.alone(&options, &data.join("raw.nc"), output)?);
            let (all, finished) = bench.together(&options, &data.join("raw.nc"), output)?;
            together.push(all);
            finish.push(finished);
        }
        let best = |times: Vec<f64>| times.into_iter().fold(f64::MAX, f64::min);
        let (alone, together) = (best(alone), best(together));
        let short = if together / alone > wanted { "  SHORT" } else { "" };
        println!(
            "  {kind:8} {alone:6.2} s alone  {together:6.2} s together, {:.2} s of them to finish  {:4.2} x (wanted: at most {wanted}){short}",
            best(finish),
            together / alone
        );
    }
    bench.planning(&data.join("join"))
}

struct Bench {
    nccopy: std::path::PathBuf,
    folder: std::path::PathBuf,
    printed: std::path::PathBuf,
}

impl Bench {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.nccopy);
        command.arg("--quiet").current_dir(&self.folder);
        command
    }

    fn clear(&self, output: &str) -> Result<()> {
        let _ = fs::remove_file(self.folder.join("job.json"));
        let path = self.folder.join(output);
        match path.is_dir() {
            true => fs::remove_dir_all(path)?,
            false => drop(fs::remove_file(path)),
        }
        Ok(())
    }

    /// Seconds of one process.
    fn alone(&self, options: &[&str], input: &Path, output: &str) -> Result<f64> {
        self.clear(output)?;
        let mut command = self.command();
        command
            .args(["--threads", THREADS])
            .args(options)
            .arg(input)
            .arg(output);
        Ok(measure::run(&mut command, &self.printed)?.time.as_secs_f64())
    }

    /// Seconds of a job with its plan and its end, and of the end alone.
    fn together(&self, options: &[&str], input: &Path, output: &str) -> Result<(f64, f64)> {
        self.clear(output)?;
        let begun = Instant::now();
        let parts = PROCESSES.to_string();
        let mut plan = self.command();
        succeed(
            plan.args(["--plan", "job.json", "--parts", &parts])
                .args(options)
                .arg(input)
                .arg(output),
        )?;
        let part = |n: usize| -> Result<Child> {
            let mut command = self.command();
            command.args(["--threads", "1", "--part", &n.to_string(), "job.json"]);
            Ok(command.stdin(Stdio::null()).spawn()?)
        };
        let mut running = (0..PROCESSES).map(part).collect::<Result<Vec<_>>>()?;
        for child in &mut running {
            if !child.wait()?.success() {
                bail!("a part failed");
            }
        }
        let made = Instant::now();
        succeed(self.command().args(["--finish", "job.json"]))?;
        Ok((begun.elapsed().as_secs_f64(), made.elapsed().as_secs_f64()))
    }

    /// Plans a join of many inputs, and makes its first part.
    fn planning(&self, join: &Path) -> Result<()> {
        let Some(first) = join.join("0000.nc").exists().then(|| join.join("0000.nc")) else {
            println!("the join's inputs are missing; run the benchmark 'join' first");
            return Ok(());
        };
        let inputs = self.folder.join("inputs");
        fs::create_dir_all(&inputs)?;
        let names: Vec<_> = (0..INPUTS).map(|n| inputs.join(format!("{n:05}.nc"))).collect();
        for name in &names {
            fs::hard_link(&first, name).or_else(|_| fs::copy(&first, name).map(drop))?;
        }
        let list: Vec<String> = names.iter().map(|name| name.display().to_string()).collect();
        fs::write(self.folder.join("list"), list.join("\n"))?;
        self.clear("joined.zarr")?;
        let mut plan = self.command();
        plan.args([
            "--plan", "job.json", "--parts", "100", "--join", "time", "-k", "zarr3",
        ]);
        plan.args(["--files-from", "list", "joined.zarr"]);
        let planned = measure::run(&mut plan, &self.printed)?;
        let mut part = self.command();
        let part = measure::run(part.args(["--part", "7", "job.json"]), &self.printed)?;
        let mut alone = self.command();
        alone
            .args(["--join", "time", "-k", "zarr3"])
            .args(&names[700..800])
            .arg("own.zarr");
        let alone = measure::run(&mut alone, &self.printed)?;
        let short = if planned.time.as_secs_f64() > 5.0 {
            "  SHORT"
        } else {
            ""
        };
        println!("a join of {INPUTS} inputs, in 100 parts");
        println!(
            "  planned {:6.2} s (wanted: at most 5){short}",
            planned.time.as_secs_f64()
        );
        println!(
            "  a part  {:6.2} s, a join of its inputs alone {:.2} s",
            part.time.as_secs_f64(),
            alone.time.as_secs_f64()
        );
        succeed(self.command().args(["--abandon", "job.json"]))
    }
}
