//! Benchmarks of references to a file of a million chunks, beside kerchunk.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::measure;
use crate::process::succeed;

/// How often each command of ours runs.
const TURNS: usize = 5;

/// Makes the file of the first argument.
const MAKE: &str = "
import sys, zlib, h5py, numpy
with h5py.File(sys.argv[1], 'w', libver='latest') as f:
    v = f.create_dataset('v', (1000, 1000, 16), 'f4', chunks=(1, 1, 16), compression='gzip')
    chunk = zlib.compress(numpy.arange(16, dtype='f4').tobytes())
    for i in range(1000):
        for j in range(1000):
            v.id.write_direct_chunk((i, j, 0), chunk)
";

/// Writes references of the first argument to the second one.
const KERCHUNK: &str = "
import json, sys
from kerchunk.hdf import SingleHdf5ToZarr
json.dump(SingleHdf5ToZarr(sys.argv[1]).translate(), open(sys.argv[2], 'w'))
";

/// Measures both. `packages` has kerchunk.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, python: &Path, packages: &Path, data: &Path) -> Result<()> {
    let (source, printed) = (data.join("million.h5"), data.join("out.txt"));
    if !source.exists() {
        succeed(Command::new(python).args(["-c", MAKE]).arg(&source))?;
    }
    println!("references of a file of 1,000,000 deflated chunks");
    let mut kerchunk = Command::new(python);
    kerchunk
        .env("PYTHONPATH", packages)
        .args(["-c", KERCHUNK])
        .arg(&source)
        .arg(data.join("kerchunk.json"));
    let peer = measure::run(&mut kerchunk, &printed)?;
    let peer_time = peer.time.as_secs_f64();
    println!(
        "  {:12} {peer_time:6.2} s  {:4} MB",
        "kerchunk",
        peer.peak / 1_000_000
    );
    for (name, most) in [("refs.json", 100), ("refs.parq", 64)] {
        let output = data.join(name);
        let (mut time, mut peak) = (f64::MAX, 0);
        for _ in 0..TURNS {
            let _ = fs::remove_file(&output);
            let mut command = Command::new(binaries.join("nccopy"));
            let measured = measure::run(command.arg("--quiet").arg(&source).arg(&output), &printed)?;
            time = time.min(measured.time.as_secs_f64());
            peak = peak.max(measured.peak / 1_000_000);
        }
        let short = if peer_time / time < 25.0 || peak > most {
            "  SHORT"
        } else {
            ""
        };
        println!(
            "  {name:12} {time:6.2} s  {peak:4} MB  {:5.1} x kerchunk (wanted: 25, {most} MB){short}",
            peer_time / time
        );
    }
    Ok(())
}
