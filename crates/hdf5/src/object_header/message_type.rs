//! Numbers of the message types (specification section IV.A.2).

/// Free space.
pub(crate) const NIL: u16 = 0x00;
/// Dataspace.
pub(crate) const DATASPACE: u16 = 0x01;
/// Link Info.
pub(crate) const LINK_INFO: u16 = 0x02;
/// Datatype.
pub(crate) const DATATYPE: u16 = 0x03;
/// Fill Value (old).
pub(crate) const OLD_FILL_VALUE: u16 = 0x04;
/// Fill Value.
pub(crate) const FILL_VALUE: u16 = 0x05;
/// Link.
pub(crate) const LINK: u16 = 0x06;
/// External Data Files.
pub(crate) const EXTERNAL_FILES: u16 = 0x07;
/// Data Layout.
pub(crate) const LAYOUT: u16 = 0x08;
/// Group Info.
pub(crate) const GROUP_INFO: u16 = 0x0a;
/// Filter Pipeline.
pub(crate) const FILTER_PIPELINE: u16 = 0x0b;
/// Attribute.
pub(crate) const ATTRIBUTE: u16 = 0x0c;
/// Object Comment.
pub(crate) const COMMENT: u16 = 0x0d;
/// Shared Message Table.
pub(crate) const SHARED_MESSAGE_TABLE: u16 = 0x0f;
/// Object Header Continuation.
pub(crate) const CONTINUATION: u16 = 0x10;
/// Symbol Table.
pub(crate) const SYMBOL_TABLE: u16 = 0x11;
/// Object Modification Time.
pub(crate) const MODIFICATION_TIME: u16 = 0x12;
/// B-tree K Values.
pub(crate) const BTREE_K: u16 = 0x13;
/// Driver Info.
pub(crate) const DRIVER_INFO: u16 = 0x14;
/// Attribute Info.
pub(crate) const ATTRIBUTE_INFO: u16 = 0x15;
/// File Space Info.
pub(crate) const FILE_SPACE_INFO: u16 = 0x17;
/// Metadata Cache Image.
pub(crate) const CACHE_IMAGE: u16 = 0x18;
/// Highest known type.
pub(crate) const LAST: u16 = CACHE_IMAGE;
