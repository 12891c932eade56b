//! Raw data in external files (HDF5 specification section IV.A.2.h).
//!
//! ```text
//! bytes of the variable  │ segment 0 │ segment 1 │ …      each a range of a file; what lies past the file's end is zeros
//! ```

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use ncutils_hdf5::ExternalSegment;
use tracing::debug;

use crate::chunk::{Region, common_divisor, element_count};
use crate::error::{Error, Result};
use crate::format::{PlaceObject, StoredPlace, Written};
use crate::store::{ExternalFiles, InputKind, NamedAs, NoExternalFile, Object, ObjectVersion, known_size};

/// Most segments of which it is told which parts files hold.
const MOST_PIECES: usize = 4096;

/// The raw data of one variable. Its files are opened when they are needed.
pub struct ExternalData {
    segments: Vec<Segment>,
    files: Vec<ExternalFile>,
    /// The files that the variable's file may name; `None` if it may name none.
    external_files: Option<Arc<dyn ExternalFiles>>,
}

/// A range of a file.
struct Segment {
    /// Byte of the variable after its last; `u64::MAX` if it has no end.
    end: u64,
    /// Position in the file of byte 0 of the variable, if the segment began there. May be negative.
    shift: i128,
    /// Index of the file.
    file: usize,
}

struct ExternalFile {
    /// Its name, as stored.
    name: String,
    opened: OnceLock<OpenedFile>,
}

struct OpenedFile {
    object: Arc<dyn Object>,
    /// Bytes.
    size: u64,
    /// Absolute path or URL; `None` if it is not UTF-8.
    name: Option<Arc<str>>,
    /// What tells whether it is changed later.
    version: Option<ObjectVersion>,
}

impl ExternalData {
    /// Data in these segments. Opens no file.
    pub fn new(segments: &[ExternalSegment], external_files: Option<Arc<dyn ExternalFiles>>) -> Self {
        let mut known = HashMap::new();
        let mut files = Vec::new();
        let mut begin = 0u64;
        let mut all = Vec::with_capacity(segments.len());
        for segment in segments {
            let file = *known.entry(segment.file.as_str()).or_insert_with(|| {
                files.push(ExternalFile {
                    name: segment.file.clone(),
                    opened: OnceLock::new(),
                });
                files.len() - 1
            });
            let end = begin.saturating_add(segment.size.unwrap_or(u64::MAX));
            all.push(Segment {
                end,
                shift: i128::from(segment.offset) - i128::from(begin),
                file,
            });
            begin = end;
        }
        Self {
            segments: all,
            files,
            external_files,
        }
    }

    /// The names of the files, each once.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// A file is missing, may not be read or cannot be read; the segments end before `buf` is full.
    pub fn read(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let mut at = offset;
        let mut rest = buf;
        let mut next = self.segments.partition_point(|segment| segment.end <= at);
        while !rest.is_empty() {
            let Some(segment) = self.segments.get(next) else {
                return Err(Error::Damaged(format!(
                    "its external files are said to hold {} bytes, and byte {at} is needed",
                    self.segments.last().map_or(0, |segment| segment.end)
                )));
            };
            let here = usize::try_from(segment.end - at).unwrap_or(usize::MAX);
            let (part, behind) = rest.split_at_mut(here.min(rest.len()));
            if !part.is_empty() {
                let file = &self.files[segment.file];
                let read = self.read_file(file, i128::from(at) + segment.shift, part);
                read.map_err(|e| named(&file.name, e))?;
                at = at.saturating_add(part.len() as u64);
            }
            rest = behind;
            next += 1;
        }
        Ok(())
    }

    /// The parts of a variable of this shape, with elements of `size` bytes, that files hold. The rest lies past their ends,
    /// and reads as zeros. What cannot be looked up counts as held, so that reading it fails.
    pub fn written(&self, extent: &[u64], size: usize) -> Written {
        let size = size.max(1) as u64;
        let Some(bytes) = element_count(extent).and_then(|count| count.checked_mul(size)) else {
            return Written::All;
        };
        if self.segments.len() > MOST_PIECES {
            return Written::All;
        }
        let mut regions = Vec::new();
        let mut begin = 0;
        for segment in &self.segments {
            let end = segment.end.min(bytes);
            if begin >= end {
                break;
            }
            let held = match self.open(&self.files[segment.file]) {
                Ok(opened) => {
                    (i128::from(opened.size) - segment.shift).clamp(begin.into(), end.into()) as u64
                }
                Err(_) => end,
            };
            let first = begin / size;
            let last = held.div_ceil(size);
            if held > begin {
                if (begin, held) == (0, bytes) {
                    return Written::All;
                }
                regions.extend(Region::range(extent, first, last - first));
            }
            begin = end;
        }
        // Elements that no segment has are an error to read.
        if begin < bytes {
            return Written::All;
        }
        match regions.is_empty() {
            true => Written::Nothing,
            false => Written::Regions(regions),
        }
    }

    /// Largest piece length of the first `bytes` bytes, in bytes, at which no piece crosses the end of a segment.
    pub fn piece(&self, bytes: u64) -> u64 {
        let ends = self.segments.iter().map(|segment| segment.end);
        ends.filter(|end| *end < bytes).fold(bytes, common_divisor)
    }

    /// Where bytes lie. `None` if they lie in several files, or not in what a file has.
    ///
    /// # Errors
    /// A file is missing, or may not be read.
    pub fn place(&self, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        let next = self.segments.partition_point(|segment| segment.end <= offset);
        let end = offset.checked_add(length);
        let segment = self.segments.get(next);
        let Some(segment) = segment.filter(|segment| end.is_some_and(|end| end <= segment.end)) else {
            return Ok(None);
        };
        let file = &self.files[segment.file];
        let opened = self.open(file).map_err(|e| named(&file.name, e))?;
        let at = u64::try_from(i128::from(offset) + segment.shift).ok();
        let fits = |at: &u64| at.checked_add(length).is_some_and(|end| end <= opened.size);
        let found = at.filter(fits).zip(opened.name.clone());
        Ok(found.map(|(at, name)| StoredPlace {
            object: PlaceObject::Named(name),
            range: Some((at, length)),
            filter_mask: 0,
            version: opened.version.clone(),
        }))
    }

    /// Reads from a file, past the end of which there are zeros.
    fn read_file(&self, file: &ExternalFile, position: i128, buf: &mut [u8]) -> Result<()> {
        let OpenedFile { object, size, .. } = self.open(file)?;
        let inside = (i128::from(*size) - position).clamp(0, buf.len() as i128) as usize;
        let (stored, beyond) = buf.split_at_mut(inside);
        beyond.fill(0);
        match u64::try_from(position) {
            Ok(position) if !stored.is_empty() => object
                .read_exact_at(position, stored)
                .map_err(|e| Error::io("cannot read", e)),
            _ => Ok(()),
        }
    }

    fn open<'a>(&self, file: &'a ExternalFile) -> Result<&'a OpenedFile> {
        if let Some(opened) = file.opened.get() {
            return Ok(opened);
        }
        let Some(external_files) = &self.external_files else {
            return Err(Error::Usage(
                "it is not known what lies beside the input".to_owned(),
            ));
        };
        let found = external_files.find(&file.name, NamedAs::ExternalData);
        let refuse = |why: NoExternalFile| Error::Usage(format!("it {why}"));
        let input = found.map_err(refuse)?.open()?;
        let input = input.ok_or_else(|| refuse(NoExternalFile::Missing))?;
        let InputKind::Object(object) = input.kind() else {
            return Err(Error::Usage("it is a store of keys, not a file".to_owned()));
        };
        let size = known_size(&**object)?;
        debug!(name = file.name, size, "opened an external file");
        Ok(file.opened.get_or_init(|| OpenedFile {
            object: Arc::clone(object),
            size,
            name: input.name().to_str().map(Arc::from),
            version: ObjectVersion::of(&**object),
        }))
    }
}

/// Adds the name of an external file to an error.
fn named(name: &str, error: Error) -> Error {
    Error::Usage(format!("external file {}: {error}", name.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ExternalFile, Input};
    use std::ffi::OsStr;

    /// Files in memory: `ten` has the bytes 0 to 9, `two` has 100 and 101.
    struct Memory;

    impl ExternalFiles for Memory {
        fn identity(&self) -> &OsStr {
            OsStr::new("memory")
        }
        fn find(&self, name: &str, _: NamedAs) -> Result<ExternalFile, NoExternalFile> {
            let bytes: Vec<u8> = match name {
                "ten" => (0..10).collect(),
                "two" => vec![100, 101],
                _ => return Err(NoExternalFile::Missing),
            };
            Ok(ExternalFile::new(name, move || {
                Ok(Some(Input::object("/m", Arc::new(bytes) as Arc<dyn Object>)))
            }))
        }
    }

    fn data(segments: &[(&str, u64, Option<u64>)]) -> ExternalData {
        let segment = |(file, offset, size): &(&str, u64, Option<u64>)| ExternalSegment {
            file: (*file).to_owned(),
            offset: *offset,
            size: *size,
        };
        let segments: Vec<_> = segments.iter().map(segment).collect();
        ExternalData::new(&segments, Some(Arc::new(Memory)))
    }

    fn read(data: &ExternalData, offset: u64, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![77; length];
        data.read(offset, &mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn segments_follow_each_other() {
        let all = data(&[
            ("ten", 3, Some(4)),
            ("two", 0, Some(0)),
            ("two", 1, Some(1)),
            ("ten", 4, None),
        ]);
        assert_eq!(all.names().collect::<Vec<_>>(), ["ten", "two"]);
        let expected = [3, 4, 5, 6, 101, 4, 5, 6, 7, 8, 9, 0, 0];
        assert_eq!(read(&all, 0, 13).unwrap(), expected);
        for begin in 0..13 {
            for end in begin..13 {
                assert_eq!(
                    read(&all, begin as u64, end - begin).unwrap(),
                    expected[begin..end]
                );
            }
        }
        assert_eq!(read(&all, u64::MAX - 8, 4).unwrap(), [0; 4]);
    }

    #[test]
    fn what_lies_past_a_files_end_is_zeros() {
        let all = data(&[
            ("two", 1, Some(3)),
            ("two", 1 << 60, Some(2)),
            ("ten", 9, Some(u64::MAX - 9)),
        ]);
        assert_eq!(read(&all, 0, 8).unwrap(), [101, 0, 0, 0, 0, 9, 0, 0]);
    }

    #[test]
    fn what_files_hold_is_told() {
        let range = |first, count| Written::Regions(Region::range(&[20], first, count));
        assert_eq!(data(&[("ten", 0, Some(10))]).written(&[5], 2), Written::All);
        assert_eq!(data(&[("ten", 3, None)]).written(&[20], 1), range(0, 7));
        assert_eq!(data(&[("ten", 50, None)]).written(&[20], 1), Written::Nothing);
        assert_eq!(data(&[("none", 0, None)]).written(&[20], 1), Written::All);
        let split = data(&[("two", 0, Some(7)), ("ten", 9, Some(100))]);
        let both = [Region::range(&[20], 0, 1), Region::range(&[20], 3, 1)].concat();
        assert_eq!(split.written(&[20], 2), Written::Regions(both));
        assert_eq!(data(&[("ten", 0, Some(4))]).written(&[20], 1), Written::All);
        assert_eq!(
            data(&[("ten", 0, None)]).written(&[1 << 40, 1 << 40], 1),
            Written::All
        );
    }

    #[test]
    fn pieces_lie_in_one_file() {
        let all = data(&[("ten", 2, Some(6)), ("none", 0, Some(2)), ("ten", 0, Some(12))]);
        assert_eq!((all.piece(20), all.piece(6)), (2, 6));
        assert_eq!(data(&[("ten", 0, None)]).piece(8), 8);
        let range = |offset, length| {
            all.place(offset, length)
                .unwrap()
                .map(|place| place.range.unwrap())
        };
        assert_eq!(range(0, 6), Some((2, 6)));
        assert_eq!(range(4, 4), None, "in two files");
        assert_eq!(range(8, 10), Some((0, 10)));
        assert_eq!(range(16, 4), None, "past the end of the file");
        let error = all.place(6, 2).unwrap_err().to_string();
        assert!(error.contains("external file none"), "{error}");
    }

    #[test]
    fn missing_files_matter_only_where_they_are_needed() {
        let all = data(&[("ten", 0, Some(2)), ("none", 0, Some(2)), ("ten", 5, Some(1))]);
        assert_eq!(read(&all, 0, 2).unwrap(), [0, 1]);
        assert_eq!(read(&all, 4, 1).unwrap(), [5]);
        let error = read(&all, 1, 2).unwrap_err().to_string();
        assert_eq!(error, "external file none: it does not exist");
        let error = read(&all, 4, 2).unwrap_err().to_string();
        assert!(error.contains("5 bytes, and byte 5 is needed"), "{error}");
        let alone = ExternalData::new(&[], None);
        assert!(read(&alone, 0, 0).is_ok());
        assert!(read(&alone, 0, 1).is_err());
    }
}
