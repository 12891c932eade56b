//! Reading a zip file as a store of keys: each key is the name of an entry.
//!
//! ```text
//! Object ─► ZipDirectory: entries by name ─► ZipRead: header, data, inflate, check ─► value
//! ```

use std::io;
use std::sync::Arc;

use tracing::debug;

use crate::keys::key::check_key;
use crate::zip::zip_directory::{self, ZipDirectory, ZipEntry};
use crate::zip::zip_names::check_names;
use crate::zip::zip_scan;
use crate::zip::zip_value::{Next, ZipRead, zeros};
use crate::{Done, FailedRequest, Get, GetRange, KeyStore, Object, Requests, ValuePlace};
use ncutils_model::error::{Error, Result};

/// A zip file that is being read, by many threads at once: entries are stored or deflated, with zip64 or without.
///
/// Of entries with one name the last one in the directory counts. Folders are no keys. Entries are left out if their
/// names are absolute, lead out of the folder, have a backslash, or are not UTF-8.
///
/// An entry's sizes are those that the directory states. They are checked when the value is read. Its checksum is
/// checked when the whole value is read. No two entries may share bytes of the file, and a deflated entry is never
/// longer than its data can stand for. A caller who knows how long a value may be asks for its size before.
#[derive(Clone)]
pub struct ZipKeys {
    archive: Arc<Archive>,
    /// What all names of keys of this store start with: empty, or a folder and `/`.
    prefix: String,
}

struct Archive {
    object: Arc<dyn Object>,
    directory: ZipDirectory,
}

impl ZipKeys {
    /// Reads the directory of a zip file. The keys are the names of its entries.
    ///
    /// # Errors
    /// If the object cannot be read or does not tell its size, if the directory is damaged, or if the zip has several
    /// disks.
    pub fn open(object: Arc<dyn Object>) -> Result<Self> {
        let directory = ZipDirectory::read(&*object)?;
        debug!(keys = directory.below("").len(), "opened a zip");
        Ok(Self {
            archive: Arc::new(Archive { object, directory }),
            prefix: String::new(),
        })
    }

    /// Opens a zip file that may be truncated or damaged: without a directory, its entries are found by their local headers. The
    /// second value is a line then.
    ///
    /// # Errors
    /// Those of [`ZipKeys::open`], if no entry is found.
    pub fn open_damaged(object: Arc<dyn Object>) -> Result<(Self, Option<String>)> {
        let why = match Self::open(object.clone()) {
            Ok(keys) => return Ok((keys, None)),
            Err(Error::Damaged(why) | Error::Truncated(why)) => why,
            Err(error) => return Err(error),
        };
        let directory = zip_scan::scan(&*object, zip_directory::size(&*object)?)?;
        let found = directory.below("").len();
        if found == 0 {
            return Err(Error::Damaged(why));
        }
        let damage =
            format!("the zip's directory cannot be read: {why}; {found} entries were found without it");
        let archive = Arc::new(Archive { object, directory });
        let keys = Self {
            archive,
            prefix: String::new(),
        };
        Ok((keys, Some(damage)))
    }

    /// The folder that all keys are below, if there is one: the first name of each key. netCDF-C puts a dataset below a
    /// folder with the dataset's name; zarr-python puts it at the root.
    pub fn top_folder(&self) -> Option<&str> {
        let all = self.archive.directory.below(&self.prefix);
        let key = |number| Some(self.key(self.archive.directory.entry(number)?));
        let (folder, _) = key(all.start)?.split_once('/')?;
        // The entries are sorted: those between the first and the last are below the folder if these two are.
        let (last, _) = key(all.end.checked_sub(1)?)?.split_once('/')?;
        (folder == last).then_some(folder)
    }

    /// The keys below a folder, without its name. There are none if the folder does not exist.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        Self {
            archive: Arc::clone(&self.archive),
            prefix: format!("{}{}/", self.prefix, folder.trim_end_matches('/')),
        }
    }

    /// The key of an entry of this store.
    fn key(&self, entry: &ZipEntry) -> &str {
        let name = self.archive.directory.name(entry);
        name.get(self.prefix.len()..).unwrap_or_default()
    }

    /// The number of a key's entry.
    fn find(&self, key: &str) -> io::Result<Option<usize>> {
        check_key(key)?;
        let directory = &self.archive.directory;
        Ok(match self.prefix.is_empty() {
            true => directory.find(key),
            false => directory.find(&format!("{}{key}", self.prefix)),
        })
    }
}

impl Archive {
    fn begin(&self, number: usize, part: GetRange, at_once: bool) -> io::Result<ZipRead> {
        let entry = self.directory.entry(number).ok_or(io::ErrorKind::NotFound)?;
        ZipRead::begin(entry, self.directory.name(entry), part, at_once)
    }

    fn advance(&self, number: usize, read: ZipRead, bytes: Vec<u8>) -> io::Result<Next> {
        let entry = self.directory.entry(number).ok_or(io::ErrorKind::NotFound)?;
        read.advance(entry, self.directory.name(entry), bytes)
    }
}

impl KeyStore for ZipKeys {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        let Some(number) = self.find(key)? else {
            return Ok(None);
        };
        let archive = &self.archive;
        // A second read of a local file is cheaper than moving the data in memory.
        let at_once = archive.object.requests().ahead;
        let mut read = archive.begin(number, part, at_once)?;
        loop {
            let range = read.range();
            let mut bytes = zeros(range.length)?;
            archive.object.read_exact_at(range.offset, &mut bytes)?;
            match archive.advance(number, read, bytes)? {
                Next::Value(value) => return Ok(Some(value)),
                Next::Read(next) => read = next,
            }
        }
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        let entry = self.find(key)?.and_then(|n| self.archive.directory.entry(n));
        Ok(entry.map(|entry| entry.size))
    }

    fn check_keys(&self, found: &mut dyn FnMut(String)) -> Result<()> {
        check_names(&self.archive.object, found)
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.archive.object.check_unchanged()
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let directory = &self.archive.directory;
        let all = directory.below(&format!("{}{prefix}", self.prefix));
        let entries = all.filter_map(|number| directory.entry(number));
        Ok(entries.map(|entry| self.key(entry).to_owned()).collect())
    }

    fn list_sizes(&self, prefix: &str) -> io::Result<Vec<(String, u64)>> {
        let directory = &self.archive.directory;
        let all = directory.below(&format!("{}{prefix}", self.prefix));
        let entries = all.filter_map(|number| directory.entry(number));
        Ok(entries
            .map(|entry| (self.key(entry).to_owned(), entry.compressed))
            .collect())
    }

    /// A folder that holds all entries of the zip file counts as the whole.
    fn value_place(&self, _: &str) -> io::Result<ValuePlace> {
        Ok(ValuePlace::Nowhere)
    }

    fn container_size(&self) -> io::Result<Option<u64>> {
        let directory = &self.archive.directory;
        match directory.below(&self.prefix) == directory.below("") {
            true => self.archive.object.size(),
            false => Ok(None),
        }
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let directory = &self.archive.directory;
        let above = format!("{}{folder}", self.prefix);
        let mut numbers = directory.below(&above);
        let mut names = Vec::new();
        while let Some(entry) = directory.entry(numbers.start).filter(|_| !numbers.is_empty()) {
            let rest = directory.name(entry).get(above.len()..).unwrap_or_default();
            match rest.find('/') {
                None => {
                    names.push(rest.to_owned());
                    numbers.start += 1;
                }
                // All entries below this folder follow one another.
                Some(end) => {
                    let child = &rest[..=end];
                    names.push(child.to_owned());
                    numbers.start = directory.below(&format!("{above}{child}")).end;
                }
            }
        }
        Ok(names)
    }

    /// Each entry has a CRC-32.
    fn verifies(&self) -> bool {
        true
    }

    fn requests(&self) -> Requests {
        self.archive.object.requests()
    }

    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        let mut reads = Vec::with_capacity(gets.len());
        for (position, get) in gets.iter().enumerate() {
            let begun = self.find(&get.key).and_then(|number| {
                let Some(number) = number else { return Ok(None) };
                let read = self.archive.begin(number, get.part, true)?;
                Ok(Some(Pending {
                    position,
                    number,
                    read,
                }))
            });
            match begun {
                Ok(pending) => reads.extend(pending),
                Err(e) => return done(Err(FailedRequest::error(position, e))),
            }
        }
        let round = Round {
            archive: Arc::clone(&self.archive),
            values: vec![None; gets.len()],
            reads,
            done,
        };
        round.run();
    }
}

/// Values that are fetched together. Most need one request. A part of a stored entry needs two, if its local header
/// was not read before: all of these are in a second round.
struct Round {
    archive: Arc<Archive>,
    values: Vec<Option<Vec<u8>>>,
    reads: Vec<Pending>,
    done: Done<io::Result<Vec<Option<Vec<u8>>>>>,
}

/// A value that is not complete.
struct Pending {
    /// Its position among the values.
    position: usize,
    /// The number of its entry.
    number: usize,
    read: ZipRead,
}

impl Round {
    fn run(self) {
        if self.reads.is_empty() {
            return (self.done)(Ok(self.values));
        }
        let object = Arc::clone(&self.archive.object);
        let ranges = self.reads.iter().map(|pending| pending.read.range()).collect();
        object.fetch(ranges, Box::new(move |found| self.take(found)));
    }

    fn take(mut self, found: io::Result<Vec<Vec<u8>>>) {
        let found = match found {
            Ok(found) => found,
            Err(e) => {
                let (at, cause) = FailedRequest::split(e);
                let failed = at.and_then(|at| self.reads.get(at));
                return (self.done)(Err(match failed {
                    Some(pending) => FailedRequest::error(pending.position, cause),
                    None => cause,
                }));
            }
        };
        for (pending, bytes) in std::mem::take(&mut self.reads).into_iter().zip(found) {
            let Pending {
                position,
                number,
                read,
            } = pending;
            match self.archive.advance(number, read, bytes) {
                Ok(Next::Value(value)) => self.values[position] = Some(value),
                Ok(Next::Read(read)) => self.reads.push(Pending {
                    position,
                    number,
                    read,
                }),
                Err(e) => return (self.done)(Err(FailedRequest::error(position, e))),
            }
        }
        self.run();
    }
}

#[cfg(test)]
mod tests;
