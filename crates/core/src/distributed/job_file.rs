//! [`JobFile`]: what the process that plans a job tells the others. Its form is described in `docs/formats/job.md`.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::input_identity::InputIdentity;
use super::name_value::{name_of, name_value};
use crate::error::{Error, Result};
use crate::join::KeptJoin;
use crate::location::{JobPlace, JobWay};

/// Version of the form.
const FORM: u64 = 1;

/// Most parts of a job.
pub const MOST_PARTS: u64 = 1_000_000;

/// The words for the ways to write.
const WAYS: [(JobWay, &str); 3] = [
    (JobWay::Keys, "keys"),
    (JobWay::Placed, "placed"),
    (JobWay::Packs, "packs"),
];

fn way_of(word: &str) -> Option<JobWay> {
    WAYS.iter().find(|(_, name)| *name == word).map(|(way, _)| *way)
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// Parts are made, or can be.
    Open,
    /// The output has appeared.
    Finished,
    /// What it wrote was removed.
    Abandoned,
}

impl JobState {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Open, "open"),
        (Self::Finished, "finished"),
        (Self::Abandoned, "abandoned"),
    ];

    /// The state in one word.
    pub fn word(self) -> &'static str {
        let named = Self::ALL.iter().find(|(state, _)| *state == self);
        named.map_or("", |(_, word)| word)
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, name)| *name == word)
            .map(|(state, _)| *state)
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobFile {
    /// What became of it.
    pub state: JobState,
    /// Version of the programs that planned it.
    pub version: String,
    /// The folder that relative names count from.
    pub directory: PathBuf,
    /// The arguments of the call that planned it, without the program's name.
    pub arguments: Vec<OsString>,
    /// The inputs, in order.
    pub inputs: Vec<InputIdentity>,
    /// What was found of inputs that are joined, so that parts need not look at all of them again.
    pub joined: Option<KeptJoin>,
    /// Name of the output.
    pub output: OsString,
    /// Where the parts write.
    pub place: JobPlace,
    /// Digest of the plan.
    pub plan: String,
    /// What is planned for each variable, for people.
    pub described: Value,
    /// The parts.
    pub parts: Vec<PlannedPart>,
}

/// What a part does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPart {
    /// Decoded bytes; bytes of files that are copied as a whole.
    pub bytes: u64,
    /// What it copies.
    pub work: PartWork,
}

/// What a part copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartWork {
    /// Variables, each with the first of its pieces and the one behind the last.
    Variables(Vec<(String, u64, u64)>),
    /// Whole inputs, by the number of the first and of the one behind the last.
    Files(u64, u64),
}

impl JobFile {
    /// True if each part copies whole inputs.
    pub fn is_of_files(&self) -> bool {
        let first = self.parts.first();
        first.is_some_and(|part| matches!(part.work, PartWork::Files(..)))
    }

    /// The inputs that a part copies as a whole; all inputs for a part of one dataset.
    pub fn inputs_of(&self, part: u64) -> &[InputIdentity] {
        let part = usize::try_from(part).ok().and_then(|part| self.parts.get(part));
        match part.map(|part| &part.work) {
            Some(PartWork::Files(first, end)) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                self.inputs.get(at(*first)..at(*end)).unwrap_or_default()
            }
            _ => &self.inputs,
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let parts = self.parts.iter().map(|part| match &part.work {
            PartWork::Variables(variables) => {
                let variables = variables.iter();
                let variables = variables.map(|(name, first, end)| json!([name, first, end]));
                json!({ "bytes": part.bytes, "variables": variables.collect::<Vec<_>>() })
            }
            PartWork::Files(first, end) => json!({ "bytes": part.bytes, "files": [first, end] }),
        });
        let value = json!({
            "ncutils-job": FORM,
            "state": self.state.word(),
            "version": self.version,
            "directory": name_value(self.directory.as_os_str()),
            "arguments": self.arguments.iter().map(|text| name_value(text)).collect::<Vec<_>>(),
            "inputs": self.inputs.iter().map(InputIdentity::value).collect::<Vec<_>>(),
            "output": name_value(&self.output),
            "run": self.place.run,
            "beside": self.place.is_beside,
            "way": WAYS.iter().find(|(way, _)| *way == self.place.way).map(|(_, word)| word),
            "plan": self.plan,
            "described": self.described,
            "parts": parts.collect::<Vec<_>>(),
        });
        let joined = self
            .joined
            .as_ref()
            .and_then(|joined| serde_json::to_string(joined).ok());
        match (joined, format!("{value:#}").strip_suffix("\n}")) {
            // Numbers for each input, which nobody reads: on one line.
            (Some(joined), Some(others)) => format!("{others},\n  \"joined\": {joined}\n}}\n"),
            _ => format!("{value:#}\n"),
        }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`Error::Damaged`] for what is no job, and for one of another form.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let value: Value = serde_json::from_slice(text)
            .map_err(|e| Error::Damaged(format!("not the file of a job: {e}")))?;
        let object = value
            .as_object()
            .ok_or_else(|| Error::Damaged("not the file of a job".to_owned()))?;
        match object.get("ncutils-job").and_then(Value::as_u64) {
            Some(FORM) => {}
            Some(form) => {
                let why = format!("a job of form {form}; this program knows form {FORM}");
                return Err(Error::Damaged(why));
            }
            None => return Err(Error::Damaged("not the file of a job".to_owned())),
        }
        Self::of(object)
            .ok_or_else(|| Error::Damaged("the file of the job is incomplete, or was changed".to_owned()))
    }

    fn of(object: &Map<String, Value>) -> Option<Self> {
        let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
        let names = |key: &str| {
            object
                .get(key)?
                .as_array()?
                .iter()
                .map(name_of)
                .collect::<Option<Vec<_>>>()
        };
        let is_hexadecimal = |text: &String| !text.is_empty() && text.bytes().all(|c| c.is_ascii_hexdigit());
        let inputs = object.get("inputs")?.as_array()?.iter();
        let parts: Vec<PlannedPart> = object
            .get("parts")?
            .as_array()?
            .iter()
            .map(PlannedPart::of)
            .collect::<Option<_>>()?;
        if parts.is_empty() || parts.len() as u64 > MOST_PARTS {
            return None;
        }
        let inputs: Vec<InputIdentity> = inputs.map(InputIdentity::of).collect::<Option<_>>()?;
        if !cover_all(&parts, inputs.len() as u64) {
            return None;
        }
        Some(Self {
            state: JobState::of(&text("state")?)?,
            version: text("version")?,
            directory: name_of(object.get("directory")?)?.into(),
            arguments: names("arguments")?,
            inputs,
            joined: match object.get("joined") {
                None => None,
                Some(joined) => Some(KeptJoin::deserialize(joined).ok()?),
            },
            output: name_of(object.get("output")?)?,
            place: JobPlace {
                run: text("run").filter(is_hexadecimal)?,
                is_beside: object.get("beside")?.as_bool()?,
                way: way_of(object.get("way")?.as_str()?)?,
            },
            plan: text("plan").filter(is_hexadecimal)?,
            described: object.get("described")?.clone(),
            parts,
        })
    }
}

/// True if the parts copy each of `count` whole inputs once, or none copies whole inputs.
fn cover_all(parts: &[PlannedPart], count: u64) -> bool {
    let files: Vec<(u64, u64)> = parts
        .iter()
        .filter_map(|part| match part.work {
            PartWork::Files(first, end) => Some((first, end)),
            PartWork::Variables(_) => None,
        })
        .collect();
    if files.is_empty() {
        return true;
    }
    let mut next = 0;
    let is_in_order = files.iter().all(|(first, end)| {
        let goes_on = *first == next && end >= first;
        next = *end;
        goes_on
    });
    files.len() == parts.len() && is_in_order && next == count
}

impl PlannedPart {
    fn of(value: &Value) -> Option<Self> {
        let bytes = value.get("bytes")?.as_u64()?;
        if let Some(files) = value.get("files") {
            return match files.as_array()?.as_slice() {
                [first, end] => Some(Self {
                    bytes,
                    work: PartWork::Files(first.as_u64()?, end.as_u64()?),
                }),
                _ => None,
            };
        }
        let variables = value.get("variables")?.as_array()?.iter();
        let variables = variables.map(|variable| match variable.as_array()?.as_slice() {
            [name, first, end] => Some((name.as_str()?.to_owned(), first.as_u64()?, end.as_u64()?)),
            _ => None,
        });
        Some(Self {
            bytes,
            work: PartWork::Variables(variables.collect::<Option<_>>()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStringExt;

    fn job() -> JobFile {
        JobFile {
            state: JobState::Open,
            version: "1".to_owned(),
            directory: "/data".into(),
            arguments: vec!["-d".into(), "5".into(), OsString::from_vec(b"a\xff.nc".to_vec())],
            inputs: vec![InputIdentity::missing(OsStr::new("/data/a.nc"))],
            joined: Some(KeptJoin::default()),
            output: "out.nc".into(),
            place: JobPlace {
                run: "0123456789abcdef".to_owned(),
                is_beside: false,
                way: JobWay::Packs,
            },
            plan: "ab".repeat(32),
            described: json!({}),
            parts: vec![PlannedPart {
                bytes: u64::MAX,
                work: PartWork::Variables(vec![("/t".to_owned(), 0, 3)]),
            }],
        }
    }

    #[test]
    fn a_job_is_read_as_it_was_written() {
        assert_eq!(JobFile::parse(job().text().as_bytes()).unwrap(), job());
    }

    #[test]
    fn what_is_no_job_is_an_error() {
        let text = job().text();
        for wrong in [
            "",
            "[]",
            "{}",
            &text.replace("\"ncutils-job\": 1", "\"ncutils-job\": 2"),
            &text.replace("0123456789abcdef", "../x"),
            &text.replace("\"bytes\": 18446744073709551615", "\"bytes\": -1"),
            &text.replace("\"plan\"", "\"plans\""),
            &text.replace("\"pieces\":[]", "\"pieces\":[[0,-1,1,0]]"),
            &text[..text.len() / 2],
        ] {
            assert!(
                matches!(JobFile::parse(wrong.as_bytes()), Err(Error::Damaged(_))),
                "{wrong}"
            );
        }
    }
}
