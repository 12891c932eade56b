//! The messages of groups: Link Info (specification section IV.A.2.c), Group Info (IV.A.2.k), Link (IV.A.2.g).

use crate::writer::bytes::{PutBytes, UNDEFINED, bytes_for};
use crate::writer::dense::DenseAddresses;

/// The Link Info message: creation order tracked and indexed, and the addresses of dense storage if there is any.
pub(crate) fn link_info(links: u64, dense: Option<&DenseAddresses>) -> Vec<u8> {
    let mut out = vec![0, 0b11]; // version, flags: creation order tracked and indexed
    out.put_u64(links); // the creation order of the next link
    out.put_u64(dense.map_or(UNDEFINED, |d| d.heap));
    out.put_u64(dense.map_or(UNDEFINED, |d| d.name_index));
    out.put_u64(dense.map_or(UNDEFINED, |d| d.order_index));
    out
}

/// The Group Info message, with the library's default thresholds between compact and dense storage.
pub(crate) fn group_info() -> Vec<u8> {
    vec![0, 0] // version, flags: nothing stored
}

/// The Link message of a hard link, number `order` of its group.
pub(crate) fn link(name: &str, order: u64, header: u64) -> Vec<u8> {
    let name_width = bytes_for(name.len() as u64).next_power_of_two();
    let mut flags = name_width.trailing_zeros() as u8; // size of the name's length: 1, 2, 4 or 8 bytes
    flags |= 1 << 2; // creation order present
    if !name.is_ascii() {
        flags |= 1 << 4; // character set present
    }
    let mut out = vec![1, flags]; // version; no link type: hard
    out.put_u64(order);
    if !name.is_ascii() {
        out.put_u8(1); // UTF-8
    }
    out.put_uint(name.len() as u64, name_width);
    out.put(name.as_bytes());
    out.put_u64(header);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_short_and_tells_its_character_set() {
        assert_eq!(
            link("ab", 3, 0x1234),
            [
                1, 4, 3, 0, 0, 0, 0, 0, 0, 0, 2, b'a', b'b', 0x34, 0x12, 0, 0, 0, 0, 0, 0
            ]
        );
        assert_eq!(link("ä", 0, 0)[1..12], [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(link(&"x".repeat(300), 0, 0)[10..12], [44, 1]);
    }

    #[test]
    fn an_empty_group_still_tracks_creation_order() {
        assert_eq!(link_info(0, None)[..2], [0, 3]);
        assert_eq!(link_info(0, None).len(), 34);
    }
}
