//! The File Space Info message (specification section IV.A.2.x).

use crate::writer::bytes::{PutBytes, UNDEFINED};
use crate::{FileSpace, FileSpaceStrategy};

/// Lists of free space that a file can have: one for each type of blocks, small and large.
const FREE_SPACE_LISTS: usize = 12;

/// The body for a file without free space.
pub(crate) fn file_space(space: &FileSpace) -> Vec<u8> {
    let mut out = vec![1]; // version
    out.put_u8(match space.strategy {
        FileSpaceStrategy::FreeSpaceAndAggregators => 0,
        FileSpaceStrategy::Pages => 1,
        FileSpaceStrategy::Aggregators => 2,
        FileSpaceStrategy::End => 3,
    });
    out.put_u8(space.is_persistent.into());
    out.put_u64(space.threshold);
    out.put_u64(space.page_size);
    out.put_u16(0); // metadata at the end of a page
    out.put_u64(UNDEFINED); // end of file before free space was kept
    if space.is_persistent {
        (0..FREE_SPACE_LISTS).for_each(|_| out.put_u64(UNDEFINED));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of a file that h5py 3.16 made with `fs_strategy='page', fs_page_size=4096`.
    #[test]
    fn equals_the_one_of_libhdf5() {
        let theirs = [
            1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255,
            255, 255,
        ];
        assert_eq!(file_space(&FileSpace::pages(4096).unwrap()), theirs);
    }
}
