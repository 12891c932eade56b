//! [`KeptJoin`]: what was found of the inputs of a join, as data, so that another process need not look at all of them again.
//!
//! ```text
//! looks ─► Joined ─► KeptJoin ─► the file of a job ─► Merged::of_kept ─► Joined
//!                                                        opens the first input, and one input for each other way to store a variable
//! ```
//!
//! What another process makes of it is hostile: everything is checked against the first input, and [`Expected`] checks each other
//! input when it is opened.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::first::axes;
use super::look::NameMap;
use super::order::JoinPiece;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Registry};
use crate::format::{KnownVariable, Reader, ReaderPool, Written};
use crate::model::{DimId, Schema, Storage, Type, VarId, VariableLayout};
use crate::time::TimeConversion;

/// Most ways to store a variable that are told apart. An input with another one is opened to know it.
const MOST_STORED: usize = 64;

/// Most chunks of all variables that are kept, where some were never written.
const MOST_CHUNKS: u64 = 1 << 24;

/// What was found of the inputs of a join.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptJoin {
    /// Input, first cell, number of cells, and place of each piece.
    pieces: Vec<(usize, u64, u64, u64)>,
    /// For each input, its map of variables. `None` if it has the variables of the first input.
    names: Vec<Option<usize>>,
    /// The maps: for each variable of the first input, that of another.
    maps: Vec<Vec<Option<usize>>>,
    /// Times of other units, each with its variable and input.
    times: Vec<(usize, usize, KeptTimes)>,
    /// Attributes that differ.
    differing: BTreeSet<String>,
    /// The ways to store a variable: an input and its variable that is stored so.
    stored: Vec<(usize, usize)>,
    known: Vec<KnownOf>,
}

/// How a variable of an input is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KnownOf {
    input: usize,
    var: usize,
    /// The way to store it.
    stored: usize,
    extent: Vec<u64>,
    /// The chunks that were written, as runs of the first and the one behind the last; `None` for all.
    written: Option<Vec<(u64, u64)>>,
}

/// A conversion of times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptTimes {
    /// In decimal digits, as few programs read integers of 128 bits.
    lengths: [String; 3],
    missing: Vec<Vec<u8>>,
}

/// What was found of the inputs of a join.
#[derive(Debug, Default)]
pub struct JoinFindings {
    pub pieces: Vec<JoinPiece>,
    /// Items of each input.
    pub names: Vec<NameMap>,
    /// Changes of values, by variable and input.
    pub changes: HashMap<VarId, BTreeMap<usize, Change>>,
    /// Attributes that differ.
    pub differing: BTreeSet<String>,
}

/// Variables of inputs: the number of the input, the variable there, and what is known of it.
pub type KnownVariables = Vec<(usize, VarId, KnownVariable)>;

impl KeptJoin {
    /// What was found, and what is known of variables. `first` gives the variables of the first input. `None` if values are unpacked,
    /// which inputs tell by their attributes.
    pub fn of(
        found: &JoinFindings,
        first: &dyn Reader,
        known: &KnownVariables,
        registry: &Registry,
    ) -> Option<Self> {
        let mut kept = Self {
            pieces: found
                .pieces
                .iter()
                .map(|p| (p.input, p.from, p.count, p.at))
                .collect(),
            differing: found.differing.clone(),
            ..Self::default()
        };
        let mut maps: HashMap<Vec<Option<usize>>, usize> = HashMap::new();
        for names in &found.names {
            kept.names.push(names.listed().map(|map| {
                let next = maps.len();
                *maps.entry(map.clone()).or_insert_with(|| {
                    kept.maps.push(map);
                    next
                })
            }));
        }
        for (var, changes) in &found.changes {
            for (input, change) in changes {
                let Change::Times {
                    conversion, missing, ..
                } = change
                else {
                    return None;
                };
                let lengths = conversion.lengths().map(|length| length.to_string());
                let missing = missing.clone();
                kept.times.push((var.0, *input, KeptTimes { lengths, missing }));
            }
        }
        kept.times.sort_unstable_by_key(|(var, input, _)| (*var, *input));
        kept.store(first, known, registry);
        Some(kept)
    }

    /// Keeps how variables are stored.
    fn store(&mut self, first: &dyn Reader, known: &KnownVariables, registry: &Registry) {
        let mut ways: Vec<KnownVariable> = Vec::new();
        let of_first = (0..first.schema().vars.len()).map(VarId);
        for var in of_first {
            if let Ok(way) = KnownVariable::of(first, var) {
                self.stored.push((0, var.0));
                ways.push(way);
            }
        }
        let first_ways = ways.len();
        let mut left = MOST_CHUNKS;
        for (input, var, of) in known {
            let written = match &of.written {
                Written::All => None,
                Written::Nothing => Some(Vec::new()),
                Written::Chunks(chunks) => Some(runs(chunks)),
                Written::Regions(_) => continue,
            };
            let listed = match &of.written {
                Written::Chunks(all) => all.len() as u64,
                _ => 0,
            };
            if of.is_virtual || listed > left {
                continue;
            }
            // Mostly it is stored as the variable of the same number of the first input.
            let is_way = |way: &KnownVariable| {
                let other = with_extent(way, &of.layout.extent, first.schema(), registry);
                other.is_some_and(|other| {
                    (&other.layout, &other.pipeline) == (&of.layout, &of.pipeline)
                        && (other.ty, other.filter_masks) == (of.ty, of.filter_masks)
                })
            };
            let same = ways.get(var.0).is_some_and(is_way).then_some(var.0);
            let stored = same.or_else(|| ways.iter().position(is_way)).or_else(|| {
                (ways.len() - first_ways < MOST_STORED).then(|| {
                    self.stored.push((*input, var.0));
                    ways.push(of.clone());
                    ways.len() - 1
                })
            });
            if let Some(stored) = stored {
                left -= listed;
                let extent = of.layout.extent.clone();
                self.known.push(KnownOf {
                    input: *input,
                    var: var.0,
                    stored,
                    extent,
                    written,
                });
            }
        }
    }

    /// What was found, of `inputs` inputs whose first has this schema.
    ///
    /// # Errors
    /// What cannot be of these inputs.
    pub fn found(&self, inputs: usize, first: &Schema, inexact: bool) -> Result<JoinFindings> {
        let count = first.vars.len();
        let maps = self.maps.iter().map(|map| {
            let map: Arc<[Option<VarId>]> = map.iter().map(|var| var.map(VarId)).collect();
            (map.len() == count).then(|| NameMap::of(map))
        });
        let maps: Vec<NameMap> = maps.collect::<Option<_>>().ok_or_else(damaged)?;
        let names = self.names.iter().map(|map| match map {
            None => Some(NameMap::same()),
            Some(map) => maps.get(*map).cloned(),
        });
        let names: Vec<NameMap> = names.collect::<Option<_>>().ok_or_else(damaged)?;
        let mut next = 0u64;
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for &(input, from, count, at) in &self.pieces {
            let ends = (at.checked_add(count), from.checked_add(count));
            let (true, (Some(end), Some(_))) = (at == next && count > 0 && input < inputs, ends) else {
                return Err(damaged());
            };
            next = end;
            pieces.push(JoinPiece {
                input,
                from,
                count,
                at,
            });
        }
        let mut changes: HashMap<VarId, BTreeMap<usize, Change>> = HashMap::new();
        for (var, input, times) in &self.times {
            let lengths = times.lengths.iter().map(|length| length.parse().ok());
            let lengths: Option<Vec<i128>> = lengths.collect();
            let lengths = lengths.and_then(|lengths| lengths.try_into().ok());
            let conversion = lengths.and_then(TimeConversion::of_lengths);
            let (Some(conversion), true) = (conversion, *var < count && *input < inputs) else {
                return Err(damaged());
            };
            let change = Change::Times {
                conversion,
                missing: times.missing.clone(),
                inexact,
            };
            changes.entry(VarId(*var)).or_default().insert(*input, change);
        }
        match names.len() == inputs {
            true => Ok(JoinFindings {
                pieces,
                names,
                changes,
                differing: self.differing.clone(),
            }),
            false => Err(damaged()),
        }
    }

    /// Tells a pool what is known of its readers. `in_pool` gives the number of an input in the pool.
    ///
    /// # Errors
    /// What cannot be of these inputs; an input that cannot be opened.
    pub fn tell(
        &self,
        first: &dyn Reader,
        pool: &ReaderPool,
        registry: &Registry,
        in_pool: impl Fn(usize) -> usize,
    ) -> Result<()> {
        let of = |(input, var): &(usize, usize)| match input {
            0 if *var < first.schema().vars.len() => KnownVariable::of(first, VarId(*var)),
            0 => Err(damaged()),
            _ => {
                let reader = pool.get(in_pool(*input))?;
                match *var < reader.schema().vars.len() {
                    true => KnownVariable::of(&**reader, VarId(*var)),
                    false => Err(damaged()),
                }
            }
        };
        let needed: BTreeSet<usize> = self.known.iter().map(|known| known.stored).collect();
        let mut ways: HashMap<usize, KnownVariable> = HashMap::new();
        for way in needed {
            ways.insert(way, of(self.stored.get(way).ok_or_else(damaged)?)?);
        }
        let mut alike: HashMap<(usize, &[u64]), KnownVariable> = HashMap::new();
        let mut left = MOST_CHUNKS;
        for known in &self.known {
            let variable = match alike.entry((known.stored, &known.extent)) {
                Entry::Occupied(found) => found.into_mut(),
                Entry::Vacant(new) => {
                    let way = ways.get(&known.stored).ok_or_else(damaged)?;
                    let variable = with_extent(way, &known.extent, first.schema(), registry);
                    new.insert(variable.ok_or_else(damaged)?)
                }
            };
            let written = match &known.written {
                None => Written::All,
                Some(runs) => chunks_of(runs, &variable.layout, &mut left)?,
            };
            let known_variable = KnownVariable {
                written,
                ..variable.clone()
            };
            pool.keep(in_pool(known.input), VarId(known.var), known_variable);
        }
        Ok(())
    }

    /// What an input must be like when it is opened. `first` is the first input's schema, which is joined along `dim`.
    ///
    /// # Errors
    /// What cannot be of these inputs.
    pub fn expected(&self, first: &Schema, dim: DimId) -> Result<Expected> {
        let mut lengths: HashMap<usize, u64> = HashMap::new();
        for (input, from, count, _) in &self.pieces {
            let length = lengths.entry(*input).or_default();
            *length = (*length).max(from.saturating_add(*count));
        }
        let extents = self
            .known
            .iter()
            .map(|known| ((known.input, known.var), known.extent.clone()));
        Ok(Expected {
            first: first.clone(),
            names: self.found(self.names.len(), first, false)?.names,
            axes: axes(first, dim)?,
            lengths,
            extents: extents.collect(),
        })
    }
}

/// What each input must be like, as its look was not taken again.
#[derive(Debug, Clone)]
pub struct Expected {
    first: Schema,
    names: Vec<NameMap>,
    axes: Vec<Option<usize>>,
    /// Least cells of an input along the joined dimension.
    lengths: HashMap<usize, u64>,
    /// Extents of an input's variables.
    extents: HashMap<(usize, usize), Vec<u64>>,
}

impl Expected {
    /// Checks an input that was opened.
    ///
    /// # Errors
    /// It is not what was found.
    pub fn check(&self, input: usize, reader: &dyn Reader) -> Result<()> {
        let schema = reader.schema();
        let names = NameMap::new(&self.first, schema);
        let least = self.lengths.get(&input).copied().unwrap_or(0);
        let is_as_found = self.names.get(input) == Some(&names)
            && (0..self.axes.len()).all(|n| match (self.axes[n], names.var(VarId(n))) {
                (Some(axis), Some(var)) => {
                    let extent = self.extents.get(&(input, var.0));
                    schema.shape(var).get(axis).is_some_and(|length| *length >= least)
                        && extent.is_none_or(|extent| *extent == reader.layout(var).extent)
                }
                _ => true,
            });
        match is_as_found {
            true => Ok(()),
            false => Err(Error::Usage(
                "is not as it was when the job was planned".to_owned(),
            )),
        }
    }
}

/// A variable that is stored in a known way, with another extent. `None` if it cannot have it.
fn with_extent(
    way: &KnownVariable,
    extent: &[u64],
    first: &Schema,
    registry: &Registry,
) -> Option<KnownVariable> {
    if way.layout.extent == extent {
        return Some(way.clone());
    }
    if way.layout.extent.len() != extent.len() || matches!(way.ty, Type::User(_)) {
        return None;
    }
    let layout = VariableLayout {
        extent: extent.to_vec(),
        ..(*way.layout).clone()
    };
    let pipeline = match &layout.storage {
        // Rows may have another length.
        Storage::Chunked { shape } => {
            let chunk = ChunkType::new(first, way.ty, &layout, shape);
            Arc::new(registry.bind(&layout.filters, &chunk).ok()?)
        }
        _ => Arc::clone(&way.pipeline),
    };
    Some(KnownVariable {
        layout: layout.into(),
        pipeline,
        ..way.clone()
    })
}

/// Ascending numbers as runs of the first and the one behind the last.
fn runs(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end == *number => *end += 1,
            _ => runs.push((*number, number.saturating_add(1))),
        }
    }
    runs
}

/// The chunks of runs, of which there may be as many as are `left`.
///
/// # Errors
/// Runs that do not ascend, or leave the variable; too many chunks.
fn chunks_of(runs: &[(u64, u64)], layout: &VariableLayout, left: &mut u64) -> Result<Written> {
    let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
    let mut next = 0;
    let mut count = 0u64;
    for (first, end) in runs {
        if *first < next || end <= first || *end > grid.len() {
            return Err(damaged());
        }
        next = *end;
        count += end - first;
    }
    *left = left.checked_sub(count).ok_or_else(damaged)?;
    let chunks = runs.iter().flat_map(|(first, end)| *first..*end).collect();
    Ok(Written::of_chunks(chunks, &grid))
}

fn damaged() -> Error {
    Error::Damaged("what the job tells of its inputs cannot be of them".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Encoding;

    #[test]
    fn all_variables_have_one_limit() {
        let layout = VariableLayout::contiguous(vec![100], 4, Encoding::Packed).in_chunks(vec![1]);
        let grid = ChunkGrid::new(&[100], &[1]).unwrap();
        let mut left = 15;
        assert_eq!(
            chunks_of(&[(0, 4), (6, 12)], &layout, &mut left)
                .unwrap()
                .chunks(&grid)
                .len(),
            10
        );
        assert!(chunks_of(&[(0, 6)], &layout, &mut left).is_err());
        for runs in [&[(4, 6), (5, 7)][..], &[(3, 3)], &[(99, 101)]] {
            assert!(chunks_of(runs, &layout, &mut 1000).is_err());
        }
    }
}
