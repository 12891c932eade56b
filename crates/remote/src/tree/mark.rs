//! [`Mark`]: what a run that writes below a prefix tells others.
//!
//! | keys below the prefix | meaning |
//! | --- | --- |
//! | `.ncutils-partial` | a [`Mark`]: the tree does not open |
//! | `.ncutils-partial-new` | a [`Mark`]: a run builds a dataset that will replace this one, which opens |
//! | `.ncutils-partial-RUN/d/KEY` | values of that dataset |
//! | `.ncutils-partial-RUN/m/KEY` | its metadata, which comes when all values are there |
//!
//! Marks are put only where there is none, so of two runs one gets the claim.

use std::io;

use serde_json::{Value, json};

use crate::write::{TreeObjects, Versioned};
use ncutils_store::keys::key::{PARTIAL, RESERVED};

/// The mark of a run that builds beside an older dataset.
pub(crate) const BUILDING: &str = ".ncutils-partial-new";

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It writes values into the tree.
    Writing,
    /// It builds a dataset beside an older one.
    Building,
    /// The built dataset is complete, and takes the place of the older one.
    Switching,
}

impl Doing {
    fn word(self) -> &'static str {
        match self {
            Self::Writing => "writing",
            Self::Building => "building",
            Self::Switching => "switching",
        }
    }
}

/// The value of a mark: a run, and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) doing: Doing,
    pub(crate) run: String,
    /// The run that does it: `run` itself, or one that took a switch over.
    pub(crate) by: String,
}

impl Mark {
    pub(crate) fn text(&self) -> String {
        let about = "ncutils writes here; a run that was killed leaves this key";
        json!({ "about": about, "doing": self.doing.word(), "run": self.run, "by": self.by }).to_string()
    }

    /// The mark with this value. A value that is none counts as one of a run that was writing.
    pub(crate) fn parse(value: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(value).unwrap_or_default();
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let all = [Doing::Writing, Doing::Building, Doing::Switching];
        let doing = all.into_iter().find(|doing| doing.word() == text("doing"));
        // A run names a folder, so it is nothing but a number.
        let number = |name: &str| Some(text(name)).filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()));
        let run = number("run").unwrap_or_default();
        Self {
            doing: doing.filter(|_| !run.is_empty()).unwrap_or(Doing::Writing),
            run: run.to_owned(),
            by: number("by").unwrap_or_default().to_owned(),
        }
    }
}

/// The folder of the dataset that a run builds.
pub(crate) fn stage(run: &str) -> String {
    format!("{RESERVED}{run}/")
}

/// True for keys that are no part of a dataset.
pub(crate) fn is_reserved(key: &str) -> bool {
    key == PARTIAL || key.starts_with(RESERVED)
}

/// The mark at a key, and what was read there.
pub(crate) fn get_mark(tree: &TreeObjects, key: &str) -> io::Result<Option<(Mark, Versioned)>> {
    Ok(tree.get(key)?.map(|found| (Mark::parse(&found.bytes), found)))
}
