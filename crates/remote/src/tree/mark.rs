//! [`Mark`]: what a run that writes below a prefix tells others.
//!
//! | keys below the prefix | meaning |
//! | --- | --- |
//! | `.ncutils-partial` | a [`Mark`]: the tree does not open |
//! | `.ncutils-partial-new` | a [`Mark`]: a run builds a dataset that will replace this one, which opens |
//! | `.ncutils-partial-RUN/d/KEY` | values of that dataset |
//! | `.ncutils-partial-RUN/m/KEY` | its metadata, which comes when all values are there |
//! | `.ncutils-partial-RUN/parts/KEY` | what the processes of a job leave for each other |
//!
//! Marks are put only where there is none, so of two runs one gets the claim.

use std::io;

use object_store::UpdateVersion;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::write::TreeObjects;
use ncutils_store::keys::key::{PARTIAL, RESERVED};

/// The mark of a run that builds beside an older dataset.
pub(crate) const BUILDING: &str = ".ncutils-partial-new";

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Doing {
    /// It writes values into the tree.
    Writing,
    /// It builds a dataset beside an older one.
    Building,
    /// The built dataset is complete, and takes the place of the older one.
    Switching,
}

/// The value of a mark: a run, and what it does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Mark {
    pub(crate) doing: Doing,
    pub(crate) run: String,
    /// The run that does it: `run` itself, or one that took a switch over.
    #[serde(default)]
    pub(crate) by: String,
}

impl Mark {
    /// The mark of a run.
    pub(crate) fn new(doing: Doing, run: &str) -> Self {
        Self {
            doing,
            run: run.to_owned(),
            by: run.to_owned(),
        }
    }

    pub(crate) fn text(&self) -> String {
        let about = "ncutils writes here; a run that was killed leaves this key";
        json!({ "about": about, "doing": self.doing, "run": self.run, "by": self.by }).to_string()
    }

    /// The mark with this value. A value that is none counts as one of a run that was writing.
    pub(crate) fn parse(value: &[u8]) -> Self {
        // A run names a folder, so it is nothing but a number.
        let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_hexdigit());
        let mark: Option<Self> = serde_json::from_slice(value).ok();
        mark.filter(|mark| !mark.run.is_empty() && is_number(&mark.run) && is_number(&mark.by))
            .unwrap_or(Self::new(Doing::Writing, ""))
    }
}

/// The folder of the dataset that a run builds.
pub(crate) fn stage(run: &str) -> String {
    format!("{RESERVED}{run}/")
}

/// The folder of the notes that the processes of a run leave for each other.
pub(crate) fn notes(run: &str) -> String {
    format!("{}parts", stage(run))
}

/// True for keys that are no part of a dataset.
pub(crate) fn is_reserved(key: &str) -> bool {
    key == PARTIAL || key.starts_with(RESERVED)
}

/// The mark at a key, and the condition for a put in its place.
pub(crate) fn get_mark(tree: &TreeObjects, key: &str) -> io::Result<Option<(Mark, UpdateVersion)>> {
    Ok(tree
        .get(key)?
        .map(|found| (Mark::parse(&found.bytes), found.update())))
}
