//! Benchmarks of netCDF-3 archives: sizes and speeds, against netcdf-bin, zstd and gzip in the same run.
//!
//! Three classic files (`tests/bench/archives.py`): F, a field; M, what models write; S, many short records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ncutils_core::chunk::Region;
use ncutils_core::filter::Registry;
use ncutils_core::format::open;
use ncutils_core::model::VarId;
use ncutils_core::store::{FileSource, Object};

use super::measure::{self, Measurement};

/// Runs of each program. The fastest counts.
const REPEATS: usize = 3;

/// A program that takes longer than this runs only once.
const LONG: Duration = Duration::from_secs(8);

/// Memory that our programs are given, in bytes.
const MEMORY: u64 = 256_000_000;

/// One of the files.
struct Input {
    name: &'static str,
    /// How much faster than netcdf-bin packing is to be.
    packing: f64,
    /// True where zstd's speed and the way back are compared.
    large: bool,
}

/// The files.
const INPUTS: [Input; 3] = [
    Input {
        name: "f",
        packing: 8.0,
        large: true,
    },
    Input {
        name: "m",
        packing: 8.0,
        large: true,
    },
    Input {
        name: "s",
        packing: 60.0,
        large: false,
    },
];

/// Measures the files that `tests/bench/archives.py` made: all, or the one that `only` names.
///
/// # Errors
/// If a program fails.
pub fn run(binaries: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    let bench = Bench {
        nccopy: binaries.join("nccopy"),
        ncdump: binaries.join("ncdump"),
        data: data.to_owned(),
    };
    for input in INPUTS
        .iter()
        .filter(|input| only.is_none_or(|only| input.name == only))
    {
        bench.file(input).with_context(|| input.name)?;
    }
    if only.is_none_or(|only| only == "points") {
        bench.points()?;
    }
    if only.is_none_or(|only| only == "header") {
        bench.header()?;
    }
    Ok(())
}

struct Bench {
    nccopy: PathBuf,
    ncdump: PathBuf,
    data: PathBuf,
}

/// A line of a comparison, marked where it falls short.
fn compare(what: &str, ours: f64, theirs: f64, wanted: f64, name: &str) {
    let ratio = theirs / ours;
    let short = if ratio < wanted { "  SHORT" } else { "" };
    println!("  {what}: {ours:.3} s, {name} {theirs:.3} s: {ratio:.2} ×, wanted {wanted:.2}{short}");
}

fn compare_size(what: &str, ours: u64, theirs: u64, wanted: f64) {
    let ratio = ours as f64 / theirs as f64;
    let short = if ratio > wanted { "  LARGE" } else { "" };
    println!("  size to {what}: {ratio:.3}, wanted {wanted:.2}{short}");
}

impl Bench {
    fn path(&self, name: &str) -> PathBuf {
        self.data.join(name)
    }

    /// The fastest of several runs.
    fn best(&self, program: &Path, flags: &[&str], files: &[&Path]) -> Result<Measurement> {
        let printed = self.path("out.txt");
        let mut best: Option<Measurement> = None;
        for _ in 0..REPEATS {
            if best.is_some_and(|best| best.time > LONG) {
                break;
            }
            if let [_, output] = files {
                let _ = fs::remove_file(output);
            }
            let run = measure::run(Command::new(program).args(flags).args(files), &printed)?;
            best = Some(match best {
                Some(best) if best.time < run.time => best,
                _ => run,
            });
        }
        let _ = fs::remove_file(printed);
        best.context("no run")
    }

    fn size(&self, path: &Path) -> Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn file(&self, input: &Input) -> Result<()> {
        let original = self.path(&format!("{}.nc", input.name));
        let (archive, back) = (self.path("out.nc3z"), self.path("back.nc"));
        let (nc4, other) = (self.path("peer.nc"), self.path("other"));
        let memory = format!("-m{MEMORY}");
        println!("\n{}: {} bytes", input.name, self.size(&original)?);

        let ours = self.best(&self.nccopy, &["-k", "archive", &memory], &[&original, &archive])?;
        let size = self.size(&archive)?;
        let theirs = Path::new("/usr/bin/nccopy");
        let peer = self.best(theirs, &["-k", "nc4", "-d5", "-s"], &[&original, &nc4])?;
        let seconds = |run: &Measurement| run.time.as_secs_f64();
        println!(
            "  archive: {size} bytes, ratio {:.2}",
            self.size(&original)? as f64 / size as f64
        );
        compare(
            "packing",
            seconds(&ours),
            seconds(&peer),
            input.packing,
            "netcdf-bin -d5 -s",
        );
        let large = if ours.peak > MEMORY { "  LARGE" } else { "" };
        println!(
            "  peak {} MB of {}{large}",
            ours.peak / 1_000_000,
            MEMORY / 1_000_000
        );
        compare_size("netcdf-bin -d5 -s", size, self.size(&nc4)?, 0.96);

        let zstd = Path::new("zstd");
        let output = other.to_string_lossy();
        let plain = self.best(zstd, &["-qf", "-3", "-T2", "-o", &output], &[&original])?;
        compare_size("zstd -3", size, self.size(&other)?, 0.70);
        if input.large {
            compare("packing", seconds(&ours), seconds(&plain), 1.0, "zstd -3 -T2");
        }
        let gzip = measure::run(Command::new("gzip").arg("-6c").arg(&original), &other)?;
        compare_size("gzip -6", size, self.size(&other)?, 0.70);
        println!("  gzip -6 took {:.3} s", seconds(&gzip));
        self.best(
            &self.nccopy,
            &["-k", "archive", "-F", "*,2|32015,3"],
            &[&original, &other],
        )?;
        compare_size("-F '*,2|32015,3'", size, self.size(&other)?, 0.95);
        self.best(&self.nccopy, &["-k", "zst"], &[&original, &other])?;
        println!(
            "  the plain twin is {:.2} times as large",
            self.size(&other)? as f64 / size as f64
        );

        let restored = self.best(&self.nccopy, &["--restore", &memory], &[&archive, &back])?;
        let kind = match fs::read(&original)?.get(3) {
            Some(1) => "nc3",
            _ => "nc6",
        };
        let theirs_back = self.best(theirs, &["-k", kind], &[&nc4, &back])?;
        let wanted = if input.large { 2.0 } else { 0.0 };
        compare(
            "restoring",
            seconds(&restored),
            seconds(&theirs_back),
            wanted,
            "netcdf-bin back",
        );
        let raw = self.best(&self.nccopy, &[], &[&archive, &other])?;
        let theirs_raw = self.best(theirs, &[], &[&nc4, &back])?;
        compare(
            "raw copy",
            seconds(&raw),
            seconds(&theirs_raw),
            40.0,
            "netcdf-bin of netCDF-4",
        );
        for path in [archive, back, nc4, other] {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// One point of F through all times, and then the points beside it, by one open reader: what the cache of decoded blocks
    /// saves. The blocks of a pass fit into it where they are short.
    fn points(&self) -> Result<()> {
        println!("\none point of f through all times");
        let (original, archive) = (self.path("f.nc"), self.path("out.nc3z"));
        for block in [None, Some("256K"), Some("64K")] {
            let path = match block {
                None => &original,
                Some(length) => {
                    let flags = ["-k", "archive", "--block", length];
                    self.best(&self.nccopy, &flags, &[&original, &archive])?;
                    &archive
                }
            };
            let reader = open(
                Arc::new(FileSource::open(path)?) as Arc<dyn Object>,
                &Registry::builtin(),
            )?;
            let mut pass = |lon: u64| -> Result<f64> {
                let begun = Instant::now();
                let point = Region {
                    start: vec![0, 180, lon],
                    count: vec![248, 1, 1],
                };
                reader.read_region(VarId(0), &point)?;
                Ok(begun.elapsed().as_secs_f64() * 1e3)
            };
            let first = pass(300)?;
            let others = (301..311).map(&mut pass).collect::<Result<Vec<_>>>()?;
            println!(
                "  {}: {first:.1} ms, each point beside it {:.1} ms",
                block.map_or("the file".to_owned(), |length| format!("blocks of {length}")),
                others.iter().sum::<f64>() / others.len() as f64
            );
        }
        fs::remove_file(archive)?;
        Ok(())
    }

    /// `ncdump -h` of 5,000 variables.
    fn header(&self) -> Result<()> {
        println!("\nncdump -h of 5,000 variables");
        let (plain, archive) = (self.path("many3.nc"), self.path("many.nc3z"));
        self.best(&self.nccopy, &["-k", "nc3"], &[&self.path("many.nc"), &plain])?;
        self.best(&self.nccopy, &["-k", "archive"], &[&plain, &archive])?;
        let ours = self.best(&self.ncdump, &["-h"], &[&archive])?;
        let of_plain = self.best(&self.ncdump, &["-h"], &[&plain])?;
        compare(
            "archive",
            ours.time.as_secs_f64(),
            of_plain.time.as_secs_f64(),
            1.0 / 1.5,
            "plain file",
        );
        for path in [plain, archive] {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}
