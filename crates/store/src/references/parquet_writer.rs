//! [`ParquetReferenceOutput`]: kerchunk's references as files of Parquet.
//!
//! ```text
//! refs.parq/.zmetadata         {"metadata":{".zgroup":…,"v/.zarray":…},"record_size":10000}
//! refs.parq/v/refs.K.parq      rows of the chunks K·record_size …, in C order: path, offset, size, raw
//! ```
//!
//! Rows of a chunk in another file have a path, of one that is stored here the bytes in `raw`. Readers fail at rows without either, so
//! chunks that were never written have a chunk of fill values in `raw`. All files of an array are written, so a missing file means damage.
//!
//! A file is complete once a place of a later one comes, or another array: places come in the order of chunks, and values before them. Complete files are
//! written by one thread at a time, while others add rows to later ones.

mod table;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::reference::{Reference, StoredRange};
use super::referenced_array::ReferencedArray;
use super::value_spool::ValueSpool;
use crate::{KeyOutput, KeyStore, ValueWriter};
use table::{ReferenceRow, Rows, Table};

/// Rows of a file, as fsspec has them where nobody says.
const RECORD_SIZE: u64 = 10_000;

/// Most bytes of values in a file that is put as a whole.
const WHOLE: u64 = 8 << 20;

/// A run of more than this many files without a written chunk is not written. The reader reports those files as missing.
const MOST_EMPTY: u64 = 10_000;

/// The key of all documents.
const DOCUMENTS: &str = ".zmetadata";

/// A folder of references that is being written.
pub struct ParquetReferenceOutput {
    keys: Arc<dyn KeyOutput>,
    state: Mutex<State>,
    /// Held while complete files are written.
    writing: Mutex<()>,
}

#[derive(Default)]
struct State {
    /// The documents, as members of JSON.
    documents: String,
    arrays: Vec<Arc<ReferencedArray>>,
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
    /// Values of rows that are not written.
    values: Arc<RwLock<ValueSpool>>,
}

/// Complete files of an array, which are to be written.
struct Complete {
    array: Arc<ReferencedArray>,
    numbers: Range<u64>,
    files: BTreeMap<u64, Rows>,
    values: Arc<RwLock<ValueSpool>>,
}

/// Names of other files, each once.
#[derive(Default)]
struct Objects {
    last: Option<Arc<str>>,
    all: HashSet<Arc<str>>,
}

impl Objects {
    fn shared(&mut self, name: &Arc<str>) -> Arc<str> {
        // Usually the same file as before.
        if let Some(last) = self.last.as_ref().filter(|last| ***last == **name) {
            return Arc::clone(last);
        }
        let shared = match self.all.get(name) {
            Some(known) => Arc::clone(known),
            None => {
                self.all.insert(Arc::clone(name));
                Arc::clone(name)
            }
        };
        self.last = Some(Arc::clone(&shared));
        shared
    }
}

impl ParquetReferenceOutput {
    /// References below `keys`, which is published with them.
    pub fn new(keys: Arc<dyn KeyOutput>) -> Self {
        Self {
            keys,
            state: Mutex::default(),
            writing: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a row. A place of a later file completes the files before it.
    fn add(&self, key: &str, row: impl FnOnce(&mut State) -> io::Result<ReferenceRow>) -> io::Result<()> {
        let mut complete = Vec::new();
        {
            let mut state = self.state();
            let (array, chunk) = state.find(key)?;
            if state.current != Some(array) {
                complete.extend(state.begin_array(array));
            }
            let (file, at) = (chunk / RECORD_SIZE, (chunk % RECORD_SIZE) as u32);
            if file < state.next_file {
                return Err(io::Error::other("a reference behind those of later chunks"));
            }
            let row = row(&mut state)?;
            if file > state.next_file && matches!(row, ReferenceRow::Stored { .. }) {
                complete.extend(state.complete_before(file));
            }
            state.files.entry(file).or_default().add(at, row);
        }
        self.write(complete)
    }

    /// Writes complete files.
    fn write(&self, complete: Vec<Complete>) -> io::Result<()> {
        if complete.is_empty() {
            return Ok(());
        }
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        complete.into_iter().try_for_each(|files| self.write_files(files))
    }

    fn write_files(&self, complete: Complete) -> io::Result<()> {
        let Complete {
            array,
            numbers,
            mut files,
            values,
        } = complete;
        // A file of fill values alone, whose rows are many.
        let mut empty: Option<Vec<u8>> = None;
        let mut file = numbers.start;
        while file < numbers.end {
            let rows = files.remove(&file).unwrap_or_default();
            if rows.is_empty() {
                let next = files.first_key_value().map_or(numbers.end, |(next, _)| *next);
                if next - file > MOST_EMPTY {
                    file = next;
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
                let table = Table::new(rows, count, || fill_of(&array), &values)?;
                let written = self.write_file(&key, &table)?;
                empty = written.filter(|_| is_whole_and_empty).or(empty);
            }
            file += 1;
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
    /// Completes the current array, and goes to another one.
    fn begin_array(&mut self, array: usize) -> Option<Complete> {
        let complete = self.complete_before(u64::MAX);
        self.written.insert(array);
        self.current = Some(array);
        self.next_file = 0;
        complete
    }

    /// Takes the files of the current array before number `end`; `None` if there are none.
    fn complete_before(&mut self, end: u64) -> Option<Complete> {
        let array = Arc::clone(self.arrays.get(self.current?)?);
        let end = end.min(array.chunks().div_ceil(RECORD_SIZE));
        let numbers = self.next_file..end;
        if numbers.is_empty() {
            return None;
        }
        self.next_file = end;
        let later = self.files.split_off(&end);
        let files = std::mem::replace(&mut self.files, later);
        let values = match self.files.is_empty() {
            true => std::mem::take(&mut self.values),
            false => Arc::clone(&self.values),
        };
        Some(Complete {
            array,
            numbers,
            files,
            values,
        })
    }

    /// Keeps a value until its file is written.
    fn keep(&self, value: &[u8]) -> io::Result<ReferenceRow> {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        values.push(value).map(ReferenceRow::Inline)
    }

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

impl KeyOutput for ParquetReferenceOutput {
    fn check(&self, key: &str) -> io::Result<()> {
        self.keys.check(key)
    }

    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.add(key, |state| state.keep(value))
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
        state.arrays = arrays.into_iter().map(Arc::new).collect();
        Ok(())
    }

    fn put_reference(&self, key: &str, reference: &Reference) -> io::Result<()> {
        match reference {
            Reference::Inline(value) => self.put(key, value),
            Reference::Stored(StoredRange { object, range, .. }) => self.add(key, |state| {
                let (offset, size) = range.unwrap_or((0, 0));
                Ok(ReferenceRow::Stored {
                    object: state.objects.shared(object),
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
        let mut complete = Vec::new();
        let documents = {
            let mut state = self.state();
            // Of arrays of which nothing was written, all values are fill values.
            for array in 0..state.arrays.len() {
                if !state.written.contains(&array) {
                    complete.extend(state.begin_array(array));
                }
            }
            complete.extend(state.complete_before(u64::MAX));
            std::mem::take(&mut state.documents)
        };
        self.write(complete)?;
        let all = format!("{{\"metadata\":{{\n{documents}\n}},\"record_size\":{RECORD_SIZE}}}\n");
        self.keys.put_last(DOCUMENTS, all.as_bytes())?;
        self.keys.publish()
    }
}

#[cfg(test)]
mod tests;
