//! Sources in further readers. Each reader is opened once, for all variables that it is a source of.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use super::check_source::check_source;
use super::each::at_once;
use crate::copy::geometry::{FurtherInput, SourcePart, Sources};
use crate::copy::plan::CopyPlan;
use crate::copy::readers::{OpenReader, ReaderId, Readers};
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::KnownVariable;
use crate::model::{SharedLayout, SharedLayouts, Type, VarId, VariableLayout};
use crate::threads::{self, try_map};

/// What is known of each source in a further reader, by output variable and position among its sources.
#[derive(Debug, Default)]
pub struct FurtherSources(HashMap<(VarId, usize), FurtherSource>);

/// Makes sources of equal storage share it: thousands of readers may have the same variables.
#[derive(Default)]
struct Shared {
    layouts: SharedLayouts,
    /// Codecs of the last different layouts, by layout and type.
    pipelines: VecDeque<(SharedLayout, Type, Arc<Pipeline>)>,
}

/// How many different pipelines [`Shared`] remembers.
const REMEMBERED: usize = 16;

impl Shared {
    fn share(&mut self, mut source: FurtherSource) -> FurtherSource {
        let known = &mut source.known;
        known.layout = self.layouts.share(VariableLayout::clone(&known.layout));
        // Types of users are numbered by each dataset itself.
        if matches!(known.ty, Type::User(_)) {
            return source;
        }
        let same = |(layout, ty, _): &&(SharedLayout, Type, Arc<Pipeline>)| {
            (layout, ty) == (&known.layout, &known.ty)
        };
        match self.pipelines.iter().find(same) {
            Some((.., pipeline)) => known.pipeline = Arc::clone(pipeline),
            None => {
                self.pipelines.truncate(REMEMBERED - 1);
                let pipeline = Arc::clone(&known.pipeline);
                self.pipelines
                    .push_front((known.layout.clone(), known.ty, pipeline));
            }
        }
        source
    }
}

/// What is known of a source in a further reader.
#[derive(Debug)]
pub struct FurtherSource {
    /// Number of the reader.
    pub reader: usize,
    /// The variable in the reader's schema.
    pub var: VarId,
    /// What is known of it.
    pub known: KnownVariable,
}

impl FurtherSources {
    /// Opens the further readers that a plan names, several at once, and looks at their variables.
    ///
    /// # Errors
    /// A reader cannot be opened, or does not have what the plan needs.
    pub fn look(readers: &Readers, plan: &CopyPlan) -> Result<Self> {
        let mut by_reader: BTreeMap<usize, Vec<(VarId, usize, &SourcePart)>> = BTreeMap::new();
        for (n, copy) in plan.variables.iter().enumerate() {
            let Sources::Parts(parts) = &copy.sources else {
                continue;
            };
            for (at, part) in parts.iter().enumerate() {
                if let ReaderId::Further(number) = part.reader {
                    by_reader.entry(number).or_default().push((VarId(n), at, part));
                }
            }
        }
        let by_reader: Vec<_> = by_reader.into_iter().collect();
        // There may be thousands, and each must be opened, so all threads take part.
        let threads = at_once(readers.main().requests()).max(threads::count());
        let found = try_map(threads, 1, &by_reader, |(number, parts)| {
            let mut open = None;
            let look = |(out, at, part): &(VarId, usize, &SourcePart)| {
                let source = FurtherSource::look(readers, &mut open, *number, part.variable, plan, *out)?;
                Ok(((*out, *at), source))
            };
            parts.iter().map(look).collect::<Result<Vec<_>>>()
        })?;
        let mut shared = Shared::default();
        let sources = found.into_iter().flatten();
        Ok(Self(
            sources.map(|(key, source)| (key, shared.share(source))).collect(),
        ))
    }

    /// The source of `out` at position `at`.
    pub fn source(&self, out: VarId, at: usize) -> Option<&FurtherSource> {
        self.0.get(&(out, at))
    }
}

impl FurtherSource {
    /// A source in the reader `number`, which is opened, and kept in `open`, unless what must be known was kept before.
    fn look<'r>(
        readers: &Readers<'r>,
        open: &mut Option<OpenReader<'r>>,
        number: usize,
        var: VarId,
        plan: &CopyPlan,
        out: VarId,
    ) -> Result<Self> {
        // A type of a user means something in its own schema alone.
        let kept = readers
            .take(number, var)
            .filter(|known| !matches!(known.ty, Type::User(_)));
        let known = match kept {
            Some(known) => {
                check_source((&plan.schema, known.ty), &known.layout, plan, out)?;
                known
            }
            None => {
                let reader = match open.take() {
                    Some(reader) => reader,
                    None => readers.get(ReaderId::Further(number))?,
                };
                let reader = open.insert(reader);
                let schema = reader.schema();
                if var.0 >= schema.vars.len() {
                    return Err(Error::Usage(format!("reader {number} has no variable {}", var.0)));
                }
                check_source((schema, schema.var(var).ty), reader.layout(var), plan, out)?;
                KnownVariable::of(&**reader, var)?
            }
        };
        Ok(Self {
            reader: number,
            var,
            known,
        })
    }

    /// As an input of jobs.
    pub fn input(&self) -> Box<FurtherInput> {
        Box::new(FurtherInput {
            reader: self.reader,
            layout: self.known.layout.clone(),
            is_virtual: self.known.is_virtual,
            filter_masks: self.known.filter_masks,
            pipeline: Arc::clone(&self.known.pipeline),
        })
    }
}
