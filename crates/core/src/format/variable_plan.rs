//! [`VariablePlan`]: how a variable will be written.

use std::sync::Arc;

use super::promise::Promised;
use crate::error::Result;
use crate::filter::{ChunkType, Pipeline, Registry};
use crate::model::{ExternalPart, Schema, SharedLayout, Storage, VarId};

/// What a [`Writer`](super::Writer) must know about one variable before the first byte is written.
#[derive(Debug, Clone, PartialEq)]
pub struct VariablePlan {
    /// How it is to be stored; `element_size` and `encoding` are those of [`Schema::storage_encoding`].
    pub layout: SharedLayout,
    /// The codecs of a chunked variable, bound to its chunks; the pipeline without codecs for any other variable.
    pub pipeline: Arc<Pipeline>,
    /// How much will be written. A writer refuses to finish if it received more or less.
    pub promised: Promised,
    /// True if a variable in no-fill mode stays in it although parts of it are not written. Other programs
    /// then read arbitrary data there. If false, those parts get zeros as fill value.
    pub keeps_no_fill: bool,
    /// The parts of other files that hold the raw data; `None` if the dataset holds it. Only for contiguous variables.
    pub external: Option<Arc<[ExternalPart]>>,
    /// True if chunks that hold only fill values are left out. Each comes as [`Writer::skip_chunk`](super::Writer::skip_chunk), so that the promised
    /// number is an upper limit of those that are stored.
    pub skips_fill: bool,
}

impl VariablePlan {
    /// Plans a variable with storage `layout`, and binds its codecs. Missing parts get a fill value.
    ///
    /// # Errors
    /// The errors of [`Registry::bind`].
    pub fn new(
        schema: &Schema,
        var: VarId,
        layout: impl Into<SharedLayout>,
        promised: Promised,
        registry: &Registry,
    ) -> Result<Self> {
        let layout = layout.into();
        let pipeline = match &layout.storage {
            Storage::Chunked { shape } => {
                let chunk = ChunkType::new(schema, schema.var(var).ty, &layout, shape);
                let pipeline = registry.bind(&layout.filters, &chunk)?;
                Arc::new(match schema.kind.can().filter_masks {
                    true => pipeline,
                    false => pipeline.without_masks(),
                })
            }
            _ => Pipeline::empty(),
        };
        Ok(Self::with_pipeline(layout, pipeline, promised))
    }

    /// Plans a variable with storage `layout`, whose codecs are bound already. Missing parts get a fill value.
    pub fn with_pipeline(
        layout: impl Into<SharedLayout>,
        pipeline: Arc<Pipeline>,
        promised: Promised,
    ) -> Self {
        Self {
            layout: layout.into(),
            pipeline,
            promised,
            keeps_no_fill: false,
            external: None,
            skips_fill: false,
        }
    }
}
