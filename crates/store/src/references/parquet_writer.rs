//! [`ParquetReferenceOutput`]: kerchunk's references as files of Parquet.
//!
//! ```text
//! refs.parq/.zmetadata         {"metadata":{".zgroup":…,"v/.zarray":…},"record_size":10000}
//! refs.parq/v/refs.K.parq      rows of the chunks K·record_size …, in C order: path, offset, size, raw
//! ```
//!
//! Rows of a chunk in another file have a path, of one that is stored here the bytes in `raw`. Readers fail at rows without either, so
//! chunks that were never written have a chunk of fill values in `raw`. All files of an array are written: one that lacks may be lost.
//!
//! A file is complete once a place of a later one comes, or another array: places come in the order of chunks, and values before them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::parquet::{ColumnKind, FileWriter, PageValues, push_bytes};
use super::reference::{Reference, StoredRange};
use super::referenced_array::ReferencedArray;
use super::value_spool::{SpooledValue, ValueSpool};
use crate::{KeyOutput, KeyStore, ValueWriter};

/// Rows of a file, as fsspec has them where nobody says.
const RECORD_SIZE: u64 = 10_000;

/// Bytes of values in one page.
const PAGE: usize = 1 << 20;

/// Most bytes of values in a file that is put as a whole.
const WHOLE: u64 = 8 << 20;

/// Most files one behind another that are written without a chunk that was written. What is behind them reads as fill values, too, but
/// our reader tells that files lack.
const MOST_EMPTY: u64 = 10_000;

/// The key of all documents.
const DOCUMENTS: &str = ".zmetadata";

/// A folder of references that is being written.
pub struct ParquetReferenceOutput {
    keys: Arc<dyn KeyOutput>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The documents, as members of JSON.
    documents: String,
    arrays: Vec<ReferencedArray>,
    /// The number of each array, by its path.
    numbers: HashMap<String, usize>,
    /// The array of the last key.
    current: Option<usize>,
    /// Number of the first file of the array that is not written.
    next_file: u64,
    /// The arrays whose files are written.
    written: HashSet<usize>,
    /// The rows of the array that are not written.
    files: BTreeMap<u64, Rows>,
    /// Names of other files.
    objects: Objects,
    values: ValueSpool,
}

/// Rows of a file.
type Rows = BTreeMap<u32, Row>;

/// A row that is there.
enum Row {
    /// A place in another file; a whole file has the offset and the size 0.
    Stored { object: u32, offset: u64, size: u64 },
    /// Bytes that are stored here.
    Inline(SpooledValue),
}

/// Names of other files, each once.
#[derive(Default)]
struct Objects {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Objects {
    fn number(&mut self, name: &Arc<str>) -> io::Result<u32> {
        // Usually the same file as before.
        if let Some(last) = self.names.last()
            && **last == **name
        {
            return Ok(self.names.len() as u32 - 1);
        }
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        let number = u32::try_from(self.names.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.names.push(Arc::clone(name));
        self.numbers.insert(Arc::clone(name), number);
        Ok(number)
    }
}

impl ParquetReferenceOutput {
    /// References below `keys`, which is published with them.
    pub fn new(keys: Arc<dyn KeyOutput>) -> Self {
        Self {
            keys,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a row. A place of a later file completes the files before it.
    fn add(&self, key: &str, row: impl FnOnce(&mut State) -> io::Result<Row>) -> io::Result<()> {
        let mut state = self.state();
        let (array, chunk) = state.find(key)?;
        if state.current != Some(array) {
            self.begin_array(&mut state, array)?;
        }
        let (file, at) = (chunk / RECORD_SIZE, (chunk % RECORD_SIZE) as u32);
        if file < state.next_file {
            return Err(io::Error::other("a reference behind those of later chunks"));
        }
        let row = row(&mut state)?;
        let is_new = !state.files.contains_key(&file);
        if is_new && matches!(row, Row::Stored { .. }) {
            self.write_before(&mut state, file)?;
        }
        state.files.entry(file).or_default().insert(at, row);
        Ok(())
    }

    /// Completes the current array, and goes to another one.
    fn begin_array(&self, state: &mut State, array: usize) -> io::Result<()> {
        self.write_before(state, u64::MAX)?;
        state.written.insert(array);
        state.current = Some(array);
        state.next_file = 0;
        Ok(())
    }

    /// Writes the files of the current array before number `end`.
    fn write_before(&self, state: &mut State, end: u64) -> io::Result<()> {
        let Some(array) = state.current.and_then(|number| state.arrays.get(number)) else {
            return Ok(());
        };
        let end = end.min(array.chunks().div_ceil(RECORD_SIZE));
        // A file of fill values alone, whose rows are many.
        let mut empty: Option<Vec<u8>> = None;
        while state.next_file < end {
            let file = state.next_file;
            let rows = state.files.remove(&file).unwrap_or_default();
            if rows.is_empty() {
                let next = state
                    .files
                    .first_key_value()
                    .map_or(end, |(next, _)| (*next).min(end));
                if next - file > MOST_EMPTY {
                    state.next_file = next;
                    continue;
                }
            }
            let first = file * RECORD_SIZE;
            let count = array.chunks().saturating_sub(first).min(RECORD_SIZE) as usize;
            let key = match array.path.as_str() {
                "" => format!("refs.{file}.parq"),
                path => format!("{path}/refs.{file}.parq"),
            };
            let is_whole_and_empty = rows.is_empty() && count as u64 == RECORD_SIZE;
            if let Some(bytes) = empty.as_ref().filter(|_| is_whole_and_empty) {
                self.keys.put(&key, bytes)?;
            } else {
                let fill = match rows.len() < count {
                    true => fill_of(array)?,
                    false => None,
                };
                let table = Table {
                    rows: &rows,
                    count,
                    fill: fill.as_deref(),
                    objects: &state.objects,
                    values: &state.values,
                };
                let written = self.write_file(&key, &table)?;
                empty = written.filter(|_| is_whole_and_empty).or(empty);
            }
            state.next_file += 1;
        }
        if state.files.is_empty() {
            state.values.clear();
        }
        Ok(())
    }

    /// Writes a file. Returns its bytes if they are few.
    fn write_file(&self, key: &str, table: &Table<'_>) -> io::Result<Option<Vec<u8>>> {
        if table.bytes() <= WHOLE {
            let mut bytes = Vec::new();
            table.write(&mut |part| {
                bytes.extend_from_slice(part);
                Ok(())
            })?;
            self.keys.put(key, &bytes)?;
            return Ok(Some(bytes));
        }
        let value = self.keys.create(key)?;
        let mut at = 0;
        let length = table.write(&mut |part| {
            value.write_at(at, part)?;
            at += part.len() as u64;
            Ok(())
        })?;
        value.set_size(length)?;
        value.finish()?;
        Ok(None)
    }
}

/// The chunk of fill values of an array; `None` where there is none, so that rows stay empty.
fn fill_of(array: &ReferencedArray) -> io::Result<Option<Vec<u8>>> {
    match (array.fill)() {
        Ok(fill) => Ok(Some(fill)),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(error),
    }
}

impl State {
    /// The array and the number of the chunk of a key.
    fn find(&self, key: &str) -> io::Result<(usize, u64)> {
        let (path, name) = key.rsplit_once('/').unwrap_or(("", key));
        let number = match self.current {
            Some(current) if self.arrays.get(current).is_some_and(|array| array.path == path) => {
                Some(current)
            }
            _ => self.numbers.get(path).copied(),
        };
        let chunk = number.and_then(|number| self.arrays.get(number)?.chunk(name));
        number.zip(chunk).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the key {key:?} is no chunk of an array"),
            )
        })
    }
}

/// The rows of a file.
struct Table<'a> {
    rows: &'a Rows,
    /// The number of rows, also of those that are not there.
    count: usize,
    fill: Option<&'a [u8]>,
    objects: &'a Objects,
    values: &'a ValueSpool,
}

impl Table<'_> {
    fn row(&self, at: usize) -> Option<&Row> {
        self.rows.get(&(at as u32))
    }

    /// Bytes of values.
    fn bytes(&self) -> u64 {
        let inline = |row: &Row| match row {
            Row::Inline(value) => value.length as u64,
            Row::Stored { .. } => 0,
        };
        self.rows.values().map(inline).sum::<u64>() + self.fill.map_or(0, <[u8]>::len) as u64
    }

    /// Writes the file. Returns its length.
    fn write(&self, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
        let all = 0..self.count;
        let stored = |at| match self.row(at) {
            Some(Row::Stored { object, offset, size }) => Some((*object, *offset, *size)),
            _ => None,
        };
        let mut file = FileWriter::begin(sink)?;
        let mut page = Vec::new();
        file.column("path", ColumnKind::Text, None)?;
        for at in all.clone() {
            if let Some((object, ..)) = stored(at) {
                let name = self.objects.names.get(object as usize);
                push_bytes(&mut page, name.map_or(&[], |name| name.as_bytes()))?;
            }
        }
        let present: Vec<bool> = all.clone().map(|at| stored(at).is_some()).collect();
        file.data_page(&present, PageValues::Plain(&page))?;
        let numbers = |number: fn((u32, u64, u64)) -> u64| {
            let rows = all.clone().map(|at| stored(at).map_or(0, number).to_le_bytes());
            rows.collect::<Vec<_>>().as_flattened().to_vec()
        };
        let everywhere = vec![true; self.count];
        file.column("offset", ColumnKind::Int64, None)?;
        file.data_page(&everywhere, PageValues::Plain(&numbers(|(_, offset, _)| offset)))?;
        file.column("size", ColumnKind::Int64, None)?;
        file.data_page(&everywhere, PageValues::Plain(&numbers(|(.., size)| size)))?;
        file.column("raw", ColumnKind::Bytes, self.fill)?;
        self.raw(&mut file)?;
        file.finish()
    }

    /// The pages of values. Those of fill values repeat the only value of the dictionary, and have no other values.
    fn raw(&self, file: &mut FileWriter<'_>) -> io::Result<()> {
        let (mut page, mut present, mut fills) = (Vec::new(), Vec::new(), 0);
        for at in 0..self.count {
            let (is_fill, value) = match self.row(at) {
                None => (self.fill.is_some(), None),
                Some(Row::Stored { .. }) => (false, None),
                Some(Row::Inline(value)) => (false, Some(value)),
            };
            let is_full = page.len() >= PAGE;
            if is_full || is_fill && !page.is_empty() || value.is_some() && fills > 0 {
                self.page(file, &mut page, &mut present, &mut fills)?;
            }
            present.push(is_fill || value.is_some());
            fills += usize::from(is_fill);
            if let Some(value) = value {
                push_bytes(&mut page, &self.values.read(*value)?)?;
            }
        }
        match present.is_empty() {
            true => Ok(()),
            false => self.page(file, &mut page, &mut present, &mut fills),
        }
    }

    fn page(
        &self,
        file: &mut FileWriter<'_>,
        page: &mut Vec<u8>,
        present: &mut Vec<bool>,
        fills: &mut usize,
    ) -> io::Result<()> {
        let values = match *fills {
            0 => PageValues::Plain(page),
            count => PageValues::Repeated(count),
        };
        file.data_page(present, values)?;
        page.clear();
        present.clear();
        *fills = 0;
        Ok(())
    }
}

impl KeyOutput for ParquetReferenceOutput {
    fn check(&self, key: &str) -> io::Result<()> {
        self.keys.check(key)
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.add(key, |state| state.values.push(value).map(Row::Inline))
    }

    fn takes_references(&self) -> bool {
        true
    }

    fn begin_arrays(&self, arrays: Vec<ReferencedArray>) -> io::Result<()> {
        let mut state = self.state();
        state.numbers = arrays
            .iter()
            .enumerate()
            .map(|(n, array)| (array.path.clone(), n))
            .collect();
        state.arrays = arrays;
        Ok(())
    }

    fn put_reference(&self, key: &str, reference: &Reference) -> io::Result<()> {
        match reference {
            Reference::Inline(value) => self.put(key, value),
            Reference::Stored(StoredRange { object, range, .. }) => self.add(key, |state| {
                let (offset, size) = range.unwrap_or((0, 0));
                Ok(Row::Stored {
                    object: state.objects.number(object)?,
                    offset,
                    size,
                })
            }),
        }
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let document = str::from_utf8(value).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        let mut state = self.state();
        if !state.documents.is_empty() {
            state.documents.push_str(",\n");
        }
        super::json_string::push_string(&mut state.documents, key);
        state.documents.push(':');
        state.documents.push_str(document);
        Ok(())
    }

    fn create(&self, _: &str) -> io::Result<Box<dyn ValueWriter>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.keys.staged(key)
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.keys.staged_keys(prefix)
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        self.keys.read_staged()
    }

    fn publish(&self) -> io::Result<()> {
        let mut state = self.state();
        // Of arrays of which nothing was written, all values are fill values.
        for array in 0..state.arrays.len() {
            if !state.written.contains(&array) {
                self.begin_array(&mut state, array)?;
            }
        }
        self.write_before(&mut state, u64::MAX)?;
        let documents = std::mem::take(&mut state.documents);
        let all = format!("{{\"metadata\":{{\n{documents}\n}},\"record_size\":{RECORD_SIZE}}}\n");
        self.keys.put_last(DOCUMENTS, all.as_bytes())?;
        self.keys.publish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryKeys;

    fn stored(offset: u64) -> Reference {
        Reference::Stored(StoredRange {
            object: "/d/a.nc".into(),
            range: Some((offset, 8)),
            version: None,
        })
    }

    #[test]
    fn all_files_of_an_array_are_written() {
        let keys = MemoryKeys::new();
        let output = ParquetReferenceOutput::new(Arc::new(keys.output()));
        output.put_last("v/.zarray", b"{}").unwrap();
        let array = |path: &str, counts: &[u64]| ReferencedArray {
            shape: Vec::new(),
            dimensions: Vec::new(),
            path: path.to_owned(),
            counts: counts.to_vec(),
            fill: Box::new(|| Ok(vec![7; 3])),
        };
        output
            .begin_arrays(vec![
                array("v", &[3, 10_000]),
                array("w", &[]),
                array("x", &[2]),
                array("y", &[u64::MAX]),
            ])
            .unwrap();
        // Values come first, and places in the order of chunks.
        output.put("v/2.5", b"inline").unwrap();
        output.put_reference("v/0.3", &stored(5)).unwrap();
        output.put_reference("v/2.9999", &stored(9)).unwrap();
        output.put_reference("w/0", &stored(1)).unwrap();
        assert!(output.put_reference("v/3.0", &stored(1)).is_err());
        assert!(output.put_reference("z/0", &stored(1)).is_err());
        output.publish().unwrap();
        assert_eq!(
            keys.list("").unwrap(),
            [
                ".zmetadata",
                "v/refs.0.parq",
                "v/refs.1.parq",
                "v/refs.2.parq",
                "w/refs.0.parq",
                "x/refs.0.parq"
            ]
        );
    }
}
