//! Fuzzes what the processes of a job leave for each other: the file of the job, and the index of a pack.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use ncutils_core::copy::plan::{CopyOptions, CopyPlan, plan};
use ncutils_core::copy::{self, Prepared, RunOptions, prepare};
use ncutils_core::distributed::{JobFile, Notes, PackWriter, Packs};
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Reader};
use ncutils_core::model::Kind;
use ncutils_core::store::{GetRange, Input, KeyOutput, MemoryKeys, MemoryOutput, Output};

use super::dataset::open;
use crate::Seed;

/// A classic file, made by `testdata/parts/make.py`.
const FILE: &[u8] = include_bytes!("../../../../testdata/parts/coordinates.nc");

/// A file of a job that has each form of its members.
const JOB: &str = r#"{
  "ncutils-job": 1, "state": "open", "version": "0.1.0", "directory": "/data",
  "arguments": ["--plan", "job.json", "--parts", "2", "in.nc", {"bytes": "6fff2e6e63"}],
  "inputs": [{"name": "/data/in.nc", "state": ["size 37686 time 1795807201.072417201 number 1311"]}],
  "output": {"bytes": "6fff2e6e63"}, "run": "408a579da4468f02", "beside": false, "way": "packs",
  "plan": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "described": {"variables": []},
  "parts": [{"bytes": 100, "variables": [["/v", 0, 3], ["/w", 0, 1]]}, {"bytes": 18446744073709551615, "variables": []}]
}"#;

/// The end of the file of a job that copies whole inputs, from its parts on.
const PARTS_OF_FILES: &str = r#""parts": [{"bytes": 100, "files": [0, 0]}, {"bytes": 7, "files": [0, 1]}] }"#;

/// Reads the file of a job. What is read is written and read again.
pub fn job_file(input: &[u8]) {
    if let Ok(job) = JobFile::parse(input) {
        let again = JobFile::parse(job.text().as_bytes()).expect("what was written is read");
        assert_eq!(again, job);
    }
}

/// Files of both kinds of jobs.
pub fn job_files(_: &Path) -> Vec<Seed> {
    vec![Seed::text(JOB), Seed::text(&job_of_files())]
}

fn job_of_files() -> String {
    let head = JOB.split("\"parts\":").next().unwrap_or_default();
    format!("{head}{PARTS_OF_FILES}")
}

/// A copy into one file, and the pack of its only part.
struct Sample {
    reader: Box<dyn Reader>,
    plan: CopyPlan,
    prepared: Prepared,
    index: Vec<u8>,
    pack: Vec<u8>,
}

/// Bytes of the checksum at the end of an index.
const CHECKSUM: usize = 4;

/// The attempt that an index names, which names the pack: the number behind the magic number.
fn attempt_of(index: &[u8]) -> u64 {
    let bytes = index.get(8..16).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}

fn notes() -> Notes {
    let output = MemoryKeys::new().output();
    output.put("run", b"0").expect("memory takes all values");
    Notes::new(Arc::new(output), "0", "0")
}

impl Sample {
    fn of(kind: Kind, deflate: Option<u32>) -> Option<Self> {
        let input = Input::object("coordinates.nc", Arc::new(FILE.to_vec()));
        let reader = format::open(input, &Registry::builtin()).ok()?;
        let options = CopyOptions {
            kind: Some(kind),
            deflate,
            ..CopyOptions::default()
        };
        let plan = plan(&*reader, &options).ok()?;
        let mut share = prepare(&*reader, &plan).ok()?;
        share.leave_encoded();
        let share = share.into_share(0, 1).ok()?;
        let notes = notes();
        let part = Arc::new(notes.of_part(0));
        let writer =
            PackWriter::create(part, &plan.schema, &share.plans, Arc::new(AtomicBool::new(false))).ok()?;
        copy::run(&*reader, &share, Box::new(writer), &RunOptions::default()).ok()?;
        let index = notes.index(0).ok()?;
        let name = notes.pack_name(0, attempt_of(&index));
        let pack = notes.store().ok()?.get(&name, GetRange::Whole);
        let sample = Self {
            prepared: prepare(&*reader, &plan).ok()?,
            index,
            pack: pack.ok()??,
            plan,
            reader,
        };
        Some(sample)
    }
}

/// A copy to netCDF-4, whose pack has chunks, and one to a classic file, whose pack has ranges.
fn samples() -> &'static [Sample; 2] {
    static SAMPLES: OnceLock<[Sample; 2]> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        [(Kind::Netcdf4, Some(1)), (Kind::Offset64, None)]
            .map(|(kind, deflate)| Sample::of(kind, deflate).expect("a sample is packed"))
    })
}

/// Completes an output by a pack with another index. The first byte chooses the output; the index has no checksum, which is added. What
/// is completed can be opened.
pub fn pack_index(input: &[u8]) {
    let Some((first, index)) = input.split_first() else {
        return;
    };
    let sample = &samples()[usize::from(first % 2)];
    let output = MemoryKeys::new().output();
    let put = |key: &str, value: &[u8]| output.put(key, value).expect("memory takes all values");
    let notes = notes();
    put(&notes.pack_name(0, attempt_of(index)), &sample.pack);
    put(
        &notes.index_name(0),
        &[index, &crc32c::crc32c(index).to_le_bytes()].concat(),
    );
    let notes = Notes::new(Arc::new(output), "0", "0");
    let file = Arc::new(MemoryOutput::new());
    let (schema, plans) = (&sample.plan.schema, &sample.prepared.plans);
    let writer =
        format::create(Arc::clone(&file) as Arc<dyn Output>, schema, plans).expect("the output is begun");
    let mut packs = Packs::new(&notes, 1, schema.vars.len()).expect("memory can be read");
    let options = RunOptions {
        threads: Some(2),
        ..RunOptions::default()
    };
    if copy::complete(&*sample.reader, &sample.prepared, writer, &options, &mut packs).is_ok() {
        assert!(open(&file.bytes()).is_some(), "what was completed can be opened");
    }
}

/// The index of each sample, without its checksum.
pub fn pack_indexes(_: &Path) -> Vec<Seed> {
    let seed = |(n, sample): (u8, &Sample)| {
        let index = &sample.index[..sample.index.len() - CHECKSUM];
        Seed::new([&[n], index].concat())
    };
    (0..).zip(samples()).map(seed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds that are refused find nothing.
    #[test]
    fn seeds_are_taken() {
        assert!(JobFile::parse(JOB.as_bytes()).is_ok());
        assert!(JobFile::parse(job_of_files().as_bytes()).is_ok());
        for (sample, count) in samples().iter().zip([4, 4]) {
            assert!(sample.index.len() > 40 * count, "{}", sample.index.len());
            assert!(!sample.pack.is_empty());
        }
        for seed in pack_indexes(Path::new("")) {
            pack_index(&seed.bytes);
        }
    }
}
