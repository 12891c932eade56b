//! [`Writer`] of a hierarchy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::json::Json;
use super::super::keys::below;
use super::fill_chunk::fill_chunk;
use super::shard_file::ShardFiles;
use super::shards::{FullIndex, ShardGrid, ShardName, ShardPart, Shards};
use super::value_form::ValueForm;
use crate::chunk::{ChunkGrid, Region};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, Scratch};
use crate::format::{EncodedChunk, Received, ReorderWindow, VariablePlan, Writer};
use crate::model::{ChunkKeys, Schema, Values, VarId};
use crate::store::{FailedKey, KeyOutput, Reference, ReferencedArray, ReservedKey, StoredRange};

/// The metadata of a hierarchy.
pub struct HierarchyDocuments {
    /// All documents with their keys.
    pub all: Vec<(String, Json)>,
    /// Makes of all documents the one that is put last, with its key: the consolidated metadata.
    pub last: fn(Vec<(String, Json)>) -> Option<(&'static str, Json)>,
    /// The form of the keys of chunks; `None` if each layout tells its own.
    pub keys: Option<ChunkKeys>,
}

/// A hierarchy that is being written, in any version of Zarr. Versions differ in the documents, the keys of chunks, and
/// shards.
pub struct ZarrWriter {
    output: Arc<dyn KeyOutput>,
    schema: Schema,
    plans: Vec<VariablePlan>,
    grids: Vec<ChunkGrid>,
    /// The shards of each array.
    shard_grids: Vec<Option<ShardGrid>>,
    /// The path of each array.
    paths: Vec<String>,
    documents: HierarchyDocuments,
    window: ReorderWindow<Option<PendingChunk>>,
    shards: Shards,
    received: Received,
    /// Bytes of the encoded strings of each array.
    stored_values: Vec<AtomicU64>,
}

/// A chunk before its turn.
struct PendingChunk {
    var: VarId,
    /// The key of the chunk or of its shard.
    key: String,
    /// Number of the shard, and of the chunk in it.
    in_shard: Option<(u64, u64)>,
    value: Reference,
}

/// What any thread can write after a turn.
enum AfterTurn {
    Nothing,
    Chunk(VarId, ReservedKey, Vec<u8>),
    Parts([Option<ShardPart>; 2], Option<FullIndex>),
}

impl ZarrWriter {
    /// Begins a hierarchy with these documents.
    ///
    /// # Errors
    /// If chunks or shards form no valid grid.
    pub fn begin(
        output: Arc<dyn KeyOutput>,
        schema: &Schema,
        plans: &[VariablePlan],
        documents: HierarchyDocuments,
    ) -> Result<Self> {
        let shard_grid = |(n, plan): (usize, &VariablePlan)| {
            ShardGrid::new(&plan.layout).map_err(|e| e.in_variable(&schema.var_path(VarId(n))))
        };
        let paths = (0..schema.vars.len()).map(|n| schema.var_path(VarId(n)));
        let writer = Self {
            output,
            grids: grids(schema, plans)?,
            shard_grids: plans.iter().enumerate().map(shard_grid).collect::<Result<_>>()?,
            paths: paths
                .map(|path| path.trim_start_matches('/').to_owned())
                .collect(),
            schema: schema.clone(),
            plans: plans.to_vec(),
            documents,
            window: ReorderWindow::new(),
            shards: Shards::default(),
            received: Received::new(plans),
            stored_values: plans.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        writer.check_keys()?;
        if writer.output.takes_references() {
            writer.begin_references()?;
        }
        Ok(writer)
    }

    /// Puts all documents, as an output of references is text from its beginning to its end, and tells the arrays.
    fn begin_references(&self) -> Result<()> {
        for (key, document) in &self.documents.all {
            self.put_document(key, document)?;
        }
        let arrays = (0..self.plans.len()).map(|n| {
            let plan = self.plans[n].clone();
            ReferencedArray {
                path: self.paths[n].clone(),
                shape: (plan.layout.extent.iter().copied())
                    .zip(plan.layout.chunk_shape().iter().copied())
                    .collect(),
                dimensions: (self.schema.vars[n].dims.iter())
                    .map(|dim| self.schema.dim(*dim).name.clone())
                    .collect(),
                counts: self.grids[n].counts().to_vec(),
                fill: Box::new(move || fill_chunk(&plan)),
            }
        });
        self.output
            .begin_arrays(arrays.collect())
            .map_err(|e| self.of_other_key(e, cannot_write))
    }

    fn put_document(&self, key: &str, document: &Json) -> Result<()> {
        let text = document.to_string();
        let put = self.output.put_last(key, text.as_bytes());
        put.map_err(|e| cannot_write(e).in_key(key))
    }

    /// The same writer, each of whose shards is a file of another format too.
    #[must_use]
    pub fn with_shards_as(self, files: Box<dyn ShardFiles>) -> Self {
        Self {
            shards: Shards::as_files(files),
            ..self
        }
    }

    /// Writes the metadata of a hierarchy whose chunks are there, and lets it appear.
    ///
    /// # Errors
    /// If the store fails, maybe in a value that was put before.
    pub fn complete(mut self) -> Result<()> {
        if !self.output.takes_references() {
            for (key, document) in &self.documents.all {
                self.put_document(key, document)?;
            }
            let documents = std::mem::take(&mut self.documents.all);
            if let Some((key, document)) = (self.documents.last)(documents) {
                self.put_document(key, &document)?;
            }
        }
        self.output
            .publish()
            .map_err(|e| self.of_other_key(e, cannot_write))
    }

    /// Checks the longest key of each array, so that no copy fails at its end.
    fn check_keys(&self) -> Result<()> {
        for (n, grid) in self.grids.iter().enumerate().filter(|(_, grid)| !grid.is_empty()) {
            let mut last = grid.coordinates(grid.len() - 1);
            if let Some(shards) = &self.shard_grids[n] {
                last = shards.place(&last).0;
            }
            let key = below(&self.paths[n], &self.keys(VarId(n)).key(&last));
            self.output
                .check(&key)
                .map_err(|e| cannot_write(e).in_variable(&self.paths[n]))?;
        }
        Ok(())
    }

    /// The form of an array's keys.
    fn keys(&self, var: VarId) -> ChunkKeys {
        let own = self.plans[var.0].layout.chunk_keys;
        self.documents.keys.unwrap_or(own)
    }

    /// The error for a store that fails in the value of a key. A thread may write the chunks of arrays whose chunks it did
    /// not submit.
    fn cannot_write(&self, error: std::io::Error, var: VarId, key: &str) -> Error {
        self.of_other_key(error, |error| {
            cannot_write(error).in_key(key).in_variable(&self.paths[var.0])
        })
    }

    /// The error for a store that fails, maybe in a value that was put before. Otherwise `named` makes it.
    fn of_other_key(&self, error: std::io::Error, named: impl FnOnce(std::io::Error) -> Error) -> Error {
        let (key, error) = FailedKey::split(error);
        let Some(key) = key else {
            return named(error);
        };
        let is_of = |path: &&String| {
            key.strip_prefix(path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let path = self.paths.iter().filter(is_of).max_by_key(|path| path.len());
        let error = cannot_write(error).in_key(&key);
        match path {
            Some(path) => error.in_variable(path),
            None => error,
        }
    }

    /// Puts a chunk when its turn has come, so that a store with an order always has the same.
    fn put(&self, sequence: u64, var: VarId, chunk: u64, value: Reference) -> Result<()> {
        let mut coordinates = self.grids[var.0].coordinates(chunk);
        let mut in_shard = None;
        if let Some(shards) = &self.shard_grids[var.0] {
            let (shard, number) = shards.place(&coordinates);
            in_shard = Some((shards.number(&shard), number));
            coordinates = shard;
        }
        let key = below(&self.paths[var.0], &self.keys(var).key(&coordinates));
        self.received.add_chunk(var);
        let piece = PendingChunk {
            var,
            key,
            in_shard,
            value,
        };
        self.submit(sequence, Some(piece))
    }

    /// Takes a piece through its turn, and writes those whose turn has come. A chunk that is left out is `None`.
    fn submit(&self, sequence: u64, piece: Option<PendingChunk>) -> Result<()> {
        let place = |piece: Option<PendingChunk>| {
            let Some(piece) = piece else {
                return Ok(AfterTurn::Nothing);
            };
            if self.output.takes_references() {
                let PendingChunk { var, key, value, .. } = piece;
                let put = self.output.put_reference(&key, &value);
                return put
                    .map(|()| AfterTurn::Nothing)
                    .map_err(|e| self.cannot_write(e, var, &key));
            }
            let Reference::Inline(bytes) = piece.value else {
                return Err(Error::Internal("a reference, in a store of values".into()));
            };
            match (piece.in_shard, &self.shard_grids[piece.var.0]) {
                (Some((number, chunk)), Some(grid)) => {
                    let shard = ShardName {
                        number,
                        key: &piece.key,
                        variable: &self.paths[piece.var.0],
                    };
                    let added = self
                        .shards
                        .add(&*self.output, grid, piece.var, shard, chunk, bytes);
                    added.map(|(parts, full)| AfterTurn::Parts(parts, full))
                }
                _ => {
                    // A shard before this chunk ends, as a store with an order needs its size.
                    self.shards.close()?;
                    let PendingChunk { var, key, .. } = piece;
                    let reserved = self.output.reserve(key.clone(), bytes.len());
                    let reserved = reserved.map_err(|e| self.cannot_write(e, var, &key))?;
                    Ok(AfterTurn::Chunk(var, reserved, bytes))
                }
            }
        };
        self.window.submit(sequence, piece, place, |placed| match placed {
            AfterTurn::Nothing => Ok(()),
            AfterTurn::Chunk(var, reserved, bytes) => {
                let key = reserved.key.clone();
                let put = self.output.put_reserved(reserved, &bytes);
                put.map_err(|e| self.cannot_write(e, var, &key))
            }
            AfterTurn::Parts(parts, full) => {
                parts.into_iter().flatten().try_for_each(ShardPart::write)?;
                full.map_or(Ok(()), FullIndex::write)
            }
        })
    }
}

/// The grid of chunks of each array.
pub fn grids(schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<ChunkGrid>> {
    let grid = |(n, plan): (usize, &VariablePlan)| {
        let grid = ChunkGrid::new(&plan.layout.extent, plan.layout.chunk_shape());
        grid.map_err(|e| e.in_variable(&schema.var_path(VarId(n))))
    };
    plans.iter().enumerate().map(grid).collect()
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::io("cannot write", error)
}

impl Writer for ZarrWriter {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        if data.filter_mask != 0 {
            return Err(Error::Internal(
                "a chunk that skips codecs, in a format without filter masks".into(),
            ));
        }
        self.put(sequence, var, chunk, Reference::Inline(data.bytes))
    }

    fn needs_lengths(&self) -> bool {
        self.output.needs_lengths()
    }

    fn write_reference(&self, sequence: u64, var: VarId, chunk: u64, place: StoredRange) -> Result<()> {
        self.put(sequence, var, chunk, Reference::Stored(place))
    }

    fn skip_chunk(&self, sequence: u64, var: VarId, _: u64) -> Result<()> {
        self.received.add_chunk(var);
        self.submit(sequence, None)
    }

    fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
        Err(Error::Internal("every array has chunks".into()))
    }

    fn write_values(&self, sequence: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        let (plan, grid) = (&self.plans[var.0], &self.grids[var.0]);
        let shape = plan.layout.chunk_shape();
        let coordinates: Vec<u64> = region.start.iter().zip(shape).map(|(at, n)| at / n).collect();
        let form = ValueForm::of(&self.schema, var, &plan.layout)?;
        let mut bytes = form.bytes(values, &region.count, shape)?;
        if !plan.pipeline.is_empty() {
            let encoded = plan
                .pipeline
                .encode(&bytes, ChunkShape::Full, &mut Scratch::new())?;
            bytes = encoded.bytes;
        }
        self.stored_values[var.0].fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.put(sequence, var, grid.index(&coordinates), Reference::Inline(bytes))
    }

    fn stored_values(&self, var: VarId) -> Option<u64> {
        Some(self.stored_values.get(var.0)?.load(Ordering::Relaxed))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.window.close()?;
        self.received.check(|var| self.schema.var_path(var))?;
        self.shards.close()?;
        self.complete()
    }
}
