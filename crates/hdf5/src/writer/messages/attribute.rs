//! The Attribute message (specification section IV.A.2.m), version 3.

use super::message::MAX_MESSAGE;
use crate::name;
use crate::writer::bytes::PutBytes;
use crate::{Error, Result};

/// An Attribute message without its data, which follows. `shared` is true if `datatype` refers to a committed datatype.
pub(crate) fn attribute_head(name: &str, shared: bool, datatype: &[u8], dataspace: &[u8]) -> Result<Vec<u8>> {
    let size = |what: &str, size: usize| {
        u16::try_from(size).map_err(|_| {
            Error::CannotWrite(format!(
                "the {what} of attribute `{name}` takes {size} bytes, more than {MAX_MESSAGE}"
            ))
        })
    };
    let bytes = name::bytes(name);
    let mut out = Vec::with_capacity(9 + bytes.len() + 1 + datatype.len() + dataspace.len());
    out.put_u8(3); // version
    out.put_u8(u8::from(shared)); // flags
    out.put_u16(size("name", bytes.len() + 1)?);
    out.put_u16(size("datatype", datatype.len())?);
    out.put_u16(size("dataspace", dataspace.len())?);
    out.put_u8(u8::from(name::is_utf8(&bytes))); // character set: ASCII or UTF-8
    out.put(&bytes);
    out.put_u8(0);
    out.put(datatype);
    out.put(dataspace);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_their_sizes() {
        let bytes = attribute_head("é", true, &[1; 10], &[2; 4]).unwrap();
        assert_eq!(bytes[..9], [3, 1, 3, 0, 10, 0, 4, 0, 1]);
        assert_eq!(bytes[9..12], [0xc3, 0xa9, 0]);
        assert_eq!(bytes.len(), 9 + 3 + 10 + 4);
        assert!(attribute_head("a", false, &vec![0; 70_000], &[]).is_err());
    }
}
