//! Before anything is written: which way each variable takes, and which chunks of it will be written.
//!
//! ```text
//! CopyPlan ─► route: Way ─┬─► VariablePlan   what the writer must know before the first byte
//!                         └─► Variable       what the engine will do, with tickets
//! ```

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tracing::{Level, debug, enabled};

use super::CopyPlan;
use super::bands;
use super::places::Places;
use super::quantization::Quantizer;
use super::report::RouteName;
use super::route::{Holes, Route, Way, way};
use super::skip_fill::can_skip;
use super::sources::{Input, Sources};
use crate::chunk::{byte_count, element_count};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Pipeline, SharedPipelines};
use crate::format::{Promised, Reader, VariablePlan};
use crate::model::{Encoding, Storage, VarId, VariableLayout, default_fill_value, fill_value_attribute};
use crate::threads::on_all;

/// The most chunk indexes that are read at once.
const MOST_AT_ONCE: usize = 64;

/// What [`prepare`] found out: what the writer must know, and what the engine will do.
#[derive(Debug)]
pub struct Prepared {
    /// For `format::create`, one for each variable of the output.
    pub plans: Vec<VariablePlan>,
    pub(super) variables: Vec<Variable>,
    /// The variables of which nothing is written, with their paths.
    pub(super) nothing: Vec<(VarId, String)>,
}

impl Prepared {
    /// The id, path, route and decoded bytes of each variable of the output, in no order.
    pub(super) fn routes(&self) -> impl Iterator<Item = (VarId, &str, RouteName, u64)> {
        let written = self.variables.iter().map(|var| {
            (
                var.out,
                var.name.as_str(),
                RouteName::from(&var.route),
                var.progress,
            )
        });
        let nothing = self.nothing.iter();
        written.chain(nothing.map(|(id, name)| (*id, name.as_str(), RouteName::Nothing, 0)))
    }
}

/// One variable that has data to copy.
#[derive(Debug)]
pub(super) struct Variable {
    /// The variable of the output.
    pub out: VarId,
    /// Its path.
    pub name: String,
    /// Where its data comes from, at least one.
    pub inputs: Vec<Input>,
    /// How it is copied.
    pub route: Route,
    /// The chunks that will be written (slabs of a contiguous output count as chunks).
    pub places: Places,
    /// The ticket of the first.
    pub ticket: u64,
    /// Decoded bytes to copy, for the progress bar and the report alone.
    pub progress: u64,
    /// True if chunks that hold only fill values are left out.
    pub skips_fill: bool,
    /// True if strings that are too long are cut.
    pub cuts_strings: bool,
    /// Quantizes its values before they are encoded. Most variables have none.
    pub quantizer: Option<Box<Quantizer>>,
}

impl Variable {
    /// The first input, which is the only one unless parts are selected.
    pub fn input(&self) -> &Input {
        &self.inputs[0]
    }

    /// Quantizes bytes of contiguous storage from byte `offset` on, if the variable is quantized. Ranges end between
    /// elements.
    pub fn quantize_range(&self, bytes: &mut [u8], offset: u64) {
        if let Some(quantizer) = &self.quantizer {
            quantizer.run(bytes, offset / quantizer.element_size());
        }
    }

    /// The input variable, where each of its elements keeps its place.
    pub fn whole(&self) -> Option<VarId> {
        match &self.inputs[..] {
            [input] if input.selection.is_none() => Some(input.var),
            _ => None,
        }
    }
}

/// Finds the way of each variable and counts the chunks that will be written: only those under which the input has
/// anything stored.
///
/// # Errors
/// What reading the input's chunk indexes finds wrong, a plan that does not fit the input, and
/// [`Error::UnknownFilter`] where a chunk would have to pass a filter that is not known.
pub fn prepare(reader: &dyn Reader, plan: &CopyPlan) -> Result<Prepared> {
    if plan.variables.len() != plan.schema.vars.len() {
        return Err(Error::Usage(
            "a plan must have one entry for each variable".into(),
        ));
    }
    let plan = &*with_fill_values(plan);
    let mut prepared = Prepared {
        plans: Vec::with_capacity(plan.variables.len()),
        variables: Vec::new(),
        nothing: Vec::new(),
    };
    let masks = plan.schema.kind.can().filter_masks;
    let pipelines = SharedPipelines::new(plan.registry.clone()).with_masks(masks);
    let ways = ways(reader, plan)?;
    prepared.variables.reserve_exact(ways.iter().flatten().count());
    for (n, way) in ways.into_iter().enumerate() {
        let copy = &plan.variables[n];
        let layout = copy.layout.clone();
        let chunks = way.as_ref().map_or(0, |way| way.places.len());
        let pipeline = match &layout.storage {
            Storage::Chunked { shape } => {
                let ty = plan.schema.vars[n].ty;
                let chunk = ChunkType::new(&plan.schema, ty, &layout, shape);
                pipelines
                    .bind(&layout.filters, &chunk)
                    .map_err(|e| e.in_variable(&plan.schema.var_path(VarId(n))))?
            }
            _ => Pipeline::empty(),
        };
        if let Some(Way { route, .. }) = &way
            && !matches!(route, Route::Raw(_))
        {
            pipeline
                .check_known()
                .map_err(|e| e.in_variable(&plan.schema.var_path(VarId(n))))?;
        }
        let skips_fill = copy.skips_fill && can_skip(&plan.schema, VarId(n), &layout);
        if let (true, Some(Way { inputs, .. })) = (skips_fill, &way) {
            for input in inputs.iter().filter(|input| input.grid.is_some()) {
                let known = reader.pipeline(input.var)?.check_known();
                let need = "chunks must be decoded to leave out those that hold only fill values";
                known.map_err(|e| e.with_need(need).in_variable(&plan.schema.var_path(VarId(n))))?;
            }
        }
        prepared.plans.push(VariablePlan {
            layout,
            pipeline,
            promised: promised(way.as_ref(), &copy.layout, chunks),
            keeps_no_fill: copy.keeps_no_fill,
            external: copy.external.clone(),
            skips_fill,
        });
        let Some(Way {
            route,
            inputs,
            places,
        }) = way
        else {
            let id = VarId(n);
            prepared.nothing.push((id, plan.schema.var_path(id)));
            continue;
        };
        prepared.variables.push(Variable {
            out: VarId(n),
            name: plan.schema.var_path(VarId(n)),
            inputs,
            route,
            progress: decoded_bytes(&copy.layout, chunks),
            cuts_strings: copy.cuts_strings,
            skips_fill,
            quantizer: copy.quantization.map(|quantization| {
                let ty = plan.schema.vars[n].ty;
                Box::new(Quantizer::new(quantization, ty, &copy.layout))
            }),
            places,
            ticket: 0,
        });
    }
    bands::gather(reader, &prepared.plans, &mut prepared.variables);
    deal_tickets(&mut prepared.variables, &prepared.plans);
    if enabled!(Level::DEBUG) {
        for (_, variable, route, bytes) in prepared.routes() {
            debug!(variable, %route, bytes, "route");
        }
    }
    Ok(prepared)
}

/// Gives a fill value to variables that are made of parts, if their kind cannot be without one. What no part fills is
/// written as that value.
fn with_fill_values(plan: &CopyPlan) -> Cow<'_, CopyPlan> {
    let mut plan = Cow::Borrowed(plan);
    if plan.schema.kind.can().no_fill {
        return plan;
    }
    for n in 0..plan.variables.len() {
        let copy = &plan.variables[n];
        let fill = &copy.layout.fill;
        if !matches!(copy.sources, Sources::Parts(_)) || fill.value.is_some() && !fill.no_fill {
            continue;
        }
        let var = &plan.schema.vars[n];
        let value = fill.value.as_ref().or_else(|| fill_value_attribute(var));
        if let Some(value) = value.cloned().or_else(|| default_fill_value(var.ty)) {
            let fill = &mut plan.to_mut().variables[n].layout.fill;
            (fill.value, fill.no_fill) = (Some(value), false);
        }
    }
    plan
}

/// What the writer is told of how much will come. Worked out from the layout alone, not from what the engine or the progress
/// bar count, so that a mistake there is found when the writer finishes.
fn promised(way: Option<&Way>, to: &VariableLayout, chunks: u64) -> Promised {
    match (way, &to.storage) {
        (None, _) => Promised::Nothing,
        (Some(_), Storage::Chunked { .. }) => Promised::Chunks(chunks),
        (Some(_), _) => {
            let bytes = element_count(&to.extent).and_then(|n| n.checked_mul(to.element_size as u64));
            bytes.map_or(Promised::Nothing, Promised::Bytes)
        }
    }
}

/// Gives the pieces of all variables their tickets, dense from 0 in the order of variables.
pub(super) fn deal_tickets(variables: &mut [Variable], plans: &[VariablePlan]) {
    let mut ticket = 0u64;
    for var in variables {
        var.ticket = ticket;
        let taken = match &mut var.route {
            Route::Records(Some(band)) => {
                band.ticket = ticket;
                band.tickets()
            }
            Route::Records(None) => 0,
            route if takes_tickets(route, &plans[var.out.0].layout) => var.places.len(),
            _ => 0,
        };
        ticket = ticket.saturating_add(taken);
    }
}

/// Whether the pieces of a variable are written in the order of tickets.
fn takes_tickets(route: &Route, to: &VariableLayout) -> bool {
    matches!(to.storage, Storage::Chunked { .. })
        || matches!(route, Route::Values(_)) && to.encoding == Encoding::Structured
}

/// Decoded bytes of `chunks` chunks, or of all elements of a variable without chunks.
pub(super) fn decoded_bytes(to: &VariableLayout, chunks: u64) -> u64 {
    let bytes = match &to.storage {
        Storage::Chunked { shape, .. } => {
            byte_count(shape, to.stored_size()).map(|n| chunks.saturating_mul(n as u64))
        }
        _ => byte_count(&to.extent, to.element_size).map(|n| n as u64),
    };
    bytes.unwrap_or(u64::MAX)
}

/// The way of each variable of the plan. Where a request to the store takes long, several chunk indexes are read at once.
fn ways(reader: &dyn Reader, plan: &CopyPlan) -> Result<Vec<Option<Way>>> {
    let holes = Holes {
        read_as_zeros: plan.schema.kind.can().no_fill,
    };
    let one = |n: usize| {
        way(reader, plan, VarId(n), holes).map_err(|e| e.in_variable(&plan.schema.var_path(VarId(n))))
    };
    let count = plan.variables.len();
    let requests = reader.requests();
    if !requests.ahead {
        return (0..count).map(one).collect();
    }
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(count));
    on_all(requests.in_flight.min(MOST_AT_ONCE).min(count), |_, _| {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= count {
                return;
            }
            let way = one(n);
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((n, way));
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(n, _)| *n);
    found.into_iter().map(|(_, way)| way).collect()
}
