//! Notes of a job: which parts are done, which were begun, and what they have packed.
//!
//! | key | what it is |
//! | --- | --- |
//! | `run` | the name of the run: the job is neither completed nor abandoned |
//! | `N.begun` | who works on part N, and since when |
//! | `N.pack`, `N.index` | what part N has made of an output that is one file |
//! | `N.done` | the mark that part N is done, which is written last |

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::content_sum::Content;
use crate::error::{Error, Result};
use crate::store::{KeyOutput, KeyStore, ValueWriter};
use crate::threads;

/// Marks that are looked at side by side: a store may be far away.
const LOOKS_AT_ONCE: usize = 16;

/// Key of the name of the run.
const RUN: &str = "run";

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

    /// Notes that the run is there.
    ///
    /// # Errors
    /// The store fails.
    pub fn begin(&self) -> Result<()> {
        self.output.put(RUN, self.run.as_bytes()).map_err(cannot_write)
    }

    /// Fails if the run is over: nothing may be written any more.
    ///
    /// # Errors
    /// The job was completed or abandoned; the store fails.
    pub fn check(&self) -> Result<()> {
        match self.output.staged(RUN) {
            Ok(Some(run)) if run == self.run.as_bytes() => Ok(()),
            Ok(_) => Err(over()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(over()),
            Err(e) => Err(cannot_read(e)),
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

    /// Key of the pack of a part.
    pub fn pack_name(&self, part: u64) -> String {
        format!("{part}.pack")
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
        let index = self.output.staged(&name).map_err(cannot_read)?;
        index.ok_or_else(|| {
            Error::Damaged("the index of a pack is missing; run the part again".to_owned()).in_file(&name)
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

    fn begun(&self, part: u64) -> Result<Option<Begun>> {
        let note = self
            .output
            .staged(&format!("{part}.begun"))
            .map_err(cannot_read)?;
        let note: Option<Value> = note.and_then(|note| serde_json::from_slice(&note).ok());
        Ok(note.map(|note| Begun {
            host: note["host"].as_str().unwrap_or_default().to_owned(),
            process: note["process"].as_u64().unwrap_or_default(),
            at: note["at"].as_u64().unwrap_or_default(),
            failed: note["failed"].as_str().map(str::to_owned),
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
        let _ = self.tell(Some(why));
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
        let mark = self.notes.output.staged(&self.key("done")).map_err(cannot_read)?;
        let mark: Option<Value> = mark.and_then(|mark| serde_json::from_slice(&mark).ok());
        Ok(mark.is_some_and(|mark| mark["plan"] == *self.notes.plan && mark["part"] == self.part))
    }

    /// Begins the pack of the part.
    ///
    /// # Errors
    /// The store fails.
    pub fn create_pack(&self) -> Result<Box<dyn ValueWriter>> {
        self.notes.output.create(&self.key("pack")).map_err(cannot_write)
    }

    /// Writes the index of the pack.
    ///
    /// # Errors
    /// The store fails.
    pub fn put_index(&self, index: &[u8]) -> Result<()> {
        self.put("index", index)
    }

    /// Marks the part as done. Everything that it wrote is in the store.
    ///
    /// # Errors
    /// The store fails.
    pub fn end(&self, content: &Content) -> Result<()> {
        let mark = json!({
            "plan": self.notes.plan,
            "part": self.part,
            "pieces": content.pieces,
            "bytes": content.bytes,
            "digest": format!("{:032x}", content.digest),
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

/// The name of this machine.
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
