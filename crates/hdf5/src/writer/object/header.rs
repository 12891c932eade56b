//! Encodes object headers, version 2 (specification section IV.A.1.b), in one chunk.

use crate::ObjectProperties;
use crate::writer::bytes::{PutBytes, bytes_for};

/// Flags of a message.
pub(crate) mod flag {
    pub(crate) const CONSTANT: u8 = 1;
    pub(crate) const SHARED: u8 = 1 << 1;
    pub(crate) const DO_NOT_SHARE: u8 = 1 << 2;
    /// A program that does not know the message must mark it when it changes the object.
    pub(crate) const MARK_IF_UNKNOWN: u8 = 1 << 4;
}

/// The messages of a header, encoded in order.
#[derive(Default)]
pub(crate) struct ObjectHeader {
    messages: Vec<u8>,
    properties: ObjectProperties,
}

impl ObjectHeader {
    /// A header without messages, of an object with these properties.
    pub(crate) fn new(properties: &ObjectProperties) -> Self {
        Self {
            messages: Vec::new(),
            properties: properties.clone(),
        }
    }

    /// Appends a message. `order` is the creation order of an attribute, otherwise 0. The body has at most 65,535
    /// bytes.
    pub(crate) fn push(&mut self, kind: u8, flags: u8, order: u16, body: &[u8]) {
        self.messages.put_u8(kind);
        self.messages.put_u16(body.len() as u16);
        self.messages.put_u8(flags);
        if self.properties.attribute_order.is_tracked() {
            self.messages.put_u16(order);
        }
        self.messages.put(body);
    }

    /// Position of the last message's body in the encoded header. `length` is the body's length.
    pub(crate) fn last_body(&self, length: usize) -> BodyPlace {
        BodyPlace(self.messages.len() - length)
    }

    /// The encoded header.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let size = self.messages.len() as u64;
        let width = size_width(size);
        let mut out = Vec::with_capacity(self.messages.len() + 18);
        out.put(b"OHDR");
        out.put_u8(2); // version
        // Bits 0-1: width of the size; 2 and 3: creation order of attributes tracked and indexed; 4 and 5: thresholds and
        // times are present.
        let ObjectProperties {
            attribute_order,
            times,
            attribute_phase_change,
            ..
        } = &self.properties;
        let present = u8::from(attribute_phase_change.is_some()) << 4 | u8::from(times.is_some()) << 5;
        out.put_u8(width.trailing_zeros() as u8 | attribute_order.flags() << 2 | present);
        for time in times.iter().flatten() {
            out.put_u32(*time);
        }
        if let Some((compact, dense)) = attribute_phase_change {
            out.put_u16(*compact);
            out.put_u16(*dense);
        }
        out.put_uint(size, width);
        out.put(&self.messages);
        out.put_checksum(0);
        out
    }
}

/// Width, in bytes, of the size of the messages.
fn size_width(size: u64) -> usize {
    bytes_for(size).next_power_of_two()
}

/// Position of a message's body among the messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyPlace(usize);

/// Replaces a message's body in an encoded header. The length must stay the same.
pub(crate) fn replace_body(header: &mut [u8], place: BodyPlace, body: &[u8]) {
    // Bits 0-1 of the flags are the width of the size; 4 and 5 tell what is in front of it.
    let flags = header.get(5).copied().unwrap_or(0);
    let width = 1usize << (flags & 3);
    let before = 4 * usize::from(flags >> 4 & 1) + 16 * usize::from(flags >> 5 & 1);
    let start = 6 + before + width + place.0;
    let messages = header.len().saturating_sub(4);
    if let Some(old) = header.get_mut(start..start + body.len()) {
        old.copy_from_slice(body);
    }
    let sum = crate::checksum::lookup3(header.get(..messages).unwrap_or_default());
    if let Some(old) = header.get_mut(messages..) {
        old.copy_from_slice(&sum.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_replaced_as_if_it_had_been_pushed() {
        for before in [3, 300, 65_535] {
            let header = |body: u8| {
                let mut header = ObjectHeader::default();
                header.push(1, 0, 0, &vec![7; before]);
                header.push(8, 0, 0, &[body; 20]);
                let place = header.last_body(20);
                header.push(2, 0, 0, &[9; 5]);
                (header.encode(), place)
            };
            let (mut bytes, place) = header(1);
            replace_body(&mut bytes, place, &[4; 20]);
            assert_eq!(bytes, header(4).0);
        }
    }

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
