//! Plans a copy of a dataset: the options become the layout of each variable.

use super::copy_plan::{CopyPlan, VariableCopy};
use super::layout::{Chunking, FilterRequests, OutputVariable, Sharding, is_referenced, placed};
use super::notices::Notices;
use super::output::normalized_names::normalize;
use super::output::output_schema::{self, OutputSchema};
use super::output::{dimensions, kind, pages, unsupported, user_types};
use super::request::{CopyOptions, QuantizeRequest};
use super::select::{Use, select};
use crate::copy::geometry::{SourcePart, Sources};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{SharedLayouts, VarId};
use crate::subset::Subset;

/// Plans a copy of everything in `reader`, as `options` ask.
///
/// # Errors
/// [`Error::Request`] or [`Error::NotHeld`], which name the
/// item at fault.
pub fn plan(reader: &dyn Reader, options: &CopyOptions) -> Result<CopyPlan> {
    let input = reader.schema();
    if let (Some(fault), None, None) = (input.faults.first(), &options.variables, &options.groups) {
        return Err(Error::Damaged(fault.clone()));
    }
    if let (Some(refused), None, None) = (input.refused.first(), &options.variables, &options.groups) {
        return Err(Error::Usage(refused.clone()));
    }
    let changed = dimensions::changed(input, options)?;
    let input = changed.as_ref().unwrap_or(input);
    let kind = kind::output_kind(input, options)?;
    let page_size = pages::asked(input, options, kind)?;
    let requests = FilterRequests::resolve(input, &options.filters, &options.registry)?;
    let fixes = kind.can().fixes_unlimited();
    let mut fixed = options.fix_unlimited || fixes;
    let mut selected = select(input, options)?;
    let mut notices = Notices::default();
    for fault in &input.faults {
        // A pattern, or a chosen group, may have asked for it.
        notices.add("what is damaged is left out".to_owned(), fault.clone());
    }
    for named in selected.missing.drain(..) {
        notices.add("attributes name variables that the input lacks".to_owned(), named);
    }
    let mut without = None;
    if options.drop_unsupported {
        let left = unsupported::leave_out(input, selected, kind, fixed, &mut notices)?;
        fixed = left.fixes_unlimited;
        selected = left.selected;
        without = Some(left.input);
    }
    if options.shards_as_hdf5 {
        user_types::leave_out(input, &mut selected, options.drop_unsupported, &mut notices)?;
    }
    let chunking = Chunking::resolve(input, options, fixed)?;
    let sharding = Sharding::resolve(input, options, kind)?;
    if options.fix_unlimited && !fixes {
        let refuse = |dim| dimensions::refuse_fixing_empty(input, dim);
        input.dims.iter().try_for_each(refuse)?;
    }
    let OutputSchema { mut schema, sources } = output_schema::build(
        without.as_ref().unwrap_or(input),
        &selected,
        kind,
        fixed,
        &mut notices,
    );
    if kind.can().normalized_names {
        normalize(&mut schema)?;
    }
    match options.verbatim {
        true => kind::check(&schema, kind)?,
        false => unsupported::check(&schema, without.as_ref().unwrap_or(input), &selected, kind, fixed)?,
    }
    schema.page_size = page_size;
    options.limits.tell(&schema, &mut notices)?;

    let quantized = QuantizeRequest::resolve(&options.quantize, input, &schema)?;
    for (at, (source, _)) in sources.iter().enumerate() {
        if let Some(quantization) = quantized[source.0] {
            schema.vars[at].attributes.push(quantization.attribute());
        }
    }

    let mut choices = Vec::new();
    let mut variables = Vec::with_capacity(schema.vars.len());
    let mut layouts = SharedLayouts::default();
    for (at, &(source, used)) in sources.iter().enumerate() {
        if used == Use::Copy {
            reader.resolve_sources(source)?;
        }
        let var = OutputVariable {
            input,
            output: &schema,
            source,
            is_copied: used == Use::Copy,
            var: VarId(at),
            layout: reader.layout(source),
        };
        let layout = var
            .plan(
                reader,
                &requests,
                &chunking,
                &sharding,
                options,
                (&mut choices, &mut notices),
            )
            .map_err(|error| error.in_variable(&input.var_path(source)))?;
        let both = (reader.layout(source), &layout);
        let referenced = used == Use::Copy && is_referenced(&schema, VarId(at), both, options);
        let external = chunking
            .external(source)
            .map(|parts| placed(parts, &schema, VarId(at), &layout))
            .transpose()
            .map_err(|error| error.in_variable(&input.var_path(source)))?;
        let sources = match used {
            Use::Copy => Sources::Whole(source),
            _ => Sources::Nothing,
        };
        variables.push(VariableCopy {
            cuts_strings: options.string_length.is_some_and(|asked| asked.cut),
            // What is stored twice is stored whole.
            skips_fill: options.skip_fill && (!options.shards_as_hdf5 || layout.shard.is_some()),
            external,
            quantization: quantized[source.0],
            referenced,
            ..VariableCopy::new(sources, layouts.share(layout))
        });
    }
    Ok(CopyPlan {
        schema,
        variables,
        registry: options.registry.clone(),
        choices,
        notices,
        grows: false,
    })
}

/// Plans a copy of a subset of a dataset, as `options` ask. The copy reads `Subset::source`.
///
/// # Errors
/// The errors of [`plan`].
pub fn plan_subset(part: &Subset, options: &CopyOptions) -> Result<CopyPlan> {
    let mut plan = plan(part, options)?;
    for copy in &mut plan.variables {
        let Sources::Whole(variable) = copy.sources else {
            continue;
        };
        if let Some(selections) = part.selections(variable) {
            let source = |selection| SourcePart::new(variable, selection);
            copy.sources = Sources::Parts(selections.into_iter().map(source).collect());
        }
    }
    Ok(plan)
}
