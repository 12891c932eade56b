//! The superblock, version 2, and its extension (specification sections II.A and II.C).

use super::bytes::{PutBytes, UNDEFINED};
use super::messages::{file_space, kind};
use super::object::{ObjectHeader, flag};
use crate::FileSpace;

/// Size of the superblock, in bytes.
pub(super) const SUPERBLOCK_SIZE: u64 = 48;

/// The superblock's extension; empty for a file with libhdf5's defaults.
pub(super) fn extension(space: Option<&FileSpace>) -> Vec<u8> {
    let Some(space) = space else {
        return Vec::new();
    };
    let mut header = ObjectHeader::default();
    let flags = flag::DO_NOT_SHARE | flag::MARK_IF_UNKNOWN;
    header.push(kind::FILE_SPACE_INFO, flags, 0, &file_space(space));
    let mut out = header.encode();
    out.pad8();
    out
}

/// The superblock of a file with the root group's header at `root` and its end at `end_of_file`, behind a user block of
/// `base` bytes. `extension` is the address of its extension.
pub(super) fn superblock(root: u64, end_of_file: u64, base: u64, extension: Option<u64>) -> Vec<u8> {
    let mut out = Vec::with_capacity(SUPERBLOCK_SIZE as usize);
    out.put(b"\x89HDF\r\n\x1a\n");
    out.put_u8(2); // version
    out.put_u8(8); // size of offsets
    out.put_u8(8); // size of lengths
    out.put_u8(0); // consistency flags
    out.put_u64(base);
    out.put_u64(extension.unwrap_or(UNDEFINED));
    out.put_u64(base.saturating_add(end_of_file));
    out.put_u64(root);
    out.put_checksum(0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first 48 bytes of a file of netCDF4-python 1.7.5.
    #[test]
    fn equals_the_one_of_libhdf5() {
        let theirs = [
            0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0x02, 0x08, 0x08, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xd2, 0x06, 0x01, 0, 0, 0, 0, 0, 0x30, 0, 0, 0,
            0, 0, 0, 0, 0x78, 0xca, 0x4b, 0x6c,
        ];
        assert_eq!(superblock(48, 0x106d2, 0, None), theirs);
    }
}
