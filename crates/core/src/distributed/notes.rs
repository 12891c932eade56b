//! Notes of a job: which parts are done, which were begun, and what they have packed.
//!
//! | key | what it is |
//! | --- | --- |
//! | `run` | the name of the run; it goes with the stage, when the output has appeared or the job is abandoned |
//! | `N.begun` | who works on part N, and since when |
//! | `N-X.pack` | what part N has made of an output that is one file, in the attempt X |
//! | `N.index` | what is in that pack, and which attempt it is |
//! | `N.done` | the mark that part N is done, which is written last |

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::content_sum::Content;
use crate::error::{Error, Result};
use crate::location::RUN_NOTE;
use crate::store::{ByteRange, GetRange, KeyOutput, KeyStore, ValueWriter};
use crate::threads;

/// Most bytes of a note.
const MOST_OF_NOTE: usize = 64 << 10;

/// Most bytes of the index of a pack.
const MOST_OF_INDEX: usize = 1 << 30;

/// Marks that are looked at side by side: a store may be far away.
const LOOKS_AT_ONCE: usize = 16;

/// The notes of all parts of one job.
#[derive(Clone)]
pub struct Notes {
    output: Arc<dyn KeyOutput>,
    run: String,
    /// Digest of the plan that all parts follow.
    plan: String,
}

/// A part that was begun, and is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Name of the machine.
    pub host: String,
    /// Number of the process.
    pub process: u64,
    /// Seconds since 1970 when it told last that it works.
    pub at: u64,
    /// Why it failed, if it did.
    pub failed: Option<String>,
}

/// What a job has done so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartStates {
    /// Parts that are done.
    pub done: BTreeSet<u64>,
    /// Parts that were begun and are not done.
    pub begun: Vec<(u64, Begun)>,
}

/// The error of a run that is over.
pub fn over() -> Error {
    Error::Usage("the job was finished or abandoned, and writes no more".to_owned())
}

/// What to do with a part that is damaged.
pub(super) fn again(part: u64) -> String {
    format!("make it again by --part {part} --again")
}

fn cannot_read(error: io::Error) -> Error {
    Error::io("cannot read the notes of the job", error)
}

fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the notes of the job", error)
}

impl Notes {
    /// The notes of a run that follows a plan.
    pub fn new(output: Arc<dyn KeyOutput>, run: &str, plan: &str) -> Self {
        Self {
            output,
            run: run.to_owned(),
            plan: plan.to_owned(),
        }
    }

    /// Fails if the run is over: nothing may be written any more.
    ///
    /// # Errors
    /// The job was completed or abandoned; the store fails.
    pub fn check(&self) -> Result<()> {
        match self.runs()? {
            true => Ok(()),
            false => Err(over()),
        }
    }

    /// False if the run is over.
    ///
    /// # Errors
    /// The store fails.
    pub fn runs(&self) -> Result<bool> {
        let run = self.read(RUN_NOTE, MOST_OF_NOTE)?;
        Ok(run.is_some_and(|run| run == self.run.as_bytes()))
    }

    /// The value of a key, of which no more than `most` bytes are read.
    fn read(&self, key: &str, most: usize) -> Result<Option<Vec<u8>>> {
        let range = GetRange::Range(ByteRange {
            offset: 0,
            length: most,
        });
        match self.store()?.get(key, range) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            value => value.map_err(cannot_read),
        }
    }

    /// The notes of one part.
    pub fn of_part(&self, part: u64) -> PartNotes {
        PartNotes {
            notes: self.clone(),
            part,
        }
    }

    /// All notes, for reading.
    ///
    /// # Errors
    /// The store fails.
    pub fn store(&self) -> Result<Arc<dyn KeyStore>> {
        let store = self.output.read_staged().map_err(cannot_read)?;
        store.ok_or_else(|| Error::Internal("notes of a job that cannot be read".to_owned()))
    }

    /// Key of the pack of an attempt to make a part.
    pub fn pack_name(&self, part: u64, attempt: u64) -> String {
        format!("{part}-{attempt:016x}.pack")
    }

    /// Key of the index of a part's pack.
    pub fn index_name(&self, part: u64) -> String {
        format!("{part}.index")
    }

    /// The index of a part's pack.
    ///
    /// # Errors
    /// It is missing, or the store fails.
    pub fn index(&self, part: u64) -> Result<Vec<u8>> {
        let name = self.index_name(part);
        let index = self.read(&name, MOST_OF_INDEX)?;
        index.ok_or_else(|| {
            Error::Damaged(format!("the index of the pack is missing; {}", again(part))).in_file(&name)
        })
    }

    /// Which of `parts` parts are done, and which were begun.
    ///
    /// # Errors
    /// The store fails.
    pub fn states(&self, parts: u64) -> Result<PartStates> {
        let mut states = PartStates::default();
        let (mut marked, mut begun) = (Vec::new(), BTreeSet::new());
        for key in self.output.staged_keys("").map_err(cannot_read)? {
            let Some((number, what)) = key.split_once('.') else {
                continue;
            };
            let Some(part) = number.parse().ok().filter(|part| *part < parts) else {
                continue;
            };
            match what {
                "done" => marked.push(part),
                "begun" => drop(begun.insert(part)),
                _ => {}
            }
        }
        states.done = self.done(&marked)?;
        for part in begun.difference(&states.done) {
            if let Some(found) = self.begun(*part)? {
                states.begun.push((*part, found));
            }
        }
        Ok(states)
    }

    /// Those of some parts that are done, found by their marks and not in a list of names, which may be older.
    ///
    /// # Errors
    /// The store fails.
    pub fn done(&self, parts: &[u64]) -> Result<BTreeSet<u64>> {
        let look =
            |part: &u64| -> Result<Option<u64>> { Ok(self.of_part(*part).is_done()?.then_some(*part)) };
        let found: Vec<Option<u64>> = threads::try_map(LOOKS_AT_ONCE, 1, parts, look)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Number of keys of the dataset that all parts have written.
    ///
    /// # Errors
    /// The store fails.
    pub fn keys(&self, parts: u64) -> Result<u64> {
        let all: Vec<u64> = (0..parts).collect();
        let look = |part: &u64| self.of_part(*part).keys();
        let found: Vec<Option<u64>> = threads::try_map(LOOKS_AT_ONCE, 1, &all, look)?;
        Ok(found.into_iter().flatten().fold(0, u64::saturating_add))
    }

    fn begun(&self, part: u64) -> Result<Option<Begun>> {
        let note = self.read(&format!("{part}.begun"), MOST_OF_NOTE)?;
        let note: Option<Value> = note.and_then(|note| serde_json::from_slice(&note).ok());
        Ok(note.map(|note| Begun {
            host: shown(&note["host"]).unwrap_or_default(),
            process: note["process"].as_u64().unwrap_or_default(),
            at: note["at"].as_u64().unwrap_or_default(),
            failed: shown(&note["failed"]),
        }))
    }
}

/// The notes of one part.
#[derive(Clone)]
pub struct PartNotes {
    notes: Notes,
    part: u64,
}

impl PartNotes {
    /// Notes that this process works on the part, and goes on to.
    ///
    /// # Errors
    /// The store fails.
    pub fn begin(&self) -> Result<()> {
        self.tell(None)
    }

    /// Notes that this process has failed to make the part. A store that fails is not told.
    pub fn fail(&self, why: &str) {
        if self.notes.runs().unwrap_or(false) {
            let _ = self.tell(Some(why));
        }
    }

    fn tell(&self, failed: Option<&str>) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let note = json!({
            "host": host(),
            "process": std::process::id(),
            "at": now.map_or(0, |now| now.as_secs()),
            "failed": failed,
        });
        self.put("begun", note.to_string().as_bytes())
    }

    /// True if the part is done, by the plan of this job.
    ///
    /// # Errors
    /// The store fails.
    pub fn is_done(&self) -> Result<bool> {
        Ok(self.mark()?.is_some())
    }

    /// Number of keys of the dataset that the part wrote; `None` if it is not done.
    ///
    /// # Errors
    /// The store fails.
    pub fn keys(&self) -> Result<Option<u64>> {
        Ok(self.mark()?.and_then(|mark| mark["keys"].as_u64()))
    }

    /// The mark of the part, if it is of this run and plan.
    fn mark(&self) -> Result<Option<Value>> {
        let mark = self.notes.read(&self.key("done"), MOST_OF_NOTE)?;
        let mark: Option<Value> = mark.and_then(|mark| serde_json::from_slice(&mark).ok());
        Ok(mark.filter(|mark| {
            mark["run"] == *self.notes.run && mark["plan"] == *self.notes.plan && mark["part"] == self.part
        }))
    }

    /// Begins the pack of an attempt to make the part.
    ///
    /// # Errors
    /// The store fails.
    pub fn create_pack(&self, attempt: u64) -> Result<Box<dyn ValueWriter>> {
        let name = self.notes.pack_name(self.part, attempt);
        self.notes.output.create(&name).map_err(cannot_write)
    }

    /// Writes the index of the pack.
    ///
    /// # Errors
    /// The store fails.
    pub fn put_index(&self, index: &[u8]) -> Result<()> {
        self.put("index", index)
    }

    /// Compares what was written with what an earlier run of the part has marked.
    ///
    /// # Errors
    /// The part gave something else before; the store fails.
    pub fn check_same(&self, content: &Content) -> Result<()> {
        let before = self.mark()?;
        let before = before.as_ref().and_then(|mark| mark["digest"].as_str());
        match (before, digest(content)) {
            (Some(before), Some(now)) if before != now => Err(Error::Damaged(format!(
                "part {} gave something else before: did an input change? Abandon the job and plan it again",
                self.part
            ))),
            _ => Ok(()),
        }
    }

    /// Marks the part as done. Everything that it wrote is in the store.
    ///
    /// # Errors
    /// The store fails.
    pub fn end(&self, content: &Content) -> Result<()> {
        // A mark must not outlive what it marks.
        self.notes.output.wait().map_err(cannot_write)?;
        self.notes.check()?;
        let mark = json!({
            "run": self.notes.run,
            "plan": self.notes.plan,
            "part": self.part,
            "keys": content.keys,
            "pieces": content.pieces,
            "bytes": content.bytes,
            "digest": digest(content),
            "host": host(),
            "version": env!("CARGO_PKG_VERSION"),
        });
        self.put("done", mark.to_string().as_bytes())
    }

    fn put(&self, what: &str, value: &[u8]) -> Result<()> {
        self.notes
            .output
            .put(&self.key(what), value)
            .map_err(cannot_write)
    }

    fn key(&self, what: &str) -> String {
        format!("{}.{what}", self.part)
    }
}

/// The digest of what a part wrote, in hexadecimal digits.
fn digest(content: &Content) -> Option<String> {
    content.digest.map(|digest| format!("{digest:032x}"))
}

/// The text of a note, on one line of what can be shown.
fn shown(note: &Value) -> Option<String> {
    let text = note.as_str()?;
    Some(text.chars().filter(|c| !c.is_control()).collect())
}

/// The name of this machine.
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
