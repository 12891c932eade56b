//! [`Inputs`]: the datasets of a join, of which few are open at a time.

use std::fmt;
use std::sync::Arc;

use super::outer_dimension::{NewDimension, OuterDimension};
use super::telling::Telling;
use crate::error::{Error, Result};
use crate::format::{Reader, ReaderPool};
use crate::model::{Schema, VarId};
use crate::threads;

/// Opens an input by its number. Its errors need not name the input.
type Open = dyn Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync;

/// The datasets of a join, by number.
#[derive(Clone)]
pub struct Inputs {
    names: Arc<[String]>,
    /// The numbers of those that were chosen of all.
    chosen: Arc<[usize]>,
    open: Arc<Open>,
    most: usize,
    /// How many requests at once suit the store of the inputs; `None` for local files.
    requests: Option<usize>,
    /// Bytes that the schemas of open inputs may take together.
    memory: u64,
    /// True if what is found of them is kept for other processes.
    keeps: bool,
    unchanged: Arc<dyn Fn() -> Result<()> + Send + Sync>,
    tell: Arc<dyn Fn(usize, Vec<String>) + Send + Sync>,
    schema_warnings: Arc<dyn Fn(usize, &[String]) + Send + Sync>,
}

impl Inputs {
    /// The inputs with these names, of which at most `most` are open at a time beside the first. `open` opens one by its
    /// position among the names, and may be called again for the same input.
    pub fn new(
        names: Vec<String>,
        most: usize,
        open: impl Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            chosen: (0..names.len()).collect(),
            names: names.into(),
            open: Arc::new(open),
            most,
            requests: None,
            memory: u64::MAX,
            keeps: false,
            unchanged: Arc::new(|| Ok(())),
            tell: Arc::new(|_, _| {}),
            schema_warnings: Arc::new(|_, _| {}),
        }
    }

    /// The same inputs, of which so few are open that their schemas take about `memory` bytes at most.
    #[must_use]
    pub fn within(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// The same inputs, on a slow store that likes `requests` requests at once: as many inputs are looked at at once.
    #[must_use]
    pub fn on_slow_store(self, requests: usize) -> Self {
        Self {
            requests: Some(requests),
            ..self
        }
    }

    /// The same inputs. What is found of them is kept for other processes, as [`Merged::kept`](super::Merged::kept) gives it.
    #[must_use]
    pub fn keeping(self) -> Self {
        Self { keeps: true, ..self }
    }

    /// True if what is found of them is kept for other processes.
    pub(super) fn keeps(&self) -> bool {
        self.keeps
    }

    /// The same inputs, with a check that none has changed since it was opened. It is called at the end of a copy.
    #[must_use]
    pub fn checked_by(self, unchanged: impl Fn() -> Result<()> + Send + Sync + 'static) -> Self {
        Self {
            unchanged: Arc::new(unchanged),
            ..self
        }
    }

    /// The same inputs, whose warnings about their data go to `tell` when they are closed, with the number of the input. One that is
    /// opened again may give the same warnings again.
    #[must_use]
    pub fn told_by(self, tell: impl Fn(usize, Vec<String>) + Send + Sync + 'static) -> Self {
        Self {
            tell: Arc::new(tell),
            ..self
        }
    }

    /// The same inputs. The warnings about the schema of each go to `tell` once all were looked at, in their order, with the number of
    /// the input.
    #[must_use]
    pub fn with_schema_warnings(self, tell: impl Fn(usize, &[String]) + Send + Sync + 'static) -> Self {
        Self {
            schema_warnings: Arc::new(tell),
            ..self
        }
    }

    /// Tells the warnings about the schema of an input.
    pub(super) fn report_schema_warnings(&self, input: usize, warnings: &[String]) {
        (self.schema_warnings)(self.number(input), warnings);
    }

    /// Checks that no input has changed since it was opened.
    ///
    /// # Errors
    /// One has.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        (self.unchanged)()
    }

    /// Tells the warnings of an input about its data, by the number of the input.
    pub(super) fn tell(&self, number: usize, reader: &dyn Reader) {
        let warnings = reader.data_warnings();
        if !warnings.is_empty() {
            (self.tell)(number, warnings);
        }
    }

    /// Some of these inputs, by their positions among these.
    pub(super) fn chosen(&self, positions: &[usize]) -> Self {
        Self {
            chosen: positions.iter().map(|input| self.number(*input)).collect(),
            ..self.clone()
        }
    }

    /// The number of an input among all, as the pool counts them.
    pub(super) fn number(&self, input: usize) -> usize {
        self.chosen.get(input).copied().unwrap_or(usize::MAX)
    }

    /// Number of inputs.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// How many may be open at a time beside the first.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// How many are looked at at once. Threads that wait for a store cost little.
    pub(super) fn parallel_looks(&self) -> usize {
        let threads = threads::count();
        self.requests
            .map_or(threads, |most| most.max(threads))
            .min(self.most)
    }

    /// The name of an input, as the user gave it.
    pub fn name(&self, input: usize) -> &str {
        self.names.get(self.number(input)).map_or("", String::as_str)
    }

    /// An error of an input, with its name.
    pub(super) fn named(&self, input: usize, error: Error) -> Error {
        error.in_file(self.name(input))
    }

    /// Opens an input.
    ///
    /// # Errors
    /// What opening finds wrong, with the input's name.
    pub(super) fn open(&self, input: usize) -> Result<Box<dyn Reader>> {
        let reader = (self.open)(self.number(input)).and_then(|reader| {
            let schema = reader.schema();
            if let Some(fault) = schema.faults.first() {
                return Err(Error::Damaged(fault.clone()));
            }
            if let Some(refused) = schema.refused.first() {
                return Err(Error::Usage(refused.clone()));
            }
            for n in 0..schema.vars.len() {
                if reader.is_virtual(VarId(n)) {
                    reader.resolve_sources(VarId(n))?;
                }
            }
            Ok(reader)
        });
        let (number, tell) = (self.number(input), Arc::clone(&self.tell));
        match reader {
            Ok(reader) => Ok(Box::new(Telling::new(
                reader,
                Box::new(move |warnings| tell(number, warnings)),
            ))),
            Err(error) => Err(self.named(input, error)),
        }
    }

    /// All inputs as a pool of readers. Its size assumes that each takes as much memory as the largest of `typical`. `new` gives the dimension that one lacks, and
    /// `check` looks at one that was opened.
    pub(super) fn pool<'s>(
        &self,
        typical: impl Iterator<Item = &'s dyn Reader>,
        new: impl Fn(usize) -> Option<NewDimension> + Send + Sync + 'static,
        check: impl Fn(usize, &dyn Reader) -> Result<()> + Send + Sync + 'static,
    ) -> ReaderPool {
        let inputs = self.clone();
        let held = |reader: &dyn Reader| match self.requests {
            None => 0,
            Some(_) => reader.bytes_held().unwrap_or(HELD),
        };
        let weighed = typical.map(|reader| weight(reader.schema()).saturating_add(held(reader)));
        let each = weighed.max().unwrap_or(0).saturating_add(OPEN);
        let within = usize::try_from(self.memory / each).unwrap_or(usize::MAX);
        ReaderPool::new(self.most.min(within.max(2)), move |input| {
            let reader = inputs.open(input)?;
            let reader = match new(input) {
                None => reader,
                Some(new) => Box::new(OuterDimension::new(reader, &new).map_err(|e| inputs.named(input, e))?),
            };
            check(input, &*reader).map_err(|e| inputs.named(input, e))?;
            Ok(reader)
        })
        .with_names(Arc::clone(&self.names))
    }
}

/// Bytes that an open input takes besides its schema: buffers, and the metadata that is kept.
const OPEN: u64 = 32 << 10;

/// Bytes that an open remote input is assumed to hold, if its reader does not say.
const HELD: u64 = 1 << 20;

/// Bytes that an open input takes for each of its variables besides names and attributes, about.
const OF_VARIABLE: u64 = 1000;

/// Bytes that an attribute takes besides its value, about.
const OF_ATTRIBUTE: u64 = 120;

/// Bytes that an open input of this schema takes for it, about.
fn weight(schema: &Schema) -> u64 {
    let of_group = schema.groups.iter().map(|group| &group.attributes);
    let attributes = schema.vars.iter().map(|var| &var.attributes).chain(of_group);
    let values = attributes.flat_map(|attributes| attributes.iter());
    let of_values = values.map(|a| OF_ATTRIBUTE + (a.values.bytes.len() + a.values.heap.len()) as u64);
    of_values.fold(
        OF_VARIABLE.saturating_mul(schema.vars.len() as u64),
        u64::saturating_add,
    )
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}
