//! Reading the data of a classic file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::fetch::Fetch;
use super::header::decode::decode;
use super::header::variable_position::{Geometry, VariablePosition};
use super::read_ahead::ReadAhead;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::format::{
    ChangingSource, CheckLimits, EncodedChunk, Extensions, Fault, Fetcher, OwnCheck, Reader, RecordLayout,
    RecordReader, StructureCheck, Written, between_holes, read_ranges, read_region, read_some_records,
};
use crate::model::{
    Encoding, Endian, Fill, FillTime, Schema, Values, VarId, VariableLayout, default_fill_value,
    fill_value_attribute,
};
use crate::store::{ByteRange, Done, FailedRequest, FetchQueue, Object, Requests, awaited};

/// Upper limit, in bytes, of a read that covers several records and the bytes between them.
const SPAN: u64 = 1 << 20;

/// Largest gap, in bytes, between the slabs of two records that are read together. Over a larger gap, each is
/// read alone: a read from the page cache costs about as much as copying this many bytes.
const MAX_GAP: u64 = 8 << 10;

/// A classic file that is open for reading.
pub struct ClassicReader {
    source: Arc<dyn Object>,
    ahead: ReadAhead,
    /// The fetches of a slow source.
    queue: Arc<FetchQueue>,
    /// Size of the object in bytes; `None` if the object does not know it.
    pub(super) size: Option<u64>,
    /// Bytes of the header.
    pub(super) header: u64,
    schema: Schema,
    pub(super) places: Vec<VariablePosition>,
    pub(super) geometry: Geometry,
    /// True if the header leaves the number of records to the file's size.
    is_streamed: bool,
    /// Offset of the first record, in bytes; 0 without record variables.
    first_record: u64,
    layouts: Vec<VariableLayout>,
}

impl ClassicReader {
    /// Reads the header of a file that starts with `CDF`.
    ///
    /// # Errors
    /// Names the part of the header that is truncated or damaged. Missing data is detected when it is read.
    pub fn open(source: Arc<dyn Object>) -> Result<Self> {
        let header = source.clone();
        Self::open_by_header(source, &*header)
    }

    /// Same as [`open`](Self::open), with another object that has the same size, and the same bytes up to the end of the header.
    pub(in crate::format) fn open_by_header(source: Arc<dyn Object>, header: &dyn Object) -> Result<Self> {
        let header = decode(header)?;
        let layouts = (0..header.schema.vars.len())
            .map(|i| layout(&header.schema, VarId(i)))
            .collect();
        Ok(Self {
            size: source.size().map_err(|e| Error::io("cannot read", e))?,
            source,
            ahead: ReadAhead::default(),
            queue: Arc::default(),
            header: header.end,
            schema: header.schema,
            first_record: header.geometry.first_record(&header.places).unwrap_or(0),
            places: header.places,
            geometry: header.geometry,
            is_streamed: header.is_streamed,
            layouts,
        })
    }

    fn in_variable(&self, var: VarId) -> impl Fn(Error) -> Error {
        move |e| e.in_variable(&self.schema.var_path(var))
    }

    fn read(&self, at: u64, buf: &mut [u8]) -> Result<()> {
        let read = self.ahead.read(&*self.source, self.size, at, buf);
        read.map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => self.truncated(at, buf.len() as u64),
            _ => Error::io(format!("cannot read {} bytes at byte {at}", buf.len()), e),
        })
    }

    fn truncated(&self, at: u64, length: u64) -> Error {
        let end = match self.size {
            Some(size) => format!("at byte {size}"),
            None => "before".to_owned(),
        };
        Error::Truncated(format!(
            "the file is truncated: {length} bytes of data at byte {at} needed, and it ends {end}"
        ))
    }

    /// Number of records to read at once, for `wanted` bytes of each.
    fn batch(&self, wanted: u64) -> u64 {
        let record_size = self.geometry.record_size;
        if record_size.saturating_sub(wanted) > MAX_GAP {
            1
        } else {
            (SPAN / record_size).max(1)
        }
    }

    /// Reads from a variable whose records are not adjacent. Close records are read together.
    fn read_interleaved(&self, place: &VariablePosition, mut offset: u64, mut buf: &mut [u8]) -> Result<()> {
        let batch = self.batch(place.slab);
        let mut span = Vec::new();
        while !buf.is_empty() {
            let first = self.geometry.piece(place, offset, buf.len() as u64);
            let slabs = (buf.len() as u64 - first.length).div_ceil(place.slab) + 1;
            let slabs = slabs.min(batch);
            if slabs == 1 {
                let (now, rest) = buf.split_at_mut(first.length as usize);
                self.read(first.at, now)?;
                (offset, buf) = (offset + first.length, rest);
                continue;
            }
            // From the first requested byte to the last one, several records later.
            let wanted = (first.length + (slabs - 1) * place.slab).min(buf.len() as u64);
            let last = self.geometry.piece(place, offset + wanted - 1, 1);
            span.resize((last.at + 1 - first.at) as usize, 0);
            // Where the span cannot be read, the bytes between the pieces may be damaged alone.
            let is_read = self.read(first.at, &mut span).is_ok();
            let (mut now, rest) = buf.split_at_mut(wanted as usize);
            while !now.is_empty() {
                let piece = self.geometry.piece(place, offset, now.len() as u64);
                let from = (piece.at - first.at) as usize;
                let (slab, after) = now.split_at_mut(piece.length as usize);
                match is_read {
                    true => slab.copy_from_slice(&span[from..from + slab.len()]),
                    false => self.read(piece.at, slab)?,
                }
                (offset, now) = (offset + piece.length, after);
            }
            buf = rest;
        }
        Ok(())
    }

    /// Requests ranges of a slow source, all of which lie within the variable and the file.
    fn fetch(&self, place: &VariablePosition, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let place = (self.geometry, *place);
        Fetch::begin(&self.source, &self.queue, place, ranges, done);
    }

    /// True if a slow source has these ranges of a variable. If not, reading one after another tells the error.
    fn can_fetch(&self, place: &VariablePosition, ranges: &[ByteRange]) -> bool {
        if !self.source.requests().ahead {
            return false;
        }
        let total = self.geometry.total(place);
        let is_there = |range: &ByteRange| match range.end() {
            Some(end) if end > total => false,
            Some(0) => true,
            Some(end) => self
                .size
                .is_none_or(|size| self.geometry.piece(place, end - 1, 1).at < size),
            None => false,
        };
        ranges.iter().all(is_there)
    }

    /// Reads a range of a slow source, many pieces at once. Returns false if it does not suit that.
    fn read_at_once(&self, place: &VariablePosition, offset: u64, buf: &mut [u8]) -> Result<bool> {
        let range = ByteRange {
            offset,
            length: buf.len(),
        };
        if !self.can_fetch(place, &[range])
            || self.geometry.piece(place, offset, buf.len() as u64).length == buf.len() as u64
        {
            return Ok(false);
        }
        let lost = || io::Error::other("a store gave no answer");
        let found = awaited(|done| self.fetch(place, vec![range], done)).unwrap_or_else(|| Err(lost()));
        let found = found.map_err(|e| Error::io("cannot read", FailedRequest::split(e).1))?;
        match found.first() {
            Some(bytes) if bytes.len() == buf.len() => buf.copy_from_slice(bytes),
            _ => return Err(Error::io("cannot read", lost())),
        }
        Ok(true)
    }

    /// The bytes of consecutive records as a variable of its own, whose slab is `part` of each record.
    fn place_of_records(&self, part: &Range<u64>) -> VariablePosition {
        VariablePosition {
            begin: self.first_record + part.start,
            slab: part.end - part.start,
            record: true,
        }
    }

    /// Fails if a region reaches past the end of the file, before memory is allocated for it.
    pub(in crate::format) fn check_not_truncated(&self, var: VarId, region: &Region) -> Result<()> {
        let (layout, place) = (&self.layouts[var.0], &self.places[var.0]);
        if region.is_empty() || !region.fits(&layout.extent) {
            return Ok(());
        }
        let last = region
            .start
            .iter()
            .zip(&region.count)
            .zip(&layout.extent)
            .fold(0, |at, ((start, count), length)| at * length + start + count - 1);
        let element = layout.element_size as u64;
        let piece = self.geometry.piece(place, last * element, element);
        match self.size {
            Some(size) if piece.at + element > size => Err(self.truncated(piece.at, element)),
            // Only a read can tell. One more costs little if the region is large.
            None if region.element_count().is_none_or(|n| n > SPAN / element.max(1)) => {
                self.read(piece.at, &mut vec![0; layout.element_size])
            }
            _ => Ok(()),
        }
    }
}

impl Reader for ClassicReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let (place, layout) = (&self.places[var.0], &self.layouts[var.0]);
        let zeros = layout.fill.value.as_ref().is_none_or(Values::is_zero);
        let end = place.begin.checked_add(self.geometry.total(place));
        Ok(match end {
            Some(end) if zeros && !self.geometry.interleaved(place) => between_holes(
                &*self.source,
                place.begin..end,
                layout.element_size,
                &layout.extent,
            ),
            _ => Written::All,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let place = &self.places[var.0];
        let end = offset.checked_add(buf.len() as u64);
        if end.is_none_or(|end| end > self.geometry.total(place)) {
            let e = Error::io(
                "cannot read past the end of a variable",
                io::ErrorKind::InvalidInput.into(),
            );
            return Err(e).map_err(self.in_variable(var));
        }
        let read = if self.geometry.interleaved(place) {
            match self.read_at_once(place, offset, buf) {
                Ok(false) => self.read_interleaved(place, offset, buf),
                done => done.map(|_| ()),
            }
        } else {
            self.read(place.begin + offset, buf)
        };
        read.map_err(self.in_variable(var))
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.check_not_truncated(var, region)
            .and_then(|()| read_region::read_region(self, var, region))
            .map_err(self.in_variable(var))
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            places: Some(self),
            records: Some(self),
            fetch: Some(self),
            check: Some(self),
            changes: Some(self),
            space: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChangingSource for ClassicReader {
    fn check_unchanged(&self) -> Result<()> {
        self.source
            .check_unchanged()
            .map_err(|e| Error::io("cannot read", e))
    }
}

impl RecordReader for ClassicReader {
    fn record_layout(&self) -> Option<RecordLayout> {
        let layout = self.geometry.interleaving(&self.places)?;
        let slab = layout.slabs.last()?;
        let records = (layout.records - 1) * layout.record_size;
        let end = self.first_record + records + slab.offset + slab.length;
        // If data is missing, variables are read one by one, so that the error names the first one with
        // missing data.
        self.size.is_some_and(|size| end <= size).then_some(layout)
    }

    fn read_records(&self, first: u64, part: Range<u64>, buf: &mut [u8]) -> Result<()> {
        let size = self.geometry.record_size;
        let wanted = part.end.saturating_sub(part.start);
        let count = (buf.len() as u64).checked_div(wanted).unwrap_or(0);
        let fits = part.end <= size
            && count.checked_mul(wanted) == Some(buf.len() as u64)
            && first
                .checked_add(count)
                .is_some_and(|end| end <= self.geometry.records);
        if !fits {
            return Err(Error::Internal("records outside the file".into()));
        }
        // The header was checked so that this does not overflow.
        let at = |record: u64| self.first_record + record * size + part.start;
        if wanted == size {
            // The padding of the last record may be missing in the file.
            let most = usize::try_from(self.size.unwrap_or(u64::MAX).saturating_sub(at(first)))
                .unwrap_or(usize::MAX);
            let missing = buf.len().saturating_sub(most);
            let there = if missing < 4 {
                buf.len() - missing
            } else {
                buf.len()
            };
            let (there, missing) = buf.split_at_mut(there);
            missing.fill(0);
            return self.read(at(first), there);
        }
        let batch = self.batch(wanted);
        let mut span = Vec::new();
        let mut record = first;
        for now in buf.chunks_mut((batch * wanted) as usize) {
            let count = now.len() as u64 / wanted;
            if count == 1 {
                self.read(at(record), now)?;
            } else {
                span.resize(((count - 1) * size + wanted) as usize, 0);
                self.read(at(record), &mut span)?;
                let records = span.chunks(size as usize);
                for (to, from) in now.chunks_exact_mut(wanted as usize).zip(records) {
                    to.copy_from_slice(&from[..to.len()]);
                }
            }
            record += count;
        }
        Ok(())
    }

    fn fetch_records(&self, first: u64, count: u64, part: Range<u64>, done: Done<Result<Vec<u8>>>) {
        let wanted = part.end.saturating_sub(part.start);
        let place = self.place_of_records(&part);
        let range = first.checked_mul(wanted).zip(count.checked_mul(wanted));
        let range = range.and_then(|(offset, length)| {
            Some(ByteRange {
                offset,
                length: usize::try_from(length).ok()?,
            })
        });
        match range.filter(|range| part.end <= self.geometry.record_size && self.can_fetch(&place, &[*range]))
        {
            Some(range) => {
                let take = |found: Vec<Vec<u8>>| found.into_iter().next().unwrap_or_default();
                let named = move |found: io::Result<_>| {
                    done(
                        found
                            .map(take)
                            .map_err(|e| Error::io("cannot read", FailedRequest::split(e).1)),
                    );
                };
                self.fetch(&place, vec![range], Box::new(named));
            }
            // The padding of the last record may be missing in the file.
            None => done(read_some_records(count, &part, |buf| {
                self.read_records(first, part.clone(), buf)
            })),
        }
    }
}

impl Fetcher for ClassicReader {
    fn requests(&self) -> Requests {
        self.source.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        (self as &dyn Reader).read_chunks_in_turn(var, &chunks, done);
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        let place = &self.places[var.0];
        if !self.can_fetch(place, &ranges) {
            return done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
        }
        let path = self.schema.var_path(var);
        let named = move |found: io::Result<_>| {
            done(found.map_err(|e| Error::io("cannot read", e).in_variable(&path)));
        };
        self.fetch(place, ranges, Box::new(named));
    }
}

impl ClassicReader {
    /// Number of whole records in a file of `size` bytes; `None` without record variables.
    fn records_in(&self, size: u64) -> Option<u64> {
        size.saturating_sub(self.first_record)
            .checked_div(self.geometry.record_size)
    }

    /// For the message about a file of `size` bytes that is truncated: how many of its records are there.
    fn records_told(&self, size: u64) -> String {
        let records = self.geometry.records;
        match self.records_in(size).filter(|there| *there < records) {
            Some(there) => format!("; {there} of {records} records are there"),
            None => String::new(),
        }
    }

    /// Tells bytes behind the data, which ends at `end`. Some writers fill up the last slab to 4 bytes.
    fn note_behind(&self, end: u64, size: u64) -> Option<String> {
        let behind = size
            .checked_sub(end.checked_next_multiple_of(4)?)
            .filter(|n| *n > 0)?;
        let records = self.geometry.records;
        Some(match self.records_in(size).filter(|there| *there > records) {
            Some(there) => format!(
                "{behind} bytes follow the data: the header says that there are {records} records, and the file has room for {there}"
            ),
            None if behind == 1 => "1 byte follows the data".to_owned(),
            None => format!("{behind} bytes follow the data"),
        })
    }
}

impl StructureCheck for ClassicReader {
    fn check_structure(&self, _: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck> {
        let ends = self.places.iter().map(|place| self.geometry.end(place));
        let end = ends.max().unwrap_or(0);
        if let Some(size) = self.size
            && size < end
        {
            found(Fault {
                is_summary: true,
                ..Fault::new(format!(
                    "the file is truncated: its header needs {end} bytes, and it has {size}{}",
                    self.records_told(size)
                ))
            });
        }
        let behind = self.size.and_then(|size| self.note_behind(end, size));
        let streamed = self.is_streamed.then(|| {
            let records = self.geometry.records;
            format!("the header leaves the number of records to the file's size, which gives {records}")
        });
        Ok(OwnCheck {
            uncovered: vec!["the header".to_owned()],
            notes: streamed.into_iter().chain(behind).collect(),
            ..OwnCheck::default()
        })
    }
}

fn layout(schema: &Schema, id: VarId) -> VariableLayout {
    let var = schema.var(id);
    let (element_size, _) = schema.storage_encoding(var.ty);
    VariableLayout {
        endian: Endian::Big,
        // Every variable of a classic file has a fill value: its own, or the default of its type.
        fill: Fill {
            value: fill_value_attribute(var)
                .cloned()
                .or_else(|| default_fill_value(var.ty)),
            explicit: true,
            no_fill: false,
            time: FillTime::IfSet,
            ..Fill::default()
        },
        ..VariableLayout::contiguous(
            schema.shape(id),
            element_size,
            Encoding::Numbers { unit: element_size },
        )
    }
}
