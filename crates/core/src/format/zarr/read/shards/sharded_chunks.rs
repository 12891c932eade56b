//! The chunks of an array that lie in shards: where each is in its key.
//!
//! ```text
//! chunk ─► key of its shard ─► index of the shard ─► range of the chunk
//!                                   └─ or of a shard within the shard, which has an index of its own …
//! ```
//!
//! An index is read once and kept. Without codecs around a shard, a chunk costs one request more, for its range.

use std::sync::{Arc, Mutex};

use super::opened_shards::{IndexCache, OpenedShard, ShardPosition, index_size};
use super::shard_bytes::Bytes;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::zarr::keys::below;
use crate::format::zarr::read::metadata::metadata_store::cannot_read;
use crate::format::zarr::read::untyped_codecs;
use crate::format::zarr::v3::sharding::{ENTRY, Level, ShardIndex};
use crate::model::{ChunkKeys, IndexLocation, VariableLayout};
use crate::store::{ByteRange, FailedRequest, Get, GetRange, KeyStore, awaited};

/// Most bytes of a shard that must be decoded as a whole.
const LARGEST_WHOLE: usize = 1 << 30;

/// Largest size of a chunk that is told before the chunk was read, in bytes. Where a store tells no sizes, an index may name
/// any.
const MOST_STORED: u64 = 1 << 40;

/// Entries of shards within a shard that are looked at whatever the size of the shard.
const LEAST_NESTED: u64 = 65_536;

/// Shards within a shard may share their bytes, and so have more entries than the shard has room for: at most so many times.
const SHARING: u64 = 4;

/// How many times more where codecs around shards compress them.
const COMPRESSION: u64 = 256;

/// Entries of shards within a shard that are looked at where the store tells no size.
const MOST_NESTED: u64 = 1 << 27;

/// Most indexes that are requested at once.
const BATCH: usize = 64;

/// The shards of an array.
pub struct Shards {
    path: String,
    keys: ChunkKeys,
    levels: Vec<Level>,
    registry: Registry,
    /// The grid of the outermost shards.
    grid: ChunkGrid,
    /// The grid of chunks.
    chunks: ChunkGrid,
    /// Position of the array in its schema.
    array: usize,
    /// The shards of all arrays that were opened.
    opened: Arc<IndexCache>,
    /// Locked while a whole shard is decoded.
    whole: Mutex<()>,
}

impl Shards {
    /// The shards of array number `array`, which has this layout, below the key `path`.
    ///
    /// # Errors
    /// More shards or chunks than can be counted.
    pub fn new(
        (array, path): (usize, &str),
        keys: ChunkKeys,
        levels: Vec<Level>,
        layout: &VariableLayout,
        registry: &Registry,
        opened: &Arc<IndexCache>,
    ) -> Result<Self> {
        let shard = layout.shard.as_deref().unwrap_or(layout.chunk_shape());
        Ok(Self {
            path: path.to_owned(),
            keys,
            levels,
            registry: registry.clone(),
            grid: ChunkGrid::new(&layout.extent, shard)?,
            chunks: ChunkGrid::new(&layout.extent, layout.chunk_shape())?,
            array,
            opened: Arc::clone(opened),
            whole: Mutex::default(),
        })
    }

    /// The grid of the outermost shards.
    pub fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    /// The bytes of a chunk. `None` if it does not exist. Reads the indexes that are not known yet.
    ///
    /// # Errors
    /// If the store fails, or an index is damaged. The error names the key.
    pub fn find(&self, store: &dyn KeyStore, chunk: u64) -> Result<Option<Bytes>> {
        let (mut start, mut position) = self.enter(chunk);
        let mut bytes = self.outermost(&start);
        for (n, level) in self.levels.iter().enumerate() {
            let Some(opened) = self.open(store, (self.array, n, start.clone()), &bytes)? else {
                return Ok(None);
            };
            let number = level.enter(&mut position);
            match opened.chunk(level, number).map_err(|e| self.in_key(&start, e))? {
                Some(inner) => bytes = inner,
                None => return Ok(None),
            }
            for (at, inner) in start.iter_mut().zip(level.origin(number)) {
                *at += inner;
            }
        }
        Ok(Some(bytes))
    }

    /// The first element of the outermost shard that holds a chunk, and the place of the chunk's first element in it.
    fn enter(&self, chunk: u64) -> (Vec<u64>, Vec<u64>) {
        let origin = self.chunks.origin(chunk);
        let split = origin
            .iter()
            .zip(self.grid.chunk())
            .map(|(at, n)| (at - at % n, at % n));
        split.unzip()
    }

    /// The key of the shard that holds a chunk.
    pub fn key(&self, chunk: u64) -> String {
        self.key_at(&self.chunks.origin(chunk))
    }

    /// The key of the shard that holds an element.
    fn key_at(&self, position: &[u64]) -> String {
        let coordinates: Vec<u64> = position
            .iter()
            .zip(self.grid.chunk())
            .map(|(at, n)| at / n)
            .collect();
        below(&self.path, &self.keys.key(&coordinates))
    }

    /// Bytes of a stored chunk, if its indexes are known and can be right.
    pub fn stored_size(&self, chunk: u64) -> Option<u64> {
        let (mut start, mut position) = self.enter(chunk);
        let mut size = None;
        for (n, level) in self.levels.iter().enumerate() {
            let opened = self.opened.get(&(self.array, n, start.clone()))??;
            let number = level.enter(&mut position);
            size = opened.chunk(level, number).ok()??.length();
            for (at, inner) in start.iter_mut().zip(level.origin(number)) {
                *at += inner;
            }
        }
        size.filter(|size| *size <= MOST_STORED)
    }

    /// The numbers of all chunks in the shards with these numbers, ascending. Reads their indexes.
    ///
    /// # Errors
    /// Those of [`find`](Self::find).
    pub fn stored(&self, store: &Arc<dyn KeyStore>, shards: &[u64]) -> Result<Vec<u64>> {
        let mut found = Vec::new();
        for batch in shards.chunks(BATCH) {
            self.open_many(store, batch)?;
            for shard in batch {
                let start = self.grid.origin(*shard);
                let bytes = self.outermost(&start);
                let mut left = match self.levels.len() {
                    1 => 0,
                    _ => self.most_nested(store.as_ref(), &start)?,
                };
                self.collect(store.as_ref(), (0, &start), &bytes, &mut left, &mut found)?;
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Most entries that are looked at in the shards within an outermost shard.
    fn most_nested(&self, store: &dyn KeyStore, start: &[u64]) -> Result<u64> {
        let size = store.size(&self.key_at(start)).map_err(cannot_read)?;
        let Some(size) = size else {
            return Ok(MOST_NESTED);
        };
        let times = match self.levels.iter().all(|level| level.around.is_empty()) {
            true => SHARING,
            false => SHARING * COMPRESSION,
        };
        Ok((size / ENTRY).saturating_mul(times).max(LEAST_NESTED))
    }

    /// Adds the numbers of the chunks in a shard of level `n` that begins at `start`. `left` entries of shards within
    /// it may still be looked at.
    fn collect(
        &self,
        store: &dyn KeyStore,
        (n, start): (usize, &[u64]),
        bytes: &Bytes,
        left: &mut u64,
        found: &mut Vec<u64>,
    ) -> Result<()> {
        let Some(opened) = self.open(store, (self.array, n, start.to_vec()), bytes)? else {
            return Ok(());
        };
        if n > 0 {
            *left = left.checked_sub(opened.index.len() as u64).ok_or_else(|| {
                let error =
                    Error::Damaged("the shards in the shard have more chunks than it has room for".into());
                self.in_key(start, error)
            })?;
        }
        let level = &self.levels[n];
        let is_last = n + 1 == self.levels.len();
        let mut coordinates = vec![0; start.len()];
        for number in 0..opened.index.len() as u64 {
            let range = opened.index.range(number);
            if matches!(range, Ok(None)) {
                continue;
            }
            // A damaged entry counts as a chunk: reading it fails, and names it.
            let origin: Vec<u64> = level.origin(number);
            let first = origin.iter().zip(start);
            let first: Option<Vec<u64>> = first.map(|(inner, start)| inner.checked_add(*start)).collect();
            // Chunks past the edge of the array have entries, too.
            let inside = |first: &Vec<u64>| first.iter().zip(self.chunks.extent()).all(|(at, n)| at < n);
            let Some(first) = first.filter(inside) else {
                continue;
            };
            if is_last {
                for ((at, first), length) in coordinates.iter_mut().zip(first).zip(self.chunks.chunk()) {
                    *at = first / length;
                }
                found.push(self.chunks.index(&coordinates));
            } else {
                let inner = opened.chunk(level, number).map_err(|e| self.in_key(start, e))?;
                if let Some(inner) = inner {
                    self.collect(store, (n + 1, &first), &inner, left, found)?;
                }
            }
        }
        Ok(())
    }

    /// All bytes of the outermost shard that begins here.
    fn outermost(&self, start: &[u64]) -> Bytes {
        let coordinates: Vec<u64> = start
            .iter()
            .zip(self.grid.chunk())
            .map(|(at, n)| at / n)
            .collect();
        Bytes::Stored {
            key: below(&self.path, &self.keys.key(&coordinates)),
            start: 0,
            end: None,
        }
    }

    /// Names the key of the shard that holds the element at `start`.
    fn in_key(&self, start: &[u64], error: Error) -> Error {
        error.in_key(&self.key_at(start))
    }

    /// The part of a shard that is its index; `None` if it must be read as a whole.
    fn index_part(&self, level: &Level, bytes: &Bytes) -> Result<Option<Get>> {
        let Bytes::Stored { key, start, end } = bytes else {
            return Ok(None);
        };
        if !level.around.is_empty() {
            return Ok(None);
        }
        let size = index_size(level)?;
        if bytes.length().is_some_and(|length| length < size as u64) {
            return Err(shorter());
        }
        let range = |offset| GetRange::Range(ByteRange { offset, length: size });
        let part = match (level.index_location, end) {
            (IndexLocation::Start, _) => range(*start),
            (IndexLocation::End, None) => GetRange::Suffix(size),
            (IndexLocation::End, Some(end)) => range(end.checked_sub(size as u64).ok_or_else(shorter)?),
        };
        Ok(Some(Get {
            key: key.clone(),
            part,
        }))
    }

    /// Opens the outermost shards of these chunks, of many shards at once.
    ///
    /// # Errors
    /// If the store fails, or an index is damaged. The error names the key.
    pub fn open_all(&self, store: &Arc<dyn KeyStore>, chunks: &[u64]) -> Result<()> {
        let shard = |chunk: &u64| {
            let position = self.chunks.origin(*chunk);
            let coordinates = position.iter().zip(self.grid.chunk()).map(|(at, n)| at / n);
            self.grid.index(&coordinates.collect::<Vec<u64>>())
        };
        let mut shards: Vec<u64> = chunks.iter().map(shard).collect();
        shards.sort_unstable();
        shards.dedup();
        shards
            .chunks(BATCH)
            .try_for_each(|batch| self.open_many(store, batch))
    }

    /// Opens outermost shards that were not opened yet, by one request for each.
    fn open_many(&self, store: &Arc<dyn KeyStore>, shards: &[u64]) -> Result<()> {
        let level = &self.levels[0];
        let mut missing = Vec::new();
        let mut gets = Vec::new();
        for shard in shards {
            let start = self.grid.origin(*shard);
            let bytes = self.outermost(&start);
            if self.opened.get(&(self.array, 0, start.clone())).is_some() {
                continue;
            }
            match self.index_part(level, &bytes)? {
                Some(get) => gets.push(get),
                None => return Ok(()),
            }
            missing.push((start, bytes));
        }
        if gets.is_empty() {
            return Ok(());
        }
        let found = awaited(|done| Arc::clone(store).fetch(gets, done));
        let found = found.ok_or_else(|| Error::Internal("a store gave no answer".into()))?;
        let found = found.map_err(|e| {
            let (position, cause) = FailedRequest::split(e);
            match position.and_then(|at| missing.get(at)) {
                Some((start, _)) => self.in_key(start, cannot_read(cause)),
                None => cannot_read(cause),
            }
        })?;
        for ((start, bytes), index) in missing.into_iter().zip(found) {
            let opened = index
                .map(|index| self.decode(store.as_ref(), level, bytes, &index))
                .transpose()
                .map_err(|e| self.in_key(&start, e))?;
            self.opened.insert((self.array, 0, start), opened.map(Arc::new));
        }
        Ok(())
    }

    /// The shard at `place`, whose stored bytes are `bytes`. `None` if it does not exist.
    fn open(
        &self,
        store: &dyn KeyStore,
        place: ShardPosition,
        bytes: &Bytes,
    ) -> Result<Option<Arc<OpenedShard>>> {
        if let Some(opened) = self.opened.get(&place) {
            return Ok(opened);
        }
        let level = &self.levels[place.1];
        // One thread decodes a whole shard, and the others wait for it: it may be large.
        let decodes = (!level.around.is_empty()).then(|| {
            self.whole
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        });
        if decodes.is_some()
            && let Some(opened) = self.opened.get(&place)
        {
            return Ok(opened);
        }
        let opened = self
            .read(store, level, bytes)
            .map_err(|e| self.in_key(&place.2, e))?
            .map(Arc::new);
        self.opened.insert(place, opened.clone());
        Ok(opened)
    }

    fn read(&self, store: &dyn KeyStore, level: &Level, bytes: &Bytes) -> Result<Option<OpenedShard>> {
        if let (true, Some(held)) = (level.around.is_empty(), bytes.held()) {
            return Ok(Some(OpenedShard {
                index: index_of(level, held)?,
                bytes: bytes.clone(),
                is_whole: false,
            }));
        }
        let found = match self.index_part(level, bytes)? {
            Some(get) => store.get(&get.key, get.part).map_err(cannot_read)?,
            None => match bytes.get() {
                Some(get) => {
                    let part = match get.part {
                        // One byte more, so that a value which is too long is found.
                        GetRange::Whole => GetRange::Range(ByteRange {
                            offset: 0,
                            length: LARGEST_WHOLE + 1,
                        }),
                        part => part,
                    };
                    store.get(&get.key, part).map_err(cannot_read)?
                }
                None => Some(bytes.held().unwrap_or_default().to_vec()),
            },
        };
        let Some(found) = found else { return Ok(None) };
        self.decode(store, level, bytes.clone(), &found).map(Some)
    }

    /// Makes a shard of its index or, if it must be read as a whole, of all its bytes.
    fn decode(&self, store: &dyn KeyStore, level: &Level, bytes: Bytes, found: &[u8]) -> Result<OpenedShard> {
        let size = index_size(level)?;
        let damaged = |why: String| Error::Damaged(format!("the shard's index: {why}"));
        if level.around.is_empty()
            && let Bytes::Stored { key, start, end } = bytes
        {
            if found.len() != size {
                return Err(shorter());
            }
            // Where asking costs nothing, ranges are checked against the end of the shard.
            let end = match (end, store.requests().ahead) {
                (None, false) => store.size(&key).map_err(cannot_read)?,
                (end, _) => end,
            };
            let index = level.index_codecs.decode(found, &level.counts).map_err(damaged)?;
            return Ok(OpenedShard {
                index,
                bytes: Bytes::Stored { key, start, end },
                is_whole: false,
            });
        }
        let whole = self.decode_around(level, found)?;
        let range = 0..whole.len();
        Ok(OpenedShard {
            index: index_of(level, &whole)?,
            bytes: Bytes::Held(Arc::new(whole), range),
            is_whole: true,
        })
    }

    /// Undoes the codecs around a shard.
    fn decode_around(&self, level: &Level, found: &[u8]) -> Result<Vec<u8>> {
        if found.len() > LARGEST_WHOLE {
            return Err(Error::Unsupported(format!(
                "a shard of more than {LARGEST_WHOLE} bytes with codecs around it"
            )));
        }
        untyped_codecs::undo(&self.registry, &level.around, found.into(), LARGEST_WHOLE)
    }
}

/// The index among all bytes of a shard.
fn index_of(level: &Level, shard: &[u8]) -> Result<ShardIndex> {
    let size = index_size(level)?;
    let part = match level.index_location {
        IndexLocation::Start => shard.get(..size),
        IndexLocation::End => shard.len().checked_sub(size).and_then(|from| shard.get(from..)),
    };
    let index = level
        .index_codecs
        .decode(part.ok_or_else(shorter)?, &level.counts);
    index.map_err(|why| Error::Damaged(format!("the shard's index: {why}")))
}

fn shorter() -> Error {
    Error::Damaged("the shard is shorter than its index".to_owned())
}
