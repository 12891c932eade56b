//! `cargo xtask bench filters`: every built-in filter beside the reference library's, on one core.
//!
//! The reference is `tests/bench/filters.py`: the filter functions of libhdf5 (zlib, libaec) and of hdf5plugin's plugins,
//! and numcodecs where only Zarr has a codec. This is how the comparison is made fair:
//!
//! - Both sides get the same chunk of about 1 MB, and the same stored parameters, which libhdf5 computes.
//! - Both sides decode the same stream, the reference's.
//! - A filter of HDF5 is called by its address with a buffer in memory: no file, no copy of libhdf5 around it is measured.
//!   Our buffers are reused. The C library's allocator keeps its pages on both sides.
//! - Time is the processor time of the process, with all its threads. Other programs and hidden threads change nothing.
//! - The sides take turns. A turn counts with its fastest call, and a side with the median of its turns.
//! - A row below its floor is measured again with more turns, and that result counts. Other programs' use of the caches
//!   slows one side for a while.
//! - The sizes of both streams are shown beside their shares of the chunk, as speed bought by size is no win.
//!
//! A row that cannot reach its floor is printed with the reason ([`reason`]).
//!
//! Before anything is measured, each side decodes the other's stream to the same bytes.
//!
//! Shuffle and bitshuffle are compared with a copy between two buffers of the same size as well. A chunk and its buffers
//! lie in the processor's caches, as in a copy of a file.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use ncutils_core::filter::{BoundCodec, ChunkShape, ChunkType, NumberClass, Registry};
use ncutils_core::model::{CodecSpec, Configuration, Endian, ZarrVersion};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use crate::bench::measure::median;

/// Turns of each side. Their median counts.
const TURNS: usize = 5;

/// Turns of each side in a row that was below its floor.
const MORE_TURNS: usize = 15;

/// Duration of a turn, in seconds.
const TURN: f64 = 0.03;

/// A ratio this far below its floor, as a factor, is noise.
const NOISE: f64 = 0.97;

/// Smallest accepted ratio of our speed to the reference's. Filters around LZ4, which is safe Rust here, have
/// [`LZ4_FLOOR`].
const FLOOR: f64 = 1.0;

/// Floor of filters around `lz4_flex`, which is compared with C.
const LZ4_FLOOR: f64 = 0.35;

/// Smallest accepted ratio of the speed of shuffle and bitshuffle to that of a copy.
const COPY_FLOOR: f64 = 0.5;

/// The floors of a case.
struct Floors {
    reference: f64,
    copy: Option<f64>,
}

impl Floors {
    fn of(name: &str) -> Self {
        Self {
            reference: match name {
                "lz4" | "lz4 of Zarr" | "bitshuffle lz4" => LZ4_FLOOR,
                _ => FLOOR,
            },
            copy: matches!(name, "shuffle" | "bitshuffle").then_some(COPY_FLOOR),
        }
    }
}

/// The reason that a filter is slower than its floor, where that is known.
fn reason(name: &str, chunk_name: &str) -> Option<&'static str> {
    match (name, chunk_name) {
        ("blosc lz4 5 bitshuffle", _) => {
            Some("blosc-src compiles C-Blosc's AVX2 only where all of a program has it")
        }
        ("bitshuffle", "12 bytes") => Some("blocks of 680 elements end within a group of 512"),
        _ => None,
    }
}

/// The process of `tests/bench/filters.py`.
struct Reference {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl Reference {
    fn start(python: &Path, script: &Path, folder: &Path) -> Result<Self> {
        let mut child = Command::new(python)
            .arg(script)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", python.display()))?;
        let requests = child.stdin.take().context("no pipe to the reference")?;
        let answers = child.stdout.take().context("no pipe from the reference")?;
        Ok(Self {
            child,
            requests,
            answers: BufReader::new(answers),
            folder: folder.to_owned(),
        })
    }

    fn ask(&mut self, request: &str) -> Result<Value> {
        writeln!(self.requests, "{request}")?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the reference answers {line:?} to {request}"))
    }

    /// Seconds of the fastest call of a turn, and bytes made.
    fn time(&mut self, operation: &str) -> Result<(f64, u64)> {
        let answer = self.ask(&format!("{operation} {TURN}"))?;
        let seconds = answer[0].as_f64().context("no time")?;
        Ok((seconds, answer[1].as_u64().context("no length")?))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.folder.join(name);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        for name in ["chunk", "theirs", "decoded", "ours", "check"] {
            let _ = fs::remove_file(self.folder.join(format!("{name}.bin")));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compares the filters whose names contain `only`.
pub fn run(python: &Path, script: &Path, folder: &Path, only: Option<&str>) -> Result<()> {
    let mut reference = Reference::start(python, script, folder)?;
    let count = reference.ask("count")?.as_u64().context("no number of cases")?;
    println!(
        "one core; MB/s of the chunk, ours | reference's | ratio; stored share of the chunk, ours | reference's"
    );
    println!(
        "{:24}{:20}{:>7} {:>7} {:>6}{:>9} {:>7} {:>6}{:>9} {:>6}",
        "filter", "chunk", "encode", "", "", "decode", "", "", "stored", ""
    );
    for number in 0..count {
        let case = reference.ask(&format!("name {number}"))?;
        let name = case.as_str().context("a case without name")?.to_owned();
        if only.is_none_or(|only| name.contains(only)) {
            pair(&mut reference, number, &name).with_context(|| name.clone())?;
        }
    }
    Ok(())
}

/// Runs one case.
fn pair(reference: &mut Reference, number: u64, name: &str) -> Result<()> {
    let case = reference.ask(&format!("case {number}"))?;
    let chunk_name = case["chunk"].as_str().context("a chunk without name")?;
    let chunk = reference.read("chunk.bin")?;
    let Some(codec) = bind(&case)? else {
        println!("{name:24}{chunk_name:20} not built in");
        return Ok(());
    };
    check(reference, &*codec, &chunk)?;

    let theirs = reference.read("theirs.bin")?;
    let mut row = CodecRow::measure(reference, &*codec, &chunk, &theirs, TURNS)?;
    if row.is_slower(name) {
        row = CodecRow::measure(reference, &*codec, &chunk, &theirs, MORE_TURNS)?;
    }
    row.print(name, chunk_name, chunk.len());
    Ok(())
}

/// What was measured of a case: times in seconds, and lengths of the streams in bytes.
struct CodecRow {
    encode: f64,
    their_encode: f64,
    decode: f64,
    their_decode: f64,
    copy: f64,
    stored: usize,
    their_stored: usize,
}

impl CodecRow {
    fn measure(
        reference: &mut Reference,
        codec: &dyn BoundCodec,
        chunk: &[u8],
        theirs: &[u8],
        turns: usize,
    ) -> Result<Self> {
        let (mut stream, mut decoded) = (Vec::new(), Vec::new());
        let mut times: [Vec<f64>; 5] = Default::default();
        let mut their_stored = 0;
        for _ in 0..turns {
            times[0].push(fastest(|| codec.encode(chunk, ChunkShape::Full, &mut stream))?);
            let (seconds, length) = reference.time("encode")?;
            times[1].push(seconds);
            their_stored = length as usize;
            times[2].push(fastest(|| {
                codec.decode(theirs, ChunkShape::Full, chunk.len(), &mut decoded)
            })?);
            times[3].push(reference.time("decode")?.0);
            times[4].push(fastest(|| {
                decoded.resize(chunk.len(), 0);
                black_box(&mut decoded).copy_from_slice(black_box(chunk));
                Ok(())
            })?);
        }
        let [encode, their_encode, decode, their_decode, copy] = times.map(median);
        Ok(Self {
            encode,
            their_encode,
            decode,
            their_decode,
            copy,
            stored: stream.len(),
            their_stored,
        })
    }

    /// Shares of a copy's speed.
    fn of_copy(&self) -> [f64; 2] {
        [self.encode, self.decode].map(|time| self.copy / time)
    }

    /// True if one speed is below its floor.
    fn is_slower(&self, name: &str) -> bool {
        let floors = Floors::of(name);
        let ratios = [self.their_encode / self.encode, self.their_decode / self.decode];
        let of_copy = self.of_copy();
        ratios.iter().any(|ratio| *ratio < floors.reference * NOISE)
            || floors
                .copy
                .is_some_and(|floor| of_copy.iter().any(|ratio| *ratio < floor * NOISE))
    }

    fn print(&self, name: &str, chunk_name: &str, length: usize) {
        let speed = |seconds: f64| length as f64 / seconds / 1e6;
        let share = |stored: usize| stored as f64 / length as f64;
        let mut remarks = String::new();
        if Floors::of(name).copy.is_some() {
            let [encode, decode] = self.of_copy();
            remarks = format!(
                "  {encode:.2} and {decode:.2} of a copy ({:.0})",
                speed(self.copy)
            );
        }
        if self.is_slower(name) {
            remarks += "  SLOWER";
            if let Some(reason) = reason(name, chunk_name) {
                remarks += ": ";
                remarks += reason;
            }
        }
        println!(
            "{name:24}{chunk_name:20}{:7.0} {:7.0} {:6.2}{:9.0} {:7.0} {:6.2}{:9.4} {:6.4}{remarks}",
            speed(self.encode),
            speed(self.their_encode),
            self.their_encode / self.encode,
            speed(self.decode),
            speed(self.their_decode),
            self.their_decode / self.decode,
            share(self.stored),
            share(self.their_stored),
        );
    }
}

/// Checks that each side decodes the other's stream.
fn check(reference: &mut Reference, codec: &dyn BoundCodec, chunk: &[u8]) -> Result<()> {
    let decode = |stream: &[u8]| -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let done = codec.decode(stream, ChunkShape::Full, chunk.len(), &mut out);
        done.map_err(anyhow::Error::msg)?;
        Ok(out)
    };
    ensure!(
        decode(&reference.read("theirs.bin")?)? == reference.read("decoded.bin")?,
        "the reference's stream is decoded to other values"
    );
    let mut ours = Vec::new();
    codec
        .encode(chunk, ChunkShape::Full, &mut ours)
        .map_err(anyhow::Error::msg)?;
    fs::write(reference.folder.join("ours.bin"), &ours)?;
    reference.ask("check")?;
    ensure!(
        reference.read("check.bin")? == decode(&ours)?,
        "the reference decodes our stream to other values"
    );
    Ok(())
}

/// Our codec of a case; `None` if it is not built in.
fn bind(case: &Value) -> Result<Option<Box<dyn BoundCodec>>> {
    let spec = match (&case["id"], &case["codec"]) {
        (Value::Number(id), _) => {
            let words = case["parameters"].as_array().context("no parameters")?;
            let words = words.iter().filter_map(Value::as_u64).map(|word| word as u32);
            CodecSpec::hdf5(id.as_u64().context("no id")? as u32, words.collect::<Vec<_>>())
        }
        (_, Value::Object(members)) => zarr_spec(members.clone())?,
        _ => bail!("a case without filter"),
    };
    let Some(codec) = Registry::builtin().find(&spec).cloned() else {
        return Ok(None);
    };
    let bound = codec.bind(&spec, &chunk_type(case)?);
    Ok(Some(bound.map_err(anyhow::Error::msg)?))
}

/// A codec as in the metadata of version 2 or 3 of Zarr.
fn zarr_spec(mut members: Configuration) -> Result<CodecSpec> {
    if let Some(Value::String(id)) = members.remove("id") {
        return Ok(CodecSpec::zarr(ZarrVersion::V2, id, members));
    }
    match (members.remove("name"), members.remove("configuration")) {
        (Some(Value::String(name)), Some(Value::Object(configuration))) => {
            Ok(CodecSpec::zarr(ZarrVersion::V3, name, configuration))
        }
        _ => bail!("a codec without name"),
    }
}

/// The type of a case's chunk, of which the reference tells numpy's kind and item size.
fn chunk_type(case: &Value) -> Result<ChunkType> {
    let size = case["kind"][1].as_u64().context("no element size")? as usize;
    let shape = case["shape"].as_array().context("no shape")?;
    let shape: Vec<u64> = shape.iter().filter_map(Value::as_u64).collect();
    let class = match case["kind"][0].as_str() {
        Some("f") => NumberClass::Float,
        Some("i") => NumberClass::Signed,
        Some("u" | "b") => NumberClass::Unsigned,
        _ => {
            let mut chunk = ChunkType::of_bytes(size);
            (chunk.element_size, chunk.shape) = (size, shape);
            return Ok(chunk);
        }
    };
    Ok(ChunkType::of_numbers(class, size, Endian::Little, &shape))
}

/// Processor time of this process so far.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Seconds of the fastest of as many calls as begin within a turn, at least two.
fn fastest(mut call: impl FnMut() -> Result<(), String>) -> Result<f64> {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < 2 || begun.elapsed().as_secs_f64() < TURN {
        let before = processor_time();
        call().map_err(anyhow::Error::msg)?;
        times.push((processor_time() - before).as_secs_f64());
    }
    Ok(times.into_iter().fold(f64::INFINITY, f64::min))
}
