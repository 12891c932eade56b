//! What all messages share: types, the maximum size, references to messages elsewhere.

use crate::writer::bytes::PutBytes;

/// Maximum size of a body, in bytes: a message's size has 2 bytes.
pub(crate) const MAX_MESSAGE: usize = u16::MAX as usize;

/// Numbers of the message types.
pub(crate) mod kind {
    pub(crate) const DATASPACE: u8 = 0x01;
    pub(crate) const LINK_INFO: u8 = 0x02;
    pub(crate) const DATATYPE: u8 = 0x03;
    pub(crate) const FILL_VALUE: u8 = 0x05;
    pub(crate) const LINK: u8 = 0x06;
    pub(crate) const EXTERNAL_FILES: u8 = 0x07;
    pub(crate) const LAYOUT: u8 = 0x08;
    pub(crate) const GROUP_INFO: u8 = 0x0a;
    pub(crate) const FILTER_PIPELINE: u8 = 0x0b;
    pub(crate) const ATTRIBUTE: u8 = 0x0c;
    pub(crate) const COMMENT: u8 = 0x0d;
    pub(crate) const ATTRIBUTE_INFO: u8 = 0x15;
    pub(crate) const REFERENCE_COUNT: u8 = 0x16;
    pub(crate) const FILE_SPACE_INFO: u8 = 0x17;
}

/// The body of a reference to a message in another object's header, usually of a committed datatype (specification
/// section IV.A.2, "Shared Message", version 2).
pub(crate) fn shared(header: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(10);
    out.put_u8(2); // version
    out.put_u8(2); // a committed message
    out.put_u64(header);
    out
}

/// The Object Reference Count message (specification section IV.A.2.w), which is absent for a count of 1.
pub(crate) fn reference_count(count: u32) -> Vec<u8> {
    let mut out = vec![0]; // version
    out.put_u32(count);
    out
}
