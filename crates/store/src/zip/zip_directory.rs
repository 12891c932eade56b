//! The central directory of a zip file: its entries, by name.
//!
//! ```text
//! last bytes ─► end record ─► [zip64 end record] ─► central headers, piece by piece ─► ZipEntry, ZipEntry, …
//! ```

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Object;
use crate::keys::key::check_key;
use crate::zip::zip_records::{
    CENTRAL, CENTRAL_SIGNATURE, CentralHeader, END, END64, End, LOCATOR, parse_locator,
};
use ncutils_model::error::{Error, Result};

/// Most bytes from the end record to the end of a file: the record, and the longest comment.
const LONGEST_TAIL: usize = END + u16::MAX as usize;

/// Bytes of the directory that are read at a time.
const PIECE: usize = 4 << 20;

/// One value of a zip file.
#[derive(Debug)]
pub(crate) struct ZipEntry {
    /// Offset of the local header.
    pub header: u64,
    /// Offset at which the next local header, or the directory, begins. The data ends before.
    pub limit: u64,
    /// True if the file ends at `limit`, so that data which reaches past it is missing.
    pub is_last: bool,
    /// Size in bytes of the stored data.
    pub compressed: u64,
    /// Size in bytes of the value.
    pub size: u64,
    pub crc: u32,
    pub method: u16,
    pub flags: u16,
    /// Length in bytes of the extra field in the directory. That of the local header is often as long.
    pub extra: u16,
    name_length: u16,
    /// Position of the name in [`ZipDirectory::names`].
    name_at: usize,
    /// Length in bytes of the local header; 0 while it is not known.
    header_length: AtomicU32,
}

impl ZipEntry {
    /// Offset of the data, if the local header was read before.
    pub fn data(&self) -> Option<u64> {
        match self.header_length.load(Ordering::Relaxed) {
            0 => None,
            length => self.header.checked_add(length.into()),
        }
    }

    /// Keeps the length of the local header.
    pub fn set_header_length(&self, length: usize) {
        self.header_length
            .store(u32::try_from(length).unwrap_or(0), Ordering::Relaxed);
    }
}

/// The entries of a zip file that are keys.
#[derive(Debug, Default)]
pub(crate) struct ZipDirectory {
    /// All names, one after another.
    names: String,
    /// Ascending by name. Each name is there once.
    entries: Vec<ZipEntry>,
}

fn damaged(why: impl Into<String>) -> Error {
    Error::Damaged(why.into())
}

/// Reads `length` bytes from `offset` on.
pub(crate) fn read(object: &dyn Object, offset: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    object
        .read_exact_at(offset, &mut bytes)
        .map_err(|e| Error::io("cannot read", e))?;
    Ok(bytes)
}

/// Size in bytes of a zip file.
///
/// # Errors
/// If the store fails, or does not tell it.
pub(crate) fn size(object: &dyn Object) -> Result<u64> {
    let size = object.size().map_err(|e| Error::io("cannot read", e))?;
    size.ok_or_else(|| Error::Unsupported("a zip from a store that does not tell its size".to_owned()))
}

impl ZipDirectory {
    /// Reads the directory. Of entries with the same name the last one counts. Left out are folders, and names that
    /// cannot be keys.
    pub fn read(object: &dyn Object) -> Result<Self> {
        let mut directory = Self::default();
        let mut headers = Vec::new();
        let end = each_header(object, |name, header| {
            headers.push(header.offset);
            // Names in another encoding than UTF-8 are no keys.
            directory.add(std::str::from_utf8(name).unwrap_or_default(), header);
            Ok(())
        })?;
        directory.finish(headers, end);
        Ok(directory)
    }

    /// Adds an entry, unless its name cannot be a key.
    pub fn add(&mut self, name: &str, header: &CentralHeader) {
        if check_key(name).is_err() || name.contains('\\') {
            return;
        }
        self.entries.push(ZipEntry {
            header: header.offset,
            limit: 0,
            is_last: false,
            compressed: header.compressed,
            size: header.size,
            crc: header.crc,
            method: header.method,
            flags: header.flags,
            extra: header.extra,
            name_at: self.names.len(),
            name_length: header.name,
            header_length: AtomicU32::new(0),
        });
        self.names.push_str(name);
    }

    /// Makes the entries ready, when all were added. `headers` are the offsets of all local headers, and `end` is where the
    /// last entry ends at the latest.
    pub fn finish(&mut self, headers: Vec<u64>, end: u64) {
        self.limit_entries(headers, end);
        self.sort();
    }

    /// Marks the entries that the file's end limits: it has `size` bytes, and no directory.
    pub fn mark_last(&mut self, size: u64) {
        for entry in &mut self.entries {
            entry.is_last = entry.limit == size;
        }
    }

    /// Limits each entry by the next local header in the file, so that no bytes belong to two entries.
    fn limit_entries(&mut self, mut headers: Vec<u64>, directory: u64) {
        headers.sort_unstable();
        for entry in &mut self.entries {
            let next = headers.partition_point(|offset| *offset <= entry.header);
            entry.limit = headers.get(next).map_or(directory, |next| directory.min(*next));
        }
    }

    /// Sorts the entries by name, and keeps the last one of each name.
    fn sort(&mut self) {
        let names = &self.names;
        // A stable sort: the last one of equal names in the directory stays the last.
        self.entries
            .sort_by(|a, b| name_of(names, a).cmp(name_of(names, b)));
        self.entries.dedup_by(|later, kept| {
            let same = name_of(names, later) == name_of(names, kept);
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
        self.entries.shrink_to_fit();
    }

    /// The name of an entry.
    pub fn name(&self, entry: &ZipEntry) -> &str {
        name_of(&self.names, entry)
    }

    /// The entry with this number.
    pub fn entry(&self, number: usize) -> Option<&ZipEntry> {
        self.entries.get(number)
    }

    /// The number of the entry with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.entries
            .binary_search_by(|entry| self.name(entry).cmp(name))
            .ok()
    }

    /// The numbers of the entries whose names start with `prefix`.
    pub fn below(&self, prefix: &str) -> Range<usize> {
        let first = self.entries.partition_point(|entry| self.name(entry) < prefix);
        let rest = &self.entries[first..];
        let count = rest.partition_point(|entry| self.name(entry).starts_with(prefix));
        first..first + count
    }
}

fn name_of<'a>(names: &'a str, entry: &ZipEntry) -> &'a str {
    let end = entry.name_at + usize::from(entry.name_length);
    names.get(entry.name_at..end).unwrap_or_default()
}

fn several_disks() -> Error {
    Error::Unsupported("a zip of several disks".to_owned())
}

/// Reads the directory of a zip file and passes the name and header of each entry to `take`, in their order. Returns the offset
/// of the directory.
///
/// # Errors
/// A directory that is not there or is damaged, and those of `take`.
pub(crate) fn each_header(
    object: &dyn Object,
    mut take: impl FnMut(&[u8], &CentralHeader) -> Result<()>,
) -> Result<u64> {
    let (end, end_at) =
        find_end(object)?.ok_or_else(|| Error::Truncated("a zip without an end record".to_owned()))?;
    let base = base(object, &end, end_at)?;
    let (end, end_at) = match end.overflows() {
        true => end64(object, end_at)?.unwrap_or((end, end_at)),
        false => (end, end_at),
    };
    if end.disks != [0; 2] || end.entries[0] != end.entries[1] {
        return Err(several_disks());
    }
    let begin = end.offset.saturating_add(base);
    if begin.checked_add(end.size).is_none_or(|last| last > end_at) {
        return Err(damaged(format!(
            "the zip's directory of {} bytes at {} reaches past its end record at {end_at}",
            end.size, end.offset
        )));
    }
    let mut count = 0;
    let mut buffer: Vec<u8> = Vec::new();
    let (mut at, mut left) = (begin, end.size);
    let mut take = |name: &[u8], header: &CentralHeader| {
        let offset = header.offset.saturating_add(base);
        take(name, &CentralHeader { offset, ..*header })
    };
    loop {
        let mut used = 0;
        while let Some(length) = take_header(&buffer[used..], &mut take)? {
            used += length;
            count += 1;
        }
        buffer.drain(..used);
        if left == 0 {
            break;
        }
        let length = left.min(PIECE as u64) as usize;
        buffer.extend(read(object, at, length)?);
        at += length as u64;
        left -= length as u64;
    }
    if !buffer.is_empty() {
        return Err(damaged("the zip's directory ends within an entry"));
    }
    // Writers without zip64 state the lower 16 bits of the count.
    if count != end.entries[0] && count & 0xFFFF != end.entries[0] {
        return Err(damaged(format!(
            "the zip's directory has {count} entries, not {}",
            end.entries[0]
        )));
    }
    Ok(begin)
}

/// The end record and its offset; `None` if there is none.
fn find_end(object: &dyn Object) -> Result<Option<(End, u64)>> {
    let size = size(object)?;
    let tail_length = size.min(LONGEST_TAIL as u64) as usize;
    let tail_at = size - tail_length as u64;
    let tail = read(object, tail_at, tail_length)?;
    Ok(End::find(&tail).map(|(at, end)| (end, tail_at + at as u64)))
}

/// True if the directory of a zip file begins at `at`.
fn has_directory(object: &dyn Object, at: u64) -> Result<bool> {
    let mut magic = [0; CENTRAL_SIGNATURE.len()];
    match object.read_exact_at(at, &mut magic) {
        Ok(()) => Ok(magic == CENTRAL_SIGNATURE),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(Error::io("cannot read", e)),
    }
}

/// Where the zip begins that offsets count from. A program that unpacks a zip may lie before it in the file, and not be counted.
fn base(object: &dyn Object, end: &End, end_at: u64) -> Result<u64> {
    let before = end_at
        .checked_sub(end.size)
        .and_then(|begin| begin.checked_sub(end.offset));
    match before {
        Some(before @ 1..) if !end.overflows() && end.size > 0 => {
            let is_behind =
                !has_directory(object, end.offset)? && has_directory(object, end.offset + before)?;
            Ok(if is_behind { before } else { 0 })
        }
        _ => Ok(0),
    }
}

/// True if an object ends as a zip file with entries does, whatever it begins with.
///
/// # Errors
/// If the store fails.
pub fn ends_as_zip(object: &dyn Object) -> Result<bool> {
    let Some((end, end_at)) = find_end(object)? else {
        return Ok(false);
    };
    has_directory(object, end.offset + base(object, &end, end_at)?)
}

/// Parses the central header at the beginning of `bytes` and returns its length. `None` if it is not all there.
fn take_header(
    bytes: &[u8],
    take: &mut impl FnMut(&[u8], &CentralHeader) -> Result<()>,
) -> Result<Option<usize>> {
    if bytes.len() < CENTRAL {
        return Ok(None);
    }
    let Some(mut header) = CentralHeader::parse(bytes) else {
        return Err(damaged("the zip's directory has something else than entries"));
    };
    let Some(rest) = bytes.get(CENTRAL..header.length()) else {
        return Ok(None);
    };
    let (name, rest) = rest.split_at(header.name.into());
    let extra = &rest[..header.extra.into()];
    if !header.complete(extra) {
        let name = String::from_utf8_lossy(name);
        return Err(damaged(format!(
            "the sizes of the zip's entry {name:?} are missing"
        )));
    }
    if header.disk != 0 {
        return Err(several_disks());
    }
    take(name, &header)?;
    Ok(Some(header.length()))
}

/// The zip64 end record and its offset, if a locator of it is before the end record at `end_at`.
fn end64(object: &dyn Object, end_at: u64) -> Result<Option<(End, u64)>> {
    let Some(locator_at) = end_at.checked_sub(LOCATOR as u64) else {
        return Ok(None);
    };
    let Some((at, disks)) = parse_locator(&read(object, locator_at, LOCATOR)?) else {
        return Ok(None);
    };
    if disks > 1 {
        return Err(several_disks());
    }
    if at.checked_add(END64 as u64).is_none_or(|end| end > locator_at) {
        return Err(damaged(format!("no zip64 end record at {at}")));
    }
    match End::parse64(&read(object, at, END64)?) {
        Some(end) => Ok(Some((end, at))),
        None => Err(damaged(format!("no zip64 end record at {at}"))),
    }
}
