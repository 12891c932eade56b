//! Benchmarks of references: to a file of a million chunks, beside kerchunk; to such files of a server, by their chunk indexes; to many
//! small files of a server, beside VirtualiZarr.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::remove_dataset;
use super::remote::{Counts, Line};
use super::{join, measure};
use crate::process::succeed;
use crate::workspace::root;

/// How often each command of ours runs.
const TURNS: usize = 5;

/// Makes the file of the first argument, readable from the version of HDF5 in the second one on, with dimensions that are unlimited if
/// there is a third one.
const MAKE: &str = "
import sys, zlib, h5py, numpy
path, libver, *unlimited = sys.argv[1:]
with h5py.File(path, 'w', libver=libver) as f:
    most = (None, None, 16) if unlimited else None
    v = f.create_dataset('v', (1000, 1000, 16), 'f4', chunks=(1, 1, 16), maxshape=most, compression='gzip')
    chunk = zlib.compress(numpy.arange(16, dtype='f4').tobytes())
    for i in range(1000):
        for j in range(1000):
            v.id.write_direct_chunk((i, j, 0), chunk)
";

/// Makes a file of deflated chunks of 1 MB.
const FIELD: &str = "
import sys, h5py, numpy
with h5py.File(sys.argv[1], 'w') as f:
    v = f.create_dataset('v', (1000, 512, 512), 'f4', chunks=(1, 512, 512), compression='gzip', compression_opts=1)
    field = numpy.random.default_rng(1).integers(0, 1000, size=(512, 512)).astype('f4')
    for i in range(1000):
        v[i] = field + i
";

/// Writes references of the first argument to the second one.
const KERCHUNK: &str = "
import json, sys
from kerchunk.hdf import SingleHdf5ToZarr
json.dump(SingleHdf5ToZarr(sys.argv[1]).translate(), open(sys.argv[2], 'w'))
";

/// Writes references of files that are joined. The arguments: the server, the number of files, the references.
const VIRTUALIZARR: &str = "
import sys
from concurrent.futures import ThreadPoolExecutor
from obspec_utils.registry import ObjectStoreRegistry
from obstore.store import S3Store
from virtualizarr import open_virtual_mfdataset
from virtualizarr.parsers import HDFParser
server, count, target = sys.argv[1:]
store = S3Store('bucket', endpoint=server, region='us-east-1', skip_signature=True, client_options={'allow_http': True})
names = [f's3://bucket/many/{n:04}.nc' for n in range(int(count))]
registry = ObjectStoreRegistry({'s3://bucket': store})
joined = open_virtual_mfdataset(names, registry, HDFParser(), combine='nested', concat_dim='time', parallel=ThreadPoolExecutor)
joined.vz.to_kerchunk(target, format='json')
";

/// Wait of each request to the server, in milliseconds.
const LATENCY: f64 = 20.0;

/// Most requests for the references of a file whose indexes are in one place.
const MOST_REQUESTS: u64 = 40;

/// What the benchmark runs, and where.
pub struct Tools {
    /// The folder of our programs.
    pub binaries: PathBuf,
    /// The program of `tests/servers`.
    pub server: PathBuf,
    /// A Python interpreter.
    pub python: PathBuf,
    /// The folder of kerchunk and VirtualiZarr.
    pub packages: PathBuf,
    /// The folder of the data.
    pub data: PathBuf,
}

/// Measures all rows.
///
/// # Errors
/// A program fails.
pub fn run(tools: &Tools) -> Result<()> {
    let Tools {
        binaries,
        python,
        packages,
        data,
        ..
    } = tools;
    fs::create_dir_all(data)?;
    let (source, printed) = (data.join("million.h5"), data.join("out.txt"));
    if !source.exists() {
        make(python, &source, &["latest"])?;
    }
    println!("references of a file of 1,000,000 deflated chunks");
    let mut kerchunk = Command::new(python);
    kerchunk
        .env("PYTHONPATH", packages)
        .args(["-c", KERCHUNK])
        .arg(&source)
        .arg(data.join("kerchunk.json"));
    let peer = measure::run(&mut kerchunk, &printed)?;
    println!(
        "  {:24} {:6.2} s  {:4} MB",
        "kerchunk",
        peer.time.as_secs_f64(),
        peer.peak / 1_000_000
    );
    let ours = Ours {
        program: &binaries.join("nccopy"),
        data,
        printed: &printed,
    };
    let json = ours.least(&source, "refs.json")?;
    let parquet = ours.least(&source, "refs.parq")?;
    let repository = ours.least(&source, "refs.icechunk#mode=icechunk")?;
    for (name, found, most) in [("JSON", &json, 100), ("Parquet", &parquet, 64)] {
        let ratio = peer.time.as_secs_f64() / found.time.as_secs_f64();
        let is_short = ratio < 25.0 || found.peak / 1_000_000 > most;
        row(
            name,
            found,
            &format!("{ratio:5.1} x kerchunk (wanted: 25, {most} MB)"),
            is_short,
        );
    }
    let ratio = repository.time.as_secs_f64() / json.time.as_secs_f64();
    let told = format!("{ratio:5.2} x the JSON (at most 2)");
    row("Icechunk, with commit", &repository, &told, ratio > 2.0);
    println!("copy of 1,000,000 chunks of 50 bytes");
    let direct = ours.least(&source, "copy.nc")?;
    row("of the file itself", &direct, "", false);
    for (name, input) in [
        ("through JSON", "refs.json"),
        ("through Parquet", "refs.parq"),
        ("through Icechunk", "refs.icechunk#mode=icechunk"),
    ] {
        through(name, &ours.least(&data.join(input), "copy.nc")?, &direct);
    }
    println!("copy of a field of 1,000 chunks of 1 MB");
    let field = data.join("field.h5");
    if !field.exists() {
        succeed(Command::new(python).args(["-c", FIELD]).arg(&field))?;
    }
    ours.least(&field, "field.json")?;
    let direct = ours.least(&field, "copy.nc")?;
    row("of the file itself", &direct, "", false);
    through(
        "through references",
        &ours.least(&data.join("field.json"), "copy.nc")?,
        &direct,
    );
    let folder = data.join("references");
    fs::create_dir_all(folder.join("bucket"))?;
    let line = Line::start(&tools.server, &folder)?;
    served(tools, &line, &source)?;
    copied(tools, &line, &field)?;
    joined(tools, &line)
}

/// Prints the row of a copy through references, which may take 1.2 times as long as the one of the file itself.
fn through(name: &str, found: &measure::Measurement, direct: &measure::Measurement) {
    let ratio = found.time.as_secs_f64() / direct.time.as_secs_f64();
    let told = format!("{ratio:5.2} x the file itself (at most 1.2)");
    row(name, found, &told, ratio > 1.2);
}

/// Measures copies of a file of a server, by itself and through references of the server.
fn copied(tools: &Tools, line: &Line, field: &Path) -> Result<()> {
    let folder = tools.data.join("references");
    let place = folder.join("bucket/field.h5");
    println!("copy of a field of 1,000 chunks of 1 MB of a server, {LATENCY} ms a request");
    if !place.exists() {
        fs::hard_link(field, &place)?;
    }
    note(tools, &folder, "field.h5")?;
    let [field, references] = ["field.h5", "field.json"].map(|key| format!("s3://bucket/{key}"));
    let field = [format!("{field}#mode=bytes&aws.profile=no")];
    let references = [format!("{references}#aws.profile=no")];
    remove_dataset(&folder.join("bucket/field.json"));
    let mut make = Command::new(tools.binaries.join("nccopy"));
    make.env("AWS_ENDPOINT_URL", line.address()).arg("--quiet");
    succeed(make.args(&field).args(&references))?;
    let (direct, _) = tools.copy_often(line, &["--quiet"], &field, "copy.nc")?;
    row("of the file itself", &direct, "", false);
    let (found, counts) = tools.copy_often(line, &["--quiet"], &references, "copy.nc")?;
    through("through references", &found, &direct);
    println!("    {} requests, {} at once", counts.requests, counts.most);
    Ok(())
}

fn make(python: &Path, path: &Path, how: &[&str]) -> Result<()> {
    succeed(Command::new(python).args(["-c", MAKE]).arg(path).args(how))
}

/// Measures the references of files of a server, each with another index of a million chunks. `source` is such a file.
fn served(tools: &Tools, line: &Line, source: &Path) -> Result<()> {
    let folder = tools.data.join("references");
    let place = |name: &str| folder.join("bucket").join(name);
    println!("references of a file of 1,000,000 chunks on a server, {LATENCY} ms a request");
    if !place("own.nc").exists() {
        let mut nccopy = Command::new(tools.binaries.join("nccopy"));
        succeed(nccopy.arg("--quiet").arg(source).arg(place("own.nc")))?;
        make(&tools.python, &place("btree1.h5"), &["earliest"])?;
        make(&tools.python, &place("btree2.h5"), &["latest", "unlimited"])?;
    }
    for (name, key, most) in [
        ("our file", "own.nc", MOST_REQUESTS),
        ("B-tree 1 of h5py", "btree1.h5", u64::MAX),
        ("B-tree 2 of h5py", "btree2.h5", u64::MAX),
    ] {
        note(tools, &folder, key)?;
        let input = format!("s3://bucket/{key}#mode=bytes&aws.profile=no");
        let (found, counts) = tools.copy_often(line, &["--quiet"], &[input], "served.json")?;
        let wanted = match most {
            u64::MAX => String::new(),
            most => format!(" (at most {most})"),
        };
        let told = format!("{} requests{wanted}, {} at once", counts.requests, counts.most);
        row(name, &found, &told, counts.requests > most);
    }
    Ok(())
}

/// Tells the server the ETag of a large file, which it would compute at each request.
fn note(tools: &Tools, folder: &Path, key: &str) -> Result<()> {
    let script = root().join("tests/bench/remote.py");
    let mut command = Command::new(&tools.python);
    succeed(command.arg(script).arg("note").arg(folder).arg(key))
}

/// Measures the references of many small files of a server.
fn joined(tools: &Tools, line: &Line) -> Result<()> {
    let Tools {
        binaries,
        python,
        packages,
        data,
        ..
    } = tools;
    let (bucket, printed) = (data.join("references/bucket"), data.join("out.txt"));
    join::make(binaries, &bucket.join("many"), &bucket.join("single"))?;
    println!(
        "references of {} small files, joined, {LATENCY} ms a request",
        join::COUNT
    );
    let names = (0..join::COUNT).map(join::name);
    let names: Vec<_> = names
        .map(|name| format!("s3://bucket/many/{name}#mode=bytes&aws.profile=no"))
        .collect();
    let options = ["--quiet", "--join", "time"];
    let (ours, counts) = tools.copy_often(line, &options, &names, "joined.json")?;
    line.set(LATENCY, None)?;
    let mut peer = Command::new(python);
    peer.env("PYTHONPATH", packages)
        .args(["-W", "ignore", "-c", VIRTUALIZARR, &line.address()])
        .arg(join::COUNT.to_string())
        .arg(data.join("peer.json"));
    let peer = measure::run(&mut peer, &printed)?;
    row("VirtualiZarr, threads", &peer, "", false);
    let ratio = peer.time.as_secs_f64() / ours.time.as_secs_f64();
    let told = format!(
        "{ratio:5.1} x VirtualiZarr (wanted: 20), {} requests",
        counts.requests
    );
    row("JSON", &ours, &told, ratio < 20.0);
    Ok(())
}

impl Tools {
    /// The least time and the largest peak of some copies from a server to a new output, and what passed in the last one.
    fn copy_often(
        &self,
        line: &Line,
        options: &[&str],
        inputs: &[String],
        output: &str,
    ) -> Result<(measure::Measurement, Counts)> {
        let output = self.data.join(output);
        let mut command = Command::new(self.binaries.join("nccopy"));
        command
            .env("AWS_ENDPOINT_URL", line.address())
            .args(options)
            .args(inputs)
            .arg(&output);
        let mut least: Option<measure::Measurement> = None;
        for _ in 0..TURNS {
            remove_dataset(&output);
            line.set(LATENCY, None)?;
            least = Some(measure::run(&mut command, &self.data.join("out.txt"))?.best_with(least));
        }
        Ok((least.context("no turn")?, line.counts()?))
    }
}

/// Our program, and where it works.
struct Ours<'a> {
    program: &'a Path,
    data: &'a Path,
    printed: &'a Path,
}

impl Ours<'_> {
    /// The least time and the largest peak of some copies to a new output.
    fn least(&self, input: &Path, output: &str) -> Result<measure::Measurement> {
        let output = self.data.join(output);
        let mut least: Option<measure::Measurement> = None;
        for _ in 0..TURNS {
            remove_dataset(&output);
            let mut command = Command::new(self.program);
            command.arg("--quiet").arg(input).arg(&output);
            let found = measure::run(&mut command, self.printed)?;
            least = Some(found.best_with(least));
        }
        least.context("no turn")
    }
}

fn row(name: &str, found: &measure::Measurement, told: &str, is_short: bool) {
    let short = if is_short { "  SHORT" } else { "" };
    println!(
        "  {name:24} {:6.2} s  {:4} MB  {told}{short}",
        found.time.as_secs_f64(),
        found.peak / 1_000_000
    );
}
