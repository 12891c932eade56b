//! Encoders of object header messages (specification section IV.A.2), one file for each family.
//!
//! Versions are the ones that libhdf5 writes with 1.8 as its lower bound, which netcdf-c sets.

mod attribute;
mod datatype;
mod dense_storage;
mod group;
mod message;
mod space;
mod storage;

pub(super) use attribute::attribute_head;
pub(super) use datatype::datatype;
pub(super) use dense_storage::{attribute_info, link_info};
pub(super) use group::{LinkInformation, group_info, link};
pub(super) use message::{MAX_MESSAGE, kind, reference_count, shared};
pub(super) use space::file_space;
pub(super) use storage::{Storage, dataspace, fill_value, filter_pipeline, layout};
