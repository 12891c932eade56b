//! `-F 'var,auto'`: the filters that make a variable's chunks smallest, found on samples.
//!
//! ```text
//! chunks spread over the variable ─► each candidate of the class ─► sizes ─► the smallest ─► a pipeline
//! ```
//!
//! The candidates are filters that the usual readers of netCDF-4 have: those of libhdf5, and those that netCDF-C installs.
//! A class is a list of candidates, not a time, so the same input gives the same choice on any machine.

use std::fmt;

use super::asked_filters::new_filters;
use super::samples::samples;
use crate::copy::plan::programs::Limits;
use crate::error::Result;
use crate::filter::{AskedCodec, ChunkShape, ChunkType, Effort, Registry, Scratch};
use crate::format::Reader;
use crate::model::{CodecNames, Schema, Type, VarId, VariableLayout, ZarrVersion};

/// Number of chunks that are sampled.
const SAMPLES: u64 = 4;

/// A candidate must be smaller than an earlier one by this share to be preferred, as it is slower or less common.
const WORTH: f64 = 0.01;

/// A candidate: its class, and ids with parameters.
type Candidate = (Effort, &'static [(u32, &'static [u32])]);

/// The candidates, each slower or less common than those before it.
const CANDIDATES: [Candidate; 11] = [
    (Effort::Fast, &[]),
    (Effort::Fast, &[(1, &[1])]),
    (Effort::Fast, &[(2, &[]), (1, &[1])]),
    (Effort::Fast, &[(32015, &[1])]),
    (Effort::Fast, &[(2, &[]), (32015, &[1])]),
    (Effort::Balanced, &[(2, &[]), (1, &[5])]),
    (Effort::Balanced, &[(2, &[]), (32015, &[6])]),
    (Effort::Small, &[(2, &[]), (1, &[9])]),
    (Effort::Small, &[(32015, &[19])]),
    (Effort::Small, &[(2, &[]), (32015, &[19])]),
    (Effort::Small, &[(2, &[]), (307, &[9])]),
];

/// The candidates for Zarr version 3. Every reader of it has Blosc and Zstandard.
const CANDIDATES_OF_ZARR3: [Candidate; 7] = [
    (Effort::Fast, &[]),
    (Effort::Fast, &[(32015, &[1])]),
    (Effort::Fast, &[(32001, &[0, 0, 0, 0, 1, 1, 5])]),
    (Effort::Balanced, &[(32001, &[0, 0, 0, 0, 5, 1, 5])]),
    (Effort::Balanced, &[(32001, &[0, 0, 0, 0, 5, 2, 5])]),
    (Effort::Small, &[(32015, &[19])]),
    (Effort::Small, &[(32001, &[0, 0, 0, 0, 9, 1, 5])]),
];

fn candidates(names: CodecNames) -> &'static [Candidate] {
    match names {
        CodecNames::Zarr(ZarrVersion::V3) => &CANDIDATES_OF_ZARR3,
        _ => &CANDIDATES,
    }
}

/// What is taken where there is nothing to sample.
fn usual(names: CodecNames) -> &'static [(u32, &'static [u32])] {
    match names {
        CodecNames::Zarr(ZarrVersion::V3) => &[(32015, &[3])],
        _ => &[(2, &[]), (1, &[5])],
    }
}

/// The filters that were chosen for a variable.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AutoChoice {
    /// Path of the variable.
    pub variable: String,
    /// The filters as `-F` takes them, `none` for none.
    pub filters: String,
    /// Bytes of the samples before and after.
    pub sizes: (u64, u64),
    /// The other candidates, and bytes of the samples after them.
    pub others: Vec<(String, u64)>,
}

/// The choice in one line: `temp: auto is shuffle|deflate,5, ratio 3.20 (none: 1.00; deflate,1: 2.00)`.
impl fmt::Display for AutoChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.sizes;
        let ratio = |after: u64| before as f64 / after.max(1) as f64;
        write!(f, "{}: auto is {}", self.variable, self.filters)?;
        if self.others.is_empty() {
            return write!(f, ", as there is nothing to sample");
        }
        write!(f, ", ratio {:.2} (", ratio(after))?;
        for (n, (filters, size)) in self.others.iter().enumerate() {
            write!(
                f,
                "{}{filters}: {:.2}",
                if n > 0 { "; " } else { "" },
                ratio(*size)
            )?;
        }
        write!(f, ")")
    }
}

/// A candidate as a user would ask for it.
fn asked(filters: &[(u32, &[u32])]) -> Vec<AskedCodec> {
    filters
        .iter()
        .map(|(id, parameters)| AskedCodec::id(*id, *parameters))
        .collect()
}

/// A candidate as `-F` takes it.
fn text(filters: &[(u32, &[u32])]) -> String {
    let registry = Registry::builtin();
    match filters {
        [] => "none".to_owned(),
        _ => {
            let named = |(id, parameters): &(u32, &[u32])| {
                let codec = registry.iter().find(|codec| codec.hdf5_id() == Some(*id));
                let name = codec.map_or_else(|| id.to_string(), |codec| codec.name().to_owned());
                let parameters = parameters.iter();
                parameters.fold(name, |text, parameter| format!("{text},{parameter}"))
            };
            filters.iter().map(named).collect::<Vec<_>>().join("|")
        }
    }
}

/// The variable of the output that filters are chosen for.
pub struct ChosenFor<'a> {
    /// The output.
    pub schema: &'a Schema,
    /// The variable's type.
    pub ty: Type,
    /// How it is stored.
    pub layout: &'a VariableLayout,
    /// The names that the output has for codecs.
    pub names: CodecNames,
    /// The programs that are to read the output.
    pub limits: &'a Limits,
    /// The codecs that are known.
    pub registry: &'a Registry,
}

impl ChosenFor<'_> {
    /// Bytes of a chunk that filters have encoded. `None` if the variable cannot have them, the output's kind has no form of them, or a
    /// program lacks them.
    fn encoded(
        &self,
        filters: &[AskedCodec],
        shape: &[u64],
        bytes: &[u8],
        scratch: &mut Scratch,
    ) -> Option<u64> {
        let chunk = ChunkType::new(self.schema, self.ty, self.layout, shape);
        let specs = new_filters(self.registry, filters, self.names, &chunk).ok()?;
        if self.limits.lacking(&specs, self.registry).is_some() {
            return None;
        }
        let pipeline = self.registry.bind(&specs, &chunk).ok()?;
        let encoded = pipeline.encode(bytes, ChunkShape::Full, scratch).ok()?;
        Some(encoded.bytes.len() as u64)
    }
}

/// Chooses filters for variable `source` of the input, by samples for which at most `left` bytes are decoded. These are subtracted. The
/// usual filters are chosen where there is no sample: then [`AutoChoice::sizes`] are 0.
///
/// # Errors
/// If a sample cannot be read.
pub fn choose(
    reader: &dyn Reader,
    source: VarId,
    chosen_for: &ChosenFor<'_>,
    effort: Effort,
    left: &mut u64,
) -> Result<(Vec<AskedCodec>, AutoChoice)> {
    let layout = chosen_for.layout;
    let samples = samples(reader, source, layout, SAMPLES, left)?;
    let mut scratch = Scratch::new();
    let mut sizes = Vec::new();
    for (_, filters) in candidates(chosen_for.names)
        .iter()
        .filter(|(class, _)| *class <= effort)
    {
        let mut size = 0;
        let mut fits = !samples.is_empty();
        for sample in &samples {
            match chosen_for.encoded(&asked(filters), &sample.shape, &sample.bytes, &mut scratch) {
                Some(encoded) => size += encoded,
                None => fits = false,
            }
        }
        if fits {
            sizes.push((*filters, size));
        }
    }
    let mut best: Option<(&[(u32, &[u32])], u64)> = None;
    for (filters, size) in &sizes {
        let limit = best.map_or(f64::INFINITY, |(_, best)| best as f64 * (1.0 - WORTH));
        if (*size as f64) < limit {
            best = Some((*filters, *size));
        }
    }
    let (filters, size) = best.unwrap_or((usual(chosen_for.names), 0));
    let others = sizes.iter().filter(|(other, _)| *other != filters);
    let choice = AutoChoice {
        variable: reader.schema().var_path(source),
        filters: text(filters),
        sizes: (samples.iter().map(|sample| sample.bytes.len() as u64).sum(), size),
        others: others.map(|(filters, size)| (text(filters), *size)).collect(),
    };
    Ok((asked(filters), choice))
}
