//! Compares the values of two variables, on all cores.
//!
//! ```text
//! tiles: boxes that share no chunk, if memory allows ─┬─► written by neither side: one element tells
//!                                                     ├─► chunks of equal bytes and filters: the same
//!                                                     └─► both regions, decoded ─► elements
//! ```

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::compared::Compared;
use super::elements::{self, Difference};
use super::options::CompareOptions;
use super::stored_boxes::{Stored, keep_only};
use super::tiles::{tile, tiles_of};
use crate::chunk::{ChunkGrid, Region, byte_count};
use crate::copy::default_budget;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::filter::Scratch;
use crate::format::WrittenChunks;
use crate::format::read_region::{chunk_shape, fill_element, swap_unit};
use crate::integrity::fetch::{Fetching, MOST_CHUNKS};
use crate::integrity::side::Side;
use crate::integrity::work::on_all_pieces;
use crate::model::{Encoding, Storage};
use crate::stream::position;

/// Most tiles that are compared without asking which of them were written.
const FEW_TILES: u64 = 64;

/// Compares the values of two variables of one type and shape.
///
/// # Errors
/// If a value cannot be read. The error names the variable.
pub fn compare_values(
    a: Side<'_>,
    b: Side<'_>,
    registry: &Registry,
    options: &CompareOptions,
) -> Result<Difference> {
    compare_sides(a, b, [None, None], registry, options).map(|(difference, _)| difference)
}

/// Like [`compare_values`], and tells what was compared. Errors have the names of the datasets that they are in.
///
/// # Errors
/// Those of [`compare_values`].
pub(crate) fn compare_sides(
    a: Side<'_>,
    b: Side<'_>,
    names: [Option<&str>; 2],
    registry: &Registry,
    options: &CompareOptions,
) -> Result<(Difference, Compared)> {
    for (n, (reader, var)) in [a, b].into_iter().enumerate() {
        resolve_sources((reader, var), names[n])?;
    }
    let shape = a.0.schema().shape(a.1);
    let ty = a.0.schema().var(a.1).ty;
    let size = a.0.schema().type_size(ty).max(1);
    let budget = options.work.memory.unwrap_or_else(default_budget);
    let whole = Region::whole(&shape);
    let compared = Compared {
        variables: 1,
        ..Compared::default()
    };
    if shape.contains(&0) {
        return Ok((Difference::default(), compared));
    }
    let fill = &a.0.layout(a.1).fill;
    let defined = match options.only_defined && (fill.no_fill || fill.value.is_none()) {
        true => Stored::of(a).map_err(|error| named(a, names[0], error))?,
        false => Stored::All,
    };
    let pair = Pair {
        a,
        b,
        names,
        same_chunks: same_chunks(a, b, registry),
        defined,
        options,
    };
    let grid = ChunkGrid::new(&shape, &tile(a, b, &shape, size, budget))?;
    let tiles = pair.tiles(&grid)?;
    let unwritten = match (&tiles, &pair.defined) {
        (WrittenChunks::Listed(tiles), Stored::All) => pair.unwritten(&grid, tiles)?,
        _ => Difference::default(),
    };
    let result: Mutex<(Difference, Compared, Option<(u64, Error)>)> = Mutex::default();
    let memory = |region: &Region| {
        let bytes = byte_count(&region.count, size).map_or(u64::MAX, |n| n as u64);
        bytes.saturating_mul(3)
    };
    let compare = |worker: &mut Worker, number, region: Region| {
        let compared = worker.compare(&pair, &region);
        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
        match compared {
            Ok((mut difference, compared)) => {
                result.1.add(compared);
                if let Some(first) = &mut difference.first {
                    let at = position(&region, usize::try_from(first.0).unwrap_or(usize::MAX));
                    let one = Region {
                        count: vec![1; at.len()],
                        start: at,
                    };
                    first.0 = one.place_in(&whole);
                }
                result.0.add(difference);
                ControlFlow::Continue(())
            }
            Err(error) => {
                if result.2.as_ref().is_none_or(|(n, _)| number < *n) {
                    result.2 = Some((number, error));
                }
                ControlFlow::Break(())
            }
        }
    };
    let requests = [a, b].map(|(reader, _)| reader.requests());
    let list = |tiles: WrittenChunks| tiles.into_iter().map(|n| grid.region(n));
    on_all_pieces(&options.work, &requests, vec![tiles], list, memory, compare);
    match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, _, Some((_, error))) => Err(error),
        (mut difference, mut all, None) => {
            difference.add(unwritten);
            all.add(compared);
            Ok((difference, all))
        }
    }
}

/// Looks at what a variable lies in. Errors have the name of the dataset.
///
/// # Errors
/// Those of [`VirtualSources::resolve`](crate::format::VirtualSources::resolve).
pub(crate) fn resolve_sources((reader, var): Side<'_>, name: Option<&str>) -> Result<()> {
    let looked = reader.resolve_sources(var);
    looked.map_err(|error| named((reader, var), name, error))
}

/// Adds the names of the variable and of the dataset to an error.
fn named((reader, var): Side<'_>, name: Option<&str>, error: Error) -> Error {
    let error = error.in_variable(&reader.schema().var_path(var));
    match name {
        Some(name) => error.in_file(name),
        None => error,
    }
}

/// The grid of chunks, if both sides have equal chunks and filters, so that chunks of equal bytes are the same.
fn same_chunks(a: Side<'_>, b: Side<'_>, registry: &Registry) -> Option<ChunkGrid> {
    let (x, y) = (a.0.layout(a.1), b.0.layout(b.1));
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
    if !comparable || x.extent != a.0.schema().shape(a.1) {
        return None;
    }
    let (from, to) = (a.0.pipeline(a.1).ok()?, b.0.pipeline(b.1).ok()?);
    let chunk = from.chunk_type();
    let same = x.filters == y.filters
        || crate::filter::ChainEnd::between(registry, from.specs(), to.specs(), chunk)
            .is_some_and(|end| end.is_empty());
    same.then(|| ChunkGrid::new(&x.extent, shape).ok()).flatten()
}

/// Two variables that are compared.
struct Pair<'a> {
    a: Side<'a>,
    b: Side<'a>,
    /// The names of the datasets, if errors are to have them.
    names: [Option<&'a str>; 2],
    /// The grid of chunks, if chunks of equal bytes are the same.
    same_chunks: Option<ChunkGrid>,
    /// The elements that are compared.
    defined: Stored,
    options: &'a CompareOptions,
}

impl Pair<'_> {
    fn in_first(&self) -> impl Fn(Error) -> Error {
        |error| named(self.a, self.names[0], error)
    }

    fn in_second(&self) -> impl Fn(Error) -> Error {
        |error| named(self.b, self.names[1], error)
    }

    /// The tiles that are compared one by one. In the others, both sides have their fill values alone.
    fn tiles(&self, grid: &ChunkGrid) -> Result<WrittenChunks> {
        Ok(match &self.defined {
            // Comparing a few is faster than asking for the chunks of both.
            Stored::All if grid.len() <= FEW_TILES => WrittenChunks::All(grid.len()),
            Stored::All if !(is_uniform(self.a) && is_uniform(self.b)) => WrittenChunks::All(grid.len()),
            Stored::All => {
                let first = Stored::of(self.a).map_err(self.in_first())?;
                let second = Stored::of(self.b).map_err(self.in_second())?;
                tiles_of(grid, &[&first, &second])
            }
            defined => tiles_of(grid, &[defined]),
        })
    }

    /// What differs in tiles outside of a list, ascending, which neither side has written. One element tells of all.
    fn unwritten(&self, grid: &ChunkGrid, listed: &[u64]) -> Result<Difference> {
        let first = (0..).zip(listed).find(|(n, tile)| n != *tile);
        let first = first.map_or(listed.len() as u64, |(n, _)| n);
        if first >= grid.len() {
            return Ok(Difference::default());
        }
        let start = grid.origin(first);
        let one = Region {
            count: vec![1; start.len()],
            start,
        };
        let (mut difference, _) = Worker::default().compare(self, &one)?;
        if let Some((at, ..)) = &mut difference.first {
            let whole = Region::whole(grid.extent());
            let elements = |region: &Region| region.element_count().unwrap_or(u64::MAX);
            let compared = listed.iter().map(|tile| elements(&grid.region(*tile)));
            *at = one.place_in(&whole);
            difference.count = elements(&whole).saturating_sub(compared.fold(0, u64::saturating_add));
        }
        Ok(difference)
    }
}

/// True if all elements that were never written read as one value, also past the extent.
fn is_uniform((reader, var): Side<'_>) -> bool {
    let layout = reader.layout(var);
    layout.fill.value.is_some() || layout.extent == reader.schema().shape(var)
}

#[derive(Default)]
struct Worker {
    scratch: Scratch,
    first: Vec<u8>,
    second: Vec<u8>,
    decoded: Vec<u8>,
    /// True if the chunks that were compared last differed.
    differed: bool,
}

impl Worker {
    fn compare(&mut self, pair: &Pair<'_>, region: &Region) -> Result<(Difference, Compared)> {
        let mut compared = Compared::default();
        let parts = pair.defined.within(region);
        if parts.as_ref().is_some_and(Vec::is_empty) {
            return Ok((Difference::default(), compared));
        }
        if let Some(grid) = &pair.same_chunks
            && let Some(equal) = self.equal_chunks(pair, grid, region, parts.is_some())?
        {
            return Ok((Difference::default(), equal));
        }
        let read = |(reader, var): Side<'_>| {
            let ty = reader.schema().var(var).ty;
            let mut values = reader.read_region(var, region)?;
            if let Some(parts) = &parts {
                keep_only(&mut values, region, parts, reader.schema().type_size(ty))?;
            }
            Ok::<_, Error>(values)
        };
        let x = read(pair.a).map_err(pair.in_first())?;
        let y = read(pair.b).map_err(pair.in_second())?;
        let of = |(reader, var): Side<'_>| reader.schema().var(var).ty;
        let first = (pair.a.0.schema(), of(pair.a), &x);
        let second = (pair.b.0.schema(), of(pair.b), &y);
        let elements = |region: &Region| region.element_count().unwrap_or(u64::MAX);
        compared.values = match &parts {
            Some(parts) => parts.iter().map(elements).fold(0, u64::saturating_add),
            None => elements(region),
        };
        Ok((elements::compare(first, second, pair.options.equality), compared))
    }

    /// What was compared, if all chunks of a region have equal bytes on both sides. With `only_stored`, chunks count that the
    /// first side stores.
    fn equal_chunks(
        &mut self,
        pair: &Pair<'_>,
        grid: &ChunkGrid,
        region: &Region,
        only_stored: bool,
    ) -> Result<Option<Compared>> {
        let mut compared = Compared::default();
        let (a, b) = (pair.a, pair.b);
        let same_fill = fill_element(a.0.layout(a.1)) == fill_element(b.0.layout(b.1));
        let mut left = grid.chunks_in(region);
        // Where chunks differ, those of the next region will too, and are then read again to be decoded.
        let mut at_once = match std::mem::replace(&mut self.differed, true) {
            true => 1,
            false => MOST_CHUNKS,
        };
        loop {
            let chunks: Vec<u64> = left.by_ref().take(at_once).collect();
            if chunks.is_empty() {
                break;
            }
            at_once = MOST_CHUNKS;
            let (x, y) = (Fetching::begin(a, &chunks), Fetching::begin(b, &chunks));
            let (mut x, mut y) = (x.wait(), y.wait());
            for chunk in chunks {
                let x = x.next_into(a, chunk, &mut self.first).map_err(pair.in_first())?;
                if x.is_none() && only_stored {
                    y.skip();
                    continue;
                }
                let y = y
                    .next_into(b, chunk, &mut self.second)
                    .map_err(pair.in_second())?;
                let (x, y) = match (x, y) {
                    (Some(x), Some(y)) => (x, y),
                    (None, None) if same_fill => continue,
                    _ => return Ok(None),
                };
                if x != y || self.first != self.second {
                    return Ok(None);
                }
                compared.chunks += 1;
                let pipeline = b.0.pipeline(b.1).map_err(pair.in_second())?;
                if pair.options.decodes_equal && !pipeline.is_empty() {
                    let own = grid.region(chunk);
                    let shape = chunk_shape(b.0.layout(b.1), &own.count);
                    let out = &mut self.decoded;
                    let decoded = pipeline.decode_into(&self.second, y, shape, &mut self.scratch, out);
                    let decoded = match decoded {
                        // They are the same bytes, whatever they hold.
                        Err(Error::UnknownFilter { .. } | Error::Alternative { .. }) => {
                            compared.undecoded += 1;
                            let out = &mut self.decoded;
                            let tested = pipeline.test(&self.second, y, shape, &mut self.scratch, out);
                            tested.map(drop)
                        }
                        decoded => decoded,
                    };
                    // The second dataset has the bytes of the first.
                    decoded.map_err(|e| pair.in_first()(e.in_chunk(&grid.coordinates(chunk))))?;
                }
            }
        }
        self.differed = false;
        Ok(Some(compared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Reader;
    use crate::integrity::compare::elements::Equality;
    use crate::integrity::in_keys::{Array, BYTES, Slow, array, keys, open_keys};
    use crate::model::VarId;

    fn compared(a: &dyn Reader, b: &dyn Reader, decodes_equal: bool) -> Difference {
        let options = CompareOptions {
            equality: Equality::Bits,
            decodes_equal,
            ..CompareOptions::default()
        };
        compare_values((a, VarId(0)), (b, VarId(0)), &Registry::builtin(), &options).unwrap()
    }

    /// Walking all of it would take days.
    #[test]
    fn what_neither_side_has_written_is_not_walked() {
        let huge = 10_000_000_000_000_000;
        let sparse = |chunk: u64, members, key: &str, byte: u8| {
            let bytes = vec![byte; chunk as usize];
            array(&[huge], &[chunk], members, &[(key, bytes)])
        };
        let a = sparse(1000, BYTES, "7", 5);
        assert_eq!(
            compared(&*a, &*sparse(1000, BYTES, "7", 5), true),
            Difference::default()
        );
        let other = compared(&*a, &*sparse(2000, BYTES, "3", 5), false);
        assert_eq!(
            (other.count, other.first),
            (1000, Some((6000, "9".into(), "5".into())))
        );
        let other = compared(&*a, &*sparse(1000, BYTES, "999999", 9), false);
        assert_eq!(
            (other.count, other.first),
            (1000, Some((7000, "5".into(), "9".into())))
        );
        // All of it differs but one chunk.
        let filled = [BYTES[0], "8", BYTES[2], BYTES[3]];
        let other = compared(&*a, &*sparse(1000, filled, "7", 5), false);
        assert_eq!((other.count, other.largest), (huge - 1000, Some(1.0)));
        assert_eq!(other.first, Some((0, "9".into(), "8".into())));
    }

    #[test]
    fn chunks_of_slow_stores_are_asked_for_at_once() {
        let stored: Vec<(String, Vec<u8>)> = (0..100).map(|n| (n.to_string(), vec![n as u8; 1000])).collect();
        let slow = Slow::default();
        let open = |count: usize| {
            let stored = stored[..count]
                .iter()
                .map(|(key, value)| (key.as_str(), value.clone()));
            open_keys(slow.over(keys(&[Array {
                name: "v",
                shape: &[100_000],
                chunks: &[1000],
                members: BYTES,
                stored: &stored.collect::<Vec<_>>(),
            }])))
        };
        assert_eq!(compared(&*open(100), &*open(100), true), Difference::default());
        assert_eq!(slow.asked(), [100, 100]);
        let other = compared(&*open(100), &*open(99), true);
        assert_eq!((other.count, other.first.unwrap().0), (1000, 99_000));
        assert!(slow.asked().len() <= 4);
    }
}
