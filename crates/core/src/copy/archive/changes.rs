//! What options ask of the blocks of an archive: their length, shape and filters.

use super::options::ArchiveOptions;
use crate::copy::plan::{AskedLayout, ChunkSpec, CopyOptions, named_variables};
use crate::error::{Error, Request, Result};
use crate::filter::spec::Targets;
use crate::filter::{AskedCodec, ChunkType, NumberClass, Registry, deflate::deflate, shuffle::shuffle};
use crate::format::archive::{Change, Filter, Filters, LARGEST_BLOCK, MOST_FILTERS};
use crate::model::{Endian, Schema, VarId, Variable};

/// What the options ask of each variable's blocks, and last of the rest.
pub(super) fn blocks(input: &Schema, options: &CopyOptions, asked: &ArchiveOptions) -> Result<Vec<Change>> {
    let mut changes = vec![Change::default(); input.vars.len() + 1];
    let rest = input.vars.len();
    if let Some(level) = options.deflate {
        for (n, change) in changes.iter_mut().enumerate() {
            let mut filters = Vec::new();
            if options.shuffle && level > 0 && n != rest {
                filters.push(Filter::Shuffle);
            }
            if level > 0 {
                filters.push(Filter::Deflate(level as u8));
            }
            change.filters = Some(Some(Filters::new(filters)));
        }
    } else if options.shuffle && options.filters.is_empty() {
        return Err(Error::Usage(
            "shuffling alone makes nothing smaller; give a level to deflate at too, or filters".to_owned(),
        ));
    }
    let mut named = vec![false; input.vars.len()];
    for request in &options.filters {
        let targets: Vec<usize> = match &request.targets {
            Targets::All => (0..input.vars.len()).filter(|n| !named[*n]).collect(),
            Targets::Named(names) => {
                let mut found = Vec::new();
                for name in names {
                    for VarId(n) in named_variables(input, Request::Filters, name)? {
                        named[n] = true;
                        found.push(n);
                    }
                }
                found
            }
        };
        if let [AskedCodec::Keep] = request.pipeline[..] {
            let rest = (request.targets == Targets::All).then_some(rest);
            for n in targets.into_iter().chain(rest) {
                changes[n].filters = None;
            }
            continue;
        }
        for n in targets {
            let size = input.type_size(input.vars[n].ty);
            changes[n].filters = Some(filters_of(&request.pipeline, size, &options.registry)?);
        }
        if request.targets == Targets::All {
            // The rest has no elements.
            let of_bytes = |filters: Filters| {
                let all = filters.list().iter().copied();
                Filters::new(
                    all.filter(|filter| matches!(filter, Filter::Deflate(_) | Filter::Zstd(_)))
                        .collect::<Vec<_>>(),
                )
            };
            let asked = filters_of(&request.pipeline, 1, &options.registry)?;
            changes[rest].filters = Some(asked.map(of_bytes));
        }
    }
    for spec in &options.chunking {
        chunks(input, spec, &mut changes)?;
    }
    for spec in asked.blocks.iter().filter(|spec| spec.variable.is_none()) {
        for change in &mut changes {
            change.length = Some(spec.length);
        }
    }
    for spec in &asked.blocks {
        let Some(name) = &spec.variable else { continue };
        let VarId(n) = input
            .var_at(name)
            .ok_or_else(|| Error::Usage(format!("blocks: the input has no variable named '{name}'")))?;
        changes[n].length = Some(spec.length);
    }
    Ok(changes)
}

/// The filters that a request names; `None` for those that are chosen by samples.
fn filters_of(asked: &[AskedCodec], size: usize, registry: &Registry) -> Result<Option<Filters>> {
    if let [AskedCodec::Auto(_)] = asked {
        return Ok(None);
    }
    let chunk = ChunkType::of_numbers(NumberClass::Unsigned, size.max(1), Endian::Big, &[1 << 16]);
    let refused = |what: &str| {
        Request::Filters.error(format!(
            "{what} is not a filter of archives; these are deflate, shuffle, bitshuffle without compression, zstd and delta"
        ))
    };
    let mut filters = Vec::new();
    for codec in asked {
        if let AskedCodec::Name { name, .. } = codec
            && name == "delta"
        {
            filters.push(Filter::Delta);
            continue;
        }
        if let AskedCodec::Id {
            id: deflate::ID,
            parameters,
        } = codec
            && *parameters == [0]
        {
            continue;
        }
        let stored = registry.new_pipeline(std::slice::from_ref(codec), &chunk)?;
        for spec in stored {
            filters.push(Filter::of_spec(&spec).ok_or_else(|| refused(&spec.to_string()))?);
        }
    }
    if filters.len() > MOST_FILTERS {
        return Err(refused(&format!("a list of more than {MOST_FILTERS} filters")));
    }
    // Shuffling without elements does nothing.
    if size == 1 {
        filters.retain(|filter| filter.spec().hdf5_id() != Some(shuffle::ID));
    }
    Ok(Some(Filters::new(filters)))
}

/// Makes blocks of chunks that are runs of the linear order.
fn chunks(input: &Schema, spec: &ChunkSpec, changes: &mut [Change]) -> Result<()> {
    match spec {
        ChunkSpec::Unchunked => Ok(()),
        ChunkSpec::Access(..) => {
            Err(Request::Chunks
                .error("archives have blocks, which are not shaped for a way to read the data"))
        }
        ChunkSpec::Variable { name, layout } => {
            let mut found = named_variables(input, Request::Chunks, name)?.into_iter();
            found.try_for_each(|VarId(n)| match layout {
                AskedLayout::Chunked(shape) => set_shape(input, n, shape, changes),
                AskedLayout::Contiguous | AskedLayout::Compact => Ok(()),
                AskedLayout::External(_) => Err(Request::Chunks.error(format!(
                    "variable {}: external files hold data of netCDF-4 and HDF5, not of archives; add -k nc4",
                    input.vars[n].name
                ))),
            })
        }
        ChunkSpec::Dimensions(list) => {
            // As in other copies, a rule of several dimensions leaves variables of one dimension alone.
            let is_exempt = |var: &Variable| list.len() > 1 && var.dims.len() == 1;
            for (n, var) in input.vars.iter().enumerate().filter(|(_, var)| !is_exempt(var)) {
                let asked = |dim: &crate::model::DimId| {
                    let dim = input.dim(*dim);
                    list.iter()
                        .find(|(name, _)| *name == dim.name)
                        .map(|(_, length)| length.unwrap_or(dim.length))
                };
                if var.dims.iter().all(|dim| asked(dim).is_none()) {
                    continue;
                }
                // As in chunks, where dimensions that are not named are whole, or of length 1 if unlimited.
                let own = |dim: &crate::model::Dimension| if dim.unlimited { 1 } else { dim.length };
                let lengths = var.dims.iter();
                let shape: Vec<u64> = lengths
                    .map(|dim| asked(dim).unwrap_or(own(input.dim(*dim))))
                    .collect();
                set_shape(input, n, &shape, changes)?;
            }
            Ok(())
        }
    }
}

fn set_shape(input: &Schema, n: usize, shape: &[u64], changes: &mut [Change]) -> Result<()> {
    let var = &input.vars[n];
    let refuse = |why: &str| Err(Request::Chunks.error(format!("variable {}: {why}", var.name)));
    if shape.len() != var.dims.len() {
        return refuse("the shape has another number of lengths than the variable has dimensions");
    }
    // A dimension without records still has blocks of one.
    let lengths: Vec<u64> = var.dims.iter().map(|dim| input.dim(*dim).length.max(1)).collect();
    let shape: Vec<u64> = shape
        .iter()
        .zip(&lengths)
        .map(|(n, length)| *n.min(length))
        .collect();
    let cut = shape.iter().position(|n| *n != 1).unwrap_or(shape.len());
    let whole = shape
        .iter()
        .zip(&lengths)
        .skip(cut + 1)
        .all(|(n, length)| n >= length);
    if !whole {
        return refuse(
            "blocks of an archive are runs of the elements' order, so a shape is ones, one length, and then whole dimensions",
        );
    }
    let size = input.type_size(var.ty) as u64;
    let bytes = shape.iter().try_fold(size, |bytes, n| bytes.checked_mul(*n));
    match bytes
        .and_then(|bytes| u32::try_from(bytes).ok())
        .filter(|bytes| *bytes <= LARGEST_BLOCK)
    {
        Some(0) => refuse("each length of a shape is at least 1"),
        Some(length) => {
            changes[n].length = Some(length);
            Ok(())
        }
        None => refuse("a block has at most 256 MiB"),
    }
}
