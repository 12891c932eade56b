//! Messages that are about the whole file, in the superblock's extension (specification section II.C).

pub(crate) mod cache_image;
pub(crate) mod driver_info;
pub(crate) mod file_space;
