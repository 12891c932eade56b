//! [`Reader`] over an HDF5 file.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::io;
use std::sync::Arc;

use ncutils_hdf5::{ChunkIndex, ChunkRecord, Layout};

use super::data::past_extent::fill_past_extent;
use super::data::stored::StoredData;
use super::data::structured;
use super::list_sources;
use super::netcdf4_reader::{Netcdf4Reader, OpenedVariable, in_chunk};
use super::own_check;
use super::reference::reference_text::unknown_object;
use super::seek_source;
use crate::chunk::{ChunkGrid, Region};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Pipeline};
use crate::format::{
    ChangingSource, CheckLimits, ChunkPlace, ChunkReader, DecodedCache, EncodedChunk, Extensions, Fault,
    Fetcher, Needs, OtherFiles, OwnCheck, Reader, SourceFile, StructureCheck, VirtualSources, Written,
    between_holes, read_ranges, read_region,
};
use crate::model::{Encoding, Schema, Storage, Unclosed, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, FailedRequest, Requests, Sought};

/// The only element of a list.
fn only<T>(list: &[T]) -> Option<&T> {
    match list {
        [one] => Some(one),
        _ => None,
    }
}

impl Reader for Netcdf4Reader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        let stored = &self.variables[var.0].stored;
        match &stored.data {
            StoredData::Virtual(data) => data.layout().unwrap_or(&stored.layout),
            _ => &stored.layout,
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let stored = &self.variables[var.0].stored;
        let layout = &stored.layout;
        Ok(match &stored.data {
            StoredData::None => Written::Nothing,
            StoredData::Virtual(data) => data.written(&layout.extent),
            StoredData::Chunked(dataset) if matches!(&dataset.layout, Layout::Chunked(chunked) if matches!(chunked.index, ChunkIndex::Unallocated)) => {
                Written::Nothing
            }
            StoredData::Chunked(_) => {
                let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape()).map_err(self.named(var))?;
                let table = self.chunks(var)?;
                if table.is_full() && table.len() as u64 == grid.len() {
                    return Ok(Written::All);
                }
                let stored: ncutils_hdf5::Result<_> = table.iter().map(|chunk| Ok(chunk?.index)).collect();
                let stored = stored.map_err(|e| self.named(var)(hdf5_error(e)))?;
                Written::of_chunks(stored, &grid)
            }
            StoredData::Compact(data) if data.is_empty() => Written::Nothing,
            _ if layout.fill.value.as_ref().is_none_or(Values::is_zero) => return self.held(var),
            _ => Written::All,
        })
    }

    fn held(&self, var: VarId) -> Result<Written> {
        let stored = &self.variables[var.0].stored;
        let layout = &stored.layout;
        Ok(match &stored.data {
            StoredData::External(data) if layout.encoding != Encoding::Structured => {
                data.written(&layout.extent, layout.element_size)
            }
            StoredData::Contiguous { address, size } if layout.encoding != Encoding::Structured => {
                let file = self.file(var);
                let begin = file.file.user_block_size().checked_add(*address);
                let range = begin.and_then(|begin| Some(begin..begin.checked_add(*size)?));
                match range {
                    Some(range) => between_holes(&*file.source, range, layout.element_size, &layout.extent),
                    None => Written::All,
                }
            }
            StoredData::External(_) | StoredData::Contiguous { .. } => Written::All,
            StoredData::Compact(data) if !data.is_empty() => Written::All,
            _ => self.written(var)?,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let outside = || {
            self.named(var)(Error::Damaged(format!(
                "its storage ends before byte {}",
                offset.saturating_add(buf.len() as u64)
            )))
        };
        let end = offset.checked_add(buf.len() as u64).ok_or_else(outside)?;
        match &self.variables[var.0].stored.data {
            StoredData::Compact(data) => {
                let bytes = usize::try_from(offset)
                    .ok()
                    .zip(usize::try_from(end).ok())
                    .and_then(|(from, to)| data.get(from..to))
                    .ok_or_else(outside)?;
                buf.copy_from_slice(bytes);
                Ok(())
            }
            StoredData::Contiguous { address, size } if end <= *size => {
                let at = address.checked_add(offset).ok_or_else(outside)?;
                self.file(var)
                    .file
                    .read_at(at, buf)
                    .map_err(|e| self.named(var)(hdf5_error(e)))
            }
            StoredData::External(data) => data.read(offset, buf).map_err(self.named(var)),
            StoredData::Virtual(_) => self.read_virtual_range(var, offset, buf).map_err(self.named(var)),
            _ => Err(outside()),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        let stored = &self.variables[var.0].stored;
        let values = match (self.virtual_variable(var), &stored.conversion) {
            (Some((data, target)), _) => data.data.read(&target, region),
            (None, Some(conversion)) => {
                let fill = stored.layout.fill.value.as_ref();
                structured::read_region(self, var, region, conversion, self.file(var), fill)
            }
            (None, None) => read_region::read_region(self, var, region),
        };
        let mut values = values.map_err(self.named(var))?;
        fill_past_extent(self.schema.var(var).ty, &stored.layout, region, &mut values);
        Ok(values)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            places: Some(self),
            fetch: Some(self),
            sources: Some(self),
            files: Some(self),
            check: Some(self),
            changes: Some(self),
            cache: Some(self),
            space: Some(self),
            ..Extensions::NONE
        }
    }
}

impl DecodedCache for Netcdf4Reader {
    fn keep_at_most(&self, bytes: u64) {
        for open in &self.files {
            open.file.keep_at_most(bytes);
        }
    }

    fn forget_metadata(&self) {
        for open in &self.files {
            open.file.forget_metadata();
        }
    }

    /// What the objects hold, and as much in blocks of metadata.
    fn bytes_held(&self) -> u64 {
        self.files.iter().map(|open| 2 * open.source.bytes_held()).sum()
    }
}

impl ChangingSource for Netcdf4Reader {
    fn check_unchanged(&self) -> Result<()> {
        let input = &self.files[0];
        let unchanged = input.source.check_unchanged();
        unchanged.map_err(|e| Error::io("cannot read", e))?;
        // All other files were found by way of the input.
        match &input.external_files {
            Some(external_files) => external_files.check_unchanged(),
            None => Ok(()),
        }
    }
}

impl ChunkReader for Netcdf4Reader {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        let variable = &self.variables[var.0];
        let layout = self.layout(var);
        let Storage::Chunked { shape } = &layout.storage else {
            return Ok(Pipeline::empty());
        };
        if let Some(pipeline) = variable.pipeline.get() {
            return Ok(Arc::clone(pipeline));
        }
        let chunk = ChunkType::new(&self.schema, self.schema.var(var).ty, layout, shape);
        let bound = self.pipelines.bind(&layout.filters, &chunk);
        let bound = bound.map_err(self.named(var))?;
        Ok(Arc::clone(variable.pipeline.get_or_init(|| bound)))
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        let table = self.variables[var.0].chunks.get()?;
        Some(table.get(chunk).ok()??.size)
    }

    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        let record = self.variables[var.0].chunks.get()?.get(chunk).ok()??;
        let byte = self
            .file(var)
            .file
            .user_block_size()
            .checked_add(record.address)?;
        Some(ChunkPlace::Byte(byte))
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        if let Some((data, target)) = self.virtual_variable(var) {
            let read = data.read_chunk(&target, chunk);
            let found = read.map_err(|e| in_chunk(e, self.layout(var), chunk));
            return Ok(found.map_err(self.named(var))?.map(|chunk| {
                *bytes = chunk.bytes;
                chunk.filter_mask
            }));
        }
        let Some(record) = self.chunk(var, chunk)? else {
            return Ok(None);
        };
        self.file(var)
            .file
            .read_stored(&record, bytes)
            .map_err(|e| self.named_chunk(var, chunk)(hdf5_error(e)))?;
        Ok(Some(self.mask(var, chunk, &record)))
    }
}

impl Fetcher for Netcdf4Reader {
    fn requests(&self) -> Requests {
        self.files[0].source.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        if self.is_virtual(var) {
            // The sources are other files, whose stores are not asked ahead.
            let read = |chunk: &u64| (self as &dyn Reader).read_encoded_chunk(var, *chunk);
            return done(chunks.iter().map(read).collect());
        }
        let records = chunks.iter().map(|chunk| self.chunk(var, *chunk));
        let records: Vec<Option<ChunkRecord>> = match records.collect() {
            Ok(records) => records,
            Err(e) => return done(Err(e)),
        };
        let mut ranges = Vec::with_capacity(chunks.len());
        // The chunk of each range.
        let mut asked = Vec::with_capacity(chunks.len());
        for (chunk, record) in chunks.iter().zip(&records) {
            let Some(record) = record else { continue };
            match self.ranges(var, std::iter::once((record.address, record.size))) {
                Ok(range) => ranges.extend(range),
                Err(e) => return done(Err(self.named_chunk(var, *chunk)(e))),
            }
            asked.push(*chunk);
        }
        let masks: Vec<Option<u32>> = chunks
            .iter()
            .zip(&records)
            .map(|(chunk, record)| record.as_ref().map(|record| self.mask(var, *chunk, record)))
            .collect();
        let path = self.schema.var_path(var);
        let layout = self.variables[var.0].stored.layout.clone();
        let named = move |found: io::Result<Vec<Vec<u8>>>| {
            let found = found.map_err(|e| {
                let (position, cause) = FailedRequest::split(e);
                let error = Error::io("cannot read", cause);
                let error = match position.and_then(|n| asked.get(n)).or(only(&asked)) {
                    Some(chunk) => in_chunk(error, &layout, *chunk),
                    None => error,
                };
                error.in_variable(&path)
            });
            done(found.map(|found| {
                let mut found = found.into_iter();
                let chunk = |mask: Option<u32>| {
                    Some(EncodedChunk {
                        filter_mask: mask?,
                        bytes: found.next()?,
                    })
                };
                masks.into_iter().map(chunk).collect()
            }));
        };
        Arc::clone(&self.file(var).source).fetch(ranges, Box::new(named));
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        let StoredData::Contiguous { address, size } = &self.variables[var.0].stored.data else {
            // Compact data is in memory already.
            return done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
        };
        let fits = |range: &ByteRange| range.end().is_some_and(|end| end <= *size);
        let asked = ranges
            .iter()
            .map(|range| (address.saturating_add(range.offset), range.length as u64));
        let moved = match ranges.iter().all(fits) {
            true => self.ranges(var, asked),
            false => Err(Error::Damaged("its storage ends before what is asked for".into())),
        };
        let moved = match moved {
            Ok(moved) => moved,
            Err(e) => return done(Err(self.named(var)(e))),
        };
        let path = self.schema.var_path(var);
        let named = move |found: io::Result<_>| {
            done(found.map_err(|e| Error::io("cannot read", e).in_variable(&path)));
        };
        Arc::clone(&self.file(var).source).fetch(moved, Box::new(named));
    }
}

impl VirtualSources for Netcdf4Reader {
    fn resolve(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()> {
        match self.virtual_variable(var) {
            Some((data, target)) => data
                .resolve_sources(&target, needs, self.damaged)
                .map_err(self.named(var)),
            None => Ok(()),
        }
    }

    fn is_virtual(&self, var: VarId) -> bool {
        matches!(self.variables[var.0].stored.data, StoredData::Virtual(_))
    }

    fn misfit(&self, var: VarId, region: Option<&Region>) -> Result<Option<String>> {
        let found = self.virtual_variable(var);
        found.map_or(Ok(None), |(data, target)| data.misfit(&target, region))
    }

    fn read_region_left(
        &self,
        var: VarId,
        region: &Region,
        lost: &mut dyn FnMut(Region, Error),
    ) -> Result<Values> {
        match self.is_virtual(var) {
            true => self.read_virtual_region_left(var, region, lost),
            false => self.read_region(var, region),
        }
    }

    fn fill_unreadable(&self) {
        for variable in &self.variables {
            if let StoredData::Virtual(data) = &variable.stored.data {
                data.data.fill_unreadable();
            }
        }
    }

    fn unfinished_sources(&self) -> Vec<(String, Unclosed)> {
        let linked = self.files.iter().skip(1);
        let mut found: Vec<_> = linked
            .filter_map(|file| Some((file.name.clone(), file.unfinished()?)))
            .collect();
        // Virtual datasets share their sources.
        let data = self
            .variables
            .iter()
            .find_map(|variable| match &variable.stored.data {
                StoredData::Virtual(data) => Some(&data.data),
                _ => None,
            });
        for source in data.map(|data| data.unfinished_sources()).unwrap_or_default() {
            if !found.contains(&source) {
                found.push(source);
            }
        }
        found
    }

    fn data_warnings(&self) -> Vec<String> {
        let missing = |(n, variable): (usize, &OpenedVariable)| match &variable.stored.data {
            StoredData::Virtual(data) => data.data.warning(&self.schema.var_path(VarId(n))),
            _ => None,
        };
        let cut = |(n, variable): (usize, &OpenedVariable)| {
            let has_cut = variable.stored.conversion.as_ref().is_some_and(|c| c.has_cut());
            has_cut.then(|| {
                format!(
                    "variable {}: strings end at their first NUL, and text behind it is left out; nccopy -k h5 keeps it",
                    self.schema.var_path(VarId(n))
                )
            })
        };
        let unknown = |(n, variable): (usize, &OpenedVariable)| {
            let address = variable.stored.conversion.as_ref()?.unknown_object()?;
            let what = format!("variable {}", self.schema.var_path(VarId(n)));
            Some(unknown_object(&what, address))
        };
        let variables = || self.variables.iter().enumerate();
        variables()
            .filter_map(missing)
            .chain(variables().filter_map(cut))
            .chain(variables().filter_map(unknown))
            .collect()
    }
}

impl OtherFiles for Netcdf4Reader {
    fn source_files(&self) -> Result<Vec<SourceFile>> {
        Ok(list_sources::list(self))
    }

    fn find_source(&self, sought: &Sought<'_>) -> Result<Option<String>> {
        Ok(seek_source::find(self, sought))
    }
}

impl StructureCheck for Netcdf4Reader {
    fn check_structure(&self, _: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck> {
        Ok(own_check::check(self, found))
    }
}
