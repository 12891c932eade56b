//! [`Reader`] over a hierarchy.

use std::io;
use std::sync::{Arc, OnceLock};

use super::super::keys::below;
use super::elements::fill_of;
use super::key_sizes::KeySizes;
use super::listed::{ChunkNames, Listed, StoredChunks};
use super::metadata::built::{Built, StoredArray};
use super::metadata::metadata_store::{MetadataStore, cannot_read};
use super::own_check;
use super::shards::shard_bytes::Bytes;
use super::shards::sharded_chunks::Shards;
use super::vlen_chunk;
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, fill_pattern};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, ChunkType, Pipeline, Registry, Scratch, SharedPipelines};
use crate::format::{
    ChangingSource, CheckLimits, ChunkPlace, ChunkReader, ElementCodecs, EncodedChunk, Extensions, Fault,
    OwnCheck, Reader, StructureCheck, Written, read_region,
};
use crate::model::{ChunkKeys, CodecSpec, Encoding, Kind, Schema, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Get, GetRange, KeyStore, OpenValues};

/// An open hierarchy.
pub struct ZarrReader {
    pub(super) store: Arc<dyn KeyStore>,
    pub(super) schema: Schema,
    layouts: Vec<VariableLayout>,
    pub(super) arrays: Vec<StoredArray>,
    /// The shards of each array that has them.
    pub(super) shards: Vec<Option<Shards>>,
    /// The chunks of each array that exist.
    stored: Vec<Listed>,
    /// The sizes of all keys, once they were counted.
    pub(super) sizes: OnceLock<Option<KeySizes>>,
    /// The shards that chunks are read from.
    pub(super) values: OpenValues,
    pipelines: SharedPipelines,
    /// The codecs of each array, once they were bound: whoever reads a chunk asks for them.
    bound: Vec<OnceLock<Arc<Pipeline>>>,
}

impl ZarrReader {
    /// A reader of what `metadata` was found to hold. `all` is the key that repeats all metadata.
    pub fn of(
        store: Arc<dyn KeyStore>,
        mut built: Built,
        metadata: MetadataStore,
        all: &str,
        registry: &Registry,
    ) -> Self {
        if let Some(key) = &metadata.differs {
            built.schema.warnings.push(format!(
                "{key} and its copy in {all} differ; {key} is used. Consolidate the dataset again"
            ));
        }
        if let Some(key) = metadata.only_in_copy() {
            built.schema.warnings.push(format!(
                "{key} is left out: it is only in {all}. Consolidate the dataset again, or read {all} with #mode=…,consolidated"
            ));
        }
        built.schema.warnings.extend(metadata.other_bytes_warnings());
        if let Some(error) = &metadata.damaged {
            built.schema.warnings.push(format!("{all} is not used: {error}"));
        }
        built.schema.warnings.extend(store.lacking());
        let mut shards = Vec::with_capacity(built.arrays.len());
        let opened = Arc::default();
        for (n, array) in built.arrays.iter_mut().enumerate() {
            let levels = std::mem::take(&mut array.levels);
            let keys = array.keys.unwrap_or_default();
            // Chunks that cannot be counted are an error of whoever reads them.
            let place = (n, &*array.path);
            let made = |levels| Shards::new(place, keys, levels, &built.layouts[n], registry, &opened).ok();
            shards.push(Some(levels).filter(|levels| !levels.is_empty()).and_then(made));
        }
        Self {
            values: OpenValues::new(Arc::clone(&store)),
            store,
            stored: built.arrays.iter().map(|_| Listed::default()).collect(),
            bound: built.arrays.iter().map(|_| OnceLock::new()).collect(),
            sizes: OnceLock::new(),
            schema: built.schema,
            layouts: built.layouts,
            arrays: built.arrays,
            shards,
            pipelines: SharedPipelines::new(registry.clone()),
        }
    }

    pub(super) fn named(&self, var: VarId) -> impl Fn(Error) -> Error + '_ {
        move |e| e.in_variable(&self.schema.var_path(var))
    }

    pub(super) fn grid(&self, var: VarId) -> Result<ChunkGrid> {
        let layout = &self.layouts[var.0];
        ChunkGrid::new(&layout.extent, layout.chunk_shape()).map_err(self.named(var))
    }

    /// The chunks of a variable that exist. The first call lists its keys.
    fn stored(&self, var: VarId) -> Result<&StoredChunks> {
        self.stored[var.0].get_or_list(|| self.list(var))
    }

    fn list(&self, var: VarId) -> Result<StoredChunks> {
        let array = &self.arrays[var.0];
        let grid = self.grid(var)?;
        let prefix = match array.path.as_str() {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let shards = self.shards[var.0].as_ref();
        let grid = shards.map_or(&grid, Shards::grid);
        let mut names = ChunkNames::new(array.keys, grid);
        let mut add = |key: &str, handle| names.add(key.get(prefix.len()..).unwrap_or_default(), handle);
        let handles = match shards {
            Some(_) => Ok(false),
            None => self.store.list_handles(&prefix, &mut add),
        };
        let listed = handles.and_then(|has_handles| {
            if !has_handles {
                self.store.list(&prefix)?.iter().for_each(|key| add(key, 0));
            }
            Ok(has_handles)
        });
        let has_handles = match listed {
            Ok(has_handles) => has_handles,
            Err(e) if e.kind() == io::ErrorKind::Unsupported => {
                return Ok(StoredChunks {
                    keys: array.keys.unwrap_or(ChunkKeys::V2),
                    numbers: None,
                    handles: Vec::new(),
                });
            }
            Err(e) => return Err(self.named(var)(cannot_read(e))),
        };
        let (keys, found) = names.finish();
        let handles = match has_handles {
            true => found.iter().map(|(_, handle)| *handle).collect(),
            false => Vec::new(),
        };
        let numbers = found.into_iter().map(|(number, _)| number).collect::<Vec<_>>();
        let numbers = match shards {
            Some(shards) => shards.stored(&self.store, &numbers).map_err(self.named(var))?,
            None => numbers,
        };
        Ok(StoredChunks {
            keys,
            numbers: Some(numbers),
            handles,
        })
    }

    /// The place of a chunk. `None` if it is known that it does not exist.
    pub(super) fn find(&self, var: VarId, chunk: u64) -> Result<Option<Bytes>> {
        match &self.shards[var.0] {
            Some(shards) => shards.find(self.store.as_ref(), chunk).map_err(self.named(var)),
            None if !self.may_be_stored(var, chunk)? => Ok(None),
            None => {
                let coordinates = self.grid(var)?.coordinates(chunk);
                let keys = match self.arrays[var.0].keys {
                    Some(keys) => keys,
                    None => self.stored(var)?.keys,
                };
                let key = below(&self.arrays[var.0].path, &keys.key(&coordinates));
                Ok(Some(Bytes::whole(key)))
            }
        }
    }

    /// False if it is known that a chunk does not exist. Chunks are listed first only where that tells their keys.
    fn may_be_stored(&self, var: VarId, chunk: u64) -> Result<bool> {
        let stored = match (self.stored[var.0].get(), self.arrays[var.0].keys) {
            (None, Some(_)) => return Ok(true),
            (Some(stored), _) => stored,
            (None, None) => self.stored(var)?,
        };
        let numbers = stored.numbers.as_ref();
        Ok(numbers.is_none_or(|numbers| numbers.binary_search(&chunk).is_ok()))
    }

    /// The request for a chunk. No more of its value is read than its codecs can have made.
    pub(super) fn get(&self, place: &Bytes, longest: usize) -> Result<Option<Get>> {
        let Some(mut get) = place.get() else {
            return Ok(None);
        };
        match get.part {
            GetRange::Range(range) if range.length >= longest => return Err(too_long()),
            GetRange::Whole => {
                get.part = GetRange::Range(ByteRange {
                    offset: 0,
                    length: longest,
                });
            }
            _ => {}
        }
        Ok(Some(get))
    }

    /// Most bytes of an encoded chunk that are read.
    pub(super) fn longest(&self, var: VarId) -> Result<usize> {
        if self.arrays[var.0].elements.is_vlen() {
            return Ok(vlen_chunk::LARGEST);
        }
        // One byte more, so that a value which is too long is found.
        Ok(self.pipeline(var)?.max_encoded_size().saturating_add(1))
    }

    /// The elements of a region that are not stored as [`Values`] has them.
    fn read_converted(&self, var: VarId, region: &Region) -> Result<Values> {
        let (layout, array) = (&self.layouts[var.0], &self.arrays[var.0]);
        let size = self.schema.type_size(self.schema.var(var).ty);
        let too_large = || Error::Unsupported("a region larger than memory".into());
        let total = byte_count(&region.count, size).ok_or_else(too_large)?;
        let fill = fill_of(layout.fill.value.as_ref(), size);
        let mut out = Values {
            bytes: Vec::new(),
            heap: fill.heap,
        };
        crate::chunk::resize(&mut out.bytes, total)?;
        fill_pattern(&mut out.bytes, &fill.bytes);
        let Some(inside) = region.clip(&layout.extent).filter(|r| !r.is_empty()) else {
            return Ok(out);
        };
        let grid = self.grid(var)?;
        let pipeline = self.pipeline(var)?;
        let count = byte_count(layout.chunk_shape(), 1).ok_or_else(too_large)?;
        let order = match array.elements.is_vlen() {
            true => vlen_chunk::stored_order(layout)?,
            false => None,
        };
        let mut scratch = Scratch::new();
        for index in grid.chunks_in(&inside) {
            let wrap = |e: Error| {
                (self as &dyn Reader)
                    .in_chunk_key(var, index, e)
                    .in_chunk(&grid.coordinates(index))
            };
            let Some(chunk) = (self as &dyn Reader)
                .read_encoded_chunk(var, index)
                .map_err(wrap)?
            else {
                continue;
            };
            let bytes = count.saturating_mul(size.max(layout.stored_size()));
            let _held = pipeline.hold(bytes).map_err(wrap)?;
            let decoded = match array.elements.is_vlen() {
                true => vlen_chunk::decode(self.pipelines.registry(), layout, chunk.bytes).map_err(wrap)?,
                false => pipeline
                    .decode(chunk, ChunkShape::Full, &mut scratch)
                    .map_err(wrap)?,
            };
            let mut elements = array
                .elements
                .convert(&decoded, count, &mut out.heap)
                .map_err(wrap)?;
            if let Some(order) = &order {
                elements = vlen_chunk::in_array_order(&elements, layout.chunk_shape(), size, order);
            }
            let own = grid.region(index);
            let Some(part) = own.intersect(&inside) else {
                continue;
            };
            copy_region(
                &elements,
                layout.chunk_shape(),
                &part.relative_to(&grid.origin(index)).start,
                &mut out.bytes,
                &region.count,
                &part.relative_to(&region.start).start,
                &part.count,
                size,
                1,
            )
            .map_err(wrap)?;
        }
        Ok(out)
    }
}

/// Checks the length of the bytes at a place, which `get` asked for.
pub(super) fn check_length(bytes: &[u8], place: &Bytes, get: &Get) -> Result<()> {
    match (get.part, place) {
        // An empty value is no chunk of any codec. Copied as it is, it would be one that nobody can read.
        (GetRange::Range(range), Bytes::Stored { end: None, .. }) if bytes.is_empty() && range.length > 1 => {
            return Err(Error::Damaged("an empty value in place of a chunk".into()));
        }
        // Only the beginning of a value was read.
        (GetRange::Range(range), Bytes::Stored { end: None, .. }) if bytes.len() >= range.length => {
            return Err(too_long());
        }
        (
            GetRange::Range(range),
            Bytes::Stored {
                end: Some(_), key, ..
            },
        ) if bytes.len() < range.length => {
            return Err(Error::Damaged("the shard's index names bytes past its end".into()).in_key(key));
        }
        _ => {}
    }
    Ok(())
}

fn too_long() -> Error {
    Error::Damaged("a chunk longer than its codecs make one".into())
}

/// A chunk of bytes in memory.
pub(super) fn held(place: &Bytes) -> EncodedChunk {
    EncodedChunk {
        bytes: place.held().unwrap_or_default().to_vec(),
        filter_mask: 0,
    }
}

impl Reader for ZarrReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let grid = self.grid(var)?;
        Ok(match &self.stored(var)?.numbers {
            Some(numbers) => Written::of_chunks(numbers.clone(), &grid),
            None => Written::All,
        })
    }

    fn read_range(&self, var: VarId, _: u64, _: &mut [u8]) -> Result<()> {
        Err(self.named(var)(Error::Internal("it has chunks".into())))
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        // A codec that is not known may mean anything, also for what was never written.
        if self.schema.kind == Kind::Zarr3 {
            self.pipeline(var)?.check_known().map_err(self.named(var))?;
        }
        let read = match self.layouts[var.0].encoding {
            Encoding::Structured => self.read_converted(var, region),
            _ => read_region::read_region(self, var, region),
        };
        read.map_err(self.named(var))
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            places: Some(self),
            fetch: Some(self),
            files: Some(self),
            elements: Some(self),
            check: Some(self),
            changes: Some(self),
            space: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChangingSource for ZarrReader {
    fn check_unchanged(&self) -> Result<()> {
        self.store
            .check_unchanged()
            .map_err(|e| Error::io("cannot read", e))
    }
}

impl ChunkReader for ZarrReader {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        if let Some(bound) = self.bound[var.0].get() {
            return Ok(Arc::clone(bound));
        }
        let layout = &self.layouts[var.0];
        let ty = self.schema.var(var).ty;
        let chunk = match layout.encoding {
            // Every element has the same size, whatever it means.
            Encoding::Structured if !self.arrays[var.0].elements.is_vlen() => {
                let mut packed = layout.clone();
                packed.encoding = Encoding::Packed;
                ChunkType::new(&self.schema, ty, &packed, layout.chunk_shape())
            }
            _ => ChunkType::new(&self.schema, ty, layout, layout.chunk_shape()),
        };
        let bound = self.pipelines.bind(&layout.filters, &chunk);
        let bound = bound.map_err(self.named(var))?;
        Ok(Arc::clone(self.bound[var.0].get_or_init(|| bound)))
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        match &self.shards[var.0] {
            Some(shards) => shards.stored_size(chunk),
            None => self.sizes.get()?.as_ref()?.of_chunk(var, chunk),
        }
    }

    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        let key = match (&self.shards[var.0], self.arrays[var.0].keys) {
            (Some(shards), _) => return Some(ChunkPlace::Key(shards.key(chunk))),
            (None, Some(keys)) => keys,
            (None, None) => self.stored(var).ok()?.keys,
        };
        let coordinates = self.grid(var).ok()?.coordinates(chunk);
        let key = below(&self.arrays[var.0].path, &key.key(&coordinates));
        Some(ChunkPlace::Key(key))
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        let handle = self.stored[var.0].get().and_then(|stored| stored.handle(chunk));
        let place = match handle {
            // The key is not needed.
            Some(_) => Bytes::whole(String::new()),
            None => match self.find(var, chunk)? {
                Some(place) => place,
                None => return Ok(None),
            },
        };
        let mut read = || -> Result<bool> {
            let Some(get) = self.get(&place, self.longest(var)?)? else {
                bytes.clear();
                bytes.extend_from_slice(place.held().unwrap_or_default());
                return Ok(true);
            };
            let found = match (&place, get.part) {
                _ if let Some(handle) = handle => {
                    self.store.get_by_handle(handle, get.part, bytes).map(|()| true)
                }
                // Other chunks of the shard are probably read as well.
                (Bytes::Stored { end: Some(_), .. }, GetRange::Range(range)) => {
                    self.values.read(&get.key, range, bytes)
                }
                _ => self
                    .store
                    .get(&get.key, get.part)
                    .map(|found| found.map(|found| *bytes = found).is_some()),
            };
            match found.map_err(cannot_read)? {
                true => check_length(bytes, &place, &get).map(|()| true),
                false => Ok(false),
            }
        };
        let named = |e| {
            let e = (self as &dyn Reader).in_chunk_key(var, chunk, e);
            match self.grid(var) {
                Ok(grid) => e.in_chunk(&grid.coordinates(chunk)),
                Err(_) => e,
            }
        };
        let exists = read().map_err(named).map_err(self.named(var))?;
        Ok(exists.then_some(0))
    }
}

impl ElementCodecs for ZarrReader {
    fn element_codec(&self, var: VarId) -> Option<&CodecSpec> {
        self.arrays[var.0].element_codec.as_ref()
    }
}

impl StructureCheck for ZarrReader {
    fn check_structure(&self, _: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck> {
        Ok(own_check::check(self, &*self.store, found))
    }
}
