//! Writing the test format: whole, or by several processes in parts.

use std::sync::{Arc, Mutex};

use ncutils_core::chunk::ChunkGrid;
use ncutils_core::error::{Error, Result};
use ncutils_core::format::{EncodedChunk, Received, Region, ReorderWindow, VariablePlan, Writer};
use ncutils_core::model::{Schema, Values, VarId, VariableLayout};
use ncutils_core::store::{KeyOutput, ReservedKey, ValueWriter};

use super::metadata::{INDEX_ENTRY, METADATA, chunk_key, grids, in_shard, shard_key, to_json};

/// A dataset, or a part of one, being written.
pub struct KeyWriter {
    output: Arc<dyn KeyOutput>,
    schema: Schema,
    layouts: Vec<VariableLayout>,
    grids: Vec<(Option<ChunkGrid>, ChunkGrid)>,
    window: ReorderWindow<Option<(VarId, u64, EncodedChunk)>>,
    shard: Mutex<Option<OpenShard>>,
    received: Received,
    /// False for a part, which another process publishes with the others.
    publishes: bool,
}

/// A shard being written: chunks one after another, then the index.
struct OpenShard {
    var: VarId,
    number: u64,
    value: Box<dyn ValueWriter>,
    size: u64,
    index: Vec<u8>,
}

fn io(error: std::io::Error) -> Error {
    Error::io("cannot write", error)
}

/// Stages the metadata. Whoever writes parts needs nothing else to be there.
pub fn begin(output: &dyn KeyOutput, schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    let layouts: Vec<VariableLayout> = plans
        .iter()
        .map(|plan| VariableLayout::clone(&plan.layout))
        .collect();
    let text = to_json(schema, &layouts).to_string();
    output.put_last(METADATA, text.as_bytes()).map_err(io)
}

impl KeyWriter {
    /// A whole dataset.
    pub fn create(output: Arc<dyn KeyOutput>, schema: &Schema, plans: &[VariablePlan]) -> Result<Self> {
        begin(&*output, schema, plans)?;
        Ok(Self {
            publishes: true,
            ..Self::part(output, schema, plans)?
        })
    }

    /// A part of a dataset that was begun.
    pub fn part(output: Arc<dyn KeyOutput>, schema: &Schema, plans: &[VariablePlan]) -> Result<Self> {
        let layouts: Vec<VariableLayout> = plans
            .iter()
            .map(|plan| VariableLayout::clone(&plan.layout))
            .collect();
        Ok(Self {
            output,
            schema: schema.clone(),
            grids: layouts.iter().map(grids).collect::<Result<_>>()?,
            layouts,
            window: ReorderWindow::new(),
            shard: Mutex::new(None),
            received: Received::new(plans),
            publishes: false,
        })
    }

    fn put(&self, stored: Option<(ReservedKey, Vec<u8>)>) -> Result<()> {
        match stored {
            Some((key, bytes)) => self.output.put_reserved(key, &bytes).map_err(io),
            None => Ok(()),
        }
    }

    /// What happens to chunks in the order of sequence numbers: those of a shard are appended to it, and others get their place.
    fn turn(&self, piece: Option<(VarId, u64, EncodedChunk)>) -> Result<Option<(ReservedKey, Vec<u8>)>> {
        let Some((var, chunk, data)) = piece else {
            return Ok(None);
        };
        let (shards, chunks) = &self.grids[var.0];
        let Some(shards) = shards else {
            let key = chunk_key(&self.schema, var, chunk);
            let reserved = self.output.reserve(key, data.bytes.len()).map_err(io)?;
            return Ok(Some((reserved, data.bytes)));
        };
        let (number, within, index) = in_shard(&self.layouts[var.0], shards, chunks, chunk)?;
        let mut open = self.shard.lock().unwrap();
        if open
            .as_ref()
            .is_none_or(|open| (open.var, open.number) != (var, number))
        {
            close(&mut open)?;
            *open = Some(OpenShard {
                var,
                number,
                value: self
                    .output
                    .create(&shard_key(&self.schema, var, number))
                    .map_err(io)?,
                size: 0,
                index: vec![0xFF; index],
            });
        }
        if let Some(open) = &mut *open {
            let at = within * INDEX_ENTRY;
            open.index[at..at + 8].copy_from_slice(&open.size.to_le_bytes());
            open.index[at + 8..at + 16].copy_from_slice(&(data.bytes.len() as u64).to_le_bytes());
            open.value.write_at(open.size, &data.bytes).map_err(io)?;
            open.size += data.bytes.len() as u64;
        }
        Ok(None)
    }
}

fn close(open: &mut Option<OpenShard>) -> Result<()> {
    if let Some(shard) = open.take() {
        shard.value.write_at(shard.size, &shard.index).map_err(io)?;
        let size = shard.size + shard.index.len() as u64;
        shard.value.set_size(size).map_err(io)?;
        shard.value.finish().map_err(io)?;
    }
    Ok(())
}

impl Writer for KeyWriter {
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()> {
        if data.filter_mask != 0 {
            return Err(Error::Unsupported("a chunk that skips codecs".into()));
        }
        self.received.add_chunk(var);
        self.window.submit(
            sequence,
            Some((var, chunk, data)),
            |piece| self.turn(piece),
            |stored| self.put(stored),
        )
    }

    fn skip_chunk(&self, sequence: u64, var: VarId, _: u64) -> Result<()> {
        self.received.add_chunk(var);
        self.window
            // Pieces that waited for this sequence number are written here.
            .submit(
                sequence,
                None,
                |piece| self.turn(piece),
                |stored| self.put(stored),
            )
    }

    fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
        Err(Error::Internal("every variable has chunks".into()))
    }

    fn write_values(&self, _: u64, _: VarId, _: &Region, _: Values) -> Result<()> {
        Err(Error::Unsupported(
            "a variable of elements without a fixed size".into(),
        ))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.window.close()?;
        close(&mut self.shard.lock().unwrap())?;
        self.received.check(|var| self.schema.var_path(var))?;
        if self.publishes {
            self.output.publish().map_err(io)?;
        }
        Ok(())
    }
}
