//! Describes what a prepared copy will do, before anything is written.

use super::routes::Routes;
use crate::copy::jobs::{self, Terms};
use crate::copy::memory::default_budget;
use crate::copy::plan::{CopyPlan, Prepared};
use crate::copy::readers::Readers;
use crate::copy::run::RunOptions;
use crate::filter::Registry;
use crate::model::{CodecSpec, ExternalPart, Kind, VarId, VariableLayout};

/// The description of a copy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Description<'p> {
    /// The kind of the output.
    pub kind: Kind,
    /// One entry for each variable of the output, in the order of its schema.
    pub variables: Vec<VariableDescription<'p>>,
    /// About how many bytes of memory the copy's data takes at most, without chunk indexes.
    pub memory: u64,
}

/// The description of a copy for one variable of the output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VariableDescription<'p> {
    /// Path of the variable.
    pub name: &'p str,
    /// The routes of its chunks.
    pub routes: Routes,
    /// The layout of the variable in the output.
    pub layout: &'p VariableLayout,
    /// The parts of other files that will hold the raw data; `None` if the output holds it.
    pub external: Option<&'p [ExternalPart]>,
    /// The codecs of the layout with their names: those of the registry, or else those in the input.
    pub filters: Vec<(String, &'p CodecSpec)>,
    /// Number of chunks that will be written; 0 unless chunked.
    pub chunks: u64,
    /// About how many bytes of memory the variable's data takes. If records of several variables are copied
    /// together, the first variable has the memory of all.
    pub memory: u64,
}

impl Prepared {
    /// Describes the copy of `plan`, as [`run`](crate::copy::run()) would run it with `options`.
    pub fn describe<'p, 'r>(
        &'p self,
        readers: impl Into<Readers<'r>>,
        plan: &'p CopyPlan,
        options: &RunOptions,
    ) -> Description<'p> {
        let terms = Terms {
            readers: readers.into(),
            plans: &self.plans,
            threads: options.thread_count(),
            budget: options.memory.unwrap_or_else(default_budget),
            folder: None,
        };
        let mut all: Vec<(VarId, &str, Routes)> = Vec::new();
        for of in self.routes() {
            match all.last_mut().filter(|(id, ..)| *id == of.out) {
                Some((_, _, routes)) => routes.add(of.route, of.chunks),
                None => all.push((of.out, of.name, Routes::of(of.route, of.chunks))),
            }
        }
        all.sort_by_key(|(id, ..)| *id);
        let mut memory = vec![0u64; self.plans.len()];
        for var in &self.variables {
            let of_variable = &mut memory[var.out.0];
            *of_variable = jobs::memory(&terms, &self.variables, var).max(*of_variable);
        }
        let variables = all
            .into_iter()
            .map(|(id, name, routes)| self.variable(id, name, routes, memory[id.0], &plan.registry))
            .collect();
        // Jobs of several variables run at the same time, at most one for each thread.
        memory.sort_unstable_by(|a, b| b.cmp(a));
        let largest = memory.first().copied().unwrap_or(0);
        let together = memory
            .iter()
            .take(terms.threads)
            .fold(0, |n: u64, m| n.saturating_add(*m));
        Description {
            kind: plan.schema.kind,
            variables,
            memory: together.min(terms.budget).max(largest),
        }
    }

    fn variable<'p>(
        &'p self,
        id: VarId,
        name: &'p str,
        routes: Routes,
        memory: u64,
        registry: &Registry,
    ) -> VariableDescription<'p> {
        let plan = &self.plans[id.0];
        let layout = &plan.layout;
        let named = |spec: &'p CodecSpec| {
            let name = registry.find(spec).map_or(spec.name(), |codec| codec.name());
            (name.to_owned(), spec)
        };
        VariableDescription {
            name,
            routes,
            layout,
            external: plan.external.as_deref(),
            filters: layout.filters.iter().map(named).collect(),
            chunks: plan.promised.chunks(),
            memory,
        }
    }
}
