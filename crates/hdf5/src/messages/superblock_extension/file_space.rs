//! How the space of a file is managed: the File Space Info message of the superblock extension (specification section
//! IV.A.2.x).

use crate::error::{Error, Result};
use crate::metadata::Cursor;

/// Smallest and largest page, in bytes, that libhdf5 takes.
const PAGE_SIZES: std::ops::RangeInclusive<u64> = 512..=1 << 30;

/// How libhdf5 finds space for new blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSpaceStrategy {
    /// In free space, in aggregated blocks, and at the end of the file: the default.
    FreeSpaceAndAggregators,
    /// In pages, each of which holds either metadata or raw data.
    Pages,
    /// In aggregated blocks, and at the end of the file.
    Aggregators,
    /// At the end of the file.
    End,
}

/// How the space of a file is managed. Lists of free space are not part of it: files of this crate's writer have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSpace {
    /// How space for new blocks is found.
    pub strategy: FileSpaceStrategy,
    /// Size, in bytes, of the smallest free section that libhdf5 keeps track of.
    pub threshold: u64,
    /// Size of a page, in bytes. It is stored for all strategies.
    pub page_size: u64,
    /// True if libhdf5 stores lists of free space when it closes the file, so that the next writer uses it.
    pub is_persistent: bool,
}

impl FileSpace {
    /// Space in pages of `page_size` bytes.
    ///
    /// # Errors
    /// [`Error::Usage`] for a size below 512 bytes or above 1 GiB.
    pub fn pages(page_size: u64) -> Result<Self> {
        match PAGE_SIZES.contains(&page_size) {
            true => Ok(Self {
                strategy: FileSpaceStrategy::Pages,
                threshold: 1,
                page_size,
                is_persistent: false,
            }),
            false => Err(Error::Usage(format!(
                "pages of {page_size} bytes: HDF5 has pages of 512 bytes to 1 GiB"
            ))),
        }
    }

    /// The size of a page, in bytes; `None` if the strategy is another.
    pub fn page_size(&self) -> Option<u64> {
        (self.strategy == FileSpaceStrategy::Pages).then_some(self.page_size)
    }

    /// Parses the message. Returns `None` for version 0, which only HDF5 1.10.0 wrote, and which has no pages.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Option<Self>> {
        if message.u8()? == 0 {
            return Ok(None);
        }
        let strategy = match message.u8()? {
            0 => FileSpaceStrategy::FreeSpaceAndAggregators,
            1 => FileSpaceStrategy::Pages,
            2 => FileSpaceStrategy::Aggregators,
            3 => FileSpaceStrategy::End,
            other => return Err(message.damaged(format!("file space strategy {other}"))),
        };
        let is_persistent = message.u8()? != 0;
        let threshold = message.length()?;
        let page_size = message.length()?;
        if strategy == FileSpaceStrategy::Pages && !PAGE_SIZES.contains(&page_size) {
            return Err(message.damaged(format!("pages of {page_size} bytes")));
        }
        Ok(Some(Self {
            strategy,
            threshold,
            page_size,
            is_persistent,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of a file that h5py 3.16 made with `fs_strategy='page', fs_page_size=4096`.
    const THEIRS: [u8; 29] = [
        1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255,
        255,
    ];

    fn decode(bytes: &[u8]) -> Result<Option<FileSpace>> {
        FileSpace::decode(&mut Cursor::over(bytes))
    }

    #[test]
    fn the_message_of_libhdf5_is_read() {
        let space = decode(&THEIRS).unwrap().unwrap();
        assert_eq!(space, FileSpace::pages(4096).unwrap());
        assert_eq!(space.page_size(), Some(4096));
        let mut other = THEIRS;
        other[1] = 2;
        assert_eq!(decode(&other).unwrap().unwrap().page_size(), None);
        other[2] = 1;
        assert!(decode(&other).unwrap().unwrap().is_persistent);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut unknown = THEIRS;
        unknown[1] = 4;
        assert!(decode(&unknown).is_err());
        let mut small = THEIRS;
        small[12] = 1;
        assert!(decode(&small).is_err());
        assert!(decode(&THEIRS[..15]).is_err());
        assert!(FileSpace::pages(511).is_err() && FileSpace::pages((1 << 30) + 1).is_err());
    }
}
