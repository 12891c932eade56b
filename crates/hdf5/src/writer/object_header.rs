//! Object headers, version 2 (specification section IV.A.1.b), in one chunk: no times, attribute creation order tracked
//! and indexed.

use super::bytes::{PutBytes, bytes_for};

/// Flags of a message.
pub(super) mod flag {
    pub(crate) const CONSTANT: u8 = 1;
    pub(crate) const SHARED: u8 = 1 << 1;
    pub(crate) const DO_NOT_SHARE: u8 = 1 << 2;
}

/// The messages of a header, in order.
#[derive(Default)]
pub(super) struct ObjectHeader {
    messages: Vec<u8>,
}

impl ObjectHeader {
    /// Adds a message. `order` is the creation order of an attribute, and 0 for everything else. The body takes at most
    /// 65,535 bytes.
    pub(super) fn push(&mut self, kind: u8, flags: u8, order: u16, body: &[u8]) {
        self.messages.put_u8(kind);
        self.messages.put_u16(body.len() as u16);
        self.messages.put_u8(flags);
        self.messages.put_u16(order);
        self.messages.put(body);
    }

    /// The bytes of the header.
    pub(super) fn encode(&self) -> Vec<u8> {
        let size = self.messages.len() as u64;
        let width = bytes_for(size).next_power_of_two();
        let mut out = Vec::with_capacity(self.messages.len() + 18);
        out.put(b"OHDR");
        out.put_u8(2); // version
        // Bits 0-1: width of the size; 2 and 3: creation order of attributes tracked and indexed.
        out.put_u8(width.trailing_zeros() as u8 | 0b1100);
        out.put_uint(size, width);
        out.put(&self.messages);
        out.put_checksum(0);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_field_is_as_wide_as_needed() {
        for (body, flags, head) in [(10, 0b1100, 7), (300, 0b1101, 8), (65_530, 0b1110, 10)] {
            let mut header = ObjectHeader::default();
            header.push(0x0c, 0, 5, &vec![1; body]);
            let bytes = header.encode();
            assert_eq!(bytes[5], flags);
            assert_eq!(bytes.len(), head + 6 + body + 4);
            assert_eq!(
                bytes[head..head + 6],
                [0x0c, body as u8, (body >> 8) as u8, 0, 5, 0]
            );
        }
    }
}
