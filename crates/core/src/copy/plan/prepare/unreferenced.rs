//! What of a copy to references cannot be one, so that it would be stored among them as it is.

use super::routed::{Routed, Way};
use crate::chunk::byte_count;
use crate::copy::geometry::{InputMapping, Sources};
use crate::copy::plan::CopyPlan;
use crate::copy::readers::Readers;
use crate::copy::task::Route;
use crate::error::{Alternative, Error, Result};
use crate::filter::{ChunkType, Codec, Registry};
use crate::model::{CodecSpec, VarId};

/// A variable whose chunks cannot be references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreferenced {
    /// Its path.
    pub path: String,
    /// The reason, as a clause.
    pub why: String,
    /// What the user can do.
    pub cure: Alternative,
    /// Bytes of its values.
    pub bytes: u64,
}

impl Unreferenced {
    /// The reason why a variable of a copy cannot be referenced; `None` if it can, or need not.
    ///
    /// # Errors
    /// An input cannot be opened, or its index read.
    pub fn find(readers: &Readers, plan: &CopyPlan, out: VarId, routed: &Routed) -> Result<Option<Self>> {
        let copy = &plan.variables[out.0];
        if !copy.referenced {
            return Ok(None);
        }
        // Readers need all of it to open the dataset, and chunks of joined files seldom begin where those of the output do.
        let var = plan.schema.var(out);
        let is_coordinate = matches!(&var.dims[..], [dim] if plan.schema.dim(*dim).name == var.name);
        if is_coordinate && matches!(copy.sources, Sources::Parts(_)) {
            return Ok(None);
        }
        let bytes = byte_count(&copy.layout.extent, copy.layout.stored_size());
        let found = |why: String, cure: Alternative| {
            Ok(Some(Self {
                path: plan.schema.var_path(out),
                why,
                cure,
                bytes: bytes.map_or(u64::MAX, |bytes| bytes as u64),
            }))
        };
        let passes = |way: &&Way| matches!(&way.route, Route::Raw(same) if same.ends.is_empty());
        let total = routed.chunks();
        let passing = routed.ways.iter().filter(passes).map(|way| way.to_write.len());
        let passing = passing.fold(0, u64::saturating_add);
        if passing < total {
            if passing > 0 {
                let unfit = unfit(readers, plan, out, routed);
                let why = format!("{} of {total} chunks{unfit}", total - passing);
                return found(why, Alternative::CopiedChunks);
            }
            let (why, cure) = reason(readers, plan, out, routed);
            return found(why, cure);
        }
        let in_variable = |e: Error| e.in_variable(&plan.schema.var_path(out));
        let (unplaced, why) = unplaced(readers, routed).map_err(in_variable)?;
        if unplaced > 0 {
            let why = why.map(|why| format!(": the first is not, as {why}"));
            let cure = match unplaced < total {
                true => Alternative::CopiedChunks,
                false => Alternative::StoredAmongReferences,
            };
            return found(
                format!(
                    "{unplaced} of {total} chunks are not stored as one chunk or one run of one source{}",
                    why.unwrap_or_default()
                ),
                cure,
            );
        }
        match lacks_places(readers, routed).map_err(in_variable)? {
            true => found(NO_PLACE.to_owned(), Alternative::StoredAmongReferences),
            false => Ok(None),
        }
    }

    /// True if the other chunks can be references, so `--copy-ragged` stores these as values.
    pub fn can_copy_rest(&self) -> bool {
        self.cure == Alternative::CopiedChunks
    }

    /// The paths of all of these, with the reasons.
    pub fn listed(all: &[Self]) -> String {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for one in all {
            match reasons.iter_mut().find(|(why, _)| *why == one.why) {
                Some((_, paths)) => paths.push(&one.path),
                None => reasons.push((&one.why, vec![&one.path])),
            }
        }
        let told = reasons
            .iter()
            .map(|(why, paths)| format!("{} ({why})", paths.join(", ")));
        told.collect::<Vec<_>>().join("; ")
    }

    /// The error about all of these.
    pub fn error(all: &[Self]) -> Error {
        let what = match all.len() {
            1 => "this variable cannot be references".to_owned(),
            count => format!("these {count} variables cannot be references"),
        };
        let mut why = format!("{what}: {}", Self::listed(all));
        let first = all.first().map(|one| one.cure);
        let shared = first.filter(|cure| all.iter().all(|one| one.cure == *cure));
        let alternative = shared.unwrap_or(Alternative::StoredAmongReferences);
        // Who stores the values must know how many bytes they have.
        if let Alternative::StoredAmongReferences | Alternative::WholeChunks = alternative {
            let largest = all.iter().map(|one| one.bytes).max().unwrap_or(0);
            why += &match all.len() {
                1 => format!("; it has {largest} bytes"),
                _ => format!("; the largest has {largest} bytes"),
            };
        }
        Error::Alternative { why, alternative }
    }
}

/// Most chunks of which it is looked whether one has a place. References may have values of the first ones.
const MOST_LOOKED_AT: usize = 4096;

const NO_PLACE: &str = "its bytes do not lie in one piece where other programs find them";

/// True if the first input has the output's chunk shape, but its chunks start at other elements.
fn is_misaligned(plan: &CopyPlan, out: VarId, routed: &Routed) -> bool {
    let to = &plan.variables[out.0].layout;
    let shape = |input: &InputMapping| Some(input.grid.as_ref()?.chunk() == to.chunk_shape());
    let is_cut = |way: &Way| matches!(way.route, Route::Blocks(_));
    routed.inputs.first().and_then(shape) == Some(true) && routed.ways.iter().any(is_cut)
}

/// Number of chunks of virtual inputs that have no place: they are made of several sources, or read as what no source stores. The text
/// says why the first of them has none.
fn unplaced(readers: &Readers, routed: &Routed) -> Result<(u64, Option<String>)> {
    let (mut unplaced, mut why) = (0, None);
    for input in routed.inputs.iter() {
        if input.is_empty() || !input.is_virtual(readers) {
            continue;
        }
        let Some(grid) = &input.grid else { continue };
        let reader = readers.get(input.id().reader)?;
        for chunk in input.chunks() {
            let region = grid.region(chunk);
            let is_chosen = input.output(&region).is_some();
            if is_chosen && reader.place_of_chunk(input.var, chunk)?.is_none() {
                if unplaced == 0 {
                    why = reader.misfit(input.var, Some(&region))?;
                }
                unplaced += 1;
            }
        }
    }
    Ok((unplaced, why))
}

/// True if no place is known of the first chunks of the first input that is not virtual. Inputs of a kind tell places, or none does, and each
/// that is opened takes requests.
fn lacks_places(readers: &Readers, routed: &Routed) -> Result<bool> {
    let plain = |input: &&InputMapping| !input.is_empty() && !input.is_virtual(readers);
    let Some(input) = routed.inputs.iter().find(plain) else {
        return Ok(false);
    };
    let reader = readers.get(input.id().reader)?;
    let mut is_any = false;
    for chunk in input.chunks().take(MOST_LOOKED_AT) {
        is_any = true;
        if reader.place_of_chunk(input.var, chunk)?.is_some() {
            return Ok(false);
        }
    }
    Ok(is_any)
}

const OF_SEVERAL: &str = "its sources have other types, chunks or filters than each other, or cut its chunks";

/// Why no chunk of a variable passes, and what the user can do.
fn reason(readers: &Readers, plan: &CopyPlan, out: VarId, routed: &Routed) -> (String, Alternative) {
    let copy = &plan.variables[out.0];
    let to = &copy.layout;
    let stored = |why: &str| (why.to_owned(), Alternative::StoredAmongReferences);
    let Some(input) = routed.inputs.first() else {
        return stored(NO_PLACE);
    };
    let from = input.layout(readers);
    let fits = |input: &InputMapping| {
        input
            .grid
            .as_ref()
            .is_some_and(|grid| grid.chunk() == to.chunk_shape())
    };
    if input.grid.is_none() && input.is_virtual(readers) {
        let reader = readers.get(input.id().reader);
        let source = reader.and_then(|reader| reader.misfit(input.var, None));
        return match source {
            Ok(Some(why)) => stored(&format!("its sources are stored in different ways: {why}")),
            _ => stored(OF_SEVERAL),
        };
    }
    if input.grid.is_none() {
        return stored(NO_PLACE);
    }
    if !fits(input) {
        let why = "its chunks have another shape in the output";
        return (why.to_owned(), Alternative::WholeChunks);
    }
    if is_misaligned(plan, out, routed) {
        let why = "its chunks do not begin where those of the output begin";
        return (why.to_owned(), Alternative::CopiedChunks);
    }
    if copy.quantization.is_some() {
        return ("its values are quantized".to_owned(), Alternative::KeptValues);
    }
    if routed
        .ways
        .iter()
        .any(|way| matches!(way.route, Route::Values(_)))
    {
        return stored("its values are made anew");
    }
    let can = plan.schema.kind.can();
    let chunk = ChunkType::new(&plan.schema, plan.schema.var(out).ty, to, to.chunk_shape());
    // As references name it; `None` for one that readers of references lack.
    let named = |filter: &CodecSpec| {
        let is_lacking = |codec: &dyn Codec| can.only_numcodecs && !codec.facts().in_numcodecs;
        match plan.registry.find(filter) {
            Some(codec) if is_lacking(&**codec) => None,
            _ => plan.registry.named(filter, can.codecs?, &chunk).ok(),
        }
    };
    let lacking: Vec<_> = from
        .filters
        .iter()
        .filter(|filter| named(filter).is_none())
        .cloned()
        .collect();
    if !lacking.is_empty() {
        let names = names(&plan.registry, &lacking);
        return stored(&format!(
            "its chunks ({names}) are encoded as no reader of references decodes them"
        ));
    }
    let before = names(&plan.registry, &from.filters);
    if from
        .filters
        .iter()
        .filter_map(named)
        .eq(to.filters.iter().cloned())
    {
        return stored(&format!("its chunks ({before}) have another form in Zarr"));
    }
    let how = match names(&plan.registry, &to.filters) {
        after if after == before => "with other parameters".to_owned(),
        after => format!("({after})"),
    };
    let why = format!("its chunks ({before}) would be encoded anew {how}");
    (why, Alternative::KeptFilters)
}

/// The first input whose chunks are not those of the output, and why.
fn unfit(readers: &Readers, plan: &CopyPlan, out: VarId, routed: &Routed) -> String {
    let to = &plan.variables[out.0].layout;
    let shape = to.chunk_shape();
    let list = |lengths: &[u64]| lengths.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let why = |input: &InputMapping| {
        let from = input.layout(readers);
        let chunk = input.grid.as_ref().map_or(&[][..], |grid| grid.chunk());
        if chunk != shape {
            return Some(format!("has chunks of {}, not {}", list(chunk), list(shape)));
        }
        let starts = input.target.start.iter().zip(shape).enumerate();
        let mut within = starts.filter(|(_, (at, length))| !at.is_multiple_of(**length));
        if let Some((d, (at, length))) = within.next() {
            let dim = plan.schema.dim(plan.schema.var(out).dims[d]);
            return Some(format!(
                "begins at {at} of {}, within a chunk of {length}",
                dim.name
            ));
        }
        if from.endian != to.endian && from.element_size > 1 {
            return Some("has its numbers in the other byte order".to_owned());
        }
        let first = routed.inputs.first()?.layout(readers);
        let names = |filters: &[CodecSpec]| names(&plan.registry, filters);
        let told = || {
            format!(
                "has other filters than the first input: {}, not {}",
                names(&from.filters),
                names(&first.filters)
            )
        };
        (first.filters != from.filters).then(told)
    };
    let found = routed
        .inputs
        .iter()
        .find_map(|input| Some((readers.name(input.id().reader)?, why(input)?)));
    match found {
        Some((name, why)) => format!(", as {name} {why}"),
        None => " are not those of one input".to_owned(),
    }
}

/// The names of filters.
fn names(registry: &Registry, filters: &[CodecSpec]) -> String {
    let name = |codec: &CodecSpec| {
        let known = registry.find(codec);
        known.map_or_else(|| codec.to_string(), |codec| codec.name().to_owned())
    };
    match filters {
        [] => "no filter".to_owned(),
        filters => filters.iter().map(name).collect::<Vec<_>>().join("+"),
    }
}
