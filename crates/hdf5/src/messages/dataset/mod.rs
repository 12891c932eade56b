//! Messages of datasets: shape, type, layout, fill value, filters. Attributes have the first two as well.

pub(crate) mod dataspace;
pub(crate) mod datatype;
pub(crate) mod external_files;
pub(crate) mod fill_value;
pub(crate) mod filter_pipeline;
pub(crate) mod layout;
