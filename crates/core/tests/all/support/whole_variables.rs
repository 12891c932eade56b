//! Datasets in memory, written through a [`Writer`] variable by variable, as the copy engine does chunk by chunk.

use std::sync::Arc;

use ncutils_core::Result;
use ncutils_core::chunk::{ChunkGrid, Region, copy_region, fill_pattern, swap_units};
use ncutils_core::filter::{ChunkShape, Pipeline, Registry, Scratch};
use ncutils_core::format::{self, EncodedChunk, Promised, VariablePlan, Writer};
use ncutils_core::model::{
    Attribute, DimId, Dimension, Encoding, Endian, Fill, FillTime, GroupId, Kind, Schema, Storage, Type,
    Values, VarId, Variable, VariableLayout, default_fill_value, fill_value_attribute,
};
use ncutils_core::store::Output;

/// A dataset with its data.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The structure.
    pub schema: Schema,
    /// How each variable is stored. What is promised follows from the data.
    pub plans: Vec<VariablePlan>,
    /// The elements of each variable's extent; `None` where nothing is written.
    pub data: Vec<Option<Values>>,
    /// Whether a variable's chunks that reach past the extent are stored without filters.
    pub unfiltered_edges: Vec<bool>,
}

#[allow(dead_code)]
impl Dataset {
    /// An empty one.
    pub fn new(kind: Kind) -> Self {
        Self {
            schema: Schema::new(kind),
            plans: Vec::new(),
            data: Vec::new(),
            unfiltered_edges: Vec::new(),
        }
    }

    /// Adds a dimension.
    pub fn dim(&mut self, group: GroupId, name: &str, length: u64, unlimited: bool) -> DimId {
        self.schema.add_dim(Dimension {
            name: name.to_owned(),
            group,
            length,
            unlimited,
        })
    }

    /// Adds a variable over the whole of its dimensions, with netCDF's fill value and no filters; chunked (1 record, or
    /// `chunk` where it is given) if that is asked for or needed.
    pub fn var(
        &mut self,
        group: GroupId,
        name: &str,
        ty: Type,
        dims: &[DimId],
        chunk: Option<&[u64]>,
        values: Option<Values>,
    ) -> VarId {
        let id = self.schema.add_var(Variable {
            name: name.to_owned(),
            group,
            ty,
            dims: dims.to_vec(),
            attributes: Vec::new().into(),
        });
        let extent = self.schema.shape(id);
        let mut storage = Storage::Contiguous;
        if dims.iter().any(|d| self.schema.dim(*d).unlimited) {
            let mut shape: Vec<u64> = extent.iter().map(|n| (*n).max(1)).collect();
            shape[0] = 1;
            storage = Storage::Chunked { shape };
        }
        if let Some(chunk) = chunk {
            storage = Storage::Chunked {
                shape: chunk.to_vec(),
            };
        }
        let (element_size, encoding) = self.schema.storage_encoding(ty);
        let fill = Fill {
            value: default_fill_value(ty),
            explicit: false,
            no_fill: false,
            time: FillTime::IfSet,
            ..Fill::default()
        };
        let mut layout = VariableLayout::contiguous(extent, element_size, encoding).with_fill(fill);
        layout.storage = storage;
        let plan = VariablePlan::with_pipeline(layout, Pipeline::empty(), Promised::Nothing);
        self.unfiltered_edges.push(false);
        self.plans.push(plan);
        self.data.push(values);
        id
    }

    /// The layout of a variable.
    pub fn layout(&mut self, var: VarId) -> &mut VariableLayout {
        &mut self.plans[var.0].layout
    }

    /// Adds an attribute to a variable; `_FillValue` becomes its fill value.
    pub fn attribute(&mut self, var: VarId, name: &str, ty: Type, length: usize, values: Values) {
        self.schema.vars[var.0]
            .attributes
            .push(attribute(name, ty, length, values));
        if let Some(value) = fill_value_attribute(self.schema.var(var)) {
            let value = Some(value.clone());
            let fill = &mut self.plans[var.0].layout.fill;
            (fill.value, fill.explicit) = (value, true);
        }
    }

    /// Adds an attribute to a group.
    pub fn group_attribute(&mut self, group: GroupId, name: &str, ty: Type, length: usize, values: Values) {
        let attribute = attribute(name, ty, length, values);
        self.schema.groups[group.0].attributes.push(attribute);
    }

    /// Writes it, handing in the pieces in the order that `order` makes of them.
    pub fn write_in_order(
        &self,
        output: Arc<dyn Output>,
        order: impl FnOnce(&mut Vec<Box<dyn Fn(&dyn Writer) -> Result<()> + '_>>),
    ) -> Result<()> {
        let writer = format::create(output, &self.schema, &self.bound()?)?;
        let mut pieces: Vec<Box<dyn Fn(&dyn Writer) -> Result<()> + '_>> = Vec::new();
        let mut sequence = 0;
        for (i, values) in self.data.iter().enumerate() {
            if let Some(values) = values {
                self.pieces(VarId(i), values, &mut sequence, &mut pieces);
            }
        }
        order(&mut pieces);
        for piece in &pieces {
            piece(&*writer)?;
        }
        writer.finish()
    }

    /// The plans, with their codecs bound.
    fn bound(&self) -> Result<Vec<VariablePlan>> {
        let plan = |(at, plan): (usize, &VariablePlan)| {
            let layout = plan.layout.clone();
            let promised = match &self.data[at] {
                Some(_) => promised(&layout),
                None => Promised::Nothing,
            };
            let bound = VariablePlan::new(&self.schema, VarId(at), layout, promised, &Registry::builtin())?;
            Ok(VariablePlan {
                keeps_no_fill: plan.keeps_no_fill,
                skips_fill: plan.skips_fill,
                ..bound
            })
        };
        self.plans.iter().enumerate().map(plan).collect()
    }

    /// Writes it.
    pub fn write(&self, output: Arc<dyn Output>) -> Result<()> {
        self.write_in_order(output, |_| {})
    }

    fn pieces<'a>(
        &'a self,
        var: VarId,
        values: &'a Values,
        next_sequence: &mut u64,
        pieces: &mut Vec<Box<dyn Fn(&dyn Writer) -> Result<()> + 'a>>,
    ) {
        let layout = &self.plans[var.0].layout;
        let registry = Registry::builtin();
        let bound = VariablePlan::new(&self.schema, var, layout.clone(), Promised::Nothing, &registry);
        let pipeline = bound.expect("codecs that can be bound").pipeline;
        let structured = layout.encoding == Encoding::Structured;
        let Some(grid) = grid(layout) else {
            if structured {
                let sequence = *next_sequence;
                *next_sequence += 1;
                let region = Region::whole(&layout.extent);
                pieces.push(Box::new(move |w| {
                    w.write_values(sequence, var, &region, values.clone())
                }));
            } else {
                pieces.push(Box::new(move |w| {
                    let mut bytes = values.bytes.clone();
                    swap_units(&mut bytes, swap(layout));
                    // In two ranges, the second first.
                    let half = bytes.len() / 2;
                    w.write_range(var, half as u64, &bytes[half..])?;
                    w.write_range(var, 0, &bytes[..half])
                }));
            }
            return;
        };
        for chunk in 0..grid.len() {
            let sequence = *next_sequence;
            *next_sequence += 1;
            let grid = grid.clone();
            let pipeline = Arc::clone(&pipeline);
            pieces.push(Box::new(move |w| {
                let region = grid.region(chunk);
                let shape = if structured {
                    region.count.as_slice()
                } else {
                    grid.chunk()
                };
                let size = layout.element_size;
                let mut bytes = vec![0; shape.iter().product::<u64>() as usize * size];
                if let Some(fill) = layout.fill.value.as_ref().filter(|_| !structured) {
                    fill_pattern(&mut bytes, &fill.bytes);
                }
                let origin = vec![0; shape.len()];
                copy_region(
                    &values.bytes,
                    &layout.extent,
                    &region.start,
                    &mut bytes,
                    shape,
                    &origin,
                    &region.count,
                    size,
                    1,
                )?;
                if structured {
                    let heap = values.heap.clone();
                    return w.write_values(sequence, var, &region, Values { bytes, heap });
                }
                swap_units(&mut bytes, swap(layout));
                w.write_encoded_chunk(
                    sequence,
                    var,
                    chunk,
                    encode(
                        &pipeline,
                        layout,
                        &grid,
                        chunk,
                        bytes,
                        self.unfiltered_edges[var.0],
                    )?,
                )
            }));
        }
    }
}

/// What a variable is that is written whole.
fn promised(layout: &VariableLayout) -> Promised {
    match grid(layout) {
        Some(grid) => Promised::Chunks(grid.len()),
        None => Promised::Bytes(layout.extent.iter().product::<u64>() * layout.element_size as u64),
    }
}

fn grid(layout: &VariableLayout) -> Option<ChunkGrid> {
    match &layout.storage {
        Storage::Chunked { shape } => Some(ChunkGrid::new(&layout.extent, shape).expect("a grid")),
        _ => None,
    }
}

fn swap(layout: &VariableLayout) -> usize {
    match (layout.encoding, layout.endian) {
        (Encoding::Numbers { unit }, Endian::Big) => unit,
        _ => 1,
    }
}

fn encode(
    pipeline: &Pipeline,
    layout: &VariableLayout,
    grid: &ChunkGrid,
    chunk: u64,
    bytes: Vec<u8>,
    unfiltered_edges: bool,
) -> Result<EncodedChunk> {
    if layout.filters.is_empty() || (unfiltered_edges && grid.is_edge(chunk)) {
        return Ok(EncodedChunk {
            bytes,
            filter_mask: (1 << layout.filters.len()) - 1,
        });
    }
    pipeline.encode(&bytes, ChunkShape::Full, &mut Scratch::new())
}

/// An attribute.
pub fn attribute(name: &str, ty: Type, length: usize, values: Values) -> Attribute {
    Attribute {
        name: name.to_owned(),
        ty,
        length,
        values,
    }
}
