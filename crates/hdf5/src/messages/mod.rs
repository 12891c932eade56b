//! Parsers of object header messages (specification section IV.A.2), one file for each type.
//!
//! `decode` takes a cursor over the message's data, in which a shared message has been resolved.

pub(crate) mod attribute;
pub(crate) mod attribute_info;
pub(crate) mod cache_image;
pub(crate) mod continuation;
pub(crate) mod dataspace;
pub(crate) mod datatype;
pub(crate) mod driver_info;
pub(crate) mod external_files;
pub(crate) mod fill_value;
pub(crate) mod filter_pipeline;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod link_info;
pub(crate) mod message_type;
pub(crate) mod shared;
pub(crate) mod shared_message_table;
pub(crate) mod symbol_table;
