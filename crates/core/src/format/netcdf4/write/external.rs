//! Raw data of a variable in files beside the output.

use std::sync::Arc;

use ncutils_hdf5::{ExternalSegment, FillSpec};

use crate::chunk::fill_pattern;
use crate::error::{Error, Result};
use crate::model::ExternalPart;
use crate::store::RawFiles;

/// Bytes of fill values that are written at once, roughly.
const PIECE: usize = 1 << 20;

/// The raw data of one variable in its files.
pub(super) struct ExternalStorage {
    files: Arc<RawFiles>,
    ranges: Vec<Range>,
}

/// A part of a file.
struct Range {
    /// Position in the variable's data, in bytes.
    start: u64,
    /// Size in bytes; as large as any data where the part has no end.
    size: u64,
    file: usize,
    /// Position in the file, in bytes.
    offset: u64,
}

impl ExternalStorage {
    /// The raw data in `parts` of these files.
    ///
    /// # Errors
    /// If the output has no such files.
    pub(super) fn new(parts: &[ExternalPart], files: Option<&Arc<RawFiles>>) -> Result<Self> {
        let missing = || Error::Usage("this output has no files for raw data beside it".to_owned());
        let files = files.ok_or_else(missing)?;
        let mut start = 0u64;
        let ranges = parts.iter().map(|part| {
            let size = part.size.unwrap_or(u64::MAX - start);
            let range = Range {
                start,
                size,
                file: files.find(&part.file).ok_or_else(missing)?,
                offset: part.offset,
            };
            start = start.saturating_add(size);
            Ok(range)
        });
        Ok(Self {
            ranges: ranges.collect::<Result<_>>()?,
            files: files.clone(),
        })
    }

    /// Writes a range of the variable's data.
    ///
    /// # Errors
    /// Data past the parts; a file system that fails.
    pub(super) fn write(&self, offset: u64, mut data: &[u8]) -> Result<()> {
        let mut at = offset;
        let first = self
            .ranges
            .partition_point(|range| range.start.saturating_add(range.size) <= offset);
        for range in self.ranges.iter().skip(first) {
            if data.is_empty() {
                return Ok(());
            }
            let within = at - range.start;
            let fits = usize::try_from(range.size - within).unwrap_or(usize::MAX);
            let (now, later) = data.split_at(fits.min(data.len()));
            self.files
                .write_all_at(range.file, range.offset.saturating_add(within), now)?;
            at += now.len() as u64;
            data = later;
        }
        match data.is_empty() {
            true => Ok(()),
            false => Err(Error::Usage(format!(
                "byte {at} is past the external files of the variable"
            ))),
        }
    }

    /// Writes fill values over the bytes from `start` to `end`. Files hold zeros already.
    ///
    /// # Errors
    /// Those of [`ExternalStorage::write`].
    pub(super) fn fill(&self, fill: &FillSpec, start: u64, end: u64) -> Result<()> {
        let FillSpec::Defined(fill) = fill else {
            return Ok(());
        };
        let element = fill.bytes.len();
        if element == 0 || fill.bytes.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let mut piece = vec![0; (PIECE / element).max(1) * element];
        fill_pattern(&mut piece, &fill.bytes);
        let mut at = start;
        while at < end {
            let length = (end - at).min(piece.len() as u64) as usize;
            self.write(at, piece.get(..length).unwrap_or_default())?;
            at += length as u64;
        }
        Ok(())
    }
}

/// The parts as HDF5's segments.
pub fn segments(parts: &[ExternalPart]) -> Vec<ExternalSegment> {
    let segment = |part: &ExternalPart| ExternalSegment {
        file: part.file.clone(),
        offset: part.offset,
        size: part.size,
    };
    parts.iter().map(segment).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::RawData;

    #[test]
    fn data_is_split_over_its_parts() {
        let dir = tempfile::tempdir().unwrap();
        let part = |file: &str, offset, size| ExternalPart {
            file: file.to_owned(),
            offset,
            size,
        };
        let parts = [
            part("a", 2, Some(3)),
            part("b", 0, Some(1)),
            part("a", 6, Some(2)),
            part("c", 1, None),
        ];
        let data = RawData {
            variable: "/v",
            parts: &parts,
            bytes: 8,
        };
        let files = Arc::new(RawFiles::create(&dir.path().join("out.nc"), &[data]).unwrap());
        let storage = ExternalStorage::new(&parts, Some(&files)).unwrap();
        storage.write(4, b"4567").unwrap();
        storage.write(0, b"0123").unwrap();
        let fill = FillSpec::Defined(Box::new(ncutils_hdf5::Data::plain(b"xy".to_vec())));
        storage.fill(&fill, 8, 12).unwrap();
        storage.fill(&FillSpec::Default, 0, 12).unwrap();
        let read = |file: &str| {
            let found = crate::store::ExternalFiles::find(&*files, file, crate::store::NamedAs::ExternalData);
            let place = found.unwrap().open().unwrap().unwrap();
            fs::read(place.name()).unwrap()
        };
        assert_eq!(read("a"), b"\0\x00012\x0045");
        assert_eq!(read("b"), b"3");
        assert_eq!(read("c"), b"\x0067xyxy");

        let ended = ExternalStorage::new(&parts[..3], Some(&files)).unwrap();
        assert!(ended.write(5, b"56").unwrap_err().to_string().contains("byte 6"));
        assert!(ExternalStorage::new(&[part("d", 0, None)], Some(&files)).is_err());
        assert!(ExternalStorage::new(&parts, None).is_err());
    }
}
