//! The messages of groups: Group Info (specification section IV.A.2.k), Link (IV.A.2.g).

use crate::name;
use crate::writer::bytes::{PutBytes, bytes_for};
use crate::{Error, Result};

/// The Group Info message, with the library's default thresholds between compact and dense storage.
pub(crate) fn group_info() -> Vec<u8> {
    vec![0, 0] // version, flags: nothing stored
}

/// The target of a link message.
pub(crate) enum LinkInformation<'a> {
    /// An object with its header at this address.
    Hard(u64),
    /// A path.
    Soft(&'a str),
    /// A file, and a path in it.
    External(&'a str, &'a str),
    /// A type above 64, and its content.
    UserDefined(u8, &'a [u8]),
}

/// The Link message. `order` is the creation order, where the group tracks it.
pub(crate) fn link(name: &str, order: Option<u64>, target: &LinkInformation<'_>) -> Result<Vec<u8>> {
    let (kind, value) = match target {
        LinkInformation::Hard(_) => (None, Vec::new()),
        LinkInformation::Soft(path) => (Some(1), name::bytes(path).into_owned()),
        LinkInformation::External(file, path) => (
            Some(64),
            [&[0], &*name::bytes(file), &[0], &*name::bytes(path), &[0]].concat(),
        ),
        LinkInformation::UserDefined(class, data) => (Some(*class), data.to_vec()),
    };
    let name = name::bytes(name);
    let is_utf8 = name::is_utf8(&name);
    let name_width = bytes_for(name.len() as u64).next_power_of_two();
    let mut flags = name_width.trailing_zeros() as u8; // size of the name's length: 1, 2, 4 or 8 bytes
    if order.is_some() {
        flags |= 1 << 2; // creation order present
    }
    if kind.is_some() {
        flags |= 1 << 3; // type present
    }
    if is_utf8 {
        flags |= 1 << 4; // character set present
    }
    let mut out = vec![1, flags]; // version
    out.extend(kind);
    if let Some(order) = order {
        out.put_u64(order);
    }
    if is_utf8 {
        out.put_u8(1); // UTF-8
    }
    out.put_uint(name.len() as u64, name_width);
    out.put(&name);
    match target {
        LinkInformation::Hard(header) => out.put_u64(*header),
        LinkInformation::Soft(_) | LinkInformation::External(..) | LinkInformation::UserDefined(..) => {
            let length = u16::try_from(value.len())
                .map_err(|_| Error::CannotWrite(format!("a link of {} bytes", value.len())))?;
            out.put_u16(length);
            out.put(&value);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hard(name: &str) -> Vec<u8> {
        link(name, Some(0), &LinkInformation::Hard(0)).unwrap()
    }

    #[test]
    fn other_links_have_a_type_and_a_value() {
        assert_eq!(
            link("a", None, &LinkInformation::Soft("/b")).unwrap(),
            [1, 8, 1, 1, b'a', 2, 0, b'/', b'b']
        );
        assert_eq!(
            link("a", None, &LinkInformation::External("f", "/b")).unwrap()[2..],
            [64, 1, b'a', 6, 0, 0, b'f', 0, b'/', b'b', 0]
        );
        assert_eq!(
            link("a", None, &LinkInformation::UserDefined(187, &[7, 0, 9])).unwrap()[2..],
            [187, 1, b'a', 3, 0, 7, 0, 9]
        );
        assert!(link("a", None, &LinkInformation::Soft(&"x".repeat(70_000))).is_err());
    }

    #[test]
    fn a_link_is_short_and_tells_its_character_set() {
        assert_eq!(
            link("ab", Some(3), &LinkInformation::Hard(0x1234)).unwrap(),
            [
                1, 4, 3, 0, 0, 0, 0, 0, 0, 0, 2, b'a', b'b', 0x34, 0x12, 0, 0, 0, 0, 0, 0
            ]
        );
        assert_eq!(hard("ä")[1..12], [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(hard(&"x".repeat(300))[10..12], [44, 1]);
    }
}
