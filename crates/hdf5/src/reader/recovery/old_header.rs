//! Recognizes version 1 object headers (specification section IV.A.1.a), which have no signature.

use crate::error::Result;
use crate::metadata::MetadataReader;
use crate::object_header::message_type;

const WHAT: &str = "object header";

/// Bytes in front of the messages.
const PREFIX: u64 = 16;

/// Bytes in front of the data of a message.
const MESSAGE: u64 = 8;

/// Most messages of a header that is believed, and most links to its object.
const MOST: u32 = 1 << 16;

/// True if a header may begin with these bytes. `room` is the number of bytes up to the end of the file.
pub(super) fn may_begin(bytes: &[u8], room: u64) -> bool {
    let Some(start) = bytes.first_chunk::<24>() else {
        return false;
    };
    let &[
        1,
        0,
        count_low,
        count_high,
        links_0,
        links_1,
        0,
        0,
        size_0,
        size_1,
        size_2,
        size_3,
        _,
        _,
        _,
        _,
        kind,
        0,
        data_size,
        _,
        _,
        0,
        0,
        0,
    ] = start
    else {
        return false;
    };
    let count = u64::from(u16::from_le_bytes([count_low, count_high]));
    let size = u64::from(u32::from_le_bytes([size_0, size_1, size_2, size_3]));
    count > 0
        && (links_0, links_1) != (0, 0)
        && u16::from(kind) <= message_type::LAST
        && data_size % 8 == 0
        && size >= MESSAGE
        && size.saturating_add(PREFIX) <= room
}

/// Looks at headers, whose messages together are not more than the file can have.
pub(super) struct OldHeaders<'a> {
    reader: &'a MetadataReader,
    messages_left: u64,
}

impl<'a> OldHeaders<'a> {
    /// For the file of `reader`.
    pub(super) fn of(reader: &'a MetadataReader) -> Self {
        Self {
            reader,
            messages_left: reader.file_size() / MESSAGE + 1,
        }
    }

    /// True if the messages of what may be a header fill it exactly, and it can have as many.
    pub(super) fn is_header(&mut self, address: u64) -> bool {
        self.check(address).unwrap_or(false)
    }

    fn check(&mut self, address: u64) -> Result<bool> {
        let prefix = self.reader.read(WHAT, address, PREFIX as usize)?;
        let mut prefix = self.reader.cursor(WHAT, address, &prefix);
        prefix.skip(2)?;
        let count = u32::from(prefix.u16()?);
        let links = prefix.u32()?;
        let mut left = u64::from(prefix.u32()?);
        if links > MOST {
            return Ok(false);
        }
        let mut at = address.saturating_add(PREFIX);
        let mut found = 0;
        while left >= MESSAGE {
            let Some(messages_left) = self.messages_left.checked_sub(1) else {
                return Ok(false);
            };
            self.messages_left = messages_left;
            let message = self.reader.read(WHAT, at, MESSAGE as usize)?;
            let mut message = self.reader.cursor(WHAT, at, &message);
            let (kind, size) = (message.u16()?, u64::from(message.u16()?));
            message.u8()?;
            let reserved: [u8; 3] = message.array()?;
            let whole = MESSAGE + size;
            found += 1;
            if kind > message_type::LAST
                || size % 8 != 0
                || reserved != [0; 3]
                || whole > left
                || found > count
            {
                return Ok(false);
            }
            left -= whole;
            at = at.saturating_add(whole);
        }
        Ok(left == 0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn is_header(bytes: &[u8]) -> bool {
        let reader = MetadataReader::new(Arc::new(bytes.to_vec()), 0, 8, 8).unwrap();
        may_begin(bytes, bytes.len() as u64) && OldHeaders::of(&reader).is_header(0)
    }

    #[test]
    fn messages_fill_a_header_exactly() {
        let mut header = vec![1, 0, 2, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0];
        header.extend([1, 0, 8, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
        header.extend([0, 0, 8, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert!(is_header(&header));
        // The count, the size, the type of a message, its size, its reserved bytes.
        for (at, value) in [(2, 1), (8, 24), (17, 1), (18, 16), (34, 24), (37, 1)] {
            let mut other = header.clone();
            other[at] = value;
            assert!(!is_header(&other), "{at}");
        }
        assert!(!is_header(&header[..40]));
        assert!(!is_header(&[0; 100]));
    }
}
