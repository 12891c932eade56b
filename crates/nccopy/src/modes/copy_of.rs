//! [`CopyOf`]: what a copy is of, and what the engine reads for it.

use ncutils_core::copy::plan::{CopyOptions, join_source, plan, plan_grown, plan_joined, plan_subset};
use ncutils_core::copy::{CopyPlan, Description, Estimate, Readers, estimates};
use ncutils_core::error::Result;
use ncutils_core::format::Reader;
use ncutils_core::join::{KeptJoin, Merged};
use ncutils_core::subset::Subset;

/// What a copy is of: a dataset, a join of several, or a part of one of these.
pub(crate) struct CopyOf<'a> {
    /// All that is asked for, as a dataset.
    pub(crate) asked: &'a dyn Reader,
    part: Option<&'a Subset<'a>>,
    joined: Option<&'a Merged>,
    /// True if the first input of the join is the output.
    grows: bool,
    /// What the engine reads, where that is not what is asked for.
    source: Option<Box<dyn Reader + 'a>>,
}

impl<'a> CopyOf<'a> {
    /// A dataset, or a part of it.
    pub(crate) fn new(reader: &'a dyn Reader, part: Option<&'a Subset<'a>>) -> Self {
        Self {
            asked: part.map_or(reader, |part| part as &dyn Reader),
            part,
            joined: None,
            grows: false,
            source: part.map(|part| Box::new(part.source()) as Box<dyn Reader + 'a>),
        }
    }

    /// A join, or a part of it.
    pub(crate) fn joined(joined: &'a Merged, part: Option<&'a Subset<'a>>) -> Self {
        Self {
            joined: Some(joined),
            source: Some(Box::new(join_source(joined, part))),
            ..Self::new(joined, part)
        }
    }

    /// What a join adds to its first input; for a kind that grows by records, these.
    pub(crate) fn growing(joined: &'a Merged, records: Option<&'a Subset<'a>>) -> Self {
        Self {
            grows: true,
            ..Self::joined(joined, records)
        }
    }

    /// The main reader of the copy.
    pub(crate) fn main(&self) -> &dyn Reader {
        self.source.as_deref().unwrap_or(self.asked)
    }

    /// All readers of the copy.
    pub(crate) fn readers(&self) -> Readers<'_> {
        match self.joined {
            Some(joined) => Readers::new(self.main(), joined.pool()),
            None => self.main().into(),
        }
    }

    /// Estimates for each variable of the planned copy; empty for a join.
    pub(crate) fn estimates(&self, plan: &CopyPlan, described: &Description<'_>) -> Vec<Estimate> {
        match self.joined {
            Some(_) => Vec::new(),
            None => estimates(self.asked, plan, described),
        }
    }

    /// What was found of the inputs of a join, where other processes will ask for it.
    pub(crate) fn kept(&self) -> Option<&KeptJoin> {
        self.joined?.kept()
    }

    /// Plans the copy.
    ///
    /// # Errors
    /// Requests that the input cannot fulfil.
    pub(crate) fn plan(&self, options: &CopyOptions) -> Result<CopyPlan> {
        match (self.joined, self.part) {
            (Some(joined), records) if self.grows => plan_grown(joined, records, options),
            (Some(joined), part) => plan_joined(joined, part, options),
            (None, Some(part)) => plan_subset(part, options),
            (None, None) => plan(self.asked, options),
        }
    }
}
