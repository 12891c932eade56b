//! [`Writer`] of a hierarchy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::chunk_key::Separator;
use super::super::json::Json;
use super::super::keys::{CONSOLIDATED, below};
use super::super::options::ZarrOptions;
use super::check::check_plans;
use super::metadata::{consolidated, metadata};
use super::strings;
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, Scratch};
use crate::format::{EncodedChunk, Received, ReorderWindow, VariablePlan, Writer};
use crate::model::{Schema, Values, VarId};
use crate::store::KeyOutput;

/// A hierarchy that is being written.
pub struct ZarrWriter {
    output: Arc<dyn KeyOutput>,
    schema: Schema,
    plans: Vec<VariablePlan>,
    grids: Vec<ChunkGrid>,
    /// The path of each array.
    paths: Vec<String>,
    /// The metadata, with its keys.
    documents: Vec<(String, Json)>,
    /// True if one more key repeats all of it.
    consolidated: bool,
    window: ReorderWindow<Option<(String, Vec<u8>)>>,
    received: Received,
    /// Bytes of the encoded strings of each array.
    stored_values: Vec<AtomicU64>,
}

impl ZarrWriter {
    /// Begins a hierarchy.
    ///
    /// # Errors
    /// What Zarr cannot hold.
    pub fn create(
        output: Arc<dyn KeyOutput>,
        schema: &Schema,
        plans: &[VariablePlan],
        options: ZarrOptions,
    ) -> Result<Self> {
        check_plans(schema, plans)?;
        let grids = grids(schema, plans)?;
        let metadata = metadata(schema, plans, &grids, options)?;
        let paths = (0..schema.vars.len()).map(|n| schema.var_path(VarId(n)));
        Ok(Self {
            output,
            grids,
            paths: paths
                .map(|path| path.trim_start_matches('/').to_owned())
                .collect(),
            schema: schema.clone(),
            plans: plans.to_vec(),
            documents: metadata.documents,
            consolidated: options.consolidated,
            window: ReorderWindow::new(),
            received: Received::new(plans),
            stored_values: plans.iter().map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Puts a chunk when its turn has come, so that a store with an order always has the same.
    fn put(&self, ticket: u64, var: VarId, chunk: u64, bytes: Vec<u8>) -> Result<()> {
        let key = Separator::Dot.key(&self.grids[var.0].coordinates(chunk));
        let key = below(&self.paths[var.0], &key);
        self.received.add_chunk(var);
        self.submit(ticket, Some((key, bytes)))
    }

    /// Takes a piece through its turn, and writes those whose turn has come. A chunk that is left out is `None`.
    fn submit(&self, ticket: u64, piece: Option<(String, Vec<u8>)>) -> Result<()> {
        let reserve = |piece: Option<(String, Vec<u8>)>| {
            let reserved = piece.map(|(key, bytes)| {
                let reserved = self.output.reserve(key, bytes.len());
                Ok((reserved.map_err(cannot_write)?, bytes))
            });
            reserved.transpose()
        };
        self.window
            .submit(ticket, piece, reserve, |reserved| match reserved {
                Some((reserved, bytes)) => self.output.put_reserved(reserved, &bytes).map_err(cannot_write),
                None => Ok(()),
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
    fn write_encoded_chunk(&self, ticket: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        if data.filter_mask != 0 {
            return Err(Error::Internal(
                "a chunk that skips codecs, in a format without filter masks".into(),
            ));
        }
        self.put(ticket, var, chunk, data.bytes)
    }

    fn skip_chunk(&self, ticket: u64, var: VarId, _: u64) -> Result<()> {
        self.received.add_chunk(var);
        self.submit(ticket, None)
    }

    fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
        Err(Error::Internal("every array has chunks".into()))
    }

    fn write_values(&self, ticket: u64, var: VarId, region: &Region, values: Values) -> Result<()> {
        let (plan, grid) = (&self.plans[var.0], &self.grids[var.0]);
        let layout = &plan.layout;
        let Some(size) = layout.string_length.and_then(|n| usize::try_from(n).ok()) else {
            return Err(Error::Internal("values of another type than string".into()));
        };
        let shape = layout.chunk_shape();
        let coordinates: Vec<u64> = region.start.iter().zip(shape).map(|(at, n)| at / n).collect();
        let mut bytes = strings::fixed(&values, size)?;
        if region.count != shape {
            let whole = byte_count(shape, size);
            let whole = whole.ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))?;
            let mut chunk = Vec::new();
            crate::chunk::resize(&mut chunk, whole)?;
            let zeros = vec![0; region.rank()];
            copy_region(
                &bytes,
                &region.count,
                &zeros,
                &mut chunk,
                shape,
                &zeros,
                &region.count,
                size,
                1,
            )?;
            bytes = chunk;
        }
        if !plan.pipeline.is_empty() {
            let encoded = plan
                .pipeline
                .encode(&bytes, ChunkShape::Full, &mut Scratch::new())?;
            bytes = encoded.bytes;
        }
        self.stored_values[var.0].fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.put(ticket, var, grid.index(&coordinates), bytes)
    }

    fn stored_values(&self, var: VarId) -> Option<u64> {
        Some(self.stored_values.get(var.0)?.load(Ordering::Relaxed))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.window.close()?;
        self.received.check(|var| self.schema.var_path(var))?;
        for (key, document) in &self.documents {
            self.output
                .put_last(key, document.to_string().as_bytes())
                .map_err(cannot_write)?;
        }
        if self.consolidated {
            let all = consolidated(self.documents).to_string();
            self.output
                .put_last(CONSOLIDATED, all.as_bytes())
                .map_err(cannot_write)?;
        }
        self.output.publish().map_err(cannot_write)
    }
}
