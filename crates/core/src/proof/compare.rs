//! Compares two datasets of any formats: structure, then values, on all cores.
//!
//! ```text
//! two variables ─► tiles: boxes that share no chunk, if memory allows ─┬─► chunks of equal bytes and filters: the same
//!                                                                      └─► both regions, decoded ─► elements
//! ```

use std::sync::{Mutex, PoisonError};

use super::canonical::{attribute, type_text};
use super::check::CheckOptions;
use super::chosen::chosen;
use super::digest::absolute;
use super::elements::{self, Difference, Equality};
use crate::chunk::{ChunkGrid, Region, byte_count};
use crate::copy::{Cost, Ledger, default_budget};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::filter::pipeline::Scratch;
use crate::format::Reader;
use crate::format::read_region::{chunk_shape, swap_unit};
use crate::model::{Attributes, Encoding, GroupId, Schema, Storage, VarId};
use crate::stream::{position, slabs};
use crate::threads::on_all;

/// About how many bytes of a variable without chunks are compared at once.
const SLAB: u64 = 1 << 20;

/// Most bytes of a tile.
const MOST_TILE: u64 = 1 << 29;

/// How two datasets are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompareOptions {
    /// When two numbers count as equal.
    pub equality: Equality,
    /// True to decode chunks of equal bytes too, once, as a proof that they can be decoded.
    pub decodes_equal: bool,
    /// Threads and memory.
    pub work: CheckOptions,
}

/// A dataset to compare, and its name in messages.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// The dataset.
    pub reader: &'a dyn Reader,
    /// The name, as the user typed it.
    pub name: &'a str,
}

impl<'a> Named<'a> {
    fn side(self, var: VarId) -> Side<'a> {
        Side {
            reader: self.reader,
            var,
            name: Some(self.name),
        }
    }
}

/// One of two variables that are compared.
#[derive(Clone, Copy)]
struct Side<'a> {
    reader: &'a dyn Reader,
    var: VarId,
    /// The dataset's name, if errors are to have it.
    name: Option<&'a str>,
}

impl<'a> Side<'a> {
    /// Adds the names of the variable and the dataset to an error.
    fn named(self) -> impl FnOnce(Error) -> Error + 'a {
        move |error| {
            let error = error.in_variable(&self.reader.schema().var_path(self.var));
            match self.name {
                Some(name) => error.in_file(name),
                None => error,
            }
        }
    }
}

/// Compares two datasets, and tells each difference to `found` as a line. Returns the number of differences.
/// Where a line has something of both datasets, that of `a` comes first.
/// With names in `only`, these variables alone are compared.
///
/// # Errors
/// A name that neither dataset has. If a value cannot be read. The error names the dataset.
pub fn compare(
    a: Named,
    b: Named,
    only: &[String],
    registry: &Registry,
    options: &CompareOptions,
    found: &mut dyn FnMut(String),
) -> Result<u64> {
    let mut count = 0;
    let mut tell = |line: String| {
        count += 1;
        found(line);
    };
    let (first, second) = (a.reader.schema(), b.reader.schema());
    let [firsts, seconds] = chosen([first, second], only)?;
    if only.is_empty() {
        compare_groups(a, b, &mut tell);
    }
    for id in seconds {
        if first.var_at(&second.var_path(id)).is_none() {
            let path = absolute(second, id);
            tell(format!("{path}: only in {}", b.name));
        }
    }
    for id in firsts {
        let (var, path) = (first.var(id), absolute(first, id));
        let Some(other_id) = second.var_at(&first.var_path(id)) else {
            tell(format!("{path}: only in {}", a.name));
            continue;
        };
        let other = second.var(other_id);
        compare_attributes((a, &var.attributes), (b, &other.attributes), &path, &mut tell);
        let types = (type_text(first, var.ty), type_text(second, other.ty));
        if types.0 != types.1 {
            tell(format!("{path}: type {} and {}", types.0, types.1));
            continue;
        }
        let dims = (dims_text(first, id), dims_text(second, other_id));
        if dims.0 != dims.1 {
            tell(format!("{path}: dimensions ({}) and ({})", dims.0, dims.1));
        }
        if first.shape(id) != second.shape(other_id) {
            continue;
        }
        let difference = compare_sides(a.side(id), b.side(other_id), registry, options)?;
        if let Some(text) = difference_text(&difference, &first.shape(id)) {
            tell(format!("{path}: {text}"));
        }
    }
    Ok(count)
}

fn compare_groups(a: Named, b: Named, tell: &mut dyn FnMut(String)) {
    let (first, second) = (a.reader.schema(), b.reader.schema());
    for (n, group) in first.groups.iter().enumerate() {
        let path = first.group_path(GroupId(n));
        match second.group_at(&path) {
            None => tell(format!("group {path}: only in {}", a.name)),
            Some(other) => {
                let other = &second.group(other).attributes;
                compare_attributes((a, &group.attributes), (b, other), &path, tell);
            }
        }
    }
    for n in 0..second.groups.len() {
        let path = second.group_path(GroupId(n));
        if first.group_at(&path).is_none() {
            tell(format!("group {path}: only in {}", b.name));
        }
    }
}

/// A difference as a clause; `None` if nothing differs.
pub fn difference_text(difference: &Difference, shape: &[u64]) -> Option<String> {
    let (at, x, y) = difference.first.as_ref()?;
    let total = shape.iter().fold(1u64, |n, length| n.saturating_mul(*length));
    let at = position(&Region::whole(shape), usize::try_from(*at).ok()?);
    let at: Vec<String> = at.iter().map(u64::to_string).collect();
    let largest = match difference.largest {
        Some(largest) => format!("; largest difference {largest}"),
        None => String::new(),
    };
    Some(format!(
        "{} of {total} elements differ; first [{}]: {x} and {y}{largest}",
        difference.count,
        at.join(", ")
    ))
}

fn dims_text(schema: &Schema, id: VarId) -> String {
    let dims = schema.var(id).dims.iter().map(|dim| schema.dim(*dim));
    let texts: Vec<String> = dims.map(|dim| format!("{}={}", dim.name, dim.length)).collect();
    texts.join(", ")
}

fn compare_attributes(
    (first, a): (Named, &Attributes),
    (second, b): (Named, &Attributes),
    path: &str,
    tell: &mut dyn FnMut(String),
) {
    for one in a.iter() {
        let name = &one.name;
        match b.iter().find(|other| other.name == *name) {
            None => tell(format!("{path}: attribute {name}: only in {}", first.name)),
            Some(other) => {
                if attribute(first.reader.schema(), one) != attribute(second.reader.schema(), other) {
                    tell(format!("{path}: attribute {name}: differs"));
                }
            }
        }
    }
    for other in b.iter() {
        if !a.iter().any(|one| one.name == other.name) {
            tell(format!(
                "{path}: attribute {}: only in {}",
                other.name, second.name
            ));
        }
    }
}

/// Compares the values of two variables of one type and shape.
///
/// # Errors
/// If a value cannot be read. The error names the variable.
pub fn compare_values(
    a: (&dyn Reader, VarId),
    b: (&dyn Reader, VarId),
    registry: &Registry,
    options: &CompareOptions,
) -> Result<Difference> {
    let side = |(reader, var)| Side {
        reader,
        var,
        name: None,
    };
    compare_sides(side(a), side(b), registry, options)
}

fn compare_sides(a: Side, b: Side, registry: &Registry, options: &CompareOptions) -> Result<Difference> {
    for side in [a, b] {
        side.reader.look_at_sources(side.var).map_err(side.named())?;
    }
    let shape = a.reader.schema().shape(a.var);
    let ty = a.reader.schema().var(a.var).ty;
    let size = a.reader.schema().type_size(ty).max(1);
    let budget = options.work.memory.unwrap_or_else(default_budget);
    let tile = tile(a, b, &shape, size, budget);
    let whole = Region::whole(&shape);
    if shape.contains(&0) {
        return Ok(Difference::default());
    }
    let same_chunks = same_chunks(a, b, registry);
    let regions: Box<dyn Iterator<Item = Region> + Send> = match &tile {
        Some(tile) => {
            let grid = ChunkGrid::new(&shape, tile)?;
            Box::new((0..grid.len()).map(move |n| grid.region(n)))
        }
        None => Box::new(slabs(&shape, &[], size, SLAB)),
    };
    let queue = Mutex::new((0u64, regions));
    let result: Mutex<(Difference, Option<(u64, Error)>)> = Mutex::default();
    let ledger = Ledger::new(budget, u64::MAX);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    on_all(options.work.threads.unwrap_or_else(cores), |_, _| {
        let mut worker = Worker::default();
        loop {
            let mut guard = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(region) = guard.1.next() else { break };
            let bytes = byte_count(&region.count, size).map_or(u64::MAX, |n| n as u64);
            let working = bytes.saturating_mul(3);
            if !ledger.admit(Cost { working, block: 0 }, || 0) {
                break;
            }
            let number = guard.0;
            guard.0 += 1;
            drop(guard);
            let compared = worker.compare(a, b, &region, same_chunks.as_ref(), options);
            ledger.complete(number, working, 0);
            let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
            match compared {
                Ok(mut difference) => {
                    if let Some(first) = &mut difference.first {
                        let at = position(&region, usize::try_from(first.0).unwrap_or(usize::MAX));
                        let one = Region {
                            count: vec![1; at.len()],
                            start: at,
                        };
                        first.0 = one.place_in(&whole);
                    }
                    result.0.add(difference);
                }
                Err(error) => {
                    if result.1.as_ref().is_none_or(|(n, _)| number < *n) {
                        result.1 = Some((number, error));
                    }
                    drop(result);
                    ledger.stop();
                }
            }
        }
    });
    match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, Some((_, error))) => Err(error),
        (difference, None) => Ok(difference),
    }
}

/// The shape of boxes that share no chunk, if both sides allow one that is small enough; else the larger chunks. `None` if
/// neither side has chunks.
fn tile(a: Side, b: Side, shape: &[u64], size: usize, budget: u64) -> Option<Vec<u64>> {
    let chunk = |side: Side| match &side.reader.layout(side.var).storage {
        Storage::Chunked { shape } => Some(shape.clone()),
        _ => None,
    };
    let bytes = |shape: &[u64]| byte_count(shape, size).map_or(u64::MAX, |n| n as u64);
    let clip = |chunk: Vec<u64>| -> Vec<u64> {
        chunk
            .iter()
            .zip(shape)
            .map(|(n, all)| *n.min(all).max(&1))
            .collect()
    };
    let one = match (chunk(a), chunk(b)) {
        (None, None) => return None,
        (Some(x), None) | (None, Some(x)) => clip(x),
        (Some(x), Some(y)) => {
            let join = |((x, y), all): ((&u64, &u64), &u64)| match () {
                () if x % y == 0 => *x,
                () if y % x == 0 => *y,
                () => *all,
            };
            let joined = clip(x.iter().zip(&y).zip(shape).map(join).collect());
            match bytes(&joined).saturating_mul(3) <= budget.min(3 * MOST_TILE) {
                true => joined,
                false => clip(if bytes(&x) >= bytes(&y) { x } else { y }),
            }
        }
    };
    // Small chunks are compared several at once, as whole rows of chunks.
    let mut grown = one;
    for at in (0..grown.len()).rev() {
        while bytes(&grown) < SLAB / 2 && grown[at] < shape[at] {
            grown[at] = grown[at].saturating_mul(2).min(shape[at]);
        }
    }
    Some(grown)
}

/// The grid of chunks, if both sides have equal chunks and filters, so that chunks of equal bytes are the same.
fn same_chunks(a: Side, b: Side, registry: &Registry) -> Option<ChunkGrid> {
    let (x, y) = (a.reader.layout(a.var), b.reader.layout(b.var));
    let Storage::Chunked { shape } = &x.storage else {
        return None;
    };
    let comparable = x.storage == y.storage
        && x.extent == y.extent
        && x.encoding == y.encoding
        && x.encoding != Encoding::Structured
        && swap_unit(x) == swap_unit(y)
        && x.edges == y.edges
        && x.filters.len() == y.filters.len();
    if !comparable || x.extent != a.reader.schema().shape(a.var) {
        return None;
    }
    let (from, to) = (a.reader.pipeline(a.var).ok()?, b.reader.pipeline(b.var).ok()?);
    let chunk = from.chunk_type();
    let same = x.filters == y.filters
        || crate::filter::ChainEnd::between(registry, from.specs(), to.specs(), chunk)
            .is_some_and(|end| end.is_empty());
    same.then(|| ChunkGrid::new(&x.extent, shape).ok()).flatten()
}

#[derive(Default)]
struct Worker {
    scratch: Scratch,
    first: Vec<u8>,
    second: Vec<u8>,
    decoded: Vec<u8>,
}

impl Worker {
    fn compare(
        &mut self,
        a: Side,
        b: Side,
        region: &Region,
        chunks: Option<&ChunkGrid>,
        options: &CompareOptions,
    ) -> Result<Difference> {
        if let Some(grid) = chunks
            && self.equal_chunks(a, b, grid, region, options.decodes_equal)?
        {
            return Ok(Difference::default());
        }
        let x = a.reader.read_region(a.var, region).map_err(a.named())?;
        let y = b.reader.read_region(b.var, region).map_err(b.named())?;
        let of = |side: Side| side.reader.schema().var(side.var).ty;
        let (first, second) = ((a.reader.schema(), of(a), &x), (b.reader.schema(), of(b), &y));
        Ok(elements::compare(first, second, options.equality))
    }

    /// True if all chunks of a region have equal bytes on both sides.
    fn equal_chunks(
        &mut self,
        a: Side,
        b: Side,
        grid: &ChunkGrid,
        region: &Region,
        decodes: bool,
    ) -> Result<bool> {
        for chunk in grid.chunks_in(region) {
            let x = a.reader.read_encoded_chunk_into(a.var, chunk, &mut self.first);
            let x = x.map_err(a.named())?;
            let y = b.reader.read_encoded_chunk_into(b.var, chunk, &mut self.second);
            let y = y.map_err(b.named())?;
            let (Some(x), Some(y)) = (x, y) else {
                return Ok(false);
            };
            if x != y || self.first != self.second {
                return Ok(false);
            }
            let pipeline = b.reader.pipeline(b.var).map_err(b.named())?;
            if decodes && !pipeline.is_empty() {
                let own = grid.region(chunk);
                let shape = chunk_shape(b.reader.layout(b.var), &own.count);
                let out = &mut self.decoded;
                let decoded = pipeline.decode_into(&self.second, y, shape, &mut self.scratch, out);
                decoded.map_err(|e| b.named()(e.in_chunk(&grid.coordinates(chunk))))?;
            }
        }
        Ok(true)
    }
}
