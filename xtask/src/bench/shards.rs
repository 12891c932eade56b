//! Benchmarks of shards: `nccopy` against `cp -r`, zarrs_reencode, tensorstore and xarray, in turn in the same run.
//!
//! Where chunks are encoded anew, 95 % of our time and most of the peers' is that of libzstd, which all of them call. Their
//! times differ by little then.
//!
//! A peer that is not installed is left out. `zarrs_reencode` is looked for on the path; the environment variable
//! `BENCH_PYTHON` names a Python interpreter with tensorstore, if that of the interop tests has none.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::cases::remove_dataset;
use super::measure;

/// Runs of each program. The fastest counts.
const REPEATS: usize = 5;

/// The chunks of the field, and its shards.
const SHARDS: &str = "t2m:31,361,720";

/// The input: the field in shards, with the codec zstd 3.
const INPUT: &str = "shards.zarr#mode=zarr,v3";

/// Another program, and the work that it does.
enum Peer {
    /// Copies the files.
    Cp,
    /// Encodes the array anew, with these flags.
    Zarrs(&'static [&'static str]),
    /// Does so by a Python package, with this shape of chunks and of shards.
    Python(&'static str, &'static str, &'static str),
}

/// Work of ours, and the programs that it is compared with.
struct ShardRow {
    name: &'static str,
    input: &'static str,
    flags: &'static [&'static str],
    /// The peers, each with the ratio of times that is wanted.
    peers: &'static [(Peer, f64)],
}

/// The work.
const ROWS: [ShardRow; 4] = [
    ShardRow {
        name: "other shards, chunks as they are",
        input: INPUT,
        flags: &["--shard", "t2m:62,361,720"],
        peers: &[
            (Peer::Cp, 1.0 / 1.5),
            (
                Peer::Zarrs(&["--shard-shape", "62,361,720", "--chunk-shape", "1,361,720"]),
                10.0,
            ),
        ],
    },
    ShardRow {
        name: "other chunks in the shards",
        input: INPUT,
        flags: &["-c", "time/1,lat/181,lon/360", "--shard", "t2m:31,362,720"],
        peers: &[
            (
                Peer::Zarrs(&["--shard-shape", "31,362,720", "--chunk-shape", "1,181,360"]),
                1.5,
            ),
            (Peer::Python("tensorstore", "1,181,360", "31,362,720"), 1.5),
        ],
    },
    ShardRow {
        name: "another codec in the shards",
        input: INPUT,
        flags: &["-F", "*,zstd,level=1"],
        peers: &[(
            Peer::Zarrs(&[
                "--shard-shape",
                "31,361,720",
                "--chunk-shape",
                "1,361,720",
                "--bytes-to-bytes-codecs",
                r#"[{"name":"zstd","configuration":{"level":1,"checksum":false}}]"#,
            ]),
            1.5,
        )],
    },
    ShardRow {
        name: "deflated netCDF-4 into shards, chunks as they are",
        input: "deflated.nc",
        flags: &["--shard", SHARDS],
        peers: &[(Peer::Python("xarray", "1,361,720", "31,361,720"), 20.0)],
    },
];

/// Numbers of chunks whose time each is compared.
const MANY: [u64; 2] = [10_000, 1_000_000];

/// Elements of each of these chunks.
const SMALL: u64 = 16;

/// Runs the rows whose names contain `only`.
///
/// # Errors
/// If a program fails.
pub fn run(binaries: &Path, python: &Path, script: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    let nccopy = binaries.join("nccopy");
    let chosen = |name: &str| only.is_none_or(|only| name.contains(only));
    let input = data.join(INPUT);
    remove_dataset(&input);
    let made = Command::new(&nccopy)
        .args([
            "-F",
            "*,zstd,level=3",
            "-c",
            "time/1,lat/361,lon/720",
            "--shard",
            SHARDS,
        ])
        .arg(data.join("raw.nc"))
        .arg(&input)
        .status()?;
    ensure!(made.success(), "the input was not made");
    let runs = Runs {
        nccopy,
        python: std::env::var_os("BENCH_PYTHON").map_or_else(|| python.to_owned(), PathBuf::from),
        script: script.to_owned(),
        data: data.to_owned(),
    };
    for row in ROWS.iter().filter(|row| chosen(row.name)) {
        runs.row(row).with_context(|| row.name)?;
    }
    if chosen("time of each chunk") {
        runs.many()?;
    }
    remove_dataset(&input);
    Ok(())
}

struct Runs {
    nccopy: PathBuf,
    python: PathBuf,
    script: PathBuf,
    data: PathBuf,
}

impl Runs {
    /// The output, which does not exist yet.
    fn output(&self, name: &str) -> PathBuf {
        let output = self.data.join(name);
        remove_dataset(&output);
        output
    }

    fn ours(&self, flags: &[&str], input: &Path, output: &str) -> Result<Duration> {
        let output = self.output(output);
        let begun = Instant::now();
        // What it tells of other programs is not of interest here.
        let done = Command::new(&self.nccopy)
            .args(flags)
            .arg(input)
            .arg(output)
            .output()?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Ok(begun.elapsed())
    }

    /// The time of a peer; `None` if it is not installed.
    fn theirs(&self, peer: &Peer, row: &ShardRow) -> Result<Option<Duration>> {
        let name = row.input.split('#').next().unwrap_or_default();
        let (input, output) = (self.data.join(name), self.output("theirs.zarr"));
        let mut command = match peer {
            Peer::Cp => {
                let mut command = Command::new("cp");
                command.arg("-r").arg(&input).arg(&output);
                command
            }
            Peer::Zarrs(flags) => {
                let mut command = Command::new("zarrs_reencode");
                command.args(*flags).arg(input.join("t2m")).arg(&output);
                command
            }
            Peer::Python(package, chunk, shard) => {
                let mut command = Command::new(&self.python);
                command
                    .arg(&self.script)
                    .arg(package)
                    .arg(&input)
                    .arg(&output)
                    .args([chunk, shard]);
                command
            }
        };
        let begun = Instant::now();
        let done = match command.output() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            done => done?,
        };
        let time = begun.elapsed();
        remove_dataset(&output);
        if done.status.code() == Some(3) && matches!(peer, Peer::Python(..)) {
            return Ok(None);
        }
        ensure!(
            done.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        match peer {
            // It tells its own time, without that of importing.
            Peer::Python(..) => {
                let text = String::from_utf8_lossy(&done.stdout);
                Ok(Some(Duration::from_secs_f64(text.trim().parse()?)))
            }
            _ => Ok(Some(time)),
        }
    }

    fn row(&self, row: &ShardRow) -> Result<()> {
        println!("\n{}", row.name);
        let input = self.data.join(row.input);
        for (peer, wanted) in row.peers {
            let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
            let mut is_here = true;
            for _ in 0..REPEATS {
                match self.theirs(peer, row)? {
                    Some(time) => theirs = theirs.min(time),
                    None => is_here = false,
                }
                ours = ours.min(self.ours(row.flags, &input, "ours.zarr#mode=zarr,v3")?);
            }
            let name = match peer {
                Peer::Cp => "cp -r",
                Peer::Zarrs(_) => "zarrs_reencode",
                Peer::Python(package, ..) => package,
            };
            if !is_here {
                println!("  nccopy {:.3} s, {name} is not installed", ours.as_secs_f64());
                continue;
            }
            let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
            let short = if ratio < *wanted { "  SHORT" } else { "" };
            println!(
                "  nccopy {:.3} s, {name} {:.3} s: {ratio:.2} ×, wanted {wanted:.2}{short}",
                ours.as_secs_f64(),
                theirs.as_secs_f64()
            );
        }
        remove_dataset(&self.data.join("ours.zarr"));
        Ok(())
    }

    /// The time of each chunk where there are few and where there are many.
    fn many(&self) -> Result<()> {
        println!("\ntime of each chunk");
        let mut each = Vec::new();
        for count in MANY {
            let elements = count * SMALL;
            let text = format!(
                "netcdf many_chunks {{ dimensions: x = {elements}; variables: float v(x); data: v = 1; }}"
            );
            let made = self.output("many_chunks.nc");
            measure::generate(&self.nccopy.with_file_name("ncgen"), text, &made)?;
            let (chunk, shard) = (format!("x/{SMALL}"), format!("v:{}", SMALL * 4096));
            let mut best = [Duration::MAX; 2];
            for _ in 0..REPEATS {
                let into = ["-c", &chunk, "--shard", &shard];
                best[0] = best[0].min(self.ours(&into, &made, "many_in.zarr#mode=zarr,v3")?);
                let other = format!("v:{}", SMALL * 8192);
                let input = self.data.join("many_in.zarr");
                best[1] = best[1].min(self.ours(&["--shard", &other], &input, "ours.zarr#mode=zarr,v3")?);
            }
            let each_of = best.map(|time| time.as_secs_f64() / count as f64 * 1e6);
            println!(
                "  {count} chunks: into shards {:.3} s, {:.2} µs each; into other shards {:.3} s, {:.2} µs each",
                best[0].as_secs_f64(),
                each_of[0],
                best[1].as_secs_f64(),
                each_of[1]
            );
            each.push(each_of);
            for name in ["many_chunks.nc", "many_chunks.cdl", "many_in.zarr", "ours.zarr"] {
                remove_dataset(&self.data.join(name));
            }
        }
        if let [few, many] = &each[..] {
            let ratio = [many[0] / few[0], many[1] / few[1]];
            let short = if ratio.iter().any(|ratio| *ratio > 1.2) {
                "  SHORT"
            } else {
                ""
            };
            println!(
                "  each of many to each of few: {:.2}, {:.2}, wanted 1.2{short}",
                ratio[0], ratio[1]
            );
        }
        Ok(())
    }
}
