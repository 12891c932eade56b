//! Writing the data of a classic file.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::header::encode::{ClassicLayout, lay_out};
use super::header::variable_position::{Geometry, VariablePosition};
use super::header::version::Version;
use super::header::write_check::check;
use super::records::Records;
use super::slabs::Slabs;
use crate::chunk::{Region, fill_pattern, swap_units};
use crate::error::{Error, Result};
use crate::format::{EncodedChunk, Received, RecordBlock, VariablePlan, Writer};
use crate::model::{
    EdgeChunks, Endian, Schema, Storage, Values, VarId, default_fill_value, fill_value_attribute,
};
use crate::store::{Output, WrittenBytes};

/// Position of the number of records in a file, in bytes.
pub(super) const RECORD_COUNT: u64 = 4;

/// Least length, in bytes, of the slabs of interleaved variables that are written one by one by several processes.
const LONG_SLAB: u64 = 64 << 10;

/// Most bytes of fill values in one write.
const BUFFER: usize = 1 << 20;

/// A classic file that is being written. The header and the file's size are written first. Parts that were
/// never written get fill values at the end.
pub struct ClassicWriter {
    pub(super) output: Arc<dyn Output>,
    pub(super) geometry: Geometry,
    pub(super) vars: Vec<OpenVariable>,
    pub(super) records: Records,
    pub(super) received: Received,
    /// The number of records of a file that grows, as its header will have it; `None` for a new file.
    pub(super) count: Option<Vec<u8>>,
}

/// A variable that is being written.
pub(super) struct OpenVariable {
    name: String,
    place: VariablePosition,
    /// The shape that ranges refer to. Its record dimension may be shorter than the number of records.
    extent: Vec<u64>,
    /// Bytes of the extent.
    size: u64,
    element_size: usize,
    /// Size, in bytes, of the caller's numbers whose bytes must be reversed; 1 if none.
    swap: usize,
    /// The fill value: one element, big-endian.
    fill: Vec<u8>,
    written: Mutex<WrittenBytes>,
}

impl OpenVariable {
    pub(super) fn slabs(&self) -> Slabs<'_> {
        Slabs {
            place: &self.place,
            fill: &self.fill,
        }
    }

    fn written(&self) -> MutexGuard<'_, WrittenBytes> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClassicWriter {
    /// Creates a classic file.
    ///
    /// # Errors
    /// The errors of [`check`] and of the output. Also if a plan is not contiguous.
    pub fn create(output: Arc<dyn Output>, schema: &Schema, plans: &[VariablePlan]) -> Result<Self> {
        Self::begin(output, schema, plans, |output, layout, vars| {
            put_header(output, layout)?;
            let vars = vars.iter().map(OpenVariable::slabs);
            Ok(Records::choose(output, &layout.geometry, vars))
        })
    }

    /// Writes a part of a classic file that other processes write, too. It has its size, and its header is written by the process
    /// that [completes](Self::complete) it.
    ///
    /// # Errors
    /// Those of [`create`](Self::create).
    pub fn create_part(output: Arc<dyn Output>, schema: &Schema, plans: &[VariablePlan]) -> Result<Self> {
        Self::begin(output, schema, plans, |_, _, _| Ok(Records::Direct))
    }

    /// Completes a classic file whose data other processes have written: [`note`](Self::note) tells which, and finishing it fills
    /// the rest.
    ///
    /// # Errors
    /// Those of [`create`](Self::create).
    pub fn complete(output: Arc<dyn Output>, schema: &Schema, plans: &[VariablePlan]) -> Result<Self> {
        Self::begin(output, schema, plans, |output, layout, _| {
            put_header(output, layout)?;
            Ok(Records::Direct)
        })
    }

    /// The size of the file of a dataset, in bytes.
    ///
    /// # Errors
    /// A kind that is not classic; a dataset that is larger than any file.
    pub fn size(schema: &Schema) -> Result<u64> {
        let version = Version::of(schema.kind)
            .ok_or_else(|| Error::Unsupported(format!("{} as a classic format", schema.kind.name())))?;
        Ok(lay_out(schema, version)?.size)
    }

    /// True if the pieces in which variables are written are long, so that each can be written where it belongs.
    pub fn has_long_slabs(schema: &Schema) -> bool {
        let layout = Version::of(schema.kind).map(|version| lay_out(schema, version));
        let Some(Ok(layout)) = layout else {
            return false;
        };
        let (size, count) = (
            layout.geometry.record_size,
            layout.geometry.record_variables as u64,
        );
        count < 2 || size / count >= LONG_SLAB
    }

    /// Notes that another process has written bytes of a variable.
    ///
    /// # Errors
    /// Bytes that the variable does not have.
    pub fn note(&self, id: VarId, bytes: Range<u64>) -> Result<()> {
        let var = self.var(id)?;
        if bytes.end > var.size {
            return Err(
                Error::Damaged("bytes behind the end of a variable".to_owned()).in_variable(&var.name)
            );
        }
        self.received.add(id, bytes.end.saturating_sub(bytes.start));
        var.written().add(bytes);
        Ok(())
    }

    /// Ends a part: what was promised of it is written. Returns the bytes of each variable that are.
    ///
    /// # Errors
    /// Something is missing, or the output fails.
    pub fn end_part(&self) -> Result<Vec<(VarId, Range<u64>)>> {
        self.received.check(|var| self.vars[var.0].name.clone())?;
        self.output.commit().map_err(|e| Error::io("cannot write", e))?;
        let of_var = |(n, var): (usize, &OpenVariable)| {
            let ranges: Vec<_> = var.written().ranges().collect();
            ranges.into_iter().map(move |range| (VarId(n), range))
        };
        Ok(self.vars.iter().enumerate().flat_map(of_var).collect())
    }

    fn begin(
        output: Arc<dyn Output>,
        schema: &Schema,
        plans: &[VariablePlan],
        begin: impl FnOnce(&dyn Output, &ClassicLayout, &[OpenVariable]) -> Result<Records>,
    ) -> Result<Self> {
        check(schema)?;
        let version = Version::of(schema.kind)
            .ok_or_else(|| Error::Unsupported(format!("{} as a classic format", schema.kind.name())))?;
        if plans.len() != schema.vars.len() {
            return Err(Error::Usage(format!(
                "{} plans for {} variables",
                plans.len(),
                schema.vars.len()
            )));
        }
        let layout = lay_out(schema, version)?;
        let vars = plans
            .iter()
            .zip(&layout.places)
            .enumerate()
            .map(|(i, (plan, place))| {
                target(schema, VarId(i), plan, *place).map_err(|e| e.in_variable(&schema.vars[i].name))
            })
            .collect::<Result<Vec<_>>>()?;

        let records = begin(output.as_ref(), &layout, &vars)?;
        Ok(Self {
            output,
            geometry: layout.geometry,
            vars,
            records,
            received: Received::new(plans),
            count: None,
        })
    }

    fn var(&self, var: VarId) -> Result<&OpenVariable> {
        self.vars
            .get(var.0)
            .ok_or_else(|| Error::Usage(format!("there is no variable {}", var.0)))
    }

    /// Writes big-endian elements of a variable's data from byte `offset` on, and the padding of each slab
    /// that ends there.
    fn put(&self, var: &OpenVariable, offset: u64, data: &[u8]) -> io::Result<()> {
        self.records
            .put(self.output.as_ref(), &self.geometry, var.slabs(), offset, data)
    }

    /// Writes fill values to the parts that were never written. Zeros need not be written.
    fn fill(&self, var: &OpenVariable) -> io::Result<()> {
        let filled = var.place.record && self.records.are_filled();
        if filled || var.fill.iter().all(|b| *b == 0) {
            return Ok(());
        }
        let gaps = var.written().gaps(self.geometry.total(&var.place));
        let Some(longest) = gaps.iter().map(|g| g.end - g.start).max() else {
            return Ok(());
        };
        let mut buffer = vec![0; usize::try_from(longest).map_or(BUFFER, |n| n.min(BUFFER))];
        fill_pattern(&mut buffer, &var.fill);
        for Range { mut start, end } in gaps {
            // Callers may write parts of elements, so a gap may start inside an element.
            let phase = (start % var.fill.len() as u64) as usize;
            if phase > 0 {
                let n = (var.fill.len() - phase).min((end - start) as usize);
                self.put(var, start, &var.fill[phase..phase + n])?;
                start += n as u64;
            }
            while start < end {
                let n = usize::try_from(end - start).map_or(buffer.len(), |n| n.min(buffer.len()));
                self.put(var, start, &buffer[..n])?;
                start += n as u64;
            }
        }
        Ok(())
    }
}

impl Writer for ClassicWriter {
    fn write_encoded_chunk(&self, _ticket: u64, var: VarId, _chunk: u64, _data: EncodedChunk) -> Result<()> {
        let name = self.var(var)?.name.as_str();
        Err(Error::Usage("classic files have no chunks".to_owned()).in_variable(name))
    }

    fn write_range(&self, id: VarId, offset: u64, data: &[u8]) -> Result<()> {
        let var = self.var(id)?;
        let end = offset
            .checked_add(data.len() as u64)
            .filter(|end| *end <= var.size)
            .ok_or_else(|| {
                Error::io(
                    "cannot write past the end of a variable",
                    io::ErrorKind::InvalidInput.into(),
                )
                .in_variable(&var.name)
            })?;
        // The padding behind the last bytes may be fill values, so these are written.
        let is_hole = !var.place.record && end < var.size && ncutils_hdf5::leaves_hole(data);
        let written = if is_hole {
            Ok(())
        } else if var.swap > 1 {
            let mut data = data.to_vec();
            swap_units(&mut data, var.swap);
            self.put(var, offset, &data)
        } else {
            self.put(var, offset, data)
        };
        written.map_err(|e| Error::io("cannot write", e).in_variable(&var.name))?;
        self.received.add(id, data.len() as u64);
        var.written().add(offset..end);
        Ok(())
    }

    fn interleaves(&self, var: VarId) -> bool {
        self.vars.get(var.0).is_some_and(|var| {
            var.swap == 1 && self.geometry.interleaved(&var.place) && self.geometry.record_variables > 1
        })
    }

    fn write_records(&self, block: RecordBlock) -> Result<()> {
        let Some(end) = block.first.checked_add(block.count()) else {
            return Err(Error::Internal("records outside the file".into()));
        };
        let mut vars = Vec::with_capacity(block.slabs.len());
        for slab in block.slabs {
            let var = self.var(slab.var)?;
            let fits = self.interleaves(slab.var)
                && slab.length == var.place.slab
                && slab
                    .offset
                    .checked_add(slab.length)
                    .is_some_and(|end| end <= block.stride as u64)
                && end
                    .checked_mul(slab.length)
                    .is_some_and(|bytes| bytes <= var.size);
            if !fits {
                return Err(Error::Internal("slabs that do not fit".into()).in_variable(&var.name));
            }
            vars.push(var.slabs());
        }
        self.records
            .put_block(self.output.as_ref(), &self.geometry, &vars, &block)
            .map_err(|e| Error::io("cannot write", e))?;
        for slab in block.slabs {
            let range = block.first * slab.length..end * slab.length;
            self.received.add(slab.var, range.end - range.start);
            self.var(slab.var)?.written().add(range);
        }
        Ok(())
    }

    fn write_values(&self, _ticket: u64, id: VarId, region: &Region, mut values: Values) -> Result<()> {
        let var = self.var(id)?;
        if !region.fits(&var.extent) {
            return Err(Error::Usage("a region outside the variable".to_owned()).in_variable(&var.name));
        }
        let first = region
            .start
            .iter()
            .zip(&var.extent)
            .fold(0, |at, (start, length)| at * length + start);
        // Values are little-endian.
        if var.swap == 1 {
            swap_units(&mut values.bytes, var.element_size);
        }
        self.write_range(id, first * var.element_size as u64, &values.bytes)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.received.check(|var| self.vars[var.0].name.clone())?;
        let is_new = self.count.is_none();
        for var in self.vars.iter().filter(|var| is_new || var.place.record) {
            self.fill(var)
                .map_err(|e| Error::io("cannot write", e).in_variable(&var.name))?;
        }
        let cannot = |e| Error::io("cannot write", e);
        self.records.finish(self.output.as_ref()).map_err(cannot)?;
        if let Some(count) = &self.count {
            self.output.sync().map_err(cannot)?;
            self.output.write_all_at(RECORD_COUNT, count).map_err(cannot)?;
        }
        self.output.commit().map_err(cannot)
    }
}

/// Sets the size of a file, and writes its header.
fn put_header(output: &dyn Output, layout: &ClassicLayout) -> Result<()> {
    output
        .set_size(layout.size)
        .and_then(|()| output.write_all_at(0, &layout.header))
        .map_err(|e| Error::io("cannot write", e))
}

/// Whether a classic file can hold a dataset, and address all of it.
///
/// # Errors
/// Names what it cannot hold, or the variable that begins too far from the file's beginning.
pub fn check_places(schema: &Schema) -> Result<()> {
    check(schema)?;
    match Version::of(schema.kind) {
        Some(version) => lay_out(schema, version).map(|_| ()),
        None => Ok(()),
    }
}

pub(super) fn target(
    schema: &Schema,
    id: VarId,
    plan: &VariablePlan,
    place: VariablePosition,
) -> Result<OpenVariable> {
    let var = schema.var(id);
    let layout = &plan.layout;
    if matches!(layout.storage, Storage::Chunked { .. }) || !layout.filters.is_empty() {
        return Err(Error::Usage(format!(
            "a {} file can hold neither chunks nor filters; use the kind netCDF-4",
            schema.kind.name()
        )));
    }
    if layout.edges == EdgeChunks::Clipped || layout.shard.is_some() {
        return Err(Error::Usage(format!(
            "a {} file can hold neither clipped chunks nor shards",
            schema.kind.name()
        )));
    }
    let shape = schema.shape(id);
    let (element_size, _) = schema.storage_encoding(var.ty);
    let fits = layout.extent.len() == shape.len()
        && layout.element_size == element_size
        && layout
            .extent
            .iter()
            .zip(&shape)
            .enumerate()
            .all(|(i, (extent, length))| extent == length || (i == 0 && place.record && extent < length));
    if !fits {
        return Err(Error::Usage(format!(
            "planned as {:?} elements of {} bytes, where the file has {shape:?} of {element_size}",
            layout.extent, layout.element_size
        )));
    }
    let size = match (place.record, layout.extent.first()) {
        (true, Some(records)) => records.checked_mul(place.slab),
        _ => Some(place.slab),
    };
    let mut fill = layout
        .fill
        .value
        .as_ref()
        .filter(|v| v.bytes.len() == element_size)
        .or_else(|| fill_value_attribute(var))
        .cloned()
        .or_else(|| default_fill_value(var.ty))
        .unwrap_or_default()
        .bytes;
    swap_units(&mut fill, element_size);
    Ok(OpenVariable {
        name: schema.var_path(id),
        place,
        extent: layout.extent.clone(),
        size: size.ok_or_else(|| Error::Usage("larger than any file can be".to_owned()))?,
        element_size,
        swap: if layout.endian == Endian::Little {
            element_size
        } else {
            1
        },
        fill,
        written: Mutex::default(),
    })
}
