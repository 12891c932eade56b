//! Prepares a copy before anything is written: which route each variable takes, and which chunks of it will be written.

use std::sync::Arc;

use tracing::{Level, debug, enabled};

use super::bands;
use super::choose_route::{Holes, choose_route};
use super::each::each;
use super::fill_values::{can_skip, with_fill_values};
use super::further_sources::FurtherSources;
use super::numbering::{decoded_bytes, number_pieces, promised};
use super::prepared::Prepared;
use super::routed::{Routed, Way};
use super::unreferenced::Unreferenced;
use crate::copy::plan::CopyPlan;
use crate::copy::quantization::Quantizer;
use crate::copy::readers::Readers;
use crate::copy::task::{Route, Variable};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Pipeline, SharedPipelines};
use crate::format::VariablePlan;
use crate::model::{Storage, VarId};

/// Finds the way of each variable and counts the chunks that will be written: only those under which the input has
/// anything stored.
///
/// # Errors
/// What reading the input's chunk indexes finds wrong, a plan that does not fit the input, and
/// [`Error::UnknownFilter`] where a chunk would have to pass a filter that is not known.
pub fn prepare<'r>(readers: impl Into<Readers<'r>>, plan: &CopyPlan) -> Result<Prepared> {
    prepare_copy(&readers.into(), plan)
}

fn prepare_copy(readers: &Readers, plan: &CopyPlan) -> Result<Prepared> {
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
        unreferenced: Vec::new(),
    };
    let masks = plan.schema.kind.can().filter_masks;
    let pipelines = SharedPipelines::new(plan.registry.clone()).with_masks(masks);
    let routed = routes(readers, plan)?;
    prepared.variables.reserve_exact(routed.iter().flatten().count());
    for (n, routed) in routed.into_iter().enumerate() {
        let copy = &plan.variables[n];
        let layout = copy.layout.clone();
        let chunks = routed.as_ref().map_or(0, Routed::chunks);
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
        if let Some(Routed { ways, .. }) = &routed
            && ways.iter().any(|way| !matches!(way.route, Route::Raw(_)))
        {
            pipeline
                .check_known()
                .map_err(|e| e.in_variable(&plan.schema.var_path(VarId(n))))?;
        }
        let skips_fill = copy.skips_fill && can_skip(&plan.schema, VarId(n), &layout);
        if let (true, Some(Routed { inputs, .. })) = (skips_fill, &routed) {
            for input in inputs.iter().filter(|input| input.grid.is_some()) {
                let known = input.pipeline(readers)?.check_known();
                let need = "chunks must be decoded to leave out those that hold only fill values";
                known.map_err(|e| e.with_need(need).in_variable(&plan.schema.var_path(VarId(n))))?;
            }
        }
        let unreferenced = match &routed {
            Some(routed) => Unreferenced::find(readers, plan, VarId(n), routed)
                .map_err(|e| e.in_variable(&plan.schema.var_path(VarId(n))))?,
            None => None,
        };
        prepared.plans.push(VariablePlan {
            keeps_no_fill: copy.keeps_no_fill,
            external: copy.external.clone(),
            skips_fill,
            ..VariablePlan::with_pipeline(layout, pipeline, promised(routed.as_ref(), &copy.layout, chunks))
        });
        let Some(Routed { inputs, ways }) = routed else {
            let id = VarId(n);
            prepared.nothing.push((id, plan.schema.var_path(id)));
            continue;
        };
        prepared.unreferenced.extend(unreferenced);
        for Way { route, to_write } in ways {
            prepared.variables.push(Variable {
                out: VarId(n),
                name: plan.schema.var_path(VarId(n)),
                inputs: Arc::clone(&inputs),
                route,
                progress: decoded_bytes(&copy.layout, to_write.len()),
                cuts_strings: copy.cuts_strings,
                referenced: copy.referenced,
                skips_fill,
                quantizer: copy.quantization.map(|quantization| {
                    let ty = plan.schema.vars[n].ty;
                    Box::new(Quantizer::new(quantization, ty, &copy.layout))
                }),
                to_write,
                first_sequence: 0,
            });
        }
    }
    bands::gather(readers.main(), &prepared.plans, &mut prepared.variables);
    number_pieces(&mut prepared.variables, &prepared.plans);
    if enabled!(Level::DEBUG) {
        for of in prepared.routes() {
            debug!(variable = of.name, route = %of.route, chunks = of.chunks, bytes = of.decoded, "route");
        }
    }
    Ok(prepared)
}

/// The route of each variable of the plan. Where a request to the store takes long, several chunk indexes are read at once.
fn routes(readers: &Readers, plan: &CopyPlan) -> Result<Vec<Option<Routed>>> {
    let further = FurtherSources::look(readers, plan)?;
    let holes = Holes {
        read_as_zeros: plan.schema.kind.can().no_fill,
    };
    each(plan.variables.len(), readers.main().requests(), |n| {
        let routed = choose_route(readers, &further, plan, VarId(n), holes);
        routed.map_err(|e| e.in_variable(&plan.schema.var_path(VarId(n))))
    })
}
