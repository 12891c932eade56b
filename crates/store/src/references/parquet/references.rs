//! [`ParquetReferences`]: a folder of references, of which only the files are read that are asked for.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use super::file_reader::{Rows, read_rows};
use crate::references::listed_references::ListedReferences;
use crate::references::{Reference, ReferenceSet};
use crate::{BoundedCache, ByteRange, GetRange, KeyStore, Sought};

/// Most rows of a file. Rows without a reference take no bytes of it, but some of memory.
const MOST_ROWS: u64 = 1_000_000;

/// Most bytes of a file.
const LARGEST: usize = 512 << 20;

/// Most bytes of rows that stay in memory.
const KEPT: usize = 64 << 20;

/// Most arrays of which it is told that files are missing.
const MOST_TOLD: usize = 4;

/// Most chunks of an array whose keys are listed.
const MOST_LISTED: u64 = 4_000_000;

/// References in a folder of Parquet files.
pub struct ParquetReferences {
    store: Arc<dyn KeyStore>,
    /// Rows of a file.
    record_size: u64,
    /// The documents, by key.
    documents: BTreeMap<String, Vec<u8>>,
    /// The shape of the grid of chunks of each array, by path.
    grids: BTreeMap<String, Vec<u64>>,
    /// Rows by path and number of the file; `None` for a file that does not exist.
    rows: BoundedCache<(String, u64), Option<Arc<Rows>>>,
    listed: ListedReferences,
}

impl ParquetReferences {
    /// The references in `store`, with what its `.zmetadata` says.
    ///
    /// # Errors
    /// A number of rows that cannot be.
    pub fn new(
        store: Arc<dyn KeyStore>,
        record_size: u64,
        documents: BTreeMap<String, Vec<u8>>,
        grids: BTreeMap<String, Vec<u64>>,
    ) -> Result<Self, String> {
        match record_size {
            1..=MOST_ROWS => Ok(Self {
                store,
                record_size,
                documents,
                grids,
                rows: BoundedCache::new(KEPT),
                listed: ListedReferences::default(),
            }),
            _ => Err(format!("record_size {record_size}; 1 to {MOST_ROWS} is possible")),
        }
    }

    /// The object of the first reference that is found; `None` if none is found soon.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn some_object(&self) -> io::Result<Option<String>> {
        for path in self.grids.keys().take(8) {
            let Some(rows) = self.rows(path, 0)? else {
                continue;
            };
            if let Some(object) = rows.objects().next() {
                return Ok(Some(object.to_string()));
            }
        }
        Ok(None)
    }

    /// The array that a key is of, and its chunk.
    fn chunk<'k>(&self, key: &'k str) -> Option<(&'k str, u64)> {
        let ends = key
            .rmatch_indices('/')
            .map(|(at, _)| (&key[..at], &key[at + 1..]));
        let parts = ends.chain([("", key)]);
        let (path, rest, grid) = parts
            .filter_map(|(path, rest)| Some((path, rest, self.grids.get(path)?)))
            .next()?;
        let mut numbers = rest.split(['.', '/']);
        let mut chunk = 0u64;
        for count in grid {
            let number = numbers.next()?;
            let is_plain = number == "0" || !number.starts_with(['0', '+']);
            let number = number.parse().ok().filter(|number| number < count && is_plain)?;
            chunk = chunk.checked_mul(*count)?.checked_add(number)?;
        }
        let rest = numbers.next();
        let is_scalar = grid.is_empty() && rest == Some("0");
        (rest.is_none() || is_scalar && numbers.next().is_none()).then_some((path, chunk))
    }

    /// The rows of a file; `None` if there is no such file.
    fn rows(&self, path: &str, file: u64) -> io::Result<Option<Arc<Rows>>> {
        let place = (path.to_owned(), file);
        if let Some(rows) = self.rows.get(&place) {
            return Ok(rows);
        }
        let key = match path {
            "" => format!("refs.{file}.parq"),
            path => format!("{path}/refs.{file}.parq"),
        };
        let part = GetRange::Range(ByteRange {
            offset: 0,
            length: LARGEST + 1,
        });
        let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{key}: {why}"));
        let rows = match self.store.get(&key, part)? {
            None => None,
            Some(bytes) if bytes.len() > LARGEST => {
                return Err(wrong(format!("it has more than {LARGEST} bytes")));
            }
            Some(bytes) => {
                let rows = read_rows(&bytes, self.record_size as usize);
                Some(Arc::new(rows.map_err(|why| wrong(format!("Parquet: {why}")))?))
            }
        };
        let cost = rows.as_ref().map_or(100, |rows| rows.cost());
        self.rows.keep(place, rows.clone(), cost);
        Ok(rows)
    }

    /// The path of each array that has not all its files, the number of those that are missing, and of all.
    fn lacking_files(&self) -> io::Result<Vec<(&str, u64, u64)>> {
        // One request tells all of a slow store.
        let all = match self.store.requests().ahead {
            true => Some(self.store.list("")?),
            false => None,
        };
        let mut lacking = Vec::new();
        for (path, grid) in &self.grids {
            let chunks = grid.iter().fold(1u64, |all, count| all.saturating_mul(*count));
            let files = chunks.div_ceil(self.record_size);
            let folder = match &**path {
                "" => String::new(),
                path => format!("{path}/"),
            };
            let is_file = |name: &str| -> bool {
                let number = name
                    .strip_prefix("refs.")
                    .and_then(|name| name.strip_suffix(".parq"));
                number
                    .and_then(|number| number.parse().ok())
                    .is_some_and(|number: u64| number < files)
            };
            let found = match &all {
                None => self
                    .store
                    .list_children(&folder)?
                    .iter()
                    .filter(|name| is_file(name))
                    .count(),
                Some(keys) => {
                    let below = &keys[keys.partition_point(|key| **key < *folder)..];
                    let names = below.iter().map_while(|key| key.strip_prefix(&*folder));
                    names.filter(|name| is_file(name)).count()
                }
            };
            if (found as u64) < files {
                lacking.push((&**path, files - found as u64, files));
            }
        }
        Ok(lacking)
    }

    /// Passes the key and the row of each chunk of an array to `each`, in C order, as long as it returns true.
    fn list_chunks(&self, path: &str, grid: &[u64], each: &mut EachChunk<'_>) -> io::Result<bool> {
        let count = grid
            .iter()
            .try_fold(1u64, |count, length| count.checked_mul(*length));
        let count = count.filter(|count| *count <= MOST_LISTED);
        let count = count.ok_or(io::ErrorKind::Unsupported)?;
        let mut key = match path {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let folder = key.len();
        for file in 0..count.div_ceil(self.record_size) {
            let Some(rows) = self.rows(path, file)? else {
                continue;
            };
            let from = file * self.record_size;
            for chunk in from..count.min(from + self.record_size) {
                let row = (chunk - from) as usize;
                if rows.has(row) {
                    key.truncate(folder);
                    push_name(&mut key, chunk, grid);
                    if !each(&key, &rows, row)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Passes the keys of chunks that start with `prefix` and their rows to `each`, as long as it returns true.
    fn list_all_chunks(&self, prefix: &str, each: &mut EachChunk<'_>) -> io::Result<bool> {
        for (path, grid) in &self.grids {
            let folder = format!("{path}/");
            let may_have = folder.starts_with(prefix) || prefix.starts_with(&folder) || path.is_empty();
            let mut with_prefix = |key: &str, rows: &Rows, row| match key.starts_with(prefix) {
                true => each(key, rows, row),
                false => Ok(true),
            };
            if may_have && !self.list_chunks(path, grid, &mut with_prefix)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Takes the key of a chunk, and its row among those of a file. Returns false if it needs no more of them.
type EachChunk<'e> = dyn FnMut(&str, &Rows, usize) -> io::Result<bool> + 'e;

/// Adds the name of a chunk: its position in the grid.
fn push_name(key: &mut String, chunk: u64, grid: &[u64]) {
    if grid.is_empty() {
        key.push('0');
    }
    let mut size: u64 = grid.iter().product();
    let mut rest = chunk;
    for (n, length) in grid.iter().enumerate() {
        size /= length;
        let dot = if n > 0 { "." } else { "" };
        // Writing to a `String` never fails.
        let _ = write!(key, "{dot}{}", rest / size);
        rest %= size;
    }
}

impl ReferenceSet for ParquetReferences {
    fn find(&self, key: &str) -> io::Result<Option<Reference>> {
        if let Some(document) = self.documents.get(key) {
            return Ok(Some(Reference::Inline(document.clone())));
        }
        let Some((path, chunk)) = self.chunk(key) else {
            return Ok(None);
        };
        let Some(rows) = self.rows(path, chunk / self.record_size)? else {
            return Ok(None);
        };
        Ok(rows.get((chunk % self.record_size) as usize))
    }

    fn objects(&self, each: &mut dyn FnMut(&str)) -> io::Result<()> {
        for key in self.store.list("")? {
            let (path, name) = key.rsplit_once('/').unwrap_or(("", &key));
            let number = name
                .strip_prefix("refs.")
                .and_then(|rest| rest.strip_suffix(".parq"));
            let Some(number) = number.and_then(|number| number.parse().ok()) else {
                continue;
            };
            if !self.grids.contains_key(path) {
                continue;
            }
            let Some(rows) = self.rows(path, number)? else {
                continue;
            };
            rows.objects().for_each(|object| each(object));
        }
        Ok(())
    }

    fn may_lead_to(&self, _: &Sought<'_>) -> io::Result<Option<bool>> {
        Ok(None)
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let documents = self.documents.keys().filter(|key| key.starts_with(prefix));
        let mut keys: Vec<String> = documents.cloned().collect();
        self.list_all_chunks(prefix, &mut |key, _, _| {
            keys.push(key.to_owned());
            Ok(true)
        })?;
        keys.sort_unstable();
        Ok(keys)
    }

    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        self.list_all_chunks(prefix, &mut |key, rows, row| {
            let handle = match rows.get(row) {
                Some(Reference::Inline(value)) => self.listed.inline(&value)?,
                Some(Reference::Stored(stored)) => self.listed.stored(&stored.object, stored.range, None)?,
                None => None,
            };
            Ok(handle.map(|handle| each(key, handle)).is_some())
        })
    }

    fn by_handle(&self, handle: u32) -> Option<Reference> {
        self.listed.get(handle)
    }

    /// Chunks are left out: nobody looks for them one level at a time.
    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let from = self.documents.range(folder.to_owned()..);
        let below = from.map_while(|(key, _)| key.strip_prefix(folder));
        let name = |rest: &str| rest.split_inclusive('/').next().unwrap_or_default().to_owned();
        let mut names: Vec<String> = below.map(name).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Arrays of which files are missing. kerchunk leaves out files without a reference, so this is no error.
    fn lacking(&self) -> Vec<String> {
        let told = |(path, lacking, all): &(&str, u64, u64)| {
            format!(
                "{path}: {lacking} of {all} files of references are missing; their chunks read as fill values"
            )
        };
        let lacking = self.lacking_files().unwrap_or_default();
        let mut warnings: Vec<String> = lacking.iter().take(MOST_TOLD).map(told).collect();
        if lacking.len() > MOST_TOLD {
            let more = lacking.len() - MOST_TOLD;
            warnings.push(format!(
                "files of references of {more} other variables are missing"
            ));
        }
        warnings
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.store.check_unchanged()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryKeys;

    #[test]
    fn chunks_are_rows_of_files() {
        let documents = BTreeMap::from([
            ("v/.zarray".to_owned(), b"{}".to_vec()),
            (".zgroup".to_owned(), Vec::new()),
        ]);
        let grids = BTreeMap::from([("v".to_owned(), vec![2, 3]), ("g/s".to_owned(), Vec::new())]);
        let store = Arc::new(MemoryKeys::new());
        assert!(ParquetReferences::new(store.clone(), 0, BTreeMap::new(), BTreeMap::new()).is_err());
        let set = ParquetReferences::new(store, 4, documents, grids).unwrap();
        for (key, chunk) in [
            ("v/1.2", Some(("v", 5))),
            ("v/1/2", Some(("v", 5))),
            ("v/0.0", Some(("v", 0))),
            ("v/2.0", None),
            ("v/0", None),
            ("v/0.0.0", None),
            ("v/00.1", None),
            ("v/+1.1", None),
            ("g/s/0", Some(("g/s", 0))),
            ("g/s/1", None),
            ("w/0.0", None),
        ] {
            assert_eq!(set.chunk(key), chunk, "{key}");
        }
        let name = |chunk, grid: &[u64]| {
            let mut key = "v/".to_owned();
            push_name(&mut key, chunk, grid);
            key
        };
        assert_eq!(
            (name(5, &[2, 3]), name(0, &[])),
            ("v/1.2".to_owned(), "v/0".to_owned())
        );
        assert_eq!(set.find("v/0.0").unwrap(), None);
        assert_eq!(set.list("").unwrap(), [".zgroup", "v/.zarray"]);
        assert_eq!(set.list_children("").unwrap(), [".zgroup", "v/"]);
    }
}
